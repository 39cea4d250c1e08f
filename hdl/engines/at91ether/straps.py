"""Straps: the part's variants and errata, latched while reset is up, so that one build serves them all.

Ref: docs/engines/at91ether.md, section 7.
"""

from amaranth.hdl import Module, Mux, ResetSignal, Signal, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FIFO_WORDS", "LONGEST_BURST", "MOST_PLACES", "Depth", "OverrunEffect", "StrapLatch", "Straps"]

FIFO_WORDS = 7
"""28 bytes each way (GK)."""
MOST_PLACES = 4
"""Of the MStar part."""
LONGEST_BURST = 4
"""Words (A)."""


class Depth(enum.Enum, shape=unsigned(2)):
    """How many frames the transmitter can hold."""

    TWO = 0
    ONE = 1
    FOUR = 2


class OverrunEffect(enum.Enum, shape=unsigned(2)):
    """What a hand-over without a free place does besides TSR.OVR and ISR.TOVR."""

    LOST = 0
    CORRUPT = 1
    LOCKUP = 2


Straps = data.StructLayout({
    "depth": Depth,
    "mstar": 1,
    "ovr_effect": OverrunEffect,
    "split_commit": 1,
    "split_latch": 1,
    "isr_race": 1,
    "rbna_restart": 1,
    "fifo_words": 3,
})


class StrapLatch(wiring.Component):
    """Keeps the straps as they were while reset was up, and the numbers that follow from them.

    Members
    -------
    pins: the straps, looked at while reset is up.
    straps: as latched.
    places: frames the transmitter holds.
    fifo_words: words of either FIFO.
    burst: the longest burst in words: no more than a FIFO holds.
    """

    pins: In(Straps)
    straps: Out(Straps)
    places: Out(range(MOST_PLACES + 1))
    fifo_words: Out(range(FIFO_WORDS + 1))
    burst: Out(range(LONGEST_BURST + 1))

    def elaborate(self, platform):
        m = Module()
        latched = Signal(Straps, reset_less=True)
        with m.If(ResetSignal()):
            m.d.sync += latched.eq(self.pins)
        m.d.comb += [
            self.straps.eq(latched),
            self.fifo_words.eq(Mux(latched.fifo_words == 0, FIFO_WORDS, latched.fifo_words)),
            self.burst.eq(Mux(self.fifo_words < LONGEST_BURST, self.fifo_words, LONGEST_BURST)),
        ]
        with m.Switch(latched.depth):
            with m.Case(Depth.ONE):
                m.d.comb += self.places.eq(1)
            with m.Case(Depth.FOUR):
                m.d.comb += self.places.eq(4)
            with m.Default():
                m.d.comb += self.places.eq(2)
        return m
