// The wire on GMII (IEEE 802.3 clause 35): plays the traffic program, records what the engine sends.
//
// A byte every cycle, both ways; what the player loads at the end of a cycle shows in the next. Eight bytes
// are exchanged with the native library in a call, and an idle wire costs a comparison. The link is full
// duplex: carrier sense and collision stay low.
`include "rb_native.svh"
module rb_gmii (
    input            clk,
    input     [63:0] cyc,
    input            refresh,
    input      [7:0] txd,
    input            tx_en,
    input            tx_er,
    output reg [7:0] rxd,
    output reg       rx_dv,
    output reg       rx_er,
    output           crs,
    output           col,
    output reg       link
);
  localparam [63:0] NEVER = 64'hffff_ffff_ffff_ffff;
  reg [63:0] starts, starts_seen, word;

  // Player: bytes at hand, then the cycle at whose end it asks for more.
  reg [63:0] bytes, play_at;
  reg [7:0]  errors;
  reg [3:0]  left;

  // Checker: bytes of the engine that the library has not seen.
  reg        sending;
  reg [63:0] sent, sent_first;
  reg [7:0]  sent_errors;
  reg [3:0]  sent_count;

  assign crs = 0;
  assign col = 0;
  initial begin
    starts = 0; starts_seen = 0; word = 0; bytes = 0; play_at = NEVER; errors = 0; left = 0;
    sending = 0; sent = 0; sent_first = 0; sent_errors = 0; sent_count = 0;
    rxd = 0; rx_dv = 0; rx_er = 0; link = 0;
  end

  always @(posedge clk) begin
    if (left == 0 && cyc == play_at) begin
      word = `rb_gmii_play();
      left = word[3:0];
      errors = word[11:4];
      if (left != 0) begin
        bytes = `rb_gmii_bytes();
        play_at = cyc + left;
      end else begin
        rx_dv <= 0;
        rxd <= 0;
        rx_er <= 0;
        play_at = word[12] ? NEVER : cyc + word[63:32];  // the byte loaded now is idle already
      end
    end
    if (left != 0) begin
      rxd <= bytes[7:0];
      rx_dv <= 1;
      rx_er <= errors[0];
      bytes = bytes >> 8;
      errors = errors >> 1;
      left = left - 1;
    end

    if (refresh) begin
      starts = `rb_wire_starts();
      word = `rb_phy_link();
      link <= word[0];
      if (starts != starts_seen) begin  // at the edge that ends cycle f; cycle f + 1 loads idle byte 1
        starts_seen = starts;
        word = `rb_gmii_start();
        play_at = cyc + 1 + word;
      end
    end

    if (tx_en) begin
      if (sent_count == 0) sent_first = cyc;
      sent[sent_count*8 +: 8] = txd;
      sent_errors[sent_count[2:0]] = tx_er;
      sent_count = sent_count + 1;
      sending = 1;
    end
    if (sending && (!tx_en || sent_count == 8)) begin
      if (sent_count == 0) sent_first = cyc;
      `rb_gmii_check(sent_first, sent_count, sent, sent_errors, {63'd0, !tx_en});
      sending = tx_en;
      sent_count = 0;
      sent_errors = 0;
    end
  end
endmodule
