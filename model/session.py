"""One scenario on one world: the machine, the driver and the work, put together as the scenario says."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from model import drivers, engines, frames, platforms
from model.bus import BusTiming
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.outcome import Outcome
from model.host.workload import Action, Workload, run
from model.host.world import World
from model.kernel import Kernel
from model.link import Link
from model.phy import Phy
from model.scenario import Scenario
from model.traffic import RxProgram, TxProgram, rx_schedule

MEMORY_BYTES = 16 << 20
"""Host memory of a run: the coherent pool, and more buffers than a driver of these MACs has at once."""
TX_TIMEOUT_US = 4000
"""Without a completion for so long the transmitter counts as stopped: 30 frame times of the largest frame
and their interrupts. (The kernel's watchdog waits 5 s; nothing happens in the difference.)"""
BACKOFF_US = 40_000
"""In half duplex on top of it: sixteen attempts with the longest backoff of each, at 100 Mb/s."""


def _cycles(us: int, clock_hz: int) -> int:
    return us * clock_hz // 1_000_000


def workload(scenario: Scenario, tx: TxProgram | None, rx: RxProgram | None) -> Workload:
    """What the scenario makes the machine do."""
    receive = {}
    if rx is not None and len(rx.frames):
        receive = {"rx_start_cycles": rx.start_cycles,
                   "rx_wire_cycles": int(rx_schedule(rx, 0, scenario.tick_cycles).end[-1]),
                   "rx_grace_cycles": scenario.rx_grace_cycles}
        if scenario.rx_settle_cycles is not None:
            receive |= {"rx_wanted": len(rx.wanted()), "rx_settle_cycles": scenario.rx_settle_cycles}
    return Workload(
        tx=tx.frames if tx is not None else (),
        tx_ready_cycles=tx.ready_cycles if tx is not None and tx.ready_cycles.any() else None,
        actions=tuple(Action(action.at_cycle, action.do, action.for_cycles, action.cost_cycles,
                             action.mtu_bytes) for action in scenario.actions),
        tx_timeout_cycles=_cycles(TX_TIMEOUT_US + (BACKOFF_US if scenario.duplex == "half" else 0),
                                  scenario.clock_hz),
        deadline_cycles=scenario.deadline_cycles, **receive)


async def play(world: World, scenario: Scenario, tx: TxProgram | None, rx: RxProgram | None) -> Outcome:
    """Run the scenario on `world`, the player's program being in place there already."""
    platform = platforms.load(scenario.platform).with_costs(scenario.host, str(scenario.path))
    host = Host(world, platform)
    netdev = NetDevice(host, frames.address(scenario.station), scenario.mtu_bytes,
                       frozenset(scenario.failing_allocations))
    driver = drivers.load(scenario.mac).make(host, netdev, scenario.driver, scenario.flags)
    return await run(host, driver, workload(scenario, tx, rx))


def bus_timing(scenario: Scenario) -> BusTiming:
    """Host memory's timing as the scenario has it."""
    bus = scenario.bus
    errors = frozenset((error.requester, error.write, error.ordinal) for error in bus.errors)
    return BusTiming(bus.read_latency_cycles, bus.write_latency_cycles, bus.beat_interval_cycles,
                     bus.jitter_cycles, scenario.seed, bus.outstanding, errors)


@contextmanager
def _no_collector() -> Iterator[None]:
    """The event log grows by tuples that no cycle holds; the cyclic collector would walk all of it again and
    again, for a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass
class GoldenRun:
    """What the golden world made of a scenario: the host's `outcome`, `events` (EVENT, sorted, up to the
    end), `memory`, `bus_busy_cycles` and the wall time `wall_s` it took."""

    outcome: Outcome
    events: np.ndarray
    memory: np.ndarray
    bus_busy_cycles: int
    wall_s: float


def golden(scenario: Scenario, tx: TxProgram | None, rx: RxProgram | None) -> GoldenRun:
    """Run the scenario in the golden world."""
    package = engines.load(scenario.mac)
    began = time.perf_counter()
    kernel, log = Kernel(), EventLog()
    memory = np.zeros(MEMORY_BYTES, np.uint8)
    phy = Phy(half_duplex=scenario.duplex == "half", address=scenario.phy_address,
              gigabit=scenario.phy_gigabit)
    options = dict(scenario.parameters)
    link = None
    if scenario.link is not None:
        link = options["link"] = Link(scenario.link, scenario.clock_hz)
    engine = package.Engine(kernel, memory, package.encode(scenario.straps), bus_timing(scenario), rx, log,
                            phy, **options)
    world = GoldenWorld(engine, scenario.clock_hz, kernel=kernel, mem=memory,
                        csr_write_latency_cycles=scenario.csr.write_latency_cycles,
                        csr_read_latency_cycles=scenario.csr.read_latency_cycles, link=link)
    with _no_collector():
        outcome = world.run(play(world, scenario, tx, rx))
    events = log.array(outcome.end_cycle)
    return GoldenRun(outcome, events, memory, engine.port.busy_cycles, time.perf_counter() - began)
