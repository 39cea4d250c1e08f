"""The register pair TAR/TCR with the places behind it, and what TSR says about them in both its meanings.

Ref: docs/engines/at91ether.md, section 3.1; sheet at91ether, sections 5 and 8.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.tap import TapSignature, report

from .events import LENGTH_WIDTH, NUMBER_WIDTH, PAIR_LANES
from .straps import MOST_PLACES, OverrunEffect

__all__ = ["Frame", "RegisterPair", "TransmitStatus"]

Frame = data.StructLayout({"addr": 32, "length_bytes": LENGTH_WIDTH, "ncrc": 1})
"""What TAR and TCR say about a frame."""

TransmitStatus = data.StructLayout({
    "IDLE": 1, "BNQ": 1, "TBNQ": 1, "FBNQ": 1, "FIFOIDLE1": 1, "FIFOIDLE2": 1, "FIFOIDLE3": 1, "FIFOIDLE4": 1,
    "ALLIDLE": 1, "FREE": 4,
})
"""The fields of TSR that show a state; named as in the register map."""

MOST_REFUSED = 3
"""The MStar TSR tells this many refused hand-overs apart (I)."""


class RegisterPair(wiring.Component):
    """Holds the frames that were handed over and not yet released: the oldest is the one being sent.

    Members
    -------
    places: how many frames it can hold.
    mstar, ovr_effect: straps.
    hand_over: TCR was committed, with `frame` in the pair; a length of 0 hands nothing over.
    release: the oldest frame leaves.
    drop: CTL is written with TE = 0: all leave, after `release`.
    held: frames held.
    oldest, number: the oldest frame and its hand-over number; meaningless if `held` is 0.
    locked: after an overrun with the effect LOCKUP, until `drop`: no further frame may start.
    overrun, pair_free, idle: events for TSR.OVR and ISR.TOVR, for ISR.TBRE and for ISR.TIDLE.
    status: TSR's state fields.
    tap: TX_QUEUE, TX_OVERRUN, TX_DROP.
    """

    places: In(range(MOST_PLACES + 1))
    mstar: In(1)
    ovr_effect: In(OverrunEffect)
    hand_over: In(1)
    frame: In(Frame)
    release: In(1)
    drop: In(1)
    held: Out(range(MOST_PLACES + 1))
    oldest: Out(Frame)
    number: Out(NUMBER_WIDTH)
    locked: Out(1)
    overrun: Out(1)
    pair_free: Out(1)
    idle: Out(1)
    status: Out(TransmitStatus)
    tap: Out(TapSignature(PAIR_LANES))

    def elaborate(self, platform):
        m = Module()
        accepted = Signal(NUMBER_WIDTH)  # hand-overs so far; a frame's number, modulo the rows, is its row
        refused = Signal(range(MOST_REFUSED + 1))
        m.submodules.memory = memory = Memory(shape=Frame, depth=MOST_PLACES, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")

        offered, taken, left = Signal(), Signal(), Signal.like(self.held)
        m.d.comb += [
            offered.eq(self.hand_over & (self.frame.length_bytes != 0)),
            taken.eq(offered & ((self.held < self.places) | self.release)),
            self.overrun.eq(offered & ~taken),
            left.eq(self.held - self.release),
            self.number.eq(accepted - self.held),
            read.addr.eq(self.number), self.oldest.eq(read.data),
            self.pair_free.eq((taken & (self.mstar | (left + 1 < self.places)))
                              | (self.release & (self.held == self.places))),
            self.idle.eq(self.release & (self.held == 1) & ~taken),
            write.data.eq(self.frame), write.addr.eq(accepted), write.en.eq(taken),
        ]
        with m.If(taken):
            m.d.sync += accepted.eq(accepted + 1)
        with m.If(self.overrun):
            with m.If(refused != MOST_REFUSED):
                m.d.sync += refused.eq(refused + 1)
            with m.If((self.ovr_effect == OverrunEffect.CORRUPT) & (self.places > 1)):
                m.d.comb += [write.addr.eq(accepted - 1), write.en.eq(1)]
            with m.If(self.ovr_effect == OverrunEffect.LOCKUP):
                m.d.sync += self.locked.eq(1)
        with m.If(self.release):
            m.d.sync += refused.eq(0)
        m.d.sync += self.held.eq(left + taken)
        with m.If(self.drop):
            m.d.sync += [self.held.eq(0), refused.eq(0), self.locked.eq(0)]

        self._show(m, refused)
        self._report(m, accepted, taken, left)
        return m

    def _show(self, m: Module, refused: Signal) -> None:
        """TSR: the plain meaning, or the one that D. Palmer's trace shows."""
        status, queued = self.status, Signal.like(self.held)
        m.d.comb += [
            queued.eq(Mux(self.held == 0, 0, self.held - 1)),
            status.IDLE.eq(self.held == 0),
        ]
        with m.If(self.mstar):
            m.d.comb += [
                status.BNQ.eq(refused < 3),
                status.TBNQ.eq(1),
                status.FBNQ.eq(1),
                status.FIFOIDLE1.eq(queued < 1),
                status.FIFOIDLE2.eq(queued < 2),
                status.FIFOIDLE3.eq(queued < 3),
                status.FIFOIDLE4.eq(refused == 0),
                status.ALLIDLE.eq(self.held == 0),
                status.FREE.eq(self.places - self.held - (refused >= 1) - (refused >= 3)),
            ]
        with m.Else():
            m.d.comb += status.BNQ.eq(self.held < self.places)

    def _report(self, m: Module, accepted: Signal, taken: Signal, left: Signal) -> None:
        frame = self.frame
        pair = Cat(frame.addr, frame.length_bytes, (frame.ncrc & 0).replicate(15 - LENGTH_WIDTH), frame.ncrc)
        with m.If(taken):
            report(m, self.tap.tx_queue, index=accepted, data=pair)
        with m.If(self.overrun):
            report(m, self.tap.tx_overrun, index=accepted, data=pair)
        with m.If(self.drop & (left != 0)):
            report(m, self.tap.tx_drop, index=self.number + self.release, data=left)
