"""Scripts for at91ether: the bring-up that all have, and the frames that a driver hands over or makes room
for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hdl.registers import load
from model.bus import BusTiming
from model.engines import at91ether
from model.events import EventLog
from model.kernel import Kernel
from model.link import Link
from model.phy import Phy
from tests.tb.planted import script
from tests.tb.planted.script import OTHER, STATION, sound

__all__ = ["ALL_CAUSES", "DATA", "ENABLES", "ENTRIES", "OTHER", "READY", "REGISTERS", "Script", "first_tick",
           "sound"]

REGISTERS = load("at91ether")
LIST, ENTRIES = 0x1000, 8
BUFFERS, BUFFER_BYTES = 0x2000, 0x800
DATA = 0x8000
"""What is sent lies here and above; below it the receive list and its buffers."""
ENABLES = REGISTERS.pack("CTL", TE=1, RE=1, MPE=1)
ALL_CAUSES = sum(field.mask for field in REGISTERS["ISR"].fields)
READY = 8
"""From the hand-over of a frame to the first cycle in which its first burst is in, on a bus without latency.
"""


@dataclass
class Script(script.Script):
    """Members beside the common ones: `half`, the link and CFG are half duplex; `cfg`, fields of CFG beside
    FD."""

    registers = REGISTERS
    tick_cycles = 2
    symbol_bits = 4

    half: bool = False
    cfg: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for number in range(ENTRIES):
            self.entry(number)
        self.write("CFG", REGISTERS.pack("CFG", FD=not self.half, **self.cfg))
        self.write("RBQP", LIST)
        self.write("SA1L", int.from_bytes(STATION[:4], "little"))
        self.write("SA1H", int.from_bytes(STATION[4:], "little"))
        self.write("IER", ALL_CAUSES)
        self.write("CTL", ENABLES)

    def engine(self, kernel: Kernel, memory: np.ndarray, log: EventLog, link: Link | None) -> Any:
        bus = BusTiming(**self.bus, errors=frozenset(self.errors))
        return at91ether.Engine(kernel, memory, self.straps, bus, self.heard(), log,
                                Phy(half_duplex=self.half))

    def job(self) -> dict[str, Any]:
        return {"half_duplex": self.half}

    def send(self, length: int, address: int = DATA, *, ncrc: bool = False) -> int:
        """Hand a frame over: TAR, then TCR; returns the cycle of TCR."""
        self.write("TAR", address)
        return self.write("TCR", REGISTERS.pack("TCR", LEN=length, NCRC=ncrc))

    def send_in(self, cycle: int, length: int, address: int = DATA, *, ncrc: bool = False) -> None:
        """Hand a frame over, TCR in `cycle`."""
        self.write_in(cycle - 2, "TAR", address)
        self.write_in(cycle, "TCR", REGISTERS.pack("TCR", LEN=length, NCRC=ncrc))

    def entry(self, number: int, *, used: bool = False, wrap: bool | None = None) -> None:
        """Set word 0 of a list entry; `used`: it is the driver's."""
        last = number == ENTRIES - 1 if wrap is None else wrap
        self.words(LIST + 8 * number, BUFFERS + BUFFER_BYTES * number | last << 1 | used)


def first_tick(cycle: int) -> int:
    """The first tick from `cycle` on."""
    return cycle | 1
