"""A CPU's cache as far as it can make received bytes stale: which lines it holds, and with what in them.

For drivers that leave out what the caches need (DMA_ATTR_SKIP_CPU_SYNC where it is wrong). Without such a
driver there is none, and the bytes are always right, because the API's calls make them so.

The model, all of it assumed: the cache never runs full, so a line stays until it is invalidated. What was
loaded is clean. What was stored, or what the cache holds of memory that was freed (between free and the next
allocation it may have been anyone's), is dirty. A dirty line of a buffer that was mapped without invalidating
it is evicted, at the latest, just before the CPU takes the buffer back: its old bytes then lie over the
device's. Stores go to memory as well, so that only the device's writes can make a line differ from memory.
"""

from __future__ import annotations

import numpy as np


class LineCache:
    """Parameters: `mem` the memory, uint8; `line_bytes`, a power of 2. Member: `overwritten`, lines of the
    device's bytes that an eviction put old ones over."""

    def __init__(self, mem: np.ndarray, line_bytes: int) -> None:
        self.mem = mem
        self.line_bytes = line_bytes
        self.overwritten = 0
        self._lines: dict[int, bytes] = {}
        self._dirty: set[int] = set()

    def _over(self, address: int, size_bytes: int) -> range:
        return range(address // self.line_bytes * self.line_bytes, address + size_bytes, self.line_bytes)

    def load(self, address: int, size_bytes: int) -> bytes:
        """What the CPU reads: from the lines that it holds, else from memory, whose line it then holds."""
        lines, size = self._lines, self.line_bytes
        over = self._over(address, size_bytes)
        for line in over:
            if line not in lines:
                lines[line] = self.mem[line:line + size].tobytes()
        data = b"".join(lines[line] for line in over)
        skipped = address - over.start
        return data[skipped:skipped + size_bytes]

    def stored(self, address: int, size_bytes: int) -> None:
        """The CPU has stored this range, in memory too: its lines are held, and dirty."""
        for line in self._over(address, size_bytes):
            self._lines[line] = self.mem[line:line + self.line_bytes].tobytes()
            self._dirty.add(line)

    def freed(self, address: int, size_bytes: int) -> None:
        """The memory has gone to the allocator: what the cache holds of it counts as written."""
        self._dirty.update(line for line in self._over(address, size_bytes) if line in self._lines)

    def invalidate(self, address: int, size_bytes: int) -> None:
        """Drop the lines of a range."""
        for line in self._over(address, size_bytes):
            self._lines.pop(line, None)
            self._dirty.discard(line)

    def take_back(self, address: int, size_bytes: int, cleaned: bool) -> None:
        """The CPU takes a range back from the device and invalidates it; `cleaned`: it was invalidated as it
        was mapped. If not, its dirty lines have been evicted meanwhile."""
        if not cleaned:
            for line in self._over(address, size_bytes):
                if line in self._dirty:
                    old = np.frombuffer(self._lines[line], np.uint8)
                    self.overwritten += bool((self.mem[line:line + self.line_bytes] != old).any())
                    self.mem[line:line + self.line_bytes] = old
        self.invalidate(address, size_bytes)
