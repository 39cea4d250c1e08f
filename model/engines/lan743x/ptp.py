"""The PTP clock: 8 ns a cycle while enabled (docs/engines/lan743x.md, section 8)."""

from __future__ import annotations

CYCLE_NS = 8
SECOND_NS = 1_000_000_000


class Clock:
    """Nanoseconds since its own 0, from what it read in the first cycle of its present state."""

    def __init__(self) -> None:
        self.enabled = False
        self._base_ns = 0
        self._base_cycle = 0

    def _total(self, cycle: int) -> int:
        return self._base_ns + (CYCLE_NS * (cycle - self._base_cycle) if self.enabled else 0)

    def read(self, cycle: int) -> tuple[int, int]:
        """(seconds, nanoseconds) in `cycle`."""
        seconds, nanoseconds = divmod(self._total(cycle), SECOND_NS)
        return seconds & 0xFFFF_FFFF, nanoseconds

    def enable(self, on: bool, cycle: int) -> None:
        """Enabled or not from `cycle` on."""
        self._base_ns, self._base_cycle = self._total(cycle), cycle
        self.enabled = on

    def load(self, seconds: int, nanoseconds: int, cycle: int) -> None:
        """It reads this in `cycle`."""
        self._base_ns, self._base_cycle = seconds * SECOND_NS + nanoseconds, cycle
