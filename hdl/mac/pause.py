"""PAUSE of full-duplex flow control: how it is known when it comes, and the bytes of one to send.

# Ref: IEEE 802.3 clause 31 and annexes 31A, 31B.
"""

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

DESTINATION = bytes([0x01, 0x80, 0xC2, 0x00, 0x00, 0x01])
"""The group address that no bridge passes on."""
ETHERTYPE_AND_OPCODE = bytes([0x88, 0x08, 0x00, 0x01])
"""MAC control, PAUSE."""
SOURCE_AT = len(DESTINATION)
TYPE_AT = SOURCE_AT + 6
QUANTA_AT = TYPE_AT + len(ETHERTYPE_AND_OPCODE)
QUANTA_END = QUANTA_AT + 2
PAUSE_BYTES = 60
"""Length of the frame without its FCS; what follows the quanta is 0."""
QUANTUM_CYCLES = 512 // 8
"""A quantum is 512 bit times."""


class PauseDetect(wiring.Component):
    """Tells whether the frame that comes in is a PAUSE.

    It knows no FCS: who acts on a PAUSE does so at the end of a frame that was received without error.

    Members
    -------
    sfd, byte, data, count : In(1), In(1), In(8), In(14)
        From the deframer: a frame begins; its next byte, with `count` = 1 for the first.
    is_pause : Out(1)
        From two cycles after the quanta were on the wire (one after their second `byte`), so at the frame's
        `eof` at the latest; 0 after `sfd`.
    quanta : Out(16)
        How long to pause, in units of `QUANTUM_CYCLES` of GMII; 0 ends a pause, and is read without
        `is_pause` too.
    """

    sfd: In(1)
    byte: In(1)
    data: In(8)
    count: In(14)
    is_pause: Out(1)
    quanta: Out(16)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kept = Signal(data.StructLayout({"follow": 1, "is_pause": 1, "quanta": 16}))
        m.d.comb += self.is_pause.eq(kept.is_pause)
        with m.If(kept.is_pause):
            m.d.comb += self.quanta.eq(kept.quanta)

        # By offset in the frame; `count` is one more.
        due = dict(enumerate(DESTINATION)) | dict(enumerate(ETHERTYPE_AND_OPCODE, TYPE_AT))
        with m.If(self.sfd):
            m.d.sync += [kept.eq(0), kept.follow.eq(1)]
        with m.Elif(self.byte & kept.follow), m.Switch(self.count):
            for value in sorted(set(due.values())):
                with m.Case(*(position + 1 for position, byte in due.items() if byte == value)):
                    m.d.sync += kept.follow.eq(self.data == value)
            with m.Case(QUANTA_AT + 1):
                m.d.sync += kept.quanta[8:].eq(self.data)
            with m.Case(QUANTA_END):
                m.d.sync += [kept.quanta[:8].eq(self.data), kept.is_pause.eq(1), kept.follow.eq(0)]
        return m


class PauseFrame(wiring.Component):
    """The bytes of a PAUSE frame, one at a time.

    Members
    -------
    station : In(48)
        The source address, its first byte in bits 7:0.
    quanta : In(16)
        How long the other end is to pause.
    index : In(6)
        Which byte, 0 to `PAUSE_BYTES` - 1.
    data, last : Out(8), Out(1)
        That byte, in the same cycle, and whether it is the last.
    """

    station: In(48)
    quanta: In(16)
    index: In(6)
    data: Out(8)
    last: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        head = Cat(
            C(int.from_bytes(DESTINATION, "little"), 8 * len(DESTINATION)), self.station,
            C(int.from_bytes(ETHERTYPE_AND_OPCODE, "little"), 8 * len(ETHERTYPE_AND_OPCODE)),
            self.quanta[8:], self.quanta[:8])
        with m.If(self.index < QUANTA_END):
            m.d.comb += self.data.eq(head.word_select(self.index, 8))
        m.d.comb += self.last.eq(self.index == PAUSE_BYTES - 1)
        return m
