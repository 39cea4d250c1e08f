"""PHY accesses behind MAC_MII_ACC and MAC_MII_DATA (docs/engines/lan743x.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .events import Kind
from .part import MAP

if TYPE_CHECKING:
    from .engine import Engine

FRAME_CYCLES = 64 * 64
BUSY, WRITE, REGISTER, PHY = (MAP.field("MAC_MII_ACC", name)
                              for name in ("MII_BUSY", "MII_WRITE", "MIIRINDA", "PHY_ADDR"))
NO_RING = 2


class Mdio:
    """One management frame at a time."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._done_in = -1

    def busy(self, cycle: int) -> int:
        """MII_BUSY as read in `cycle`."""
        return int(cycle <= self._done_in)

    def access_written(self, c: int, strobed: int) -> None:
        """MAC_MII_ACC is written in *c*."""
        if strobed & BUSY.mask and not self.busy(c):
            self._done_in = c + FRAME_CYCLES
            value = self.engine.registers.value
            self.engine.kernel.call_at(4 * self._done_in + 1, self._done, self._done_in, value["MAC_MII_ACC"],
                                       value["MAC_MII_DATA"])

    def _done(self, cycle: int, access: int, data: int) -> None:
        phy, value = self.engine.phy, self.engine.registers.value
        if access & WRITE.mask:
            phy.write(PHY.extract(access), REGISTER.extract(access), data)
            read = value["MAC_MII_DATA"]
        else:
            read = phy.read(PHY.extract(access), REGISTER.extract(access))
            self.engine.kernel.call_at(4 * cycle + 3, self._arrives, read)
        self.engine.log.add((cycle, Kind.MDIO_DONE, NO_RING, 0,
                             value["MAC_MII_ACC"] & ~BUSY.mask | read << 32))

    def _arrives(self, data: int) -> None:
        self.engine.registers.value["MAC_MII_DATA"] = data
