"""The golden lan743x engine: its machines joined (docs/engines/lan743x.md)."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from model.bus import BusTiming
from model.events import EventLog
from model.golden_bus import INTX_MESSAGE, IdealBus, LinkBus
from model.kernel import Kernel
from model.link import Link
from model.phy import Phy
from model.traffic import RxProgram

from .flow import Flow
from .interrupts import Interrupts
from .mdio import Mdio
from .part import WORD
from .ports import ReadPort, WritePort
from .ptp import Clock
from .registers import Registers
from .rfe import Rfe
from .rx_channel import RxChannel
from .rx_mac import RxMac
from .sender import Sender
from .statistics import Statistics
from .straps import DEFAULT_TAGS
from .tx_channel import TxChannel
from .write_back import WriteBack


class World(Protocol):
    """What the engine needs of the golden world."""

    def message(self, vector: int, cycle: int) -> None: ...

    def irq_changed(self, level: bool, cycle: int, line: int = 0) -> None: ...


class Engine:
    """Predicts every event of the engine and does to memory what it does.

    Parameters: `kernel`; `mem`, host memory (uint8); `straps` by name, as encoded in section 10 of the
    specification; `bus` timing; `rx`, the wire's program or None; `log`, where events go; `phy`, what MDIO
    finds; `link` to host memory, None for the ideal bus; `rx_channels` as the RTL was built.
    """

    def __init__(self, kernel: Kernel, mem: np.ndarray, straps: dict[str, int], bus: BusTiming,
                 rx: RxProgram | None, log: EventLog, phy: Phy | None = None, link: Link | None = None,
                 rx_channels: int = 1) -> None:
        self.kernel, self.straps, self.log = kernel, straps, log
        self.rev_a0 = bool(straps.get("rev_a0"))
        self.rx_channels = rx_channels
        self.phy = phy or Phy(address=1, gigabit=True)
        self.obeys_pause = False
        self.stride = 16
        memory = memoryview(mem)
        if link is None:
            self.bus = IdealBus(kernel, memory, bus, WORD, self._message)
        else:
            self.bus = LinkBus(kernel, memory, bus, WORD, self._message, link)
        self.port = self.bus
        self.read_port = ReadPort(kernel, self.bus, straps.get("tags", 0) or DEFAULT_TAGS)
        self.write_port = WritePort(kernel)
        self.registers = Registers(self)
        self.interrupts = Interrupts(self)
        self.write_back = WriteBack(self)
        self.statistics = Statistics()
        self.clock = Clock()
        self.rfe = Rfe(self)
        self.flow = Flow(self)
        self.mdio = Mdio(self)
        self.rx = [RxChannel(self, number) for number in range(rx_channels)]
        self.tx = TxChannel(self)
        self.channels = (self.tx, *self.rx)
        self.sender = Sender(self)
        self.mac = RxMac(self, rx)
        self.interrupts.channels = self.channels
        self.read_port.connect([channel.prefetcher for channel in self.rx], self.tx.prefetcher, self.tx)
        self.write_port.requesters = (self.write_back, *self.rx)
        self.registers.connect()
        self._world: World | None = None

    def attach(self, world: World) -> None:
        """The world that messages go to."""
        self._world = world

    def csr_write(self, cycle: int, offset: int, value: int, strobe: int) -> None:
        """A register write taken in `cycle` (called in its phase 2)."""
        self.registers.write(cycle, offset, value, strobe)

    def csr_read(self, cycle: int, offset: int) -> int:
        """A register read taken in `cycle` (called in its phase 2)."""
        return self.registers.read(cycle, offset)

    def wire_start(self, cycle: int) -> None:
        """The wire's program starts on the falling edge of `cycle`."""
        self.mac.start(cycle)

    def _message(self, number: int, data: int, cycle: int) -> None:
        if number == INTX_MESSAGE:
            self._world.irq_changed(bool(data & 1), cycle, INTX_MESSAGE)
        else:
            self._world.message(number, cycle)
