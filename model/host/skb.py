"""Socket buffers: a block of memory with headroom, laid out so that the IP header is aligned and the frame is
not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.host.host import Host

NET_IP_ALIGN = 2
"""Bytes before an Ethernet header that put the IP header, 14 bytes on, at a multiple of 4."""
SHARED_INFO_BYTES = 320
"""What the kernel keeps behind the data (struct skb_shared_info, rounded to cache lines). Decides the size
class."""


@dataclass
class Skb:
    """Members: `block` address of the memory; `data` address of the first byte; `length` in bytes;
    `freed`."""

    block: int
    data: int
    length: int = 0
    freed: bool = False

    def reserve(self, size_bytes: int) -> None:
        """Move the start of the (empty) data up."""
        self.data += size_bytes

    def put(self, size_bytes: int) -> int:
        """Extend the data by `size_bytes`; returns the address of the new part."""
        end = self.data + self.length
        self.length += size_bytes
        return end


class SkbPool:
    """Allocates and frees socket buffers of `host`.

    Members: `allocated` how many allocations were asked for; `failing` their ordinals (from 0) that fail;
    `live` how many are in use.
    """

    def __init__(self, host: Host, failing: frozenset[int] = frozenset()) -> None:
        self.host = host
        self.failing = failing
        self.allocated = 0
        self.live = 0

    def allocate(self, size_bytes: int) -> Skb | None:
        """A buffer with room for `size_bytes` behind a cache line of headroom; None if the allocation fails.

        Charges `alloc`.
        """
        self.host.charge("alloc")
        ordinal, self.allocated = self.allocated, self.allocated + 1
        if ordinal in self.failing:
            return None
        headroom = self.host.platform.cache_line_bytes
        block = self.host.memory.allocate(headroom + size_bytes + SHARED_INFO_BYTES)
        self.live += 1
        return Skb(block, block + headroom)

    async def free(self, skb: Skb) -> None:
        """Give a buffer back; noted as a finding if the device still owns it or it was freed before."""
        await self.host.spend("free")
        if skb.freed:
            self.host.findings.note("dma_api", self.host.now, f"buffer {skb.block:#x} freed twice")
            return
        skb.freed = True
        self.live -= 1
        size = self.host.memory.block_bytes(skb.block)
        self.host.dma.check_free(skb.block, size)
        self.host.memory.free(skb.block)
