"""Host memory behind the read half of an AXI4 manager, for benches that step through the cycles themselves.

Several reads are open at a time. Without `rng` the timing is that of the bench's bus: AR is taken at once,
and the first beat of a read is in a + 1 + latency, or after the reads before it.
"""

import dataclasses
import random
from collections.abc import Iterable

from amaranth.hdl import Cat

__all__ = ["ReadMemory"]

SIZE_BYTES = 1 << 17
SLVERR = 2


@dataclasses.dataclass
class Read:
    """A read that is open: its beats are due from `due` on."""

    requester: int
    words: list[int]
    error: bool
    due: int


class ReadMemory:
    """The subordinate; `data` is the memory, and addresses beyond it wrap.

    Parameters
    ----------
    latency: cycles from the cycle after the address handshake to the first beat.
    rng: channels pause at random, latencies vary, and of two requesters' reads either may come first.
    tags: reads that may be open.
    errors: (requester, ordinal) of the reads that fail.
    """

    def __init__(self, *, latency: int, rng: random.Random | None, tags: int,
                 errors: Iterable[tuple[int, int]]):
        self.latency, self.rng, self.tags, self.errors = latency, rng, tags, set(errors)
        self.data = bytearray(SIZE_BYTES)
        self.restart()

    def restart(self) -> None:
        self._reads: list[Read] = []
        self._ordinals: dict[int, int] = {}

    def serve(self, ctx, bus, cycle: int) -> None:
        """Drive the channels in `cycle`, before anything looks at them."""
        pause = self.rng is not None and self.rng.random() < 0.3
        if self.rng is not None and not pause:
            self._overtake()
        if self._reads and self._reads[0].due <= cycle and not pause:
            read = self._reads[0]
            ctx.set(bus.rdata, read.words.pop(0))
            ctx.set(Cat(bus.rid, bus.rresp, bus.rlast, bus.rvalid),
                    read.requester | (SLVERR if read.error else 0) << 4 | (not read.words) << 6 | 1 << 7)
            if not read.words:
                self._reads.pop(0)
        else:
            ctx.set(bus.rvalid, 0)
        accept = self.rng is None or self.rng.random() < 0.7
        ctx.set(bus.arready, accept)
        if accept and ctx.get(bus.arvalid):
            self._open(ctx.get(bus.araddr), ctx.get(bus.arlen) + 1, ctx.get(bus.arid), cycle)

    def _open(self, addr: int, beats: int, requester: int, cycle: int) -> None:
        assert addr // 4096 == (addr + 4 * beats - 1) // 4096, "a burst crosses 4 KiB"
        latency = self.latency if self.rng is None else self.rng.randrange(2 * self.latency + 1)
        words = [int.from_bytes(self.data[(addr + 4 * n) % SIZE_BYTES:][:4], "little") for n in range(beats)]
        ordinal = self._ordinals.get(requester, 0)
        self._ordinals[requester] = ordinal + 1
        self._reads.append(Read(requester, words, (requester, ordinal) in self.errors, cycle + 1 + latency))
        assert len(self._reads) <= self.tags

    def _overtake(self) -> None:
        """Sometimes a later read of another requester comes first; within a requester the order stays."""
        reads = self._reads
        later = next((n for n, read in enumerate(reads) if read.requester != reads[0].requester), None)
        if later is not None and self.rng.random() < 0.3:
            reads.insert(0, reads.pop(later))
