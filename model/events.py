"""The event log: one record per thing that happened, the same in the golden world and in the simulated top.

A log is an array of `EVENT`; the C library of the bench writes the same 24 bytes. Kinds are numbered by
each MAC's own `Kind` (`model/engines/<mac>/events.py`); what a kind's index and data mean is in
`docs/engines/<mac>.md`.
"""

from __future__ import annotations

import numpy as np

EVENT = np.dtype([("cycle", "<u8"), ("kind", "<u2"), ("ring", "<u2"), ("index", "<u4"), ("data", "<u8")])
"""cycle: engine cycles since time 0; ring: 0 tx, 1 rx, 2 none."""

ORDER = ("cycle", "kind", "ring", "index")
"""The order in which two logs are laid side by side."""

TX, RX, NO_RING = 0, 1, 2


class EventLog:
    """Collects events as tuples (cheap) and gives them as one sorted array."""

    def __init__(self) -> None:
        self.records: list[tuple[int, int, int, int, int]] = []
        self.add = self.records.append

    def array(self, end_cycle: int | None = None) -> np.ndarray:
        """All events, shape (n,) of EVENT, in ORDER; only those with cycle < end_cycle if one is given."""
        events = np.array(self.records, dtype=EVENT)
        if end_cycle is not None:
            events = events[events["cycle"] < end_cycle]
        return ordered(events)


def ordered(events: np.ndarray) -> np.ndarray:
    """A copy of `events` (shape (n,) of EVENT) sorted by ORDER; data breaks what ties are left."""
    return events[np.lexsort([events[name] for name in ("data", *reversed(ORDER))])]
