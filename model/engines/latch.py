"""Bits and counters that hardware sets and software clears; a set wins over a clear in the same cycle.

Both keep what arrived in the newest cycle apart from what was there before, because a read in that cycle
sees, and clears, only the latter.
"""

from __future__ import annotations


class Latch:
    """Latched cause or status bits.

    `naive` makes the latch lose what arrives in the cycle of a clear (the ISR_RC_RACE erratum). Cycles must
    not go back.
    """

    def __init__(self, naive: bool = False) -> None:
        self.naive = naive
        self._settled = 0
        self._arriving = 0
        self._cycle = -1
        self._lost = (-1, 0)

    def set(self, bits: int, cycle: int) -> None:
        """Set `bits` at the edge that ends `cycle`."""
        if self._lost[0] == cycle:
            bits &= ~self._lost[1]
        if cycle != self._cycle:
            self._settled |= self._arriving
            self._arriving = 0
            self._cycle = cycle
        self._arriving |= bits

    def value(self, cycle: int) -> int:
        """The bits as seen during `cycle`; to be asked before what clears them in that cycle."""
        if self._arriving and self._cycle < cycle:
            self._settled |= self._arriving
            self._arriving = 0
        return self._settled

    def clear(self, bits: int, cycle: int) -> None:
        """Clear `bits` at the edge that ends `cycle`."""
        self._settled = self.value(cycle) & ~bits
        if self.naive:
            self._lost = (cycle, bits)
            self._arriving &= ~bits


class Counters:
    """Read-to-clear counters that saturate. `limits`: largest value by name."""

    def __init__(self, limits: dict[str, int]) -> None:
        self.limits = limits
        self._settled = dict.fromkeys(limits, 0)
        self._arrived: list[tuple[str, int]] = []
        self._all_in = -1

    def add(self, name: str, cycle: int) -> None:
        """One more of `name` at the edge that ends `cycle`; no second one with `add_all` in the same."""
        if self._all_in != cycle:
            self._arrived.append((name, cycle))

    def _settle(self, cycle: int) -> None:
        """Count what arrived before `cycle`."""
        later = []
        for name, when in self._arrived:
            if when >= cycle:
                later.append((name, when))
            elif self._settled[name] < self.limits[name]:
                self._settled[name] += 1
        self._arrived = later

    def read(self, name: str, cycle: int) -> int:
        """The value during `cycle`; cleared at its end."""
        self._settle(cycle)
        value, self._settled[name] = self._settled[name], 0
        return value

    def clear(self, cycle: int) -> None:
        """All to zero at the end of `cycle`."""
        self._settle(cycle)
        self._settled = dict.fromkeys(self.limits, 0)

    def add_all(self, cycle: int) -> None:
        """One more of each at the edge that ends `cycle`, together with what arrives in it."""
        self._all_in = cycle
        arrived = {name for name, when in self._arrived if when == cycle}
        self._arrived.extend((name, cycle) for name in self.limits if name not in arrived)
