"""The golden at91ether engine: parts, causes and enables joined (docs/engines/at91ether.md)."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from model.bus import BusTiming
from model.engines.latch import Counters, Latch
from model.events import NO_RING, EventLog
from model.kernel import Kernel
from model.phy import Phy
from model.traffic import RxProgram

from .deframer import Deframer
from .events import Kind
from .filter import AddressFilter
from .mdio import Mdio
from .mover import Mover
from .port import Port
from .registers import MAP, STATISTICS, Registers
from .transmitter import Transmitter

FIFO_WORDS = 7


class World(Protocol):
    """What the engine needs of the golden world."""

    def irq_changed(self, level: bool, cycle: int, line: int = 0) -> None: ...


class Engine:
    """Predicts every event of the engine and does to memory what it does.

    Parameters: `kernel`; `mem`, host memory (uint8); `straps` by name, as encoded in section 7 of the
    specification; `bus` timing; `rx`, the wire's program or None; `log`, where events go; `phy`, what
    MDIO finds.
    """

    DONE, RCOM, RBNA, TOVR, TUND, RTRY, TBRE, TCOM, TIDLE, LINK, ROVR, ABT = (
        MAP.field("ISR", name).mask for name in
        ("DONE", "RCOM", "RBNA", "TOVR", "TUND", "RTRY", "TBRE", "TCOM", "TIDLE", "LINK", "ROVR", "ABT"))
    RSR_BNA, RSR_REC, RSR_OVR = (MAP.field("RSR", name).mask for name in ("BNA", "REC", "OVR"))

    def __init__(self, kernel: Kernel, mem: np.ndarray, straps: dict[str, int], bus: BusTiming,
                 rx: RxProgram | None, log: EventLog, phy: Phy | None = None) -> None:
        self.kernel, self.straps, self.log = kernel, straps, log
        self.fifo_words = straps.get("fifo_words", 0) or FIFO_WORDS
        self.phy = phy or Phy()
        self.isr = Latch(naive=bool(straps.get("isr_race", 0)))
        self.tsr = Latch()
        self.rsr = Latch()
        self.statistics = Counters(STATISTICS)
        self.filter = AddressFilter()
        self.transmit_enabled = self.receive_enabled = False
        self.registers = Registers(self)
        self.mdio = Mdio(self)
        self.tx = Transmitter(self)
        self.rx = Mover(self)
        self.deframer = Deframer(self, rx)
        self.port = Port(kernel, memoryview(mem), bus, log, self.tx, self.rx, self.deframer)
        self._world: World | None = None
        self._level = False
        self._line_moved_in = -1

    @property
    def cfg(self) -> int:
        """CFG as written."""
        return self.registers.value["CFG"]

    def attach(self, world: World) -> None:
        """The world that is told of the interrupt line."""
        self._world = world

    def csr_write(self, cycle: int, offset: int, value: int, strobe: int) -> None:
        """A register write taken in `cycle` (called in its phase 2)."""
        self.registers.write(cycle, offset, value, strobe)

    def csr_read(self, cycle: int, offset: int) -> int:
        """A register read taken in `cycle` (called in its phase 2)."""
        return self.registers.read(cycle, offset)

    def wire_start(self, cycle: int) -> None:
        """The wire's program starts on the falling edge of `cycle`."""
        self.deframer.start(cycle)

    def cause(self, bits: int, cycle: int) -> None:
        """Causes arrive at the edge that ends `cycle`."""
        self.isr.set(bits, cycle)
        self.line_moves(cycle)

    def line_moves(self, cycle: int) -> None:
        """ISR or IMR changes at the edge that ends `cycle`: look at the line when all that falls on that
        edge is in."""
        if self._line_moved_in != cycle:
            self._line_moved_in = cycle
            self.kernel.call_at(4 * (cycle + 1), self._update_line, cycle + 1)

    def _update_line(self, cycle: int) -> None:
        isr = self.isr.value(cycle)
        level = bool(isr & ~self.registers.imr)
        if level != self._level:
            self._level = level
            self.log.add((cycle, Kind.IRQ_RISE if level else Kind.IRQ_FALL, NO_RING, 0, isr))
            self._world.irq_changed(level, cycle)

    def set_enables(self, cycle: int, receive: bool, transmit: bool) -> None:
        """CTL is written in `cycle`."""
        self.receive_enabled = receive
        self.transmit_enabled = transmit
        if not receive:
            self.rx.stalled = False
            self.kernel.call_at(4 * (cycle + 1) + 1, self.deframer.receive_disabled, cycle + 1)
        if transmit:
            self.tx.try_start(cycle + 1)
        else:
            self.tx.disable(cycle)
