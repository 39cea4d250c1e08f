"""The interrupt moderation timers: after a message, how long until the next one for the same sources.

Ref: docs/engines/lan743x.md, section 6, "Timers"; sheet lan743x, section 2 (INT_MOD_CFG).
"""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["INTERVAL_WIDTH", "TIMERS", "US_CYCLES", "ModerationTimers"]

TIMERS = 8
INTERVAL_WIDTH = 16
US_CYCLES = 125
"""The unit of the intervals (A), and of what software polls for after a reset."""


class ModerationTimers(wiring.Component):
    """A timer counts its interval down once; nothing happens when it gets there but that it has expired.

    Members
    -------
    restart: a bit a timer, in w: not expired in w+1 .. w+125·interval; without effect if the interval is 0.
    interval: INT_MOD_CFG0 .. 7 in microseconds, as in w.
    off: all intervals act as 0.
    expired: a bit a timer; all after reset.
    """

    restart: In(TIMERS)
    interval: In(data.ArrayLayout(INTERVAL_WIDTH, TIMERS))
    off: In(1)
    expired: Out(TIMERS, init=(1 << TIMERS) - 1)

    def elaborate(self, platform):
        m = Module()
        left = [Signal(range(US_CYCLES << INTERVAL_WIDTH), name=f"left{n}") for n in range(TIMERS)]
        with m.If(~self.expired.all()):  # a simulator pays for the timers only while one runs
            for n in range(TIMERS):
                with m.If(~self.expired[n]):
                    m.d.sync += left[n].eq(left[n] - 1)
                    with m.If(left[n] == 1):
                        m.d.sync += self.expired[n].eq(1)
        with m.If(self.restart.any() & ~self.off):
            for n in range(TIMERS):
                interval = Signal(INTERVAL_WIDTH, name=f"interval{n}")
                m.d.comb += interval.eq(self.interval[n])
                with m.If(self.restart[n] & (interval != 0)):
                    m.d.sync += [left[n].eq(interval * Const(US_CYCLES)), self.expired[n].eq(0)]
        return m
