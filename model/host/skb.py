"""Socket buffers: a block of memory with headroom, laid out so that the IP header is aligned and the frame is
not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from model.host.memory import PAGE_BYTES

if TYPE_CHECKING:
    from model.host.host import Host

NET_IP_ALIGN = 2
"""Bytes before an Ethernet header that put the IP header, 14 bytes on, at a multiple of 4."""
SHARED_INFO_BYTES = 320
"""What the kernel keeps behind the data (struct skb_shared_info, rounded to cache lines). Decides the size
class."""


ORDER_LABELS = {8192: "alloc_order1", 16384: "alloc_order2"}
"""Block of more than a page -> label of what its pages cost on top of `alloc`."""


@dataclass(slots=True)
class Skb:
    """Members: `block` address of the memory; `data` address of the first byte; `length` in bytes there;
    `freed`; `pages` (address, bytes) of page fragments that follow the data of a frame to be sent;
    `frag_list` buffers whose data follow those of a received frame's first."""

    block: int
    data: int
    length: int = 0
    freed: bool = False
    pages: list[tuple[int, int]] = field(default_factory=list)
    frag_list: list[Skb] = field(default_factory=list)

    @property
    def total_bytes(self) -> int:
        """Length of the frame, all parts together."""
        return self.length + sum(size for _, size in self.pages) + sum(skb.length for skb in self.frag_list)

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

        Charges `alloc`, and for more than a page the label of its order.
        """
        host = self.host
        host.charge("alloc")
        ordinal, self.allocated = self.allocated, self.allocated + 1
        if ordinal in self.failing:
            return None
        headroom = host.platform.cache_line_bytes
        whole = headroom + size_bytes + SHARED_INFO_BYTES
        if whole > PAGE_BYTES:
            host.charge(ORDER_LABELS[host.memory.class_bytes(whole)])
        block = host.memory.allocate(whole)
        self.live += 1
        return Skb(block, block + headroom)

    async def linearize(self, skb: Skb, frame_bytes: int) -> Skb | None:
        """A frame of `frame_bytes` in one buffer (skb_linearize and the trimming after it): if it has a
        frag_list everything is copied into a new one and the old ones are freed. None if the allocation
        fails: `skb` is freed then. Costs `fill` for every byte. The kernel copies those behind the frame too,
        into a buffer that is large enough for them; here they only cost.
        """
        if not skb.frag_list:
            skb.length = min(skb.length, frame_bytes)
            return skb
        whole = self.allocate(skb.data % 4 + frame_bytes)
        if whole is not None:
            whole.reserve(skb.data % 4)
            await self.host.spend("fill", count=skb.total_bytes)
            for part in (skb, *skb.frag_list):
                size = min(part.length, frame_bytes - whole.length)
                if size > 0:
                    self.host.cpu_write(whole.put(size), self.host.cpu_read(part.data, size))
        self.release(skb)
        return whole

    async def free(self, skb: Skb) -> None:
        """Give a buffer back, once the time of that is spent; noted as a finding if the device still owns it
        or it was freed before."""
        await self.host.spend("free")
        self._give_back(skb)

    def release(self, skb: Skb) -> None:
        """As `free`, at the beginning of its time, and with the buffers of its frag_list."""
        for part in (skb, *skb.frag_list):
            self.host.charge("free")
            self._give_back(part)

    def _give_back(self, skb: Skb) -> None:
        host = self.host
        if skb.freed:
            host.findings.note("dma_api", host.now, f"buffer {skb.block:#x} freed twice")
            return
        skb.freed = True
        self.live -= 1
        size = host.memory.block_bytes(skb.block)
        host.dma.check_free(skb.block, size)
        host.memory.free(skb.block)
