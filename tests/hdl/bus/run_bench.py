"""What the tests of reader and writer share: runs of bytes to move, the rule for the next burst's length,
and a simulator that is built once and run many times."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator
from hypothesis import strategies as st

from hdl.bus.port import DmaPort
from tests.hdl.bus.axi_memory import AxiMemory

MEMORY_BYTES = 1 << 14
BOUNDARY_BYTES = 4096

# Half of the runs lie about a 4 KiB boundary.
_addresses = st.integers(0, MEMORY_BYTES // 2) | st.integers(BOUNDARY_BYTES - 200, BOUNDARY_BYTES + 20)
runs = st.lists(st.tuples(_addresses, st.integers(1, 40) | st.integers(1, 400)), min_size=1, max_size=4)


def bursts_of(addr: int, length: int, word_bytes: int, limit: int) -> list[tuple[int, int]]:
    """(address, beats) of the bursts that cover a run: as long as limit, run and boundary allow, one after
    the other."""
    words = list(range(addr // word_bytes, (addr + length - 1) // word_bytes + 1))
    bursts = []
    while words:
        page = words[0] * word_bytes // BOUNDARY_BYTES
        beats = sum(word * word_bytes // BOUNDARY_BYTES == page for word in words[:limit])
        bursts.append((words[0] * word_bytes, beats))
        words = words[beats:]
    return bursts


class RunBench:
    """A reader or writer alone on a port with a memory behind it. Subclasses have the coroutine `_drive`."""

    def __init__(self, data_width: int, mover):
        self.data_width, self.mover = data_width, mover
        module = Module()
        module.submodules.port = port = DmaPort(32, data_width, id_width=1, priority=(0,))
        module.submodules.mover = mover
        wiring.connect(module, mover.lane, port.lanes[0])
        self.memory = AxiMemory(port.bus, MEMORY_BYTES)
        self._simulator = Simulator(module)
        self._simulator.add_clock(1e-8)
        self.memory.add_to(self._simulator)
        self._simulator.add_testbench(self._drive)
        self._fresh = True

    def simulate(self) -> None:
        """From reset to the end of `_drive`."""
        if not self._fresh:  # a simulator that never ran must not be reset: its coroutines would be lost
            self._simulator.reset()
        self._fresh = False
        self._simulator.run()
