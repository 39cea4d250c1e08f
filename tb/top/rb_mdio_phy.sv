// A PHY as the management interface sees it: IEEE 802.3 clause 22 frames at one address, negotiated to
// 100BASE-TX full duplex, or with GIGABIT to 1000BASE-T full duplex. Other addresses do not answer: the
// pulled-up line then reads as ones. Its golden twin is model/phy.py.
//
// MDC is slow against clk and so is sampled by it. The PHY samples MDIO at the rising edge of MDC and changes
// its own output just after one, which leaves the station a whole MDC period.
`include "rb_native.svh"
module rb_mdio_phy #(
    parameter [4:0] ADDRESS = 0,
    parameter GIGABIT = 0
) (
    input      clk,
    input      mdc,
    input      o,     // what the station drives
    input      oe,    // whether it drives
    input      link,
    output     i      // the line, as the station reads it
);
  localparam [1:0] START = 2'b01, READ = 2'b10, WRITE = 2'b01;
  // BMSR: 100BASE-TX and 10BASE-T both duplexes, preamble suppression, able to negotiate, extended registers.
  localparam [15:0] BMSR_ABLE = 16'h7849, BMSR_LINK = 16'h0004, BMSR_NEGOTIATED = 16'h0020;
  localparam [15:0] BMSR_EXTENDED_STATUS = 16'h0100;
  localparam [15:0] BMSR = BMSR_ABLE | (GIGABIT != 0 ? BMSR_EXTENDED_STATUS : 16'h0000);
  localparam [15:0] PHYID1 = 16'h5242, PHYID2 = 16'h0001;  // no vendor's: letters RB, model 0, revision 1
  // Acknowledge, IEEE 802.3, and 100BASE-TX in full or in half duplex.
  localparam [15:0] ANLPAR_FULL = 16'h4101, ANLPAR_HALF = 16'h4081;
  // Negotiating, full duplex, at 1000 or 100 Mb/s.
  localparam [15:0] BMCR_RESET = 16'h8000, BMCR_INIT = GIGABIT != 0 ? 16'h1140 : 16'h3100;
  localparam [15:0] ANAR_INIT = 16'h0101;
  // 1000BASE-T full duplex: advertised, the partner's with both receivers in order, and what the PHY can do.
  localparam [15:0] CTRL1000_INIT = 16'h0200, STAT1000_FULL = 16'h3800, ESTATUS = 16'h2000;

  reg        mdc_before = 0;
  reg        line_out = 1, driving = 0;
  reg [1:0]  last_bits = 2'b11;  // to find the start
  reg [5:0]  place = 0;          // bits of the frame seen behind the start; 0: no frame
  reg [27:0] bits = 0;
  reg [15:0] value = 0;
  reg [15:0] bmcr = BMCR_INIT, anar = ANAR_INIT, ctrl1000 = CTRL1000_INIT;
  reg        in_frame = 0;
  reg [63:0] partner = 0;        // the link as the bench set it: bit 1 half duplex

  wire line = oe ? o : driving ? line_out : 1'b1;
  assign i = line;

  // Fields as they stand once operation and both addresses (12 bits) are in.
  wire [1:0] operation = bits[11:10];
  wire [4:0] phy = bits[9:5], register = bits[4:0];

  wire [15:0] written = {bits[14:0], line};  // once all data bits are in

  function [15:0] register_value(input [4:0] number);
    case (number)
      0: register_value = bmcr;
      1: register_value = BMSR | (link ? BMSR_LINK | BMSR_NEGOTIATED : 16'h0000);
      2: register_value = PHYID1;
      3: register_value = PHYID2;
      4: register_value = anar;
      5: register_value = !link ? 16'h0000 : partner[1] ? ANLPAR_HALF : ANLPAR_FULL;
      9: register_value = GIGABIT != 0 ? ctrl1000 : 16'h0000;
      10: register_value = GIGABIT != 0 && link && !partner[1] ? STAT1000_FULL : 16'h0000;
      15: register_value = GIGABIT != 0 ? ESTATUS : 16'h0000;
      default: register_value = 16'h0000;
    endcase
  endfunction

  reg [4:0] target = 0;
  reg       reading = 0, writing = 0;

  always @(posedge clk) begin
    mdc_before <= mdc;
    if (mdc && !mdc_before && in_frame && place == 11) partner = `rb_phy_link();
    if (mdc && !mdc_before) begin
      if (!in_frame) begin
        last_bits <= {last_bits[0], line};
        if ({last_bits[0], line} == START) begin
          in_frame <= 1;
          place <= 0;
        end
      end else begin
        bits <= {bits[26:0], line};
        place <= place + 1;
        // Bits behind the start: 0..11 operation and addresses, 12..13 turnaround, 14..29 data.
        if (place == 12) begin
          target <= register;
          reading <= operation == READ && phy == ADDRESS;
          writing <= operation == WRITE && phy == ADDRESS;
          value <= register_value(register);
          // The first turnaround bit has passed undriven; the second is a zero.
          driving <= operation == READ && phy == ADDRESS;
          line_out <= 0;
        end
        if (place >= 13 && reading) begin
          line_out <= value[15];
          value <= {value[14:0], 1'b0};
        end
        if (place == 29) begin
          in_frame <= 0;
          last_bits <= 2'b11;
          driving <= 0;
          reading <= 0;
          writing <= 0;
          if (writing && target == 0) bmcr <= (written & BMCR_RESET) != 0 ? BMCR_INIT : written;
          if (writing && target == 4) anar <= written;
          if (writing && target == 9) ctrl1000 <= written;
        end
      end
    end
  end
endmodule
