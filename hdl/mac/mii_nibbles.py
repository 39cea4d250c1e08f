"""Which nibble follows which: preamble, bytes, padding, FCS, jam.

# Ref: docs/engines/at91ether.md, 3.3 and 3.4. That something else comes between is decided in mii_tx.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring

from hdl.mac.crc32 import INIT, crc32_next

PREAMBLE = 0x5
SFD = 0xD
PREAMBLE_NIBBLES = 15
"""Nibbles in front of the SFD nibble."""
JAM = 0x5
JAM_NIBBLES = 8
FCS_NIBBLES = 8
LATE_TICKS = 128
"""A collision this many ticks after t (512 bit times) is late."""


class Plan:
    """The signals between the framer's decisions and its nibbles.

    step: in this tick the nibble of the state is loaded; jam_now: the first of the jam instead; ended: TX_EN
    falls.

    The registers are bundled, because a simulator then computes what follows a tick in two places and not in
    twenty. kept: age is in ticks since t, up to the one from which a collision is late; index is that of the
    nibble in FCS or jam; disabled and errored are reasons to cut that came between ticks; the rest is what
    has happened to this frame. sums: CRC and counts of bytes.
    """

    def __init__(self) -> None:
        self.step = Signal()
        self.jam_now = Signal()
        self.ended = Signal()
        self.kept = Signal(data.StructLayout({
            "tx_en": 1, "txd": 4, "high": 4, "age": range(LATE_TICKS + 1), "index": range(FCS_NIBBLES),
            "own_fcs": 1, "last": 1, "inverted": 1, "collided": 1, "disabled": 1, "errored": 1,
            "late": 1, "starved": 1, "silent": 1,
        }))
        self.sums = Signal(data.StructLayout({
            "register": 32, "count": 11, "taken": 11,
        }), init={"register": INIT})


def load_nibbles(m: Module, tx: wiring.Component, plan: Plan, min_bytes: int) -> Callable[[str], Value]:
    """One nibble after the other: the state machine of the framer, added to its module.

    A state says what the nibble of the coming tick is; in END and JAM_END there is none and TX_EN falls.

    Parameters: `m` the framer's module, `tx` the framer, whose members are read, `plan` the signals shared
    with it, `min_bytes` the length up to which a frame is padded. Returns the function that gives, for the
    name of a state, whether it is the present one.
    """
    kept, sums = plan.kept, plan.sums
    fcs = Signal(4)
    # An underrun sends the register as it is, the inverse of a right FCS.
    plain = kept.inverted | tx.underrun
    m.d.comb += fcs.eq(sums.register.word_select(kept.index, 4) ^ Mux(plain, 0, 0xF))
    with m.If(plan.step & (kept.age != LATE_TICKS)):
        m.d.sync += kept.age.eq(kept.age + 1)

    @contextmanager
    def state(name: str) -> Iterator[None]:
        """The state `name`: what the body says if the frame goes on as planned, else jam or idle."""
        with m.State(name):
            with m.If(plan.step):
                yield
            if not name.startswith("JAM"):   # nothing collides with a jam
                with m.If(plan.jam_now):
                    m.d.sync += [kept.txd.eq(JAM), kept.index.eq(1)]
                    m.next = "JAM"
            with m.If(plan.ended):
                m.d.sync += [kept.tx_en.eq(0), kept.txd.eq(0)]
                m.d.sync += [sums.register.eq(INIT), sums.count.eq(0), sums.taken.eq(0)]
                m.next = "IDLE"

    def pad_or_fcs() -> None:
        with m.If(sums.count < min_bytes):
            m.next = "PAD_LOW"
        with m.Else():
            m.next = "FCS"

    with m.FSM(init="IDLE") as fsm:
        byte = Signal(8)
        m.d.comb += byte.eq(Mux(fsm.ongoing("PAD_LOW"), 0, tx.data))
        after = Signal(32)
        m.d.comb += after.eq(crc32_next(sums.register, byte))
        one_more = [sums.register.eq(after), sums.count.eq(sums.count + 1)]
        with m.State("IDLE"), m.If(tx.began):
            m.d.sync += [kept.tx_en.eq(1), kept.txd.eq(PREAMBLE), kept.age.eq(1), kept.index.eq(0)]
            m.d.sync += [kept.own_fcs.eq(tx.ncrc), kept.inverted.eq(0), kept.collided.eq(0)]
            m.next = "PREAMBLE"
        with state("PREAMBLE"):
            m.d.sync += kept.collided.eq(kept.collided | tx.hit)
            with m.If(tx.sfd):
                m.d.sync += kept.txd.eq(SFD)
                with m.If(kept.collided | tx.hit):
                    m.next = "JAM"
                with m.Else():
                    m.next = "LOW"
        with state("LOW"):
            with m.If(tx.valid):
                m.d.sync += [*one_more, sums.taken.eq(sums.taken + 1)]
                m.d.sync += [Cat(kept.txd, kept.high).eq(tx.data), kept.last.eq(tx.last)]
                m.next = "HIGH"
            with m.Else():
                m.d.sync += [kept.txd.eq(fcs), kept.index.eq(1), kept.inverted.eq(1)]
                m.next = "FCS"
        with state("HIGH"):
            m.d.sync += kept.txd.eq(kept.high)
            with m.If(~kept.last):
                m.next = "LOW"
            with m.Elif(kept.own_fcs):
                m.next = "END"
            with m.Else():
                pad_or_fcs()
        with state("PAD_LOW"):
            m.d.sync += [*one_more, kept.txd.eq(0)]
            m.next = "PAD_HIGH"
        with state("PAD_HIGH"):
            pad_or_fcs()
        with state("FCS"):
            m.d.sync += [kept.txd.eq(fcs), kept.index.eq(kept.index + 1)]
            with m.If(kept.index == FCS_NIBBLES - 1):
                m.next = "END"
        with state("END"):
            pass
        with state("JAM"):
            m.d.sync += [kept.txd.eq(JAM), kept.index.eq(kept.index + 1)]
            with m.If(kept.index == JAM_NIBBLES - 1):
                m.next = "JAM_END"
        with state("JAM_END"):
            pass
    return fsm.ongoing
