"""The register pair TAR/TCR, the places behind it, and what TSR says of them (docs/engines/at91ether.md,
section 3.1)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .part import MAP, bits

DEPTHS = (2, 1, 4)
"""Places by the value of strap `depth`."""

IDLE, BNQ, TBNQ, FBNQ, ALLIDLE = bits("TSR", "IDLE", "BNQ", "TBNQ", "FBNQ", "ALLIDLE")
FIFOIDLE = bits("TSR", *(f"FIFOIDLE{k}" for k in (1, 2, 3, 4)))
FREE = MAP.field("TSR", "FREE")


@dataclass
class HandOver:
    """What a TCR write hands over. `address` in bytes; `length` without FCS; `number` counts the accepted
    ones."""

    number: int
    address: int
    length: int
    no_crc: bool

    def data(self) -> int:
        """As TX_QUEUE and TX_OVERRUN show it."""
        return self.address | self.length << 32 | self.no_crc << 47


class Places:
    """The frames held: the one being sent first. `depth` places, TSR in the MStar meaning if `mstar`."""

    def __init__(self, depth: int, mstar: bool) -> None:
        self.depth, self.mstar = depth, mstar
        self.held: deque[HandOver] = deque()
        self.refused = 0
        self.accepted = 0

    def status(self) -> int:
        """TSR's status fields (its flags are latched elsewhere)."""
        held = len(self.held)
        if not self.mstar:
            return (IDLE if not held else 0) | (BNQ if held < self.depth else 0)
        queued = max(held - 1, 0)
        free = self.depth - held - (self.refused >= 1) - (self.refused >= 3)
        value = FREE.place(free & FREE.max) | TBNQ | FBNQ
        if not held:
            value |= ALLIDLE | IDLE
        for place, bit in enumerate(FIFOIDLE[:3]):
            if queued <= place:
                value |= bit
        if not self.refused:
            value |= FIFOIDLE[3]
        if self.refused < 3:
            value |= BNQ
        return value
