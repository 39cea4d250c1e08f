// The driver's side of the register bus: an AXI4-Lite manager fed from the native queue (native/csr.c).
//
// The queue says in which cycle each access is to be taken; this puts it on the channels in exactly that
// cycle and counts it as an error if the engine does not take it then, or does not answer a read in the cycle
// after. So the driver can know when a read returns without being woken for it.
`include "rb_native.svh"
module rb_csr_host #(
    parameter ADDR_W = 12
) (
    input             clk,
    input      [63:0] cyc,
    input             refresh,  // the queue may have become longer since the last edge
    output reg [ADDR_W-1:0] awaddr,
    output reg        awvalid,
    input             awready,
    output reg [31:0] wdata,
    output reg [3:0]  wstrb,
    output reg        wvalid,
    input             wready,
    input      [1:0]  bresp,
    input             bvalid,
    output            bready,
    output reg [ADDR_W-1:0] araddr,
    output reg        arvalid,
    input             arready,
    input      [31:0] rdata,
    input      [1:0]  rresp,
    input             rvalid,
    output            rready
);
  localparam [63:0] NEVER = 64'hffff_ffff_ffff_ffff;
  reg [63:0] due = NEVER;
  reg [63:0] data, access;
  reg        answer_due = 0, reply_due = 0;

  assign bready = 1;
  assign rready = 1;
  initial begin
    awaddr = 0; awvalid = 0; wdata = 0; wstrb = 0; wvalid = 0; araddr = 0; arvalid = 0; data = 0; access = 0;
  end

  always @(posedge clk) begin
    if (refresh) due = `rb_csr_due();

    if (awvalid || arvalid || answer_due || reply_due || rvalid || bvalid) begin
      if (rvalid) `rb_csr_answer(rdata);
      // What was offered must have been taken in this cycle, and answered one cycle later with OKAY.
      if ((awvalid && !(awready && wready)) || (arvalid && !arready) || rvalid != answer_due
          || bvalid != reply_due || (rvalid && rresp != 0) || (bvalid && bresp != 0))
        `rb_csr_error(cyc);
      answer_due = arvalid;
      reply_due = awvalid;
      awvalid <= 0;
      wvalid <= 0;
      arvalid <= 0;
    end

    if (due == cyc + 1) begin
      data = `rb_csr_data();
      access = `rb_csr_take();
      due = `rb_csr_due();
      awaddr <= access[ADDR_W-1:0];
      araddr <= access[ADDR_W-1:0];
      wstrb <= access[35:32];
      wdata <= data[31:0];
      awvalid <= !access[40];
      wvalid <= !access[40];
      arvalid <= access[40];
    end
  end
endmodule
