"""Whose a mapped buffer's bytes are: the ranges that were synchronised for the CPU since the mapping began,
and those that the CPU got back without."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

Range = tuple[int, int]
"""First address and the one behind the last."""


def without(ranges: list[Range], taken: Range) -> list[Range]:
    """`ranges` less `taken`; both in order and apart."""
    low, high = taken
    left: list[Range] = []
    for first, end in ranges:
        if end <= low or high <= first:
            left.append((first, end))
            continue
        if first < low:
            left.append((first, low))
        if high < end:
            left.append((high, end))
    return left


class NeverSynced:
    """Bytes of buffers that were unmapped without synchronising them: what the CPU reads there may be what
    its cache held before the device wrote. They stay so until the memory is mapped or freed."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ranges: dict[int, list[Range]] = {}

    def add(self, address: int, ranges: list[Range]) -> None:
        """The buffer at `address` was given back with `ranges` never synchronised."""
        if ranges:
            if address not in self._ranges:
                insort(self._starts, address)
            self._ranges[address] = ranges

    def forget(self, address: int, size_bytes: int) -> None:
        """The buffers that begin in this range are no longer of interest."""
        if self._starts:
            first = bisect_left(self._starts, address)
            end = bisect_left(self._starts, address + size_bytes, first)
            for start in self._starts[first:end]:
                del self._ranges[start]
            del self._starts[first:end]

    def overlap(self, address: int, size_bytes: int) -> Range | None:
        """The first such range that shares a byte with this one, None if there is none."""
        place = bisect_right(self._starts, address + size_bytes - 1)
        if place:
            for first, end in self._ranges[self._starts[place - 1]]:
                if first < address + size_bytes and address < end:
                    return first, end
        return None
