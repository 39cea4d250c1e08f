"""When the transmitter may begin: interframe gap, deferral to a busy wire, and backoff after a collision.

# Ref: docs/engines/at91ether.md, 3.3 step 4 and 3.4; IEEE 802.3 clause 4.2.3.2 (truncated binary exponential
backoff).

Time is counted in ticks (nibbles), so the rules hold for whatever rate the PHY sets.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

SLOT_TICKS = 128
"""512 bit times."""
ATTEMPT_LIMIT = 16
"""A frame is given up after this many collisions."""
BACKOFF_LIMIT = 10
"""The range of the backoff doubles with each collision up to this one."""
LFSR_SEED = 0xACE1
LFSR_STAGES = (16, 15, 13, 4)
"""Taps, by stage; stage n is bit n-1 and the shift goes towards the higher stages."""
LFSR_STEPS = 16


def lfsr_rows() -> list[int]:
    """For each bit after `LFSR_STEPS` steps, as a mask: the present bits whose exclusive or it is."""
    rows = [1 << bit for bit in range(16)]
    for _ in range(LFSR_STEPS):
        feedback = 0
        for stage in LFSR_STAGES:
            feedback ^= rows[stage - 1]
        rows = [feedback] + rows[:-1]
    return rows


class Access(wiring.Component):
    """Gap, deferral and backoff of one transmitter.

    Parameters
    ----------
    gap_ticks : int
        Ticks from the one in which a frame ends to the first in which the next may start.
    slot_ticks : int
        Length of a slot of the backoff.

    Members
    -------
    tick, fd, crs : In(1)
        Nibble enable; full duplex; carrier.
    busy : In(1)
        A frame is on the wire.
    ready : In(1)
        A frame would start if it were allowed to.
    ended : In(1)
        Pulse: the frame on the wire ends in this tick, in whatever way.
    collided : In(1)
        Pulse, together with `ended`: it ends because of a collision (tick J).
    released : In(1)
        Pulse: the frame has been dealt with; collisions, backoff and the deferral flag are the next one's.
    free : Out(1)
        A frame may start in this cycle, if it is a tick.
    deferred : Out(1)
        The frame had to wait for the carrier.
    collisions : Out(5)
        Of this frame so far; in the cycle of `collided` with that one.
    excess : Out(1)
        In the cycle of `collided`: it was the last the frame is allowed.
    """

    tick: In(1)
    fd: In(1)
    crs: In(1)
    busy: In(1)
    ready: In(1)
    ended: In(1)
    collided: In(1)
    released: In(1)
    free: Out(1)
    deferred: Out(1)
    collisions: Out(5)
    excess: Out(1)

    def __init__(self, gap_ticks: int = 24, slot_ticks: int = SLOT_TICKS) -> None:
        if gap_ticks < 1:
            raise ValueError(f"a gap has at least one tick, not {gap_ticks}")
        if slot_ticks < 1:
            raise ValueError(f"a slot has at least one tick, not {slot_ticks}")
        self._gap_ticks = gap_ticks
        self._slot_ticks = slot_ticks
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        m = Module()

        carrier = Signal()
        m.d.comb += carrier.eq(self.crs & ~self.fd)

        # Bundled, because a simulator then computes what follows a tick in one place and not in six. The two
        # counters hold the ticks that still have to pass before the one that is allowed.
        kept = Signal(data.StructLayout({
            "gap": range(self._gap_ticks), "gap_by_carrier": 1,
            "backoff": range(self._slot_ticks << BACKOFF_LIMIT), "collisions": 5, "lfsr": 16, "deferred": 1,
        }), init={"lfsr": LFSR_SEED})
        gap_runs = kept.gap != 0
        with m.If(self.ended):
            m.d.sync += [kept.gap.eq(self._gap_ticks - 1), kept.gap_by_carrier.eq(0)]
        with m.Elif(self.tick & ~self.busy & carrier):
            m.d.sync += [kept.gap.eq(self._gap_ticks - 1), kept.gap_by_carrier.eq(1)]
        with m.Elif(self.tick & gap_runs):
            m.d.sync += kept.gap.eq(kept.gap - 1)

        stepped = Signal(16)
        m.d.comb += [stepped[bit].eq((kept.lfsr & mask).xor()) for bit, mask in enumerate(lfsr_rows())]
        m.d.comb += [
            self.collisions.eq(kept.collisions + self.collided),
            self.excess.eq(self.collided & (self.collisions == ATTEMPT_LIMIT)),
        ]

        slots = Signal(BACKOFF_LIMIT)
        with m.Switch(kept.collisions):
            # Without the collision that is being reported.
            for earlier in range(BACKOFF_LIMIT - 1):
                with m.Case(earlier):
                    m.d.comb += slots.eq(stepped[:earlier + 1])
            with m.Default():
                m.d.comb += slots.eq(stepped[:BACKOFF_LIMIT])

        with m.If(self.collided):
            m.d.sync += [
                kept.lfsr.eq(stepped),
                kept.collisions.eq(self.collisions),
                kept.backoff.eq(Mux(slots == 0, 0, slots * self._slot_ticks - 1)),
            ]
        with m.Elif(self.tick & (kept.backoff != 0)):
            m.d.sync += kept.backoff.eq(kept.backoff - 1)

        m.d.comb += [
            self.free.eq(~gap_runs & (kept.backoff == 0) & ~carrier),
            self.deferred.eq(kept.deferred),
        ]
        # A frame that is ready while the carrier, or the gap after it, is what keeps the wire.
        with m.If(self.tick & self.ready & ~self.busy & (carrier | (kept.gap_by_carrier & gap_runs))):
            m.d.sync += kept.deferred.eq(1)

        with m.If(self.released):
            m.d.sync += [kept.collisions.eq(0), kept.backoff.eq(0), kept.deferred.eq(0)]
        return m
