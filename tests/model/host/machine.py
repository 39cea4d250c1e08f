"""A host, a network device and a driver in front of the stand-in engine, on the golden world."""

from dataclasses import dataclass

import numpy as np

from model import drivers
from model.host.dma_check import ACCESS, unmapped_accesses
from model.host.golden_world import GoldenWorld
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.workload import Workload, run
from model.platforms import load
from tests.model.host.fake_engine import FakeEngine

CLOCK_HZ = 50_000_000
NS_PER_CYCLE = 20
STATION = bytes.fromhex("020000000001")


class NullEngine:
    """Registers that are plain memory; raises lines when told. `log` of (cycle, kind, offset, value)."""

    def __init__(self):
        self.log, self.values = [], {}

    def attach(self, world):
        self.world = world

    def csr_write(self, cycle, offset, value, strobe):
        self.log.append((cycle, "W", offset, value, strobe))
        self.values[offset] = value

    def csr_read(self, cycle, offset):
        self.log.append((cycle, "R", offset))
        return self.values.get(offset, 0)

    def wire_start(self, cycle):
        self.log.append((cycle, "wire"))


def costs(**ns):
    """The free platform with some costs."""
    return load("free").with_costs(ns, "test")


def bare(platform=None, engine=None, **options):
    """A host in front of a `NullEngine`; returns (host, world, engine)."""
    engine = engine or NullEngine()
    latencies = {name: options.pop(name) for name in ("csr_write_latency_cycles", "csr_read_latency_cycles")
                 if name in options}
    world = GoldenWorld(engine, CLOCK_HZ, memory_bytes=1 << 22, **latencies)
    return Host(world, platform or load("free"), **options), world, engine


@dataclass
class Machine:
    """Members: `engine`, `host`, `netdev`, `driver`, and after `work` its `outcome`."""

    engine: FakeEngine
    host: Host
    netdev: NetDevice
    driver: object
    outcome: object = None

    def work(self, **work):
        """Run a workload."""
        self.outcome = self.host.world.run(run(self.host, self.driver, Workload(**work)))
        return self.outcome

    def register_log(self, since=0, until=1 << 60):
        """The register accesses as words, e.g. "W TAR"."""
        return [f"{kind} {name}" for cycle, kind, name, *_ in self.engine.log if since <= cycle < until]

    def unmapped(self):
        """Findings of the engine's accesses outside live mappings."""
        return unmapped_accesses(np.array(self.engine.accesses, ACCESS), self.outcome.dma_intervals)


def machine(variant="depth2", flags=None, platform=None, engine=None, failing=frozenset(), cpus=1):
    """A `Machine` with the driver of that variant."""
    engine = engine or FakeEngine()
    world = GoldenWorld(engine, CLOCK_HZ, memory_bytes=1 << 22)
    host = Host(world, platform or load("free"), cpus=cpus)
    netdev = NetDevice(host, STATION, failing_allocations=failing)
    return Machine(engine, host, netdev, drivers.load("at91ether").make(host, netdev, variant, flags))


def frames(count, size_bytes=60):
    """Frames that can be told apart."""
    return [bytes([ordinal % 251]) * size_bytes for ordinal in range(count)]
