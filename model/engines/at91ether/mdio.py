"""The MDIO manager behind MAN and SR (docs/engines/at91ether.md, section 5): when a frame is done and what
it brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.events import NO_RING
from model.phy import line_level

from .events import Kind
from .part import bits

if TYPE_CHECKING:
    from .engine import Engine

FRAME_BITS = 64
DIVIDERS = (8, 16, 32, 64)
CLK_SHIFT = 10
READ = 2
LINK, PIN, IDLE = bits("SR", "LINK", "MDIO", "IDLE")


class Mdio:
    """Frames to the PHY. Nothing answers at a PHY address that is not there: the line is pulled up, all
    ones are read."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._done_in = -1
        self._started_in = 0
        self._divider = DIVIDERS[0]
        self._frame = 0
        self._answer: int | None = None

    def busy(self, cycle: int) -> bool:
        """Whether a frame is under way in `cycle`."""
        return cycle <= self._done_in

    def status(self, cycle: int) -> int:
        """SR in `cycle`: link, the level of the MDIO line, idle."""
        link = LINK if self.engine.phy.link else 0
        if not self.busy(cycle):
            return link | PIN | IDLE
        return link | PIN * line_level(cycle - self._started_in - 1, self._divider, self._frame, self._answer)

    def start(self, cycle: int, man: int, cfg: int) -> None:
        """MAN is written in `cycle`."""
        self._started_in, self._divider, self._frame = cycle, DIVIDERS[cfg >> CLK_SHIFT & 3], man
        self._done_in = cycle + FRAME_BITS * self._divider
        address, register = man >> 23 & 0x1F, man >> 18 & 0x1F
        self._answer = self.engine.phy.read(address, register) if address == self.engine.phy.address else None
        self.engine.kernel.call_at(4 * self._done_in + 1, self._done, self._done_in, man)

    def _done(self, cycle: int, man: int) -> None:
        address, register = man >> 23 & 0x1F, man >> 18 & 0x1F
        if man >> 28 & 3 == READ:
            man = man & ~0xFFFF | self.engine.phy.read(address, register)
        else:
            self.engine.phy.write(address, register, man & 0xFFFF)
        self.engine.registers.value["MAN"] = man
        self.engine.log.add((cycle, Kind.MDIO_DONE, NO_RING, 0, man))
        self.engine.cause(self.engine.DONE, cycle)
