"""The figures of a run: rates, utilisation, the cycle and CPU accounts."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from model.host.outcome import Outcome
from model.scenario import Scenario
from model.session import GoldenRun
from model.traffic import wire_period_cycles
from tb.checks import payload_bytes
from tb.job import Outcome as Simulated
from tb.runspec import RunResult

MEGA = 1e6


def measure(result: RunResult, scenario: Scenario, evidence: ModuleType, predicted: GoldenRun,
            simulated: Simulated, outcome: Outcome) -> None:
    """Fill in the figures of `result`."""
    events = simulated.events[simulated.events["cycle"] < outcome.end_cycle]
    tx_ends, rx_ends = evidence.frame_ends(events)
    tx_lengths = simulated.frames["length"]
    rx_lengths = np.asarray(outcome.delivered.length)
    result.cycles = outcome.end_cycle
    result.frames = len(tx_lengths) + len(rx_ends)
    result.bytes = int(tx_lengths.sum() + rx_lengths.sum())
    busy = _span(np.concatenate([*evidence.sfd_cycles(events), tx_ends, rx_ends]).astype(np.int64))
    if busy:
        seconds = busy / scenario.clock_hz
        result.goodput_mbps = 8 * (payload_bytes(tx_lengths) + payload_bytes(rx_lengths)) / seconds / MEGA
        result.pps = result.frames / seconds
    result.cycles_per_frame = _per_frame(tx_ends, rx_ends)
    result.golden_cycles_per_frame = _per_frame(*evidence.frame_ends(predicted.events))
    uses = {"tx": _wire_use(scenario, evidence.sfd_cycles(events)[0], tx_lengths),
            "rx": _wire_use(scenario, rx_ends, rx_lengths)}
    result.wire_utilisation = {side: use for side, use in uses.items() if use is not None}
    result.bus_utilisation = predicted.bus_busy_cycles / outcome.end_cycle
    result.cycle_account = evidence.account(events, outcome.end_cycle)
    result.cpu_account = outcome.cpu_account_ns
    result.irqs, result.mmio_reads, result.mmio_writes = outcome.irqs, outcome.mmio_reads, outcome.mmio_writes
    result.drops = evidence.drops(events)
    result.sim_cycles_per_s = simulated.cycles_per_s


def _span(cycles: np.ndarray) -> int:
    return int(cycles.max() - cycles.min()) if len(cycles) else 0


def _per_frame(tx_ends: np.ndarray, rx_ends: np.ndarray) -> float | None:
    """Cycles from one frame's end to the next, on average, in the direction that has more frames."""
    ends = tx_ends if len(tx_ends) >= len(rx_ends) else rx_ends
    if len(ends) < 2:
        return None
    return (int(ends[-1]) - int(ends[0])) / (len(ends) - 1)


def _wire_use(scenario: Scenario, cycles: np.ndarray, lengths: np.ndarray) -> float | None:
    """Share of the wire's time that frames with preamble and minimal gap took between the first and the last
    of `cycles`."""
    if len(cycles) < 2:
        return None
    taken = sum(wire_period_cycles(int(length), scenario.tick_cycles) for length in lengths[:len(cycles) - 1])
    return taken / (int(cycles[-1]) - int(cycles[0]))
