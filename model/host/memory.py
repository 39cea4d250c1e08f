"""Host memory: a coherent pool and a slab allocator that hands freed blocks out again, last freed first.

The order matters: after an early release the next allocation of that size gets the very block that the engine
still reads, which is what makes the hazard show on the wire. The kernel's allocators behave so (a per-CPU
list, last in first out), and this one does nothing else, so that both worlds see the same addresses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PAGE_BYTES = 4096
FIRST_ADDRESS = PAGE_BYTES
"""Address 0 and the rest of its page are never handed out."""
LARGEST_CLASS_BYTES = 16384


class OutOfMemory(Exception):
    """No block is left, or a failure was asked for."""


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of `alignment` that is no less than `value`."""
    return -(-value // alignment) * alignment


class Memory:
    """The allocator over `mem`.

    Parameters: `mem` the whole memory, uint8; `cache_line_bytes`, a power of 2, the alignment of every block
    and the smallest class; `coherent_bytes` set aside for coherent allocations; `complain(text)` is told of
    misuse.
    """

    def __init__(self, mem: np.ndarray, cache_line_bytes: int, coherent_bytes: int,
                 complain: Callable[[str], None]) -> None:
        self.mem = mem
        self.cache_line_bytes = cache_line_bytes
        self._complain = complain
        self._coherent_next = FIRST_ADDRESS
        self._coherent_end = FIRST_ADDRESS + align_up(coherent_bytes, PAGE_BYTES)
        self._slab_next = self._coherent_end
        self._free: dict[int, list[int]] = {}
        self._coherent_free: dict[int, list[int]] = {}
        self._live: dict[int, int] = {}
        if self._slab_next + LARGEST_CLASS_BYTES > len(mem):
            raise ValueError(f"{len(mem)} bytes of host memory, {coherent_bytes} of them coherent: too small")

    def class_bytes(self, size_bytes: int) -> int:
        """Size of the block that an allocation of `size_bytes` gets: the next power of 2, a cache line at
        least."""
        if not 0 < size_bytes <= LARGEST_CLASS_BYTES:
            raise ValueError(f"allocation of {size_bytes} bytes: expected 1 to {LARGEST_CLASS_BYTES}")
        return max(self.cache_line_bytes, 1 << (size_bytes - 1).bit_length())

    def allocate(self, size_bytes: int) -> int:
        """The address of a block: the last one of its class that was freed, else a new one. Contents stay as
        they are."""
        size = self.class_bytes(size_bytes)
        free = self._free.get(size)
        if free:
            address = free.pop()
        else:
            address = align_up(self._slab_next, min(size, PAGE_BYTES))
            if address + size > len(self.mem):
                raise OutOfMemory(f"no room for {size_bytes} bytes: {len(self.mem)} bytes are all in use")
            self._slab_next = address + size
        self._live[address] = size
        return address

    def free(self, address: int) -> None:
        """Give a block back."""
        size = self._live.pop(address, None)
        if size is None:
            self._complain(f"free of {address:#x}, which is no allocated block")
            return
        self._free.setdefault(size, []).append(address)

    def block_bytes(self, address: int) -> int | None:
        """Size of the allocated block that begins at `address`, None if there is none."""
        return self._live.get(address)

    @property
    def live_blocks(self) -> int:
        """How many blocks are allocated."""
        return len(self._live)

    def allocate_coherent(self, size_bytes: int) -> int:
        """The address of zeroed whole pages that CPU and device see alike; a freed piece of that size is used
        again."""
        size = align_up(size_bytes, PAGE_BYTES)
        free = self._coherent_free.get(size)
        if free:
            address = free.pop()
        else:
            address = self._coherent_next
            if address + size > self._coherent_end:
                raise OutOfMemory(f"no room for {size_bytes} coherent bytes")
            self._coherent_next += size
        self.mem[address:address + size] = 0
        return address

    def free_coherent(self, address: int, size_bytes: int) -> None:
        """Give coherent pages back."""
        self._coherent_free.setdefault(align_up(size_bytes, PAGE_BYTES), []).append(address)
