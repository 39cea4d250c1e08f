"""A golden engine alone in its world, played by a small coroutine."""

import numpy as np

from hdl.registers import load
from model.bus import BusTiming
from model.engines import at91ether
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.phy import Phy

REGISTERS = load("at91ether")
CLOCK_HZ = 50_000_000
MEMORY_BYTES = 1 << 18
LOW, HIGH = 0b0011, 0b1100


class Machine:
    """Members: `world`, `engine`, `log`; `write` and `read` registers by name."""

    def __init__(self, straps, phy=None, bus=None, rx=None):
        kernel, memory, self.log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
        memory[:] = np.arange(MEMORY_BYTES) * 7 >> 3
        self.engine = at91ether.Engine(kernel, memory, straps, bus or BusTiming(), rx, self.log, phy or Phy())
        self.world = GoldenWorld(self.engine, CLOCK_HZ, kernel=kernel, mem=memory)

    def write(self, name, value, strobe=0xF):
        self.world.csr_write(REGISTERS.offset(name), value, strobe)

    async def read(self, name):
        return await self.world.csr_read(REGISTERS.offset(name))

    def events(self, *kinds):
        """(cycle, index, data) of every event of these kinds so far."""
        return [(cycle, index, data) for cycle, kind, _, index, data in sorted(self.log.records)
                if kind in kinds]

    def taken(self, name):
        """Cycles in which the engine took writes of a register."""
        return [cycle for cycle, offset, _ in self.events(at91ether.Kind.CSR_WRITE)
                if offset == REGISTERS.offset(name)]


def played(job, phy=None, bus=None, rx=None, **straps):
    """Run `job(machine)`; returns (its result, the machine)."""
    machine = Machine(straps, phy, bus, rx)
    return machine.world.run(job(machine)), machine
