"""The mover of a receive channel: takes the oldest frame in the FIFO to the buffers that the ring names, and
writes each entry back.

Ref: docs/engines/lan743x.md, section 4.2; x, k, m, z, a and d are those of that page; sheet lan743x,
    section 4.
"""

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal, unsigned
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.port import Requester
from hdl.csr import descriptor_layouts
from hdl.registers import load
from hdl.tap import TapSignature, report

from .events import ENTRY_WIDTH, LENGTH_WIDTH, NUMBER_WIDTH, RX_CHANNEL_LANES
from .prefetch import ENTRY_WORDS, entry_address
from .rx_buffer import BufferWriter
from .rx_fifo import FrameRecord

__all__ = ["MOVER_LANES", "RxMover", "State"]

EARLY_HEAD_CYCLES = 64
"""From the head's advance to the entry's write with the strap head_wb_early (A)."""
SPILLED_BYTES = 4
"""What the strap extra_buffer leaves to one more buffer."""
MOVER_LANES = {name: RX_CHANNEL_LANES[name] for name in ("rx_own", "rx_write", "rx_wb", "rx_done")}


class State(enum.Enum, shape=unsigned(3)):
    """What the mover is at. FILL: the page's MOVE from m+1 on; WRITE: its WB once the write is granted."""

    IDLE = 0
    CHECK = 1
    MOVE = 2
    FILL = 3
    WB = 4
    WRITE = 5
    NEXT = 6
    EXT = 7


class RxMover(wiring.Component):
    """States, and the writes of a channel.

    Parameters
    ----------
    words: size of the FIFO.

    Members
    -------
    run: a frame may be taken up.
    waiting, stocked: a frame is in the FIFO; an entry is in the cache.
    quiet: no entry is taken in this cycle.
    abandon: `IDLE` follows, whatever was at work.
    restart: HEAD is 0 from the next cycle on.
    forget: the frames in the FIFO leave it.
    hold: nothing is requested.
    base, ring_len, stride, burst_512, pad: registers.
    timestamps: each frame gets an extension entry.
    head_wb_early, write_whole_buffer, extra_buffer: straps.
    data0, data1: the entry taken.
    frame, front: of the oldest frame in the FIFO.
    take: an entry leaves the cache, in x.
    look: a frame is taken up, in x: its record is to be in `frame` from x+1 on.
    refused: the entry in k is not the engine's.
    state: as it is.
    kept: HEAD is still at the entry at work.
    head: HEAD.
    entries_done: HEAD advances.
    done: a frame is done, in d.
    failed: bus error of a write, in d.
    fetch, place, word: read port of the FIFO.
    lane: requester's lane of the write port.
    tap: RX_OWN, RX_WRITE, RX_WB, RX_DONE.
    """

    def __init__(self, words: int):
        self.words = words
        super().__init__({
            "run": In(1), "waiting": In(1), "stocked": In(1), "quiet": In(1), "abandon": In(1),
            "restart": In(1), "forget": In(1), "hold": In(1),
            "base": In(32), "ring_len": In(ENTRY_WIDTH), "stride": In(2), "burst_512": In(1), "pad": In(2),
            "timestamps": In(1),
            "head_wb_early": In(1), "write_whole_buffer": In(1), "extra_buffer": In(4),
            "data0": In(32), "data1": In(32), "frame": In(FrameRecord), "front": In(range(words)),
            "take": Out(1), "look": Out(1), "refused": Out(1), "state": Out(State), "kept": Out(1),
            "head": Out(ENTRY_WIDTH), "entries_done": Out(1), "done": Out(1), "failed": Out(1),
            "fetch": Out(1), "place": Out(range(words)), "word": In(32),
            "lane": Out(Requester(32, 32)), "tap": Out(TapSignature(MOVER_LANES)),
        })

    def elaborate(self, platform):
        m = Module()
        state, lane, tap = self.state, self.lane, self.tap
        self._data0 = descriptor_layouts(load("lan743x").descriptor("rx_descriptor"))["DATA0"]
        self._posted = posted = Signal(self._data0)
        self._buffer = buffer = BufferWriter(self.words)
        m.submodules.buffer = ResetInserter(self.abandon)(buffer)
        origin = Signal(State)  # where the entry was taken
        index = Signal(ENTRY_WIDTH)  # of the entry at work
        self._offset = Signal(LENGTH_WIDTH)  # bytes of the frame that went into the buffers so far
        self._first, self._last = Signal(), Signal()  # the buffer is the frame's first, last
        self._stamped = Signal()
        self._spill = Signal()  # the frame is still to leave bytes to one more buffer
        self._number = Signal(NUMBER_WIDTH, init=(1 << NUMBER_WIDTH) - 1)  # of the frame taken up last
        self._announced = announced = Signal()  # HEAD has passed the entry at work
        delay = Signal(range(EARLY_HEAD_CYCLES + 1))

        m.d.comb += [
            posted.eq(self.data0), self.kept.eq(~announced),
            buffer.front.eq(self.front), buffer.burst_512.eq(self.burst_512), buffer.hold.eq(self.hold),
            buffer.word.eq(self.word), self.fetch.eq(buffer.fetch), self.place.eq(buffer.place),
            lane.write.eq(1),
            self.failed.eq(lane.done & lane.error),
        ]
        with m.Switch(state):
            with m.Case(State.IDLE):
                m.d.sync += [self._first.eq(1), self._offset.eq(0), self._stamped.eq(self.timestamps)]
                m.d.comb += [
                    self.take.eq(self.run & self.waiting & self.stocked & ~self.quiet),
                    self.look.eq(self.take),
                ]
            with m.Case(State.NEXT, State.EXT):
                m.d.comb += self.take.eq(self.stocked & ~self.quiet)
            with m.Case(State.CHECK):
                report(m, tap.rx_own, index=self.head, data=self.data0)
                m.d.sync += [
                    index.eq(self.head), announced.eq(0),
                    delay.eq(Mux(self.head_wb_early, EARLY_HEAD_CYCLES, 0)),
                ]
                with m.If(~posted.OWN):
                    m.d.comb += self.refused.eq(1)
                    m.d.sync += state.eq(origin)
                with m.Else():
                    m.d.sync += state.eq(Mux(origin == State.EXT, State.WB, State.MOVE))
            with m.Case(State.MOVE):
                self._start(m)
                m.d.sync += state.eq(State.FILL)
            with m.Case(State.FILL), m.If(buffer.nothing | buffer.finished):
                m.d.sync += state.eq(State.WB)
            with m.Case(State.WB):
                with m.If(self.head_wb_early & ~announced):
                    m.d.comb += self.entries_done.eq(1)
                    m.d.sync += announced.eq(1)
                m.d.sync += delay.eq(Mux(delay == 0, 0, delay - 1))
                with m.If(lane.granted):
                    m.d.sync += state.eq(State.WRITE)
            with m.Case(State.WRITE), m.If(lane.done & ~lane.error):
                m.d.comb += self.entries_done.eq(~announced)
                self._finish(m, origin)
        with m.If(self.take):
            m.d.sync += [origin.eq(state), state.eq(State.CHECK)]
        self._drive(m, origin, index, delay)
        self._number_frames(m)

        with m.If(self.entries_done):
            after = Signal(ENTRY_WIDTH + 1)
            m.d.comb += after.eq(self.head + 1)
            m.d.sync += self.head.eq(Mux(after >= self.ring_len, 0, after))
        with m.If(self.failed | self.abandon):
            m.d.sync += state.eq(State.IDLE)
        with m.If(self.restart):
            m.d.sync += self.head.eq(0)
        return m

    def _start(self, m: Module) -> None:
        """In m: how much goes into the buffer, and where."""
        buffer = self._buffer
        room, rest, count = Signal(LENGTH_WIDTH), Signal(LENGTH_WIDTH), Signal(LENGTH_WIDTH)
        pad, fits, spills = Signal(2), Signal(), Signal()
        m.d.comb += [
            pad.eq(Mux(self._first, self.pad, 0)), rest.eq(self.frame.length_bytes - self._offset),
            fits.eq(rest <= room), spills.eq(self._spill & fits & (rest > SPILLED_BYTES)),
            count.eq(Mux(spills, rest - SPILLED_BYTES, Mux(fits, rest, room))),
            buffer.start.eq(1), buffer.addr.eq(self.data1 + pad), buffer.offset.eq(self._offset),
            buffer.count.eq(count), buffer.length.eq(Mux(self.write_whole_buffer, room, count)),
        ]
        with m.If(pad < self._posted.BUF_LENGTH):
            m.d.comb += room.eq(self._posted.BUF_LENGTH - pad)
        m.d.sync += [self._last.eq(fits & ~spills), self._offset.eq(self._offset + count)]
        with m.If(spills):
            m.d.sync += self._spill.eq(0)

    def _finish(self, m: Module, origin: Signal) -> None:
        """In d of an entry's write: what follows."""
        m.d.sync += self._first.eq(0)
        with m.If((origin != State.EXT) & ~self._last):
            m.d.sync += self.state.eq(State.NEXT)
        with m.Elif((origin != State.EXT) & self._stamped):
            m.d.sync += self.state.eq(State.EXT)
        with m.Else():
            m.d.comb += self.done.eq(1)
            m.d.sync += self.state.eq(State.IDLE)
            report(m, self.tap.rx_done, index=self._number, data=self.frame.length_bytes)

    def _drive(self, m: Module, origin: Signal, index: Signal, delay: Signal) -> None:
        """The lane: the buffer's bursts, or the entry."""
        state, lane, inner, tap = self.state, self.lane, self._buffer.lane, self.tap
        data0, data1 = Signal(self._data0), Signal(32)
        beat = Signal(range(ENTRY_WORDS))
        with m.If(state == State.FILL):
            m.d.comb += [
                lane.request.eq(inner.request), lane.addr.eq(inner.addr), lane.beats.eq(inner.beats),
                lane.wdata.eq(inner.wdata), lane.wstrb.eq(inner.wstrb), inner.granted.eq(lane.granted),
                inner.addressed.eq(lane.addressed), inner.beat.eq(lane.beat), inner.done.eq(lane.done),
                inner.error.eq(lane.error),
            ]
            with m.If(self._buffer.addressed):
                report(m, tap.rx_write, index=self._number,
                       data=Cat(self._buffer.burst_addr, self._buffer.burst_bytes))
        with m.If((state == State.WB) | (state == State.WRITE)):
            m.d.comb += [
                lane.request.eq((state == State.WB) & (delay == 0) & ~self.hold),
                lane.addr.eq(entry_address(self.base, index, self.stride)), lane.beats.eq(ENTRY_WORDS),
                lane.wstrb.eq(~0), data0.BUF_LENGTH.eq(self._posted.BUF_LENGTH),
            ]
            with m.If(origin == State.EXT):
                m.d.comb += [data0.EXT.eq(1), data1.eq(self.frame.seconds)]
            with m.Else():
                m.d.comb += [data0.FS.eq(self._first), data0.LS.eq(self._last)]
                with m.If(self._last):
                    m.d.comb += [
                        data0.FRAME_LENGTH.eq(self.frame.length_bytes), data0.EXT.eq(self._stamped),
                    ]
            with m.Switch(beat):
                with m.Case(0):
                    m.d.comb += lane.wdata.eq(data0)
                with m.Case(1):
                    m.d.comb += lane.wdata.eq(data1)
                with m.Case(2):
                    m.d.comb += lane.wdata.eq(Mux(origin == State.EXT, self.frame.nanoseconds, 0))
            with m.If(lane.beat):
                m.d.sync += beat.eq(beat + 1)
            with m.If(lane.addressed):
                report(m, tap.rx_wb, index=index, data=Cat(data0, data1))

    def _number_frames(self, m: Module) -> None:
        """Frames taken up, and which of them spill. `begun`: the oldest frame was taken up before."""
        begun = Signal()
        turn = Signal(4)
        spill_frame = Signal()
        with m.If(self.look):
            m.d.sync += [begun.eq(1), self._spill.eq(spill_frame)]
            with m.If(~begun):
                turns = turn + 1 >= self.extra_buffer
                spills = turns & self.extra_buffer.any()
                m.d.sync += [
                    self._number.eq(self._number + 1), turn.eq(Mux(turns, 0, turn + 1)),
                    spill_frame.eq(spills), self._spill.eq(spills),
                ]
        with m.If(self.done | self.forget):
            m.d.sync += begun.eq(0)
