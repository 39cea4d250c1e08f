// An engine with all the faces of a real one and nothing behind them: on command it copies memory through its
// bus; it sends back every nibble that it receives; its MDIO pins are register bits. For tests of the bench
// around it.
//
// Registers: 00 SRC, 04 DST, 08 SHAPE {writes, reads, beats a write - 1, beats a read - 1} (8 bits each),
// 0C CMD (1: read bursts into the buffer, 2: write bursts from it), 10 ISR (read clears; 1 reads done, 2
// writes done, 4 a beat came with the ID of another read), 14 MASK (1 enables), 18 SCRATCH, 1C STRAPS, 20 MDIO {i, oe, o, mdc}, 24 LINE (pulse irq 1 for
// one cycle).
// Straps: bit 0: rready only in every second cycle; bit 1: wvalid likewise; bit 2: bready one cycle late;
// bit 3: never ready for register writes; bits 39:8 read back at STRAPS.
module dummy_engine #(
    parameter DATA_W = 32
) (
    input              clk, rst,
    input      [11:0]  csr__awaddr, input csr__awvalid, output csr__awready,
    input      [31:0]  csr__wdata, input [3:0] csr__wstrb, input csr__wvalid, output csr__wready,
    output     [1:0]   csr__bresp, output reg csr__bvalid, input csr__bready,
    input      [11:0]  csr__araddr, input csr__arvalid, output csr__arready,
    output reg [31:0]  csr__rdata, output [1:0] csr__rresp, output reg csr__rvalid, input csr__rready,
    output     [0:0]   bus__awid, output reg [31:0] bus__awaddr, output [7:0] bus__awlen,
    output [2:0] bus__awsize,
    output     [1:0]   bus__awburst, output reg bus__awvalid, input bus__awready,
    output     [DATA_W-1:0] bus__wdata, output [DATA_W/8-1:0] bus__wstrb, output bus__wlast,
    output bus__wvalid, input bus__wready,
    input      [0:0]   bus__bid, input [1:0] bus__bresp, input bus__bvalid, output bus__bready,
    output     [0:0]   bus__arid, output reg [31:0] bus__araddr, output [7:0] bus__arlen,
    output [2:0] bus__arsize,
    output     [1:0]   bus__arburst, output reg bus__arvalid, input bus__arready,
    input      [0:0]   bus__rid, input [DATA_W-1:0] bus__rdata, input [1:0] bus__rresp, input bus__rlast,
    input bus__rvalid, output bus__rready,
    input              phy__tick, output reg [3:0] phy__txd, output reg phy__tx_en, output reg phy__tx_er,
    input      [3:0]   phy__rxd, input phy__rx_dv, input phy__rx_er, input phy__crs, input phy__col,
    input phy__link,
    output             mdio__mdc, output mdio__o, output mdio__oe, input mdio__i,
    output     [1:0]   irq,
    input      [39:0]  straps,
    output             tap__ar__valid, output [7:0] tap__ar__index, output [31:0] tap__ar__data,
    output             tap__r__valid, output [7:0] tap__r__index, output [31:0] tap__r__data,
    output             tap__aw__valid, output [7:0] tap__aw__index, output [31:0] tap__aw__data,
    output             tap__w__valid, output [7:0] tap__w__index, output [31:0] tap__w__data,
    output             tap__b__valid, output [7:0] tap__b__index, output [1:0] tap__b__data,
    output             tap__csr_write__valid, output [11:0] tap__csr_write__index,
    output [31:0] tap__csr_write__data,
    output             tap__csr_read__valid, output [11:0] tap__csr_read__index,
    output [31:0] tap__csr_read__data,
    output             tap__irq_rise__valid,
    output             tap__rx_nibble__valid, output [3:0] tap__rx_nibble__data
);
  localparam SIZE = $clog2(DATA_W / 8);
  reg [39:0] options = 0;
  reg        phase = 0;  // every second cycle
  always @(posedge clk) begin
    if (rst) options <= straps;
    phase <= !phase;
  end

  // Registers.
  reg [31:0] src = 0, dst = 0, shape = 0, scratch = 0, mask = 0;
  reg [2:0]  isr = 0;
  reg [2:0]  pins = 0;
  reg        pulse = 0;
  assign {mdio__oe, mdio__o, mdio__mdc} = pins;
  assign irq = {pulse, |(isr & mask[2:0])};
  assign csr__bresp = 0;
  assign csr__rresp = 0;
  assign csr__awready = csr__awvalid && csr__wvalid && !csr__bvalid && !options[3];
  assign csr__wready = csr__awready;
  assign csr__arready = !csr__rvalid;
  wire write = csr__awvalid && csr__awready, read = csr__arvalid && csr__arready;
  wire [31:0] strobes = {{8{csr__wstrb[3]}}, {8{csr__wstrb[2]}}, {8{csr__wstrb[1]}}, {8{csr__wstrb[0]}}};
  reg  [31:0] value;
  reg         reads_done, writes_done;
  wire        wrong_id;
  initial begin csr__bvalid = 0; csr__rvalid = 0; csr__rdata = 0; end
  always @*
    case (csr__araddr)
      12'h00: value = src;
      12'h04: value = dst;
      12'h08: value = shape;
      12'h10: value = {29'd0, isr};
      12'h14: value = mask;
      12'h18: value = scratch;
      12'h1c: value = options[39:8];
      12'h20: value = {28'd0, mdio__i, pins};
      default: value = 0;
    endcase
  always @(posedge clk) begin
    csr__bvalid <= write;
    csr__rvalid <= read;
    pulse <= write && csr__awaddr == 12'h24;
    if (read) csr__rdata <= value;
    if (write)
      case (csr__awaddr)
        12'h00: src <= csr__wdata;
        12'h04: dst <= csr__wdata;
        12'h08: shape <= csr__wdata;
        12'h14: mask <= csr__wdata;
        12'h18: scratch <= csr__wdata & strobes | scratch & ~strobes;
        12'h20: pins <= csr__wdata[2:0];
        default: ;
      endcase
    isr <= (read && csr__araddr == 12'h10 ? 3'b000 : isr) | {wrong_id, writes_done, reads_done};
  end
  wire command = write && csr__awaddr == 12'h0c;

  // Bus.
  reg [DATA_W-1:0] buffer [0:1023];
  integer word;
  initial for (word = 0; word < 1024; word = word + 1) buffer[word] = 0;
  reg [7:0] reads = 0, reads_back = 0, reads_left = 0, writes = 0;
  reg [9:0] filled = 0, drained = 0;
  reg [8:0] beat = 0;
  reg       draining = 0, late = 0;
  assign bus__arid = reads[0];
  assign bus__arlen = shape[7:0];
  assign bus__arsize = SIZE;
  assign bus__arburst = 1;
  assign bus__awid = writes[0];
  assign bus__awlen = shape[15:8];
  assign bus__awsize = SIZE;
  assign bus__awburst = 1;
  assign bus__rready = !options[0] || phase;
  assign bus__wvalid = draining && (!options[1] || phase);
  assign bus__wdata = buffer[drained];
  assign bus__wstrb = {DATA_W/8{1'b1}};
  assign bus__wlast = beat == {1'b0, shape[15:8]};
  assign bus__bready = !options[2] || late;
  initial begin bus__arvalid = 0; bus__araddr = 0; bus__awvalid = 0; bus__awaddr = 0; end
  wire ar = bus__arvalid && bus__arready, r = bus__rvalid && bus__rready;
  wire aw = bus__awvalid && bus__awready, w = bus__wvalid && bus__wready, b = bus__bvalid && bus__bready;
  assign wrong_id = r && bus__rid != reads_back[0];
  always @(posedge clk) begin
    reads_done <= 0;
    writes_done <= 0;
    late <= bus__bvalid && !b;
    if (command && csr__wdata[0]) begin
      bus__araddr <= src;
      bus__arvalid <= 1;
      reads <= 0;
      reads_back <= 0;
      reads_left <= shape[23:16];
      filled <= 0;
    end
    if (ar) begin
      reads <= reads + 1;
      bus__araddr <= bus__araddr + (({24'd0, shape[7:0]} + 1) << SIZE);
      bus__arvalid <= reads + 1 != shape[23:16];
    end
    if (r) begin
      buffer[filled] <= bus__rdata;
      filled <= filled + 1;
      if (bus__rlast) begin
        reads_left <= reads_left - 1;
        reads_back <= reads_back + 1;
        reads_done <= reads_left == 1;
      end
    end
    if (command && csr__wdata[1]) begin
      bus__awaddr <= dst;
      bus__awvalid <= 1;
      writes <= 0;
      drained <= 0;
    end
    if (aw) begin
      bus__awvalid <= 0;
      draining <= 1;
      beat <= 0;
    end
    if (w) begin
      drained <= drained + 1;
      beat <= beat + 1;
      if (bus__wlast) draining <= 0;
    end
    if (b) begin
      writes <= writes + 1;
      bus__awaddr <= bus__awaddr + (({24'd0, shape[15:8]} + 1) << SIZE);
      bus__awvalid <= writes + 1 != shape[31:24];
      writes_done <= writes + 1 == shape[31:24];
    end
  end
  initial begin reads_done = 0; writes_done = 0; end

  // Wire.
  initial begin phy__txd = 0; phy__tx_en = 0; phy__tx_er = 0; end
  always @(posedge clk)
    if (phy__tick) begin
      phy__txd <= phy__rxd;
      phy__tx_en <= phy__rx_dv;
      phy__tx_er <= phy__rx_er;
    end

  reg irq_before = 0;
  always @(posedge clk) irq_before <= irq[0];
  assign tap__ar__valid = ar;
  assign tap__ar__index = reads;
  assign tap__ar__data = bus__araddr;
  assign tap__r__valid = r;
  assign tap__r__index = filled[7:0];
  assign tap__r__data = bus__rdata[31:0];
  assign tap__aw__valid = aw;
  assign tap__aw__index = writes;
  assign tap__aw__data = bus__awaddr;
  assign tap__w__valid = w;
  assign tap__w__index = drained[7:0];
  assign tap__w__data = bus__wdata[31:0];
  assign tap__b__valid = b;
  assign tap__b__index = writes;
  assign tap__b__data = bus__bresp;
  assign tap__csr_write__valid = write;
  assign tap__csr_write__index = csr__awaddr;
  assign tap__csr_write__data = csr__wdata;
  assign tap__csr_read__valid = read;
  assign tap__csr_read__index = csr__araddr;
  assign tap__csr_read__data = value;
  assign tap__irq_rise__valid = irq[0] && !irq_before;
  assign tap__rx_nibble__valid = phy__tick && phy__rx_dv;
  assign tap__rx_nibble__data = phy__rxd;
endmodule
