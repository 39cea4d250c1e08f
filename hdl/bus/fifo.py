"""FIFO of bus words, read without a clock, with the operations that a DMA engine wants on it.

`level` is a register, and everything that decides by it (room, underrun, overrun) sees the state of the
cycle before.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["WordFifo"]


class WordFifo(wiring.Component):
    """Words in the order of their arrival.

    The owner watches `level`: pushing into a full FIFO or taking more than it holds corrupts it.

    Parameters
    ----------
    width: bits of a word.
    depth: words it can hold.

    Members
    -------
    push, data: put a word in; it counts from the next cycle on.
    head: the oldest word (meaningless while `level` is 0).
    pop: take the oldest word.
    discard: number of the oldest words to leave at once, besides that of `pop`.
    flush: all words leave; a word pushed in the same cycle stays.
    level: words held.
    """

    def __init__(self, width: int, depth: int):
        if not isinstance(depth, int) or depth < 2:
            raise ValueError(f"WordFifo: depth must be an integer of at least 2, not {depth!r}")
        self.width = width
        self.depth = depth
        super().__init__({
            "push": In(1), "data": In(width), "head": Out(width), "pop": In(1),
            "discard": In(range(depth + 1)), "flush": In(1), "level": Out(range(depth + 1)),
        })

    def elaborate(self, platform):
        m = Module()
        rows = 1 << (self.depth - 1).bit_length()  # a power of two: the pointers wrap by themselves
        m.submodules.memory = memory = Memory(shape=self.width, depth=rows, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        gone = Signal(range(self.depth + 2))
        m.d.comb += [
            write.addr.eq(read.addr + self.level), write.data.eq(self.data), write.en.eq(self.push),
            self.head.eq(read.data),
            gone.eq(Mux(self.flush, self.level, self.pop + self.discard)),
        ]
        oldest = Signal(range(rows))
        m.d.comb += read.addr.eq(oldest)
        with m.If(self.push | self.pop | self.flush | self.discard.any()):
            m.d.sync += [oldest.eq(oldest + gone), self.level.eq(self.level + self.push - gone)]
        return m
