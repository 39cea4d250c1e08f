// The wire on MII (IEEE 802.3 clause 22): plays the traffic program, records what the engine sends.
//
// `tick` is up in odd cycles: 25 MHz of nibbles at an engine clock of 50 MHz. New nibbles appear at the edge
// that ends a tick cycle, in both directions. Idle stretches and the gap between frames cost no call into the
// native library.
`include "rb_native.svh"
module rb_mii (
    input            clk,
    input     [63:0] cyc,
    input            refresh,
    output           tick,
    input      [3:0] txd,
    input            tx_en,
    input            tx_er,
    output reg [3:0] rxd,
    output reg       rx_dv,
    output reg       rx_er,
    output           crs,
    output           col,
    output reg       link
);
  localparam [63:0] SETTINGS_CYCLE = 4;
  reg [63:0] starts, starts_seen, word;
  reg [31:0] hold;     // ticks until the player has something new
  reg        playing, started;
  reg        half;     // a half-duplex link: both sides at once are a collision
  reg        sending;  // the engine was in a frame at the last tick
  reg [63:0] last_tick;

  assign tick = cyc[0];
  assign crs = tx_en | rx_dv;
  assign col = half & tx_en & rx_dv;
  initial begin
    starts = 0; starts_seen = 0; word = 0; hold = 0; playing = 0; started = 0; sending = 0; last_tick = 0;
    rxd = 0; rx_dv = 0; rx_er = 0; link = 0; half = 0;
  end

  always @(posedge clk) begin
    started = 0;
    if (refresh) begin
      starts = `rb_wire_starts();
      word = `rb_phy_link();
      link <= word[0];
      half <= word[1];
      if (starts != starts_seen) begin  // at the edge that ends cycle f; the next tick loads idle nibble 1
        starts_seen = starts;
        word = `rb_mii_start();
        hold = word[31:0];
        playing = 1;
        started = 1;
      end
    end
    if (tick && playing && !started) begin
      if (hold != 0) hold = hold - 1;
      else begin
        word = `rb_mii_play();
        rxd <= word[3:0];
        rx_dv <= word[4];
        rx_er <= word[5];
        playing = !word[6];
        hold = word[63:32];
      end
    end
    if (tick) begin
      if (tx_en || sending) begin
        `rb_mii_check(cyc, last_tick, {tx_er, tx_en, txd});
        sending = tx_en;
      end
      last_tick = cyc;
    end
  end
endmodule
