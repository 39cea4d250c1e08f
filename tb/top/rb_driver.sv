// Where Python is woken. It sleeps until the cycle it has asked for, or until an interrupt line that it waits
// for is high, and then acts on that cycle's falling edge: `wake` changes there, and Python has a trigger on
// it.
//
// Nothing is asked of the native library in a cycle in which nobody was woken: Python can have changed its
// mind only on a falling edge on which it was awake, so the next rising edge reads its wishes anew.
`include "rb_native.svh"
module rb_driver #(
    parameter LINES = 1
) (
    input                  clk,
    input      [63:0]      cyc,
    input      [LINES-1:0] irq,
    output reg             wake,
    output                 refresh  // at this rising edge: Python was awake, or the run begins
);
  localparam [63:0] SETTINGS_CYCLE = 4;
  localparam [63:0] NEVER = 64'hffff_ffff_ffff_ffff;
  reg             seen = 0;
  reg [63:0]      wake_cycle = NEVER;
  reg [63:0]      asked = 0;
  reg [63:0]      lines = 0;
  initial wake = 0;

  assign refresh = wake != seen || cyc == SETTINGS_CYCLE;

  always @(posedge clk)
    if (refresh) begin
      seen <= wake;
      asked = `rb_wake_cycle();
      wake_cycle <= asked;
      lines <= `rb_wake_lines();
      if (cyc == SETTINGS_CYCLE && asked == NEVER) begin  // without a driver the clock would run for ever
        $display("top: no driver has asked to be woken: was cocotb loaded?");
        $finish;
      end
    end

  always @(negedge clk)
    if (cyc == wake_cycle || (irq & lines[LINES-1:0]) != 0) begin
      `rb_woken(cyc, irq);
      wake <= !wake;
    end
endmodule
