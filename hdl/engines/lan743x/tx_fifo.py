"""The transmit FIFO: whole words as they were fetched, and the byte that the wire takes next.

A buffer begins and ends at any byte, so beside each word stands which of its bytes belong to the frame. Room
is reserved when a burst is granted and is free again when its frame has left, long after its words were read.

Ref: docs/engines/lan743x.md, sections 5.1, 3 and 5.2, 4.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["FIFO_WORDS", "MOST_BEATS", "FifoWord", "TxFifo"]

FIFO_WORDS = 8192
"""32 KiB (A)."""
MOST_BEATS = 512 // 4
"""Of a burst."""

FifoWord = data.StructLayout({"data": data.ArrayLayout(8, 4), "low": 2, "high": 2})
"""A word, and the first and the last byte lane of it that belong to the frame."""


class TxFifo(wiring.Component):
    """Store, byte cursor and account of the room.

    Members
    -------
    reserve, beats: room for so many words is taken, which `held` shows from the next cycle on.
    push, word: a word is put in.
    begin, frame_words: the cursor is at the first byte of the oldest frame, which has so many words (at least
        1); `byte` and `last` are those of it from the next cycle on.
    take: `byte` is used up; the next cycle has the next one.
    byte, last: as above; `last` with the frame's last one.
    leave, frame_words: the room of the oldest frame is free.
    skip: with `leave`: none of the frame's bytes was taken.
    flush: nothing is in it from the next cycle on.
    held: words for which room is reserved.
    """

    reserve: In(1)
    beats: In(range(MOST_BEATS + 1))
    push: In(1)
    word: In(FifoWord)
    begin: In(1)
    frame_words: In(range(FIFO_WORDS + 1))
    take: In(1)
    byte: Out(8)
    last: Out(1)
    leave: In(1)
    skip: In(1)
    flush: In(1)
    held: Out(range(FIFO_WORDS + 1))

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=FifoWord, depth=FIFO_WORDS, init=[])
        write, read = memory.write_port(), memory.read_port()
        newest, cursor = Signal(range(FIFO_WORDS)), Signal(range(FIFO_WORDS))
        words_left = Signal(range(FIFO_WORDS + 1))  # of the frame at the cursor, its word included
        started, following = Signal(), Signal(2)  # the word's first byte was taken; which is the next
        lane, through = Signal(2), Signal()
        m.d.comb += [
            write.addr.eq(newest), write.data.eq(self.word), write.en.eq(self.push),
            lane.eq(Mux(started, following, read.data.low)),
            self.byte.eq(read.data.data[lane]),
            through.eq(self.take & (lane == read.data.high)),
            self.last.eq((lane == read.data.high) & (words_left == 1)),
            # The word that the next cycle wants to see.
            read.addr.eq(cursor + through), read.en.eq(self.begin | self.take),
        ]
        with m.If(self.push):
            m.d.sync += newest.eq(newest + 1)
        with m.If(self.begin):
            m.d.sync += [words_left.eq(self.frame_words), started.eq(0)]
        with m.If(self.take):
            m.d.sync += [following.eq(lane + 1), started.eq(~through)]
            with m.If(through):
                m.d.sync += [cursor.eq(cursor + 1), words_left.eq(words_left - 1)]
        with m.If(self.skip):
            m.d.sync += cursor.eq(cursor + self.frame_words)
        with m.If(self.reserve | self.leave):
            m.d.sync += self.held.eq(
                self.held + Mux(self.reserve, self.beats, 0) - Mux(self.leave, self.frame_words, 0))
        with m.If(self.flush):
            m.d.sync += [self.held.eq(0), cursor.eq(newest)]
        return m
