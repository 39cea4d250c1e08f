// Host memory behind an AXI4 bus: a subordinate with stated timing. On the ideal bus the formulas are
// model.bus.BusTiming's:
//
// Read:  AR handshake in cycle a, first beat in a + 1 + latency (later if an earlier read still has the R
//        channel: the cycle after its last beat), then a beat `interval` cycles after each was taken.
//        Host memory is read once, at the edge that begins the first beat's cycle.
// Write: AW handshake in cycle a, wready from a + 1, then `interval` cycles after each beat was taken. Memory
//        changes at the edge that ends the last beat's cycle w; bvalid in w + 1 + latency.
// A write that ends at the edge at which a read begins is seen by that read.
//
// Behind a PCIe link (docs/link.md) each burst is an offer, booked one edge after it was made: from then on
// its cycles are known. A read takes its bytes in a cycle of its own, an event, and its beats come later, one
// a cycle; a write's B comes when the bridge has room. What is in flight is not bounded here.
//
// With MESSAGES, writes from 0xFEE0_0000 on set interrupt lines instead of memory (native/words.c).
//
// Which latency a burst has, and its bytes, are the native library's (native/bus.c): asked once a burst and
// once a beat.
`include "rb_native.svh"
module rb_axi_mem #(
    parameter DATA_W = 32,
    parameter ADDR_W = 32,
    parameter ID_W = 1,
    parameter MESSAGES = 0
) (
    input                     clk,
    input      [63:0]         cyc,
    input                     refresh,  // Python may have acknowledged a message since the last edge
    output reg [16:0]         lines,    // of the messages
    input      [ID_W-1:0]     awid,
    input      [ADDR_W-1:0]   awaddr,
    input      [7:0]          awlen,
    input      [2:0]          awsize,
    input      [1:0]          awburst,
    input                     awvalid,
    output reg                awready,
    input      [DATA_W-1:0]   wdata,
    input      [DATA_W/8-1:0] wstrb,
    input                     wlast,
    input                     wvalid,
    output reg                wready,
    output reg [ID_W-1:0]     bid,
    output reg [1:0]          bresp,
    output reg                bvalid,
    input                     bready,
    input      [ID_W-1:0]     arid,
    input      [ADDR_W-1:0]   araddr,
    input      [7:0]          arlen,
    input      [2:0]          arsize,
    input      [1:0]          arburst,
    input                     arvalid,
    output reg                arready,
    output reg [ID_W-1:0]     rid,
    output reg [DATA_W-1:0]   rdata,
    output reg [1:0]          rresp,
    output reg                rlast,
    output reg                rvalid,
    input                     rready
);
  localparam LANES = (DATA_W + 63) / 64;
  localparam [63:0] NEVER = 64'hffff_ffff_ffff_ffff;
  localparam [63:0] SETTINGS_CYCLE = 4;  // Python has given its settings by then; the engine is in reset

  reg [63:0] interval, outstanding;
  reg        linked;
  reg        offered;       // to the link, at the edge before this one
  reg        reply_unknown; // the write offered last is not booked yet
  reg [63:0] event_due;     // cycle that begins with a read of memory, or with a message
  reg        news;          // a line may have changed

  // Write side. The wide vectors are padded so that every lane can be cut out as 64 bits.
  reg        writing;
  reg [8:0]  write_beat, write_beats;
  reg [63:0] write_next;   // cycle from which wready is up again
  reg [63:0] reply_cycle;  // of bvalid; NEVER: none is owed
  reg [63:0] closed;
  reg [63:0] write_word;
  wire [LANES*64-1:0] wdata_padded = {{(LANES*64-DATA_W){1'b0}}, wdata};
  wire [LANES*8-1:0]  wstrb_padded = {{(LANES*8-DATA_W/8){1'b0}}, wstrb};

  // Read side.
  reg        reading;
  reg [8:0]  read_beat, read_beats;
  reg [63:0] read_next;   // cycle from which the next beat may be shown
  reg [63:0] read_due;    // earliest first beat of the oldest read that has not begun
  reg [63:0] reads_open;
  reg [63:0] begun;
  reg [LANES*64-1:0] read_word;
  reg        read_idle, write_idle;

  integer lane;

  initial begin
    interval = 1; outstanding = 1; linked = 0; offered = 0; reply_unknown = 0; event_due = NEVER; news = 0;
    lines = 0;
    writing = 0; write_beat = 0; write_beats = 0; write_next = 0; reply_cycle = NEVER;
    closed = 0; write_word = 0;
    reading = 0; read_beat = 0; read_beats = 0; read_next = 0; read_due = NEVER; reads_open = 0; begun = 0;
    read_word = 0; read_idle = 1; write_idle = 1;
    awready = 1; wready = 0; bid = 0; bresp = 0; bvalid = 0;
    arready = 1; rid = 0; rdata = 0; rresp = 0; rlast = 0; rvalid = 0;
  end

  // One block for both sides, so that the order of the calls at one edge is the order written here. Variables
  // that only this block reads are assigned at once (=), what the engine sees by <=.
  always @(posedge clk) begin
    if (cyc == SETTINGS_CYCLE) begin
      interval = `rb_bus_interval();
      outstanding = `rb_bus_outstanding();
      linked = `rb_bus_linked() != 0;
      `rb_bus_width(DATA_W / 8);
      `rb_bus_messages(MESSAGES);
    end
    news = MESSAGES != 0 && refresh;

    if (linked) begin
      if (offered) begin
        offered = 0;
        event_due = `rb_bus_book(cyc);
        if (reply_unknown) begin
          reply_unknown = 0;
          reply_cycle = `rb_bus_reply();
        end
      end
      if (event_due == cyc + 1) begin
        event_due = `rb_bus_event(cyc + 1);
        read_due = `rb_bus_read_due();
        news = 1;
      end
    end

    if (!write_idle || awvalid) begin
      if (bvalid && bready) begin
        bvalid <= 0;
        awready <= 1;
        write_idle = 1;
      end
      if (awvalid && awready) begin
        `rb_bus_write_open(cyc, awid, awaddr, awlen + 9'd1, {awburst, awsize});
        write_idle = 0;
        awready <= 0;
        bid <= awid;
        writing = 1;
        write_beat = 0;
        write_beats = awlen + 9'd1;
        write_next = cyc + 1;
      end
      if (wvalid && wready) begin
        for (lane = 0; lane < LANES; lane = lane + 1) begin
          write_word = wdata_padded[lane*64 +: 64];
          `rb_bus_write_data(write_beat, lane, write_word, wstrb_padded[lane*8 +: 8]);
        end
        write_beat = write_beat + 1;
        write_next = cyc + interval;
        if (write_beat == write_beats || wlast) begin
          writing = 0;
          closed = `rb_bus_write_close(cyc, {63'd0, write_beat == write_beats && wlast});
          bresp <= closed[63:62];
          offered = linked;
          reply_unknown = linked;
          reply_cycle = linked ? NEVER : {2'd0, closed[61:0]};
          news = 1;
        end
      end
      wready <= writing && write_next <= cyc + 1;
      if (reply_cycle == cyc + 1) begin
        bvalid <= 1;
        reply_cycle = NEVER;
      end
    end

    if (!read_idle || arvalid) begin
      if (arvalid && arready) begin
        read_due = `rb_bus_read_open(cyc, arid, araddr, arlen + 9'd1, {arburst, arsize});
        offered = offered || linked;
        reads_open = reads_open + 1;
        read_idle = 0;
      end
      if (rvalid && rready) begin
        rvalid <= 0;
        read_beat = read_beat + 1;
        read_next = cyc + interval;
        if (rlast) begin
          `rb_bus_read_end(cyc);
          reading = 0;
          reads_open = reads_open - 1;
          read_idle = reads_open == 0;
        end
      end
      if (!reading && read_due <= cyc + 1) begin
        begun = `rb_bus_read_begin(cyc + 1);
        read_due = `rb_bus_read_due();
        reading = 1;
        read_beat = 0;
        read_beats = begun[8:0];
        read_next = cyc + 1;
        rid <= begun[11 +: ID_W];
        rresp <= begun[10:9];
      end
      if (reading && (!rvalid || rready) && read_next <= cyc + 1) begin
        for (lane = 0; lane < LANES; lane = lane + 1)
          read_word[lane*64 +: 64] = `rb_bus_read_data(read_beat, lane);
        rvalid <= 1;
        rdata <= read_word[DATA_W-1:0];
        rlast <= read_beat + 1 == read_beats;
      end
      arready <= reads_open < outstanding;
    end

    if (MESSAGES != 0 && news) lines <= `rb_bus_lines();
  end
endmodule
