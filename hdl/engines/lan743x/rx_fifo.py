"""Receive FIFO of a channel: the words of the frame that comes in, and the frames that wait for the mover.

A frame's words are written behind those of the committed frames, and become the channel's only when the MAC
commits the frame at its end; until then the next frame may overwrite them.

Ref: docs/engines/lan743x.md, section 4.1; s and e are those of that page.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .events import LENGTH_WIDTH
from .rx_stream import NANOSECONDS_WIDTH, SECONDS_WIDTH, WORD_WIDTH, RxStream

__all__ = ["FrameRecord", "RxFifo"]

SHORTEST_WORDS = 16
"""Of a frame that is committed: 64 bytes."""

FrameRecord = data.StructLayout({
    "length_bytes": LENGTH_WIDTH,
    "seconds": SECONDS_WIDTH,
    "nanoseconds": NANOSECONDS_WIDTH,
})
"""A committed frame: its bytes, FCS included, and the PTP clock at its SFD."""


class RxFifo(wiring.Component):
    """Words and records of frames.

    Parameters
    ----------
    words: size of the memory, a power of two.

    Members
    -------
    rx: from the MAC; `off` is not driven here.
    capacity: words that may be used, at most `words`.
    waiting: there is a committed frame.
    look: read the record of the oldest frame; it is in `frame` from the next cycle on.
    frame: the record read last.
    front: place of the oldest frame's word 0.
    fetch, place, word: read the word in this place; it is in `word` from the next cycle on.
    release: the oldest frame, which is the one in `frame`, leaves.
    empty: all committed frames leave.
    used: words of the committed frames.
    """

    def __init__(self, words: int):
        if words < SHORTEST_WORDS or words & (words - 1):
            raise ValueError(f"RxFifo: words must be a power of two of at least {SHORTEST_WORDS}, "
                             f"not {words!r}")
        self.words = words
        super().__init__({
            "rx": In(RxStream()), "capacity": In(range(words + 1)),
            "waiting": Out(1), "look": In(1), "frame": Out(FrameRecord), "front": Out(range(words)),
            "fetch": In(1), "place": In(range(words)), "word": Out(WORD_WIDTH),
            "release": In(1), "empty": In(1), "used": Out(range(words + 1)),
        })

    def elaborate(self, platform):
        m = Module()
        rx = self.rx
        most_frames = self.words // SHORTEST_WORDS
        m.submodules.store = store = Memory(shape=WORD_WIDTH, depth=self.words, init=[])
        m.submodules.records = records = Memory(shape=FrameRecord, depth=most_frames, init=[])
        write, read = store.write_port(), store.read_port()
        note, recall = records.write_port(), records.read_port()
        behind = Signal(range(self.words))  # where the frame coming in begins
        newest, oldest = Signal(range(most_frames)), Signal(range(most_frames))  # places of records
        frames = Signal(range(most_frames + 1))
        lost, overflow = Signal(), Signal()  # a word was lost before; is being lost

        with m.If(rx.word):
            m.d.comb += [
                overflow.eq(self.used + rx.index >= self.capacity), write.en.eq(~overflow & ~lost),
            ]
            m.d.sync += lost.eq(lost | overflow)
        with m.If(rx.sfd):
            m.d.sync += lost.eq(0)
        m.d.comb += [
            write.addr.eq(behind + rx.index), write.data.eq(rx.data), rx.lost.eq(lost | overflow),
            read.addr.eq(self.place), read.en.eq(self.fetch), self.word.eq(read.data),
            note.addr.eq(newest), note.en.eq(rx.commit), note.data.length_bytes.eq(rx.length),
            note.data.seconds.eq(rx.seconds), note.data.nanoseconds.eq(rx.nanoseconds),
            recall.addr.eq(oldest), recall.en.eq(self.look), self.frame.eq(recall.data),
            self.waiting.eq(frames != 0),
        ]

        come, gone = Signal(range(self.words + 1)), Signal(range(self.words + 1))  # words, in this cycle
        with m.If(rx.commit):
            m.d.comb += come.eq((rx.length + 3) >> 2)
            m.d.sync += [behind.eq(behind + come), newest.eq(newest + 1)]
        with m.If(self.release):
            m.d.comb += gone.eq((self.frame.length_bytes + 3) >> 2)
            m.d.sync += [self.front.eq(self.front + gone), oldest.eq(oldest + 1)]
        with m.If(self.empty):
            # a frame committed in this very cycle stays
            m.d.sync += [self.front.eq(behind), oldest.eq(newest), frames.eq(rx.commit), self.used.eq(come)]
        with m.Elif(rx.commit | self.release):
            m.d.sync += [
                frames.eq(frames + rx.commit - self.release), self.used.eq(self.used + come - gone),
            ]
        return m
