"""A host, a network device and the lan743x driver in front of its stand-in engine."""

from dataclasses import dataclass

import numpy as np

from model import drivers
from model.frames import wire_image
from model.host.dma_check import ACCESS, unmapped_accesses
from model.host.golden_world import GoldenWorld
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.workload import Workload, run
from model.platforms import load
from tests.model.drivers.lan743x_engine import FakeLan743x

CLOCK_HZ = 125_000_000
STATION = bytes.fromhex("020000000001")


@dataclass
class Machine:
    """Members: `engine`, `host`, `netdev`, `driver`, and after `work` its `outcome`."""

    engine: FakeLan743x
    host: Host
    netdev: NetDevice
    driver: object
    outcome: object = None

    def work(self, **work):
        """Run a workload."""
        self.outcome = self.host.world.run(run(self.host, self.driver, Workload(**work)))
        return self.outcome

    def receive(self, programme, **work):
        """Run with these frames from the wire."""
        self.engine.programme = programme
        return self.work(rx_start_cycles=0, rx_wire_cycles=programme[-1][0], **work)

    def accesses(self, since=0, until=1 << 60):
        """The register accesses as words, e.g. "W RX0_TAIL"."""
        return [f"{kind} {name}" for cycle, kind, name, _ in self.engine.log if since <= cycle < until]

    def written(self, name, since=0):
        """Values written to a register."""
        return [value for cycle, kind, register, value in self.engine.log
                if (kind, register) == ("W", name) and cycle >= since]

    def delivered(self):
        """The frames that reached the reader."""
        return [self.outcome.delivered.bytes(n) for n in range(len(self.outcome.delivered))]

    def unmapped(self):
        """Findings of the engine's accesses outside live mappings."""
        return unmapped_accesses(np.array(self.engine.accesses, ACCESS), self.outcome.dma_intervals)


def machine(variant="merged", flags=None, platform="free", engine=None, mtu_bytes=1500, failing=frozenset(),
            costs=None):
    """A `Machine` with the driver of that variant."""
    engine = engine or FakeLan743x()
    world = GoldenWorld(engine, CLOCK_HZ, memory_bytes=1 << 24)
    host = Host(world, load(platform).with_costs(costs or {}, "test"))
    netdev = NetDevice(host, STATION, mtu_bytes, failing)
    return Machine(engine, host, netdev, drivers.load("lan743x").make(host, netdev, variant, flags))


def frames(count, size_bytes=64):
    """Frames without FCS that can be told apart, as handed in or up."""
    return [bytes([ordinal % 251, ordinal // 251]) * (size_bytes // 2) for ordinal in range(count)]


def wire(count, every_cycles=300, size_bytes=64, first_cycle=100):
    """A programme of such frames, and what of them goes up."""
    sent = frames(count, size_bytes)
    return [(first_cycle + every_cycles * n, wire_image(frame)) for n, frame in enumerate(sent)], sent
