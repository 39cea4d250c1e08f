"""From the bytes of a frame to the nibbles of MII: preamble, padding, FCS, and the ways a frame can end
early.

# Ref: docs/engines/at91ether.md, 3.3 and 3.4. The letters t, T_i, F and J below are those of that page.
"""

from collections.abc import Callable

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.access import SLOT_TICKS, Access
from hdl.mac.mii_nibbles import LATE_TICKS, PREAMBLE_NIBBLES, Plan, load_nibbles


class MiiTx(wiring.Component):
    """The MII framer.

    A pulse is one tick cycle long and appears in the cycle that its letter names.

    Parameters
    ----------
    min_bytes : int
        A frame is padded with zeros up to this length (without FCS), unless NCRC.
    gap_ticks : int
        Interframe gap in nibbles.
    slot_ticks : int
        Slot of the backoff in nibbles.

    Members
    -------
    tick : In(1)
        Nibble enable.
    te, fd : In(1)
        Transmit enable, full duplex. Without `te` nothing starts and a frame on the wire is cut.
    start, ncrc : In(1)
        A frame is ready; it brings its own FCS (taken over in t). t is the first tick with `start` in which
        the wire is free.
    data, valid, last : In(8), In(1), In(1)
        The next byte, whether there is one, whether the frame ends with it. Looked at in the ticks T_i.
    abort : In(1)
        Bus error: the frame on the wire is cut at the next tick (this one included).
    forget : In(1)
        The frame that was to be sent (again) is dropped while it is not on the wire.
    crs, col : In(1)
        Carrier and collision.
    txd, tx_en : Out(4), Out(1)
        MII. `tx_en` is at the same time "a frame is on the wire": from t + 1 to its last tick.
    began, sfd : Out(1)
        Pulses in t; in t + 30.
    take, underrun : Out(1)
        Pulse in T_i: the byte was taken; there was none.
    hit, jam : Out(1)
        Pulse in each tick in which a collision is seen; in the one that loads the first jam nibble.
    collision, retry : Out(1)
        Pulse in J; in J if the frame is to be sent again.
    cut : Out(1)
        Pulse in the tick in which TX_EN falls because of `te` or `abort`.
    done : Out(1)
        Pulse: the frame is finished and to be released, in F, in J without `retry`, or in the cut for
        `abort`.
    whole, starved, late, excess, aborted : Out(1)
        With `done`, why: sent whole, underrun, late collision, too many collisions (these two can go
        together), bus error.
    deferred, no_carrier : Out(1)
        With `done`, in half duplex: it waited for the carrier; the carrier was missing in a tick of T_0 .. F.
    collisions : Out(5)
        Of this frame; in J with that one.
    crc, count : Out(32), Out(11)
        CRC-32 and number of the bytes so far, pad included, FCS not. 0 while nothing is on the wire.
    taken : Out(11)
        Bytes taken so far, the pad not included. 0 while nothing is on the wire.
    """

    tick: In(1)
    te: In(1)
    fd: In(1)
    start: In(1)
    ncrc: In(1)
    data: In(8)
    valid: In(1)
    last: In(1)
    abort: In(1)
    forget: In(1)
    crs: In(1)
    col: In(1)

    txd: Out(4)
    tx_en: Out(1)

    began: Out(1)
    sfd: Out(1)
    take: Out(1)
    underrun: Out(1)
    hit: Out(1)
    jam: Out(1)
    collision: Out(1)
    retry: Out(1)
    cut: Out(1)
    done: Out(1)

    whole: Out(1)
    starved: Out(1)
    late: Out(1)
    excess: Out(1)
    aborted: Out(1)
    deferred: Out(1)
    no_carrier: Out(1)
    collisions: Out(5)
    crc: Out(32)
    count: Out(11)
    taken: Out(11)

    def __init__(self, min_bytes: int = 60, gap_ticks: int = 24, slot_ticks: int = SLOT_TICKS) -> None:
        self._min_bytes = min_bytes
        self._gap_ticks = gap_ticks
        self._slot_ticks = slot_ticks
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.access = access = Access(self._gap_ticks, self._slot_ticks)
        plan = Plan()
        ongoing = load_nibbles(m, self, plan, self._min_bytes)
        self._decide(m, plan, ongoing, access)
        m.d.comb += [
            access.tick.eq(self.tick),
            access.fd.eq(self.fd),
            access.crs.eq(self.crs),
            access.busy.eq(self.tx_en),
            access.ready.eq(self.start & self.te),
            access.ended.eq(plan.ended),
            access.collided.eq(self.collision),
            access.released.eq(self.done | self.forget | ~self.te),

            self.tx_en.eq(plan.kept.tx_en),
            self.txd.eq(plan.kept.txd),
            self.crc.eq(~plan.sums.register),
            self.count.eq(plan.sums.count),
            self.taken.eq(plan.sums.taken),
        ]
        return m

    def _decide(self, m: Module, plan: Plan, ongoing: Callable[[str], Value], access: Access) -> None:
        """What happens to the frame in this tick, the stronger reason first."""
        kept = plan.kept
        # Remembered between ticks: the reason may be gone when the tick comes.
        with m.If(plan.ended):
            m.d.sync += [kept.disabled.eq(0), kept.errored.eq(0)]
        with m.Elif(kept.tx_en):
            m.d.sync += kept.disabled.eq(kept.disabled | ~self.te)
            m.d.sync += kept.errored.eq(kept.errored | self.abort)

        sending, collides, te_cut, regular = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            sending.eq(self.tick & kept.tx_en),
            collides.eq(self.col & ~self.fd & ~ongoing("JAM") & ~ongoing("JAM_END")),
            te_cut.eq(sending & (kept.disabled | ~self.te)),
            self.aborted.eq(sending & (kept.errored | self.abort) & ~te_cut & ~(ongoing("END") & ~collides)),
            self.cut.eq(te_cut | self.aborted),
            self.hit.eq(sending & collides & ~self.cut),
            # Preamble and SFD are completed before the jam.
            plan.step.eq(sending & ~self.cut & (~collides | ongoing("PREAMBLE"))),
            plan.jam_now.eq(self.hit & ~ongoing("PREAMBLE")),

            self.began.eq(self.tick & self.start & self.te & ~kept.tx_en & access.free),
            self.sfd.eq(plan.step & ongoing("PREAMBLE") & (kept.age == PREAMBLE_NIBBLES)),
            self.take.eq(plan.step & ongoing("LOW") & self.valid),
            self.underrun.eq(plan.step & ongoing("LOW") & ~self.valid),
            self.jam.eq(plan.jam_now | (plan.step & ongoing("JAM") & (kept.index == 0))),
            self.collision.eq(plan.step & ongoing("JAM_END")),
            regular.eq(plan.step & ongoing("END")),
            plan.ended.eq(regular | self.cut | self.collision),
        ]

        with m.If(self.began):
            m.d.sync += [kept.late.eq(0), kept.starved.eq(0), kept.silent.eq(0)]
        with m.If(self.hit):
            m.d.sync += kept.late.eq(kept.age == LATE_TICKS)
        with m.If(self.underrun):
            m.d.sync += kept.starved.eq(1)
        with m.If(sending & (kept.age > PREAMBLE_NIBBLES) & ~self.crs):
            m.d.sync += kept.silent.eq(1)
        m.d.comb += [
            self.whole.eq(regular & ~kept.starved),
            self.starved.eq(regular & kept.starved),
            self.late.eq(self.collision & kept.late),
            self.excess.eq(access.excess),
            self.retry.eq(self.collision & ~self.late & ~self.excess),
            self.done.eq(regular | self.aborted | self.late | self.excess),
            self.deferred.eq(access.deferred),
            self.no_carrier.eq((kept.silent | ~self.crs) & ~self.fd),
            self.collisions.eq(access.collisions),
        ]
