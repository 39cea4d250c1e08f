"""The PTP clock: seconds and nanoseconds, 8 ns a cycle while it is enabled.

Ref: docs/engines/lan743x.md, section 8; sheet lan743x, section 3.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CYCLE_NS", "PtpClock"]

CYCLE_NS = 8
SECOND_NS = 1_000_000_000


class PtpClock(wiring.Component):
    """Everything acts at the edge that ends the cycle of its pulse; `reset` goes before `load`.

    Members
    -------
    enabled: the clock counts at the edge that ends this cycle.
    reset: to 0.
    load: to `load_seconds`, `load_nanoseconds`.
    seconds, nanoseconds: the clock.
    """

    enabled: In(1)
    reset: In(1)
    load: In(1)
    load_seconds: In(32)
    load_nanoseconds: In(30)
    seconds: Out(32)
    nanoseconds: Out(30)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.reset):
            m.d.sync += [self.seconds.eq(0), self.nanoseconds.eq(0)]
        with m.Elif(self.load):
            m.d.sync += [self.seconds.eq(self.load_seconds), self.nanoseconds.eq(self.load_nanoseconds)]
        with m.Elif(self.enabled):
            with m.If(self.nanoseconds >= SECOND_NS - CYCLE_NS):
                m.d.sync += [
                    self.seconds.eq(self.seconds + 1),
                    self.nanoseconds.eq(self.nanoseconds - (SECOND_NS - CYCLE_NS)),
                ]
            with m.Else():
                m.d.sync += self.nanoseconds.eq(self.nanoseconds + CYCLE_NS)
        return m
