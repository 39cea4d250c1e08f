"""The receiver: puts the words of accepted frames into the FIFO and records how each frame ended.

At most two frames are open: the head, which the mover works on, and the one behind it.

Ref: docs/engines/at91ether.md, section 4.1. s, b_i and e below are those of that page.
"""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.fifo import WordFifo
from hdl.mac.mii_rx import MiiRx
from hdl.tap import TapSignature, report

from .events import LENGTH_WIDTH, NUMBER_WIDTH, RECEIVER_LANES, Reason
from .straps import FIFO_WORDS

__all__ = ["OpenFrame", "Receiver", "ReceiverCauses"]

WORD_WIDTH = 32
OPEN_FRAMES = 2
LONGEST_BYTES, LONGEST_BIG_BYTES = 1518, 1536
SHORTEST_BYTES = 64
ADDRESS_BYTES = 6

OpenFrame = data.StructLayout({
    "number": NUMBER_WIDTH,
    "ended": 1,
    "reason": Reason,
    "length_bytes": LENGTH_WIDTH,
    "flags": 9,
    "words": range(FIFO_WORDS + 1),
})
"""What is known of an open frame: its wire number, whether it ended, how and how long it is then, the flags
of descriptor word 1 (31:23), and how many of its words are in the FIFO."""


class ReceiverCauses(wiring.Signature):
    """What the registers want to know of the receiver: pulses in the cycle of the cause.

    Members
    -------
    overrun: for ISR.ROVR, RSR.OVR and ROV.
    stalled: a frame was missed because the receiver is stalled, for DRFC.
    code, short, align, crc, long, jabber: for CDE, USF, ALE, SEQE, ELR, RJB.
    """

    def __init__(self):
        super().__init__({name: Out(1) for name in (
            "overrun", "stalled", "code", "short", "align", "crc", "long", "jabber")})


class Receiver(wiring.Component):
    """Deframer, FIFO and the records of the open frames.

    Members
    -------
    tick, rxd, rx_dv, rx_er, ignore: for the deframer.
    re, big: CTL.RE and CFG.BIG, as registered.
    stalled: the mover's; frames are missed.
    address, accept, flags: to and from the address filter.
    fifo_words: strap.
    open, head: whether there is an oldest open frame, and what is known of it.
    word, pop: the oldest word in the FIFO (the head's, if it has any); it is taken.
    leave: the head's words leave the FIFO at once.
    close: the head is no longer open.
    causes: for the registers.
    tap: RX_SFD, RX_MISS, RX_END.
    """

    tick: In(1)
    rxd: In(4)
    rx_dv: In(1)
    rx_er: In(1)
    ignore: In(1)
    re: In(1)
    big: In(1)
    stalled: In(1)
    address: Out(48)
    accept: In(1)
    flags: In(9)
    fifo_words: In(range(FIFO_WORDS + 1))
    open: Out(1)
    head: Out(OpenFrame)
    word: Out(WORD_WIDTH)
    pop: In(1)
    leave: In(1)
    close: In(1)
    causes: Out(ReceiverCauses())
    tap: Out(TapSignature(RECEIVER_LANES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.deframer = deframer = MiiRx()
        m.submodules.fifo = fifo = WordFifo(WORD_WIDTH, FIFO_WORDS)
        m.d.comb += [
            deframer.tick.eq(self.tick),
            deframer.rxd.eq(self.rxd),
            deframer.rx_dv.eq(self.rx_dv),
            deframer.rx_er.eq(self.rx_er),
            deframer.ignore.eq(self.ignore),
            self.address.eq(deframer.address),
            self.word.eq(fifo.head),
            fifo.pop.eq(self.pop),
            fifo.discard.eq(Mux(self.leave, self.head.words, 0)),
        ]
        running = Signal()  # a frame is coming in and its end is not recorded
        opens = self._admit(m, deframer, running)
        push, overrun = self._push(m, deframer, fifo, running)
        ends, reason = self._end(m, deframer, running, overrun)
        self._keep(m, deframer, running, opens, push, ends, reason)
        # What is left of a frame is of no interest, except to tell an overlong frame from a jabber.
        m.d.comb += deframer.skip.eq((deframer.sfd & ~opens) | (ends & (reason != Reason.LONG)))
        return m

    def _admit(self, m: Module, deframer: MiiRx, running: Signal) -> Signal:
        """The decision at the SFD. Returns the pulse "a frame is opened"; see `_keep` for the count of open
        frames."""
        opens = Signal()
        self._open_frames = Signal(range(OPEN_FRAMES + 1))
        self._number = number = Signal(NUMBER_WIDTH)
        with m.If(deframer.sfd & self.re):
            m.d.sync += number.eq(number + 1)
            with m.If(self.stalled):
                m.d.comb += self.causes.stalled.eq(1)
                report(m, self.tap.rx_miss, index=number, data=Reason.STALLED)
            with m.Elif(self._open_frames == OPEN_FRAMES):
                report(m, self.tap.rx_miss, index=number, data=Reason.OVERRUN)
            with m.Else():
                m.d.comb += opens.eq(1)
                m.d.sync += running.eq(1)
                report(m, self.tap.rx_sfd, index=number)
        self._missed = self.tap.rx_miss.valid & ~self.causes.stalled
        return opens

    def _push(self, m: Module, deframer: MiiRx, fifo: WordFifo, running: Signal) -> tuple[Signal, Signal]:
        """Bytes to words. Word 0 waits for the address decision; the others are pushed as they become whole.

        Returns the pulses "a word is pushed" and "a word finds no room".
        """
        accepted = Signal()
        partial = Signal(WORD_WIDTH)  # the bytes of the word coming in; the others are 0
        due, push, overrun = Signal(), Signal(), Signal()
        place = Signal(2)  # of the byte in its word
        m.d.comb += place.eq(deframer.count - 1)
        fourth = deframer.count[:2] == 0
        later = deframer.count > ADDRESS_BYTES
        with m.If(deframer.byte):
            with m.If(fourth):
                m.d.sync += partial.eq(0)
            with m.Else():
                m.d.sync += partial.word_select(place, 8).eq(deframer.data)
        with m.If(deframer.sfd):
            m.d.sync += [partial.eq(0), accepted.eq(0)]
        with m.If(deframer.decide):
            m.d.sync += accepted.eq(self.accept)
            m.d.comb += [fifo.data.eq(deframer.address[:WORD_WIDTH]), due.eq(self.accept)]
        with m.Elif(deframer.eof):
            m.d.comb += [fifo.data.eq(partial), due.eq(accepted & ~fourth)]
        with m.Else():
            m.d.comb += [
                fifo.data.eq(Cat(partial[:WORD_WIDTH - 8], deframer.data)),
                due.eq(accepted & deframer.byte & fourth & later),
            ]
        m.d.comb += [
            overrun.eq(running & due & (fifo.level >= self.fifo_words)),
            push.eq(running & due & ~overrun), fifo.push.eq(push),
        ]
        return push, overrun

    def _end(self, m: Module, deframer: MiiRx, running: Signal, overrun: Signal) -> tuple[Signal, Signal]:
        """The end of a frame, whichever comes first. Returns the pulse "the end is recorded" and the
        reason."""
        ends, reason = Signal(), Signal(Reason)
        too_long, overlong = Signal(), Signal()  # the frame is becoming, has become longer than allowed
        causes = self.causes
        m.d.comb += too_long.eq(
            deframer.byte & (deframer.count > Mux(self.big, LONGEST_BIG_BYTES, LONGEST_BYTES)))
        with m.If(running):
            m.d.comb += ends.eq(
                deframer.eof | overrun | too_long | (deframer.decide & ~self.accept) | ~self.re
            )
            with m.If(overrun):
                m.d.comb += reason.eq(Reason.OVERRUN)
            with m.Elif(deframer.eof):
                with m.If(deframer.error):
                    m.d.comb += [reason.eq(Reason.CODE), causes.code.eq(1)]
                with m.Elif(deframer.count < SHORTEST_BYTES):
                    m.d.comb += [reason.eq(Reason.SHORT), causes.short.eq(1)]
                with m.Elif(deframer.odd & ~deframer.crc_ok):
                    m.d.comb += [reason.eq(Reason.ALIGN), causes.align.eq(1)]
                with m.Elif(~deframer.crc_ok):
                    m.d.comb += [reason.eq(Reason.CRC), causes.crc.eq(1)]
                with m.Else():
                    m.d.comb += reason.eq(Reason.GOOD)
            with m.Elif(too_long):
                m.d.comb += reason.eq(Reason.LONG)
                m.d.sync += overlong.eq(1)
            with m.Elif(deframer.decide & ~self.accept):
                m.d.comb += reason.eq(Reason.FILTER)
            with m.Else():
                m.d.comb += reason.eq(Reason.RE_OFF)
        with m.If(ends):
            m.d.sync += running.eq(0)
        with m.If(deframer.eof):
            m.d.sync += overlong.eq(0)
            with m.If(overlong):
                m.d.comb += [causes.long.eq(deframer.crc_ok), causes.jabber.eq(~deframer.crc_ok)]
        m.d.comb += causes.overrun.eq(self._missed | overrun)
        return ends, reason

    def _keep(self, m: Module, deframer: MiiRx, running: Signal, opens: Signal, push: Signal, ends: Signal,
              reason: Signal) -> None:
        """The records. They are used in turn: `first` is the head's, `last` that of the frame opened last."""
        records = Array(Signal(OpenFrame, name=f"frame{n}") for n in range(OPEN_FRAMES))
        first, last = Signal(), Signal(init=1)
        m.d.comb += [self.open.eq(self._open_frames != 0), self.head.eq(records[first])]
        m.d.sync += self._open_frames.eq(self._open_frames + opens - self.close)
        with m.If(opens):
            m.d.sync += last.eq(~last)
        with m.If(self.close):
            m.d.sync += first.eq(~first)
        for place, record in enumerate(records):
            incoming, leaving = (
                Signal(name=f"incoming{place}"),
                Signal.like(record.words, name=f"leaving{place}"),
            )
            m.d.comb += incoming.eq(push & (last == place))
            with m.If(first == place):
                m.d.comb += leaving.eq(Mux(self.leave, record.words, self.pop))
            with m.If(incoming | leaving.any()):
                m.d.sync += record.words.eq(record.words + incoming - leaving)
            with m.If(opens & (last != place)):
                m.d.sync += [record.ended.eq(0), record.words.eq(0), record.number.eq(self._number)]
            with m.If(ends & (last == place)):
                m.d.sync += [
                    record.ended.eq(1),
                    record.reason.eq(reason),
                    record.length_bytes.eq(deframer.count),
                ]
            with m.If(deframer.decide & running & (last == place)):
                m.d.sync += record.flags.eq(self.flags)
        with m.If(ends):
            report(m, self.tap.rx_end, index=records[last].number, data=Cat(
                deframer.count, C(0, WORD_WIDTH - LENGTH_WIDTH), reason.as_value()))
