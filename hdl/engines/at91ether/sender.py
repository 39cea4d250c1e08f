"""The sender: fetches the oldest frame through the FIFO, and has it framed and released.

Ref: docs/engines/at91ether.md, sections 3.2 to 3.4. x, d, F, J and T_i below are those of that page.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.fifo import WordFifo
from hdl.bus.port import Requester
from hdl.bus.reader import BurstReader
from hdl.mac.mii_tx import MiiTx
from hdl.tap import TapSignature, report

from .events import LENGTH_WIDTH, NUMBER_WIDTH, SENDER_LANES
from .pair import Frame
from .straps import FIFO_WORDS, LONGEST_BURST

__all__ = ["Sender", "SenderCauses"]

ADDR_WIDTH, DATA_WIDTH = 32, 32


class SenderCauses(wiring.Signature):
    """What the registers want to know of the sender: pulses in the cycle of the cause.

    Members
    -------
    bus_error: a burst ended with an error.
    released: the frame is released; with it, if it applies, `starved` (underrun) and `excess` (retries
        exhausted).
    collided: a collision was seen.
    whole, single, multiple, deferred, late, carrier_lost: for the counters FRA, SCOL, MCOL, DTE, LCOL, CSE.
    """

    def __init__(self):
        super().__init__({name: Out(1) for name in (
            "bus_error", "released", "starved", "excess", "collided",
            "whole", "single", "multiple", "deferred", "late", "carrier_lost")})


class Sender(wiring.Component):
    """Sender, its reader and FIFO, and the framer.

    Members
    -------
    te, fd: CTL.TE and CFG.FD, as registered.
    held, locked, oldest, number: from the register pair.
    fifo_words, burst: straps: words of the FIFO and of the longest burst.
    lane: requester's lane of the DMA port.
    tick, crs, col, txd, tx_en: MII; `tx_en` is also "a frame is on the wire".
    causes: for the registers; `causes.released` is what the register pair wants to know.
    tap: TX_FETCH .. TX_DONE.
    """

    te: In(1)
    fd: In(1)
    held: In(range(5))
    locked: In(1)
    oldest: In(Frame)
    number: In(NUMBER_WIDTH)
    fifo_words: In(range(FIFO_WORDS + 1))
    burst: In(range(LONGEST_BURST + 1))
    lane: Out(Requester(ADDR_WIDTH, DATA_WIDTH))
    tick: In(1)
    crs: In(1)
    col: In(1)
    txd: Out(4)
    tx_en: Out(1)
    causes: Out(SenderCauses())
    tap: Out(TapSignature(SENDER_LANES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = BurstReader(
            ADDR_WIDTH, DATA_WIDTH, length_width=LENGTH_WIDTH, room_width=FIFO_WORDS.bit_length())
        m.submodules.fifo = fifo = WordFifo(DATA_WIDTH, FIFO_WORDS)
        m.submodules.framer = framer = MiiTx()
        wiring.connect(m, reader.lane, wiring.flipped(self.lane))

        sending = Signal()  # SEND; else IDLE
        ready = Signal()  # the first burst is in
        attached = Signal()  # the reader works on (or has fetched) a frame that is still held
        broken = Signal()  # a burst of that frame had an error: from d+1 until it is released
        number = Signal(NUMBER_WIDTH)  # the frame's, kept beyond its drop for what it still has to say
        frame = Signal(Frame)
        begin = Signal()  # x
        withdrawn = Signal()  # release of a broken frame that is not on the wire, in d+1
        released = Signal()

        m.d.comb += [
            begin.eq(~sending & (self.held != 0) & self.te & ~self.locked & reader.command.ready & ~broken),
            withdrawn.eq(broken & ~framer.tx_en & self.te),
            released.eq(withdrawn | framer.done),
        ]
        with m.If(begin):
            m.d.sync += [
                sending.eq(1),
                ready.eq(0),
                attached.eq(1),
                number.eq(self.number),
                frame.eq(self.oldest),
            ]
        with m.If(reader.filled & ~reader.failed):
            m.d.sync += ready.eq(1)
        with m.If(reader.failed & attached):
            m.d.sync += broken.eq(1)
        with m.If(framer.retry):
            m.d.sync += [sending.eq(0), ready.eq(0)]
        with m.If(released | ~self.te):
            m.d.sync += [sending.eq(0), ready.eq(0), attached.eq(0), broken.eq(0)]

        m.d.comb += [
            reader.command.valid.eq(begin),
            reader.command.payload.addr.eq(self.oldest.addr),
            reader.command.payload.length_bytes.eq(self.oldest.length_bytes),
            reader.limit.eq(self.burst), reader.room.eq(self.fifo_words - fifo.level),
            reader.stop.eq(~self.te | framer.underrun | framer.jam),
            fifo.push.eq(reader.word.valid), fifo.data.eq(reader.word.data), fifo.flush.eq(begin),
        ]
        self._feed(m, framer, fifo, frame)
        m.d.comb += [
            framer.start.eq(sending & ready & ~broken), framer.ncrc.eq(frame.ncrc),
            framer.abort.eq(broken), framer.forget.eq(withdrawn),
            framer.tick.eq(self.tick), framer.te.eq(self.te), framer.fd.eq(self.fd),
            framer.crs.eq(self.crs), framer.col.eq(self.col),
            self.txd.eq(framer.txd), self.tx_en.eq(framer.tx_en),
        ]
        self._tell(m, framer, reader, released)
        self._report(m, framer, reader, released, number)
        return m

    def _feed(self, m: Module, framer: MiiTx, fifo: WordFifo, frame) -> None:
        """The FIFO's words, byte by byte. A word leaves with the last byte that is used of it."""
        byte_lane = Signal(2)
        m.d.comb += [
            byte_lane.eq(frame.addr[:2] + framer.taken[:2]),
            framer.data.eq(fifo.head.word_select(byte_lane, 8)),
            framer.valid.eq(fifo.level != 0),
            framer.last.eq(framer.taken + 1 == frame.length_bytes),
            fifo.pop.eq(framer.take & (framer.last | (byte_lane == 3))),
        ]

    def _tell(self, m: Module, framer: MiiTx, reader: BurstReader, released: Signal) -> None:
        causes, sent = self.causes, framer.done & framer.whole
        m.d.comb += [
            causes.bus_error.eq(reader.failed),
            causes.released.eq(released),
            causes.starved.eq(framer.done & framer.starved),
            causes.excess.eq(framer.done & framer.excess),
            causes.collided.eq(framer.hit),
            causes.whole.eq(sent),
            causes.single.eq(sent & (framer.collisions == 1)),
            causes.multiple.eq(sent & (framer.collisions > 1)),
            causes.deferred.eq(sent & framer.deferred),
            causes.late.eq(framer.done & framer.late),
            causes.carrier_lost.eq(sent & framer.no_carrier),
        ]

    def _report(
        self, m: Module, framer: MiiTx, reader: BurstReader, released: Signal, number: Signal
    ) -> None:
        tap = self.tap
        with m.If(self.lane.addressed):
            report(m, tap.tx_fetch, index=number, data=Cat(reader.lane.addr, reader.lane.beats))
        with m.If(reader.filled):
            report(m, tap.tx_fill, index=number)
        with m.If(reader.failed):
            report(m, tap.tx_abort, index=number)
        with m.If(framer.sfd):
            report(m, tap.tx_sfd, index=number)
        with m.If(framer.underrun):
            report(m, tap.tx_underrun, index=number, data=framer.taken)
        with m.If(framer.cut):
            report(m, tap.tx_cut, index=number, data=framer.taken)
        with m.If(framer.collision):
            report(m, tap.tx_collision, index=number, data=framer.collisions)
        with m.If(released):
            report(m, tap.tx_done, index=number, data=Cat(framer.crc, framer.count))
