"""The loader: takes ring entries, fetches what they point to, and says which words make up a frame.

Ref: docs/engines/lan743x.md, section 5.1. x, w, a and d below are those of that page; sheet lan743x,
    section 4 (transmit descriptors).
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.fifo import WordFifo
from hdl.bus.read_port import ReadRequester
from hdl.csr import descriptor_layouts
from hdl.registers import load
from hdl.tap import TapSignature, report

from .events import NUMBER_WIDTH, TX_CHANNEL_LANES
from .tx_fifo import FIFO_WORDS, MOST_BEATS, FifoWord
from .tx_frames import BURSTS_WIDTH, SLOT_WIDTH, Frame

__all__ = ["LOADER_LANES", "TxLoader"]

MOST_OPEN = 16
"""Reads; the port has fewer tags."""
WORD_BYTES = 4
BUFFER_WORDS_WIDTH = 15  # 65,535 bytes from the last byte of a word on
EXTENSION = 0b01  # DTYPE

LOADER_LANES = {name: TX_CHANNEL_LANES[name] for name in ("tx_fetch", "tx_fill")}

Burst = data.StructLayout({"number": NUMBER_WIDTH, "low": 2, "high": 2})
"""A burst that is open: its frame, and which bytes of its first and last word are wanted."""


class TxLoader(wiring.Component):
    """Entries to bursts, bursts to FIFO words and frames.

    Members
    -------
    running, stop_pending, resetting: state of the channel.
    burst_512: bursts end at multiples of 512 bytes, else of 128.
    cached, take, data0, data1: entries in the cache; the oldest is taken in x, and its words are there from
        x + 1 on.
    held, reserve, beats, push, word: to and from the FIFO.
    room, next_number, begin, close, frame, filled, failed, slot: to and from the records of the frames;
        `failed` is for TX_ERROR too.
    flush: all is forgotten; only while `reading` is down.
    idle: the state is `IDLE`.
    midst: a frame is begun and its last entry is not through.
    reading: a read is open or in its address phase.
    lane: requester's lane of the read port.
    tap: TX_FETCH, TX_FILL.
    """

    running: In(1)
    stop_pending: In(1)
    resetting: In(1)
    burst_512: In(1)
    cached: In(1)
    take: Out(1)
    data0: In(32)
    data1: In(32)
    held: In(range(FIFO_WORDS + 1))
    reserve: Out(1)
    beats: Out(range(MOST_BEATS + 1))
    push: Out(1)
    word: Out(FifoWord)
    room: In(1)
    next_number: In(NUMBER_WIDTH)
    begin: Out(1)
    close: Out(1)
    frame: Out(Frame)
    filled: Out(1)
    failed: Out(1)
    slot: Out(SLOT_WIDTH)
    flush: In(1)
    idle: Out(1)
    midst: Out(1)
    reading: Out(1)
    lane: Out(ReadRequester())
    tap: Out(TapSignature(LOADER_LANES))

    def elaborate(self, platform):
        m = Module()
        self._number = Signal(NUMBER_WIDTH)  # of the frame begun last
        m.submodules.open_bursts = self._open_bursts = WordFifo(Burst.size, MOST_OPEN)
        self._request(m)
        self._receive(m)
        return m

    def _request(self, m: Module) -> None:
        """The states: entries in, bursts out."""
        lane, number, midst = self.lane, self._number, self.midst
        word0 = descriptor_layouts(load("lan743x").descriptor("tx_descriptor"))["DATA0"](self.data0)
        entries, words = Signal(Frame["entries"].shape), Signal(Frame["words"].shape)
        bursts = Signal(BURSTS_WIDTH)  # granted so far
        fcs, ioc = Signal(), Signal()
        extends = Signal()  # the next entry is the frame's extension, whatever it says, and its last
        ends_here, ends = Signal(), Signal()  # the entry at hand is its frame's last: in SETUP, in LOAD
        fresh = Signal()  # the entry at hand is its frame's first
        is_data = ~extends & (word0.DTYPE != EXTENSION)
        word_addr, words_left = Signal(30), Signal(BUFFER_WORDS_WIDTH)
        low, high = Signal(2), Signal(2)  # first and last byte lane of the buffer; `low` of its first word
        to_boundary, final = Signal(8), Signal()
        fetched = Signal(data.StructLayout({"addr": 32, "bytes": 10, "number": NUMBER_WIDTH}))
        burst = Signal(Burst)

        m.d.comb += [
            to_boundary.eq(Mux(self.burst_512, MOST_BEATS - word_addr[:7], 32 - word_addr[:5])),
            final.eq(words_left <= to_boundary),
            self.beats.eq(Mux(final, words_left, to_boundary)),
            lane.addr.eq(Cat(C(0, 2), word_addr)), lane.beats.eq(self.beats), lane.urgent.eq(0),
            self.reserve.eq(lane.granted),
            burst.number.eq(number), burst.low.eq(low), burst.high.eq(Mux(final, high, WORD_BYTES - 1)),
            self._open_bursts.push.eq(lane.granted), self._open_bursts.data.eq(burst),
            self.frame.entries.eq(entries), self.frame.fcs.eq(fcs), self.frame.ioc.eq(ioc),
            self.frame.words.eq(words), self.frame.bursts.eq(bursts),
        ]
        with m.FSM(name="loader"):
            with m.State("IDLE"):
                m.d.comb += self.idle.eq(1)
                may = Mux(midst, self.running | self.stop_pending, self.running & self.room)
                m.d.comb += self.take.eq(self.cached & ~self.resetting & may)
                with m.If(self.take):
                    m.d.comb += self.begin.eq(~midst)
                    m.d.sync += [midst.eq(1), fresh.eq(~midst), entries.eq(entries + 1)]
                    with m.If(~midst):
                        m.d.sync += [number.eq(self.next_number), entries.eq(1), words.eq(0)]
                    m.next = "SETUP"
            with m.State("SETUP"):
                m.d.comb += ends_here.eq(extends | (is_data & word0.LS & ~word0.EXT))
                reach = self.data1[:2] + word0.BUF_LENGTH
                m.d.sync += [
                    word_addr.eq(self.data1[2:]), words_left.eq((reach + WORD_BYTES - 1) >> 2),
                    low.eq(self.data1[:2]), high.eq(reach - 1),
                    ends.eq(ends_here), extends.eq(is_data & word0.LS & word0.EXT),
                    ioc.eq((ioc & ~fresh) | (word0.IOC & is_data)),
                    fcs.eq(Mux(fresh, word0.FCS & is_data, fcs)),
                ]
                with m.If(self.flush):
                    m.next = "IDLE"
                with m.Elif(is_data & (word0.BUF_LENGTH != 0)):
                    m.next = "LOAD"
                with m.Else():
                    with m.If(ends_here):
                        m.d.comb += [
                            self.close.eq(1),
                            self.frame.ioc.eq((ioc & ~fresh) | (word0.IOC & is_data)),
                            self.frame.fcs.eq(Mux(fresh, word0.FCS, fcs)),
                        ]
                        m.d.sync += midst.eq(0)
                    m.next = "IDLE"
            with m.State("LOAD"):
                m.d.comb += lane.request.eq((self.held + self.beats <= FIFO_WORDS) & ~self.resetting)
                with m.If(lane.granted):
                    skipped = low + Mux(final, WORD_BYTES - 1 - high, 0)
                    m.d.sync += [
                        word_addr.eq(word_addr + self.beats), words_left.eq(words_left - self.beats),
                        words.eq(words + self.beats), bursts.eq(bursts + 1), low.eq(0),
                        fetched.addr.eq(Cat(low, word_addr)), fetched.number.eq(number),
                        fetched.bytes.eq((self.beats << 2) - skipped),
                    ]
                    with m.If(final):
                        with m.If(ends):
                            m.d.comb += [
                                self.close.eq(1),
                                self.frame.words.eq(words + self.beats), self.frame.bursts.eq(bursts + 1),
                            ]
                            m.d.sync += midst.eq(0)
                        m.next = "IDLE"
                with m.Elif(self.flush):
                    m.next = "IDLE"
        with m.If(self.flush):
            m.d.sync += [midst.eq(0), extends.eq(0)]
        with m.If(lane.addressed):
            report(m, self.tap.tx_fetch, index=fetched.number, data=Cat(fetched.addr, fetched.bytes))

    def _receive(self, m: Module) -> None:
        """Beats to FIFO words."""
        lane = self.lane
        burst = Burst(self._open_bursts.head)
        first = Signal(init=1)  # the next beat is its burst's first
        m.d.comb += [
            self.push.eq(lane.beat), self.word.data.eq(lane.rdata),
            self.word.low.eq(Mux(first, burst.low, 0)),
            self.word.high.eq(Mux(lane.done, burst.high, WORD_BYTES - 1)),
            self.filled.eq(lane.done), self.failed.eq(lane.done & lane.error), self.slot.eq(burst.number),
            self._open_bursts.pop.eq(lane.done), self.reading.eq(self._open_bursts.level != 0),
        ]
        with m.If(lane.beat):
            m.d.sync += first.eq(lane.done)
        with m.If(self.filled):
            report(m, self.tap.tx_fill, index=burst.number)
