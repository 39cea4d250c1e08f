"""When the head of a channel is to be written to memory: by number of entries, by timer, or because a message
is about to go.

Ref: docs/engines/lan743x.md, section 6, "Head of a channel is due"; sheet lan743x, sections 2 (CFG_A) and 5.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["HeadDue"]

THRESHOLD_WIDTH = 5
MOST_COUNTED = 1 << THRESHOLD_WIDTH
"""`pending` is kept up to here: no threshold is beyond it."""


class HeadDue(wiring.Component):
    """One channel's.

    Members
    -------
    enabled, threshold, on_timer: CFG_A: HP_WB_EN, WB_THRES, WB_ON_INT_TMR.
    by_pending: the timer flag looks at `pending` instead of the cause.
    late: strap `head_wb_late`.
    arrived: entries that HEAD advances by in this cycle.
    cause: of the channel, in DMAC_INT_STS.
    rested: the channel's moderation timer is expired.
    wanted: a message that stands for the channel is about to go.
    taken: the write of the head is granted in this cycle.
    reset: the channel becomes initial at the edge that ends this cycle.
    due: the head is to be written.
    first: before that message.
    owed: entries are done that no head written to memory tells of.
    """

    enabled: In(1)
    threshold: In(THRESHOLD_WIDTH)
    on_timer: In(1)
    by_pending: In(1)
    late: In(1)
    arrived: In(16)
    cause: In(1)
    rested: In(1)
    wanted: In(1)
    taken: In(1)
    reset: In(1)
    due: Out(1)
    first: Out(1)
    owed: Out(1)

    def elaborate(self, platform):
        m = Module()
        pending = Signal(range(MOST_COUNTED + 1))
        any_pending, enough = Signal(), Signal()
        m.d.comb += [
            any_pending.eq(pending != 0),
            enough.eq((pending >= self.threshold) & ~self.late),  # any_pending is asked too
        ]
        with m.If((self.arrived != 0) | self.taken):
            total = Signal(17)
            m.d.comb += total.eq(Mux(self.taken, 0, pending) + self.arrived)
            m.d.sync += pending.eq(Mux(total > MOST_COUNTED, MOST_COUNTED, total))

        condition, before, flag = Signal(), Signal(), Signal()
        m.d.comb += condition.eq(self.rested & Mux(self.by_pending, any_pending, self.cause))
        m.d.sync += before.eq(condition)
        with m.If(condition & ~before & self.on_timer):
            m.d.sync += flag.eq(1)
        with m.Elif(self.taken):
            m.d.sync += flag.eq(0)
        with m.If(self.reset):
            m.d.sync += [pending.eq(0), flag.eq(0)]

        m.d.comb += [
            self.owed.eq(self.enabled & any_pending),
            self.first.eq(self.owed & self.wanted), self.due.eq(self.first | (self.owed & (enough | flag))),
        ]
        return m
