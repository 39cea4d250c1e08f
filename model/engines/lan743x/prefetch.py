"""Descriptor prefetch of one channel (docs/engines/lan743x.md, section 3)."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from .events import Kind
from .part import CACHE_ENTRIES, ENTRY, PAGE, PREFETCH_ENTRIES, WORD

if TYPE_CHECKING:
    from .engine import Engine

IDLE, NORMAL, URGENT = 0, 1, 2
"""What `urgency` answers."""


class Prefetcher:
    """Keeps entries of a ring at hand.

    Members: `base`, `ring_len`, `thres`, `pri_thres` as configured; `tail`; `pf`, the next to prefetch;
    `cache` of (index, DATA0, DATA1, DATA2, DATA3); `popped_in`, the cycle in which an entry left it last;
    `busy`, a prefetch is under way, granted in `granted_in`; `blocked` until TAIL is written; `running`, the
    channel is in RUN and not stopping; `held`, SWR is pending.
    """

    def __init__(self, engine: Engine, requester: int, ring: int, receives: bool) -> None:
        self.engine = engine
        self.requester, self.ring = requester, ring
        self.receives = receives
        self.past_tail = receives and bool(engine.straps.get("past_tail"))
        self.inclusive = receives and bool(engine.straps.get("tail_inclusive"))
        self.fetch_kind = int(Kind.RX_PREFETCH if receives else Kind.TX_PREFETCH)
        self.filled_kind = int(Kind.RX_DESC if receives else Kind.TX_DESC)
        self.error_kind = int(Kind.RX_ERROR if receives else Kind.TX_ERROR)
        self.base = self.ring_len = self.thres = self.pri_thres = 0
        self.tail = self.pf = 0
        self.cache: deque[tuple[int, int, int, int, int]] = deque()
        self.popped_in = -1
        self.granted_in = -1
        self.tail_written_in = -1
        self.busy = self.blocked = self.running = self.held = False
        self._tail_taken = self._discard = False
        self.channel = None

    def empty(self, head: int, returned: bool = False) -> None:
        """Throw away what is cached or on its way and go on at `head`. `returned`: an entry that was taken
        goes back too."""
        if returned or self.cache or self.busy:
            self._tail_taken = False
        self._discard = self.busy
        self.cache.clear()
        self.pf = head

    def reset(self) -> None:
        """SWR: nothing cached, everything at 0."""
        self.empty(0, True)
        self.tail = 0
        self.blocked = False

    def flush(self, index: int, granted_in: int) -> None:
        """The entry `index` is not ours: forget it, what is behind it, and what is on its way. `granted_in`:
        when the last prefetch was granted, as of the cycle in which that was found."""
        self.empty(index, True)
        self.blocked = self.tail_written_in < granted_in

    def write_tail(self, index: int, cycle: int) -> None:
        """TAIL is written in `cycle`."""
        if index != self.tail:
            self._tail_taken = False
        self.tail = index
        self.tail_written_in = cycle
        self.blocked = False
        self.engine.read_port.kick(cycle + 1)

    def available(self, cached: int) -> int:
        """Entries that may be prefetched."""
        size = self.ring_len
        if not size or self.tail >= size:
            return 0
        if self.past_tail:
            return size - cached
        ahead = (self.tail - self.pf) % size
        if self.inclusive:
            return 0 if self._tail_taken else ahead + 1
        return ahead

    def starves(self) -> bool:
        """Nothing is cached, nothing on its way, and nothing can be."""
        return not self.cache and not self.busy and (self.blocked or not self.available(0))

    def kick(self, cycle: int) -> None:
        """Something that the request hangs on has another value from `cycle` on."""
        if self.running and not self.busy and len(self.cache) < (self.thres or 1):
            self.engine.read_port.kick(cycle)

    def urgency(self, w: int) -> int:
        """Whether it requests in *w*, and how urgently."""
        if self.busy or not self.running or self.blocked or self.held:
            return IDLE
        cached = len(self.cache) + (self.popped_in == w)
        if cached >= (self.thres or 1) or not self.available(cached):
            return IDLE
        return URGENT if cached < self.pri_thres else NORMAL

    def granted(self, w: int, a: int) -> None:
        """Granted in *w*, handshake in *a*."""
        stride = self.engine.stride
        index, size = self.pf, self.ring_len
        cached = len(self.cache) + (self.popped_in == w)
        available = self.available(cached)
        address = self.base + index * stride & 0xFFFF_FFFF
        most = PREFETCH_ENTRIES if stride == ENTRY else 1
        count = min(CACHE_ENTRIES - cached, available, size - index, most,
                    -(-(PAGE - address % PAGE) // stride))
        self.busy = True
        self.granted_in = w
        self.pf = (index + count) % size
        if self.inclusive and count == available:
            self._tail_taken = True
        self.engine.log.add((a, self.fetch_kind, self.ring, index, address | count << 32))
        beats = ((count - 1) * stride + ENTRY) // WORD
        self.engine.bus.read(self.requester, a, address, beats, partial(self._arrived, index, count))

    def _arrived(self, index: int, count: int, last: int, data: bytes, failed: bool) -> None:
        self.engine.kernel.soon(4 * last + 3, self._filled, last, index, count, data, failed)

    def _filled(self, d: int, index: int, count: int, data: bytes, failed: bool) -> None:
        engine = self.engine
        engine.log.add((d, self.filled_kind, self.ring, index, count))
        self.busy = False
        if failed:
            engine.log.add((d, self.error_kind, self.ring, self.requester, 0))
            if not self._discard:
                self.pf = index
                self._tail_taken = False
            self.channel.failed(d)
        elif not self._discard:
            stride, size = engine.stride, self.ring_len
            for n in range(count):
                at = n * stride
                words = data[at:at + ENTRY]
                self.cache.append((
                    (index + n) % size, int.from_bytes(words[:4], "little"),
                    int.from_bytes(words[4:8], "little"), int.from_bytes(words[8:12], "little"),
                    int.from_bytes(words[12:], "little")))
        self._discard = False
        engine.read_port.closed(d)
        self.kick(d + 1)
        self.channel.kick(d + 1)
