"""The DMA API with the checks of the kernel's debug option (CONFIG_DMA_API_DEBUG, and the rules behind it).

Every mapping is kept with the cycles between which it lived, so that a later check can hold each access of
the device against them (`dma_check`). A broken rule is the finding `dma_api` and the run goes on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from model.host.ownership import NeverSynced, Range, without

if TYPE_CHECKING:
    from model.host.cache import LineCache
    from model.host.host import Host

NEVER = (1 << 63) - 1
"""End of a mapping that still lives."""

INTERVAL = np.dtype([("address", "<u8"), ("size_bytes", "<u4"), ("direction", "<u4"), ("start_cycle", "<i8"),
                     ("end_cycle", "<i8")])
"""One mapping: the device may use it at the rising edges start_cycle + 1 to end_cycle, both included (map and
unmap happen on the falling edges of start_cycle and end_cycle, and edge n begins cycle n)."""


class Direction(IntEnum):
    """Who writes: the kernel's enum dma_data_direction, with its numbers."""

    BIDIRECTIONAL = 0
    TO_DEVICE = 1
    FROM_DEVICE = 2


class Mapping:
    """Members: `address` and `size_bytes` of the buffer, `direction`, `start_cycle`; `unsynced` the ranges
    that were not given to the CPU since; `cleaned` whether the caches were made ready when it began."""

    __slots__ = ("address", "cleaned", "direction", "size_bytes", "start_cycle", "unsynced")

    def __init__(self, address: int, size_bytes: int, direction: Direction, start_cycle: int,
                 cleaned: bool = True) -> None:
        self.address = address
        self.size_bytes = size_bytes
        self.direction = direction
        self.start_cycle = start_cycle
        self.cleaned = cleaned
        self.unsynced: list[Range] = [(address, address + size_bytes)]

    def __str__(self) -> str:
        return (f"{self.size_bytes} bytes at {self.address:#x} {self.direction.name}"
                f" (mapped in cycle {self.start_cycle})")


class DmaApi:
    """Mappings of one device. A bus address is the memory address.

    Members: `cache`, set by a driver that leaves out what the caches need (`model.host.cache`), else None.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self.cache: LineCache | None = None
        self._live: dict[int, Mapping] = {}
        self._starts: list[int] = []   # of the live mappings, sorted, to find overlaps
        self._never_synced = NeverSynced()
        self._ended: list[tuple[int, int, int, int, int]] = []
        self._coherent: dict[int, Mapping] = {}

    async def map_single(self, address: int, size_bytes: int, direction: Direction,
                         skip_sync: bool = False) -> int:
        """Hand a buffer to the device; returns its bus address.

        Costs the label `dma_map` and, on a platform whose caches are not coherent, `cache_line` for every
        line, unless `skip_sync` (DMA_ATTR_SKIP_CPU_SYNC); the mapping begins when that is spent.
        """
        host = self._host
        host.charge("dma_map")
        if not skip_sync:
            self._clean(address, size_bytes)
        await host.settle()
        overlapped = self.mapping_over(address, size_bytes)
        if overlapped is not None:
            self._complain(f"map of {size_bytes} bytes at {address:#x} overlaps {overlapped}")
        mapping = Mapping(address, size_bytes, direction, host.now, not skip_sync)
        if self.cache is not None and not skip_sync:
            self.cache.invalidate(address, size_bytes)
        self._never_synced.forget(address, size_bytes)
        if address in self._live:
            self._end(self._live[address])
        self._live[address] = mapping
        insort(self._starts, address)
        return address

    def unmap_single(self, address: int, size_bytes: int, direction: Direction,
                     skip_sync: bool = False) -> None:
        """Take a buffer back; must match the map in address, size and direction.

        Charges the label `dma_unmap` and, for what the device wrote, `cache_line` for every line, unless
        `skip_sync` (DMA_ATTR_SKIP_CPU_SYNC): the mapping ends when that begins. To read bytes that were not
        synchronised either way is the finding `stale_read`.
        """
        self._host.charge("dma_unmap")
        if direction is not Direction.TO_DEVICE and not skip_sync:
            self._clean(address, size_bytes)
        mapping = self._live.get(address)
        if mapping is None:
            self._complain(f"unmap of {size_bytes} bytes at {address:#x} {direction.name}: not mapped"
                           " (never, or unmapped before)")
            return
        if mapping.size_bytes != size_bytes:
            self._complain(f"unmap of {size_bytes} bytes at {address:#x}: mapped were {mapping}")
        if mapping.direction is not direction:
            self._complain(f"unmap of {address:#x} {direction.name}: mapped were {mapping}")
        if mapping.direction is not Direction.TO_DEVICE:
            if skip_sync:
                self._never_synced.add(address, mapping.unsynced)
            elif self.cache is not None:
                self.cache.take_back(address, mapping.size_bytes, mapping.cleaned)
        self._end(mapping)

    def sync_single_for_cpu(self, address: int, size_bytes: int, direction: Direction) -> None:
        """Let the CPU read what the device wrote to part of a mapping. Charges `dma_sync` and `cache_line`
        for every line."""
        mapping = self._to_sync(address, size_bytes, direction, "cpu")
        if direction is not Direction.TO_DEVICE:
            self._clean(address, size_bytes)
        if mapping is not None:
            mapping.unsynced = without(mapping.unsynced, (address, address + size_bytes))
            if self.cache is not None and direction is not Direction.TO_DEVICE:
                self.cache.take_back(address, size_bytes, mapping.cleaned)

    def sync_single_for_device(self, address: int, size_bytes: int, direction: Direction) -> None:
        """Give part of a mapping to the device again; charges as `sync_single_for_cpu`."""
        mapping = self._to_sync(address, size_bytes, direction, "device")
        self._clean(address, size_bytes)
        if mapping is not None:
            part = (address, address + size_bytes)
            mapping.unsynced = sorted([*without(mapping.unsynced, part), part])
            if self.cache is not None:
                self.cache.invalidate(address, size_bytes)

    def _to_sync(self, address: int, size_bytes: int, direction: Direction, whom: str) -> Mapping | None:
        self._host.charge("dma_sync")
        mapping = self.mapping_over(address, size_bytes)
        what = f"sync for {whom} of {size_bytes} bytes at {address:#x} {direction.name}"
        if mapping is None or address < mapping.address \
                or mapping.address + mapping.size_bytes < address + size_bytes:
            self._complain(f"{what}: not in one mapping")
            return None
        if mapping.direction is not direction:
            self._complain(f"{what}: mapped were {mapping}")
        return mapping

    def allocate_coherent(self, size_bytes: int) -> int:
        """Coherent memory, zeroed: always open to the device until it is freed."""
        address = self._host.memory.allocate_coherent(size_bytes)
        self._coherent[address] = Mapping(address, size_bytes, Direction.BIDIRECTIONAL, self._host.now)
        return address

    def free_coherent(self, address: int, size_bytes: int) -> None:
        """Free coherent memory; must match its allocation."""
        mapping = self._coherent.pop(address, None)
        if mapping is None or mapping.size_bytes != size_bytes:
            self._complain(f"free of {size_bytes} coherent bytes at {address:#x}: allocated were {mapping}")
            if mapping is None:
                return
        self._record(mapping)
        self._host.memory.free_coherent(address, mapping.size_bytes)

    def mapping_over(self, address: int, size_bytes: int) -> Mapping | None:
        """A live streaming mapping that shares a byte with the range, None if there is none."""
        position = bisect_right(self._starts, address + size_bytes - 1)
        if position:
            mapping = self._live[self._starts[position - 1]]
            if mapping.address + mapping.size_bytes > address:
                return mapping
        return None

    def check_cpu_access(self, address: int, size_bytes: int, write: bool) -> None:
        """Note a CPU access to a buffer that the device owns, but for what was synchronised for the CPU.
        Reading what only the device reads is allowed."""
        mapping = self.mapping_over(address, size_bytes) if self._starts else None
        if mapping is not None and (write or mapping.direction is not Direction.TO_DEVICE):
            if any(first < address + size_bytes and address < end for first, end in mapping.unsynced):
                self._complain(f"CPU {'writes' if write else 'reads'} {size_bytes} bytes at {address:#x}"
                               f" while the device owns {mapping}")
        elif not write:
            stale = self._never_synced.overlap(address, size_bytes)
            if stale is not None:
                self._host.findings.note(
                    "stale_read", self._host.now,
                    f"CPU reads {size_bytes} bytes at {address:#x}: those from {stale[0]:#x} up to"
                    f" {stale[1]:#x} were unmapped without a sync")

    def check_free(self, address: int, size_bytes: int) -> None:
        """Note that memory is freed under a live mapping."""
        self._never_synced.forget(address, size_bytes)
        if self.cache is not None:
            self.cache.freed(address, size_bytes)
        mapping = self.mapping_over(address, size_bytes)
        if mapping is not None:
            self._complain(f"free of {address:#x} while the device owns {mapping}")

    def check_leaks(self) -> None:
        """Note every mapping that is still there: to be called when the driver is gone."""
        for mapping in (*self._live.values(), *self._coherent.values()):
            self._complain(f"leak: {mapping}")

    def intervals(self) -> np.ndarray:
        """All mappings so far, streaming and coherent, as INTERVAL rows in order of their start."""
        alive = [(m.address, m.size_bytes, m.direction, m.start_cycle, NEVER)
                 for m in (*self._live.values(), *self._coherent.values())]
        rows = np.array(self._ended + alive, dtype=INTERVAL)
        return rows[np.argsort(rows["start_cycle"], kind="stable")]

    def _clean(self, address: int, size_bytes: int) -> None:
        if not self._host.platform.coherent:
            line = self._host.platform.cache_line_bytes
            lines = (address + size_bytes - 1) // line - address // line + 1
            self._host.charge("cache_line", lines)

    def _end(self, mapping: Mapping) -> None:
        del self._live[mapping.address]
        del self._starts[bisect_left(self._starts, mapping.address)]
        self._record(mapping)

    def _record(self, mapping: Mapping) -> None:
        self._ended.append((mapping.address, mapping.size_bytes, int(mapping.direction), mapping.start_cycle,
                            self._host.now))

    def _complain(self, text: str) -> None:
        self._host.findings.note("dma_api", self._host.now, text)
