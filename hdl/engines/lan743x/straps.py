"""Straps: the part's variants and races, latched while reset is up, so that one build serves them all.

Ref: docs/engines/lan743x.md, section 10; sheet lan743x, section 9.
"""

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RX_FIFO_WORDS", "StrapLatch", "Straps"]

RX_FIFO_WORDS = 8192
"""32 KiB a channel (A)."""
DEFAULT_TAGS = 8
WORDS_OF_A_KIB_LOG2 = 8

Straps = data.StructLayout({
    "rev_a0": 1,
    "tail_inclusive": 1,
    "past_tail": 1,
    "head_wb_early": 1,
    "write_whole_buffer": 1,
    "edge_irq": 1,
    "extra_buffer": 4,
    "tags": 4,
    "rx_fifo_kib": 6,
    "head_wb_late": 1,
})


class StrapLatch(wiring.Component):
    """Keeps the straps as they were while reset was up, and the numbers that follow from them.

    Members
    -------
    pins: the straps, looked at while reset is up.
    straps: as latched.
    tags: reads that may be open.
    rx_fifo_words: words of the FIFO of a receive channel.
    """

    pins: In(Straps)
    straps: Out(Straps)
    tags: Out(4)
    rx_fifo_words: Out(range(RX_FIFO_WORDS + 1))

    def elaborate(self, platform):
        m = Module()
        latched = Signal(Straps, reset_less=True)
        with m.If(ResetSignal()):
            m.d.sync += latched.eq(self.pins)
        m.d.comb += [
            self.straps.eq(latched),
            self.tags.eq(Mux(latched.tags == 0, DEFAULT_TAGS, latched.tags)),
            self.rx_fifo_words.eq(Cat(Const(0, WORDS_OF_A_KIB_LOG2), latched.rx_fifo_kib[:5])),
        ]
        with m.If(latched.rx_fifo_kib[:5] == 0):
            m.d.comb += self.rx_fifo_words.eq(RX_FIFO_WORDS)
        return m
