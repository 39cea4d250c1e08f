"""Descriptor prefetch of a channel: reads ring entries ahead of their use and keeps them until they are.

Of an entry only its first two words are kept: flags and length, and the low half of the buffer's address.

Ref: docs/engines/lan743x.md, section 3; x, w, a and d are those of that page.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.bus.burst import BOUNDARY_BYTES, least
from hdl.bus.read_port import ReadRequester

from .events import DESCRIPTORS_WIDTH, ENTRY_WIDTH

__all__ = ["CACHE_ENTRIES", "ENTRY_WORDS", "Prefetcher", "entry_address"]

CACHE_ENTRIES = 32
"""Of a channel (A)."""
ENTRY_WORDS = 4
UNIT_LOG2 = 4
"""The narrowest stride, and the alignment of a ring: 16 bytes."""
MOST_ENTRIES = 16
"""Of a prefetch, in a ring without gaps; with gaps it is one, so that what comes in are entries only."""


def entry_address(base, index, stride):
    """Where an entry of a ring begins: an expression of 32 bits.

    Parameters
    ----------
    base: register BASE_L; a ring begins at a multiple of 16.
    index: the entry's.
    stride: DMAC_CFG.MAX_DSPACE, 16 << stride bytes from entry to entry.
    """
    return (Cat(C(0, UNIT_LOG2), base[UNIT_LOG2:]) + (Cat(C(0, UNIT_LOG2), index) << stride))[:32]


class Prefetcher(wiring.Component):
    """Prefetch and cache.

    Members
    -------
    enable: something may be requested.
    base, ring_len, stride, tail, pf_thres, pf_pri_thres: registers.
    tail_inclusive, past_tail: straps; both of receive channels only.
    tail_written, tail_next: TAIL is written, with this index.
    take: the oldest entry leaves the cache.
    rewind, rewind_to: empty the cache, throw away what a prefetch under way (or granted in this cycle)
        brings, and go on at this entry.
    returned: with `rewind`: an entry that was taken goes back too.
    cached: entries in the cache.
    available: there are entries to prefetch.
    busy: a prefetch is under way (w+1 .. d).
    granted: in w.
    data0, data1: the entry taken in x: from x+1 on, until after the next one is taken.
    addressed: in a, with the next three.
    first, address, count: ring index and address of the first entry, and number of them, of the prefetch
        under way.
    filled: in d, whatever becomes of the entries.
    failed: with `filled`: bus error; the entries are not kept, and are prefetched again.
    lane: requester's lane of the read port.
    """

    enable: In(1)
    base: In(32)
    ring_len: In(ENTRY_WIDTH)
    stride: In(2)
    tail: In(ENTRY_WIDTH)
    pf_thres: In(5)
    pf_pri_thres: In(5)
    tail_inclusive: In(1)
    past_tail: In(1)
    tail_written: In(1)
    tail_next: In(ENTRY_WIDTH)
    take: In(1)
    rewind: In(1)
    rewind_to: In(ENTRY_WIDTH)
    returned: In(1)
    cached: Out(range(CACHE_ENTRIES + 1))
    available: Out(1)
    busy: Out(1)
    granted: Out(1)
    data0: Out(32)
    data1: Out(32)
    addressed: Out(1)
    first: Out(ENTRY_WIDTH)
    address: Out(32)
    count: Out(DESCRIPTORS_WIDTH)
    filled: Out(1)
    failed: Out(1)
    lane: Out(ReadRequester())

    def elaborate(self, platform):
        m = Module()
        lane = self.lane
        # `next_entry` is pf; `spoilt`: what is under way is thrown away.
        self._next_entry, self._spoilt = Signal(ENTRY_WIDTH), Signal()
        m.d.comb += [
            self.granted.eq(lane.granted), self.addressed.eq(lane.addressed),
            self.filled.eq(lane.done), self.failed.eq(lane.done & lane.error),
        ]
        reaches_tail, count, address = self._ask(m)
        keeps = Signal()  # in d: the entries go into the cache
        m.d.comb += keeps.eq(lane.done & ~lane.error & ~self._spoilt & ~self.rewind)
        self._store(m, keeps)
        next_entry = self._next_entry
        with m.If(self.lane.granted):
            after = Signal(ENTRY_WIDTH + 1)
            m.d.comb += after.eq(next_entry + count)
            m.d.sync += [
                self.busy.eq(1), self.first.eq(next_entry), self.count.eq(count), self.address.eq(address),
                next_entry.eq(Mux(after >= self.ring_len, 0, after)),
            ]
        with m.If(lane.done):
            m.d.sync += [self.busy.eq(0), self._spoilt.eq(0)]
            with m.If(lane.error & ~self._spoilt):
                m.d.sync += next_entry.eq(self.first)
        with m.If(self.rewind):
            m.d.sync += [
                next_entry.eq(self.rewind_to),
                self._spoilt.eq(lane.granted | (self.busy & ~lane.done)),
            ]
        with m.If(self.tail_inclusive):
            self._watch_tail(m, reaches_tail)
        return m

    def _ask(self, m: Module) -> tuple[Signal, Signal, Signal]:
        """The request. Returns, for the prefetch requested: whether it ends with all that is available, the
        number of entries, and the address of the first."""
        lane, next_entry, ring_len = self.lane, self._next_entry, self.ring_len
        self._tail_done = Signal()  # strap tail_inclusive: entry TAIL has been prefetched
        ahead = Signal(ENTRY_WIDTH + 1)  # entries available
        short, reaches_tail = Signal(), Signal()
        address = Signal(32)
        count = Signal(DESCRIPTORS_WIDTH)
        m.d.comb += short.eq(self.cached < Mux(self.pf_thres == 0, 1, self.pf_thres))
        with m.If(~self.busy & short & (self.tail < ring_len)):
            with m.If(self.past_tail):
                # in a ring of fewer entries than the cache has places, cached <= ring_len all the same
                m.d.comb += ahead.eq((ring_len - self.cached)[:ENTRY_WIDTH + 1])
            with m.Elif(~(self.tail_inclusive & self._tail_done)):
                m.d.comb += ahead.eq((self.tail + Mux(self.tail < next_entry, ring_len, 0) - next_entry
                                      + self.tail_inclusive)[:ENTRY_WIDTH + 1])
        m.d.comb += self.available.eq(ahead != 0)
        with m.If(self.enable & self.available):
            m.d.comb += address.eq(entry_address(self.base, next_entry, self.stride))
            room, to_end = Signal(range(CACHE_ENTRIES + 1)), Signal(ENTRY_WIDTH)
            most = Signal(range(MOST_ENTRIES + 1))
            to_boundary = Signal(range((BOUNDARY_BYTES >> UNIT_LOG2) + 1))
            page = address[UNIT_LOG2:(BOUNDARY_BYTES - 1).bit_length()]  # the entry's place in its 4 KiB
            m.d.comb += [
                room.eq(CACHE_ENTRIES - self.cached), to_end.eq(ring_len - next_entry),
                most.eq(Mux(self.stride == 0, MOST_ENTRIES, 1)),
                to_boundary.eq((BOUNDARY_BYTES >> UNIT_LOG2) - page),
            ]
            wanted = least(m, "wanted", room, ahead, to_end, most, to_boundary)
            m.d.comb += [
                count.eq(wanted), lane.addr.eq(address), lane.beats.eq(count * ENTRY_WORDS),
                lane.request.eq(1), lane.urgent.eq(self.cached < self.pf_pri_thres),
                reaches_tail.eq(wanted == ahead),
            ]
        return reaches_tail, count, address

    def _watch_tail(self, m: Module, reaches_tail: Signal) -> None:
        """Whether entry TAIL has been prefetched since TAIL moved. What is thrown away has not been."""
        with m.If(self.lane.granted & reaches_tail):
            m.d.sync += self._tail_done.eq(1)
        with m.If(self.rewind & (self.returned | self.busy | self.lane.granted | self.cached.any())):
            m.d.sync += self._tail_done.eq(0)
        with m.If(self.failed & ~self._spoilt):
            m.d.sync += self._tail_done.eq(0)
        with m.If(self.tail_written & (self.tail_next != self.tail)):
            m.d.sync += self._tail_done.eq(0)

    def _store(self, m: Module, keeps: Signal) -> None:
        """Beats to entries. `fill` is the place of the next one in the cache, `oldest` that of the first."""
        lane = self.lane
        m.submodules.memory = memory = Memory(shape=64, depth=CACHE_ENTRIES, init=[])
        write, read = memory.write_port(), memory.read_port()
        fill, oldest = Signal(range(CACHE_ENTRIES)), Signal(range(CACHE_ENTRIES))
        word = Signal(range(ENTRY_WORDS))  # of its entry
        first_word = Signal(32)
        m.d.comb += [
            write.addr.eq(fill), write.data.eq(Cat(first_word, lane.rdata)),
            read.addr.eq(oldest), read.en.eq(self.take),
            self.data0.eq(read.data[:32]), self.data1.eq(read.data[32:]),
        ]
        with m.If(lane.beat):
            m.d.sync += word.eq(word + 1)
            with m.If(word == 0):
                m.d.sync += first_word.eq(lane.rdata)
            with m.If((word == 1) & ~self._spoilt):
                m.d.comb += write.en.eq(1)
                m.d.sync += fill.eq(fill + 1)
            with m.If(lane.done):
                m.d.sync += word.eq(0)
        with m.If(self.failed):
            m.d.sync += fill.eq(oldest + self.cached)
        with m.If(self.take):
            m.d.sync += oldest.eq(oldest + 1)
        with m.If(self.rewind):
            m.d.sync += [self.cached.eq(0), fill.eq(0), oldest.eq(0)]
        with m.Elif(keeps | self.take):
            m.d.sync += self.cached.eq(self.cached + Mux(keeps, self.count, 0) - self.take)
