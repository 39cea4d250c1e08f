"""The figures of a run: rates of either direction, utilisation, the cycle and CPU accounts."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np

from model.frames import FCS_BYTES
from model.host.outcome import Outcome
from model.link import UNITS
from model.scenario import Scenario
from model.session import GoldenRun
from model.traffic import wire_period_cycles
from tb.checks import are_pauses, payload_bytes, whole_frames
from tb.job import Outcome as Simulated
from tb.runspec import RunResult

MEGA = 1e6


@dataclass(frozen=True)
class Side:
    """Whole frames of one direction: `cycles`, one moment a frame, the same in each; `lengths` in bytes with
    FCS."""

    cycles: np.ndarray
    lengths: np.ndarray

    def periods(self, clock_hz: int) -> float:
        """Seconds from the first frame's moment to the last's; 0 with fewer than two."""
        return (int(self.cycles[-1]) - int(self.cycles[0])) / clock_hz if len(self.cycles) > 1 else 0.0

    def pps(self, clock_hz: int) -> float:
        """Frames a second: those after the first, over the time since the first."""
        seconds = self.periods(clock_hz)
        return (len(self.cycles) - 1) / seconds if seconds else 0.0

    def goodput_mbps(self, clock_hz: int) -> float:
        """Payload above Ethernet of the frames after the first, over the time since the first."""
        seconds = self.periods(clock_hz)
        return 8 * payload_bytes(self.lengths[1:]) / seconds / MEGA if seconds else 0.0


def measure(result: RunResult, scenario: Scenario, evidence: ModuleType, predicted: GoldenRun,
            simulated: Simulated, outcome: Outcome) -> None:
    """Fill in the figures of `result`."""
    events = simulated.events[simulated.events["cycle"] < outcome.end_cycle]
    tx_ends, rx_ends = evidence.frame_ends(events)
    own = are_pauses(simulated.frames, evidence.pauses(events))
    sent = simulated.frames[whole_frames(simulated.frames) & ~own]
    received = np.asarray(outcome.delivered.length) + (0 if outcome.hands_up_fcs else FCS_BYTES)
    sides = {"tx": Side(sent["sfd_cycle"], sent["length"]),
             "rx": Side(rx_ends, evidence.received_lengths(events))}
    result.cycles = outcome.end_cycle
    result.frames = len(sent) + len(received)
    result.bytes = int(sent["length"].sum() + received.sum())
    clock_hz = scenario.clock_hz
    result.side_pps = {name: side.pps(clock_hz) for name, side in sides.items() if len(side.cycles) > 1}
    result.side_goodput_mbps = {name: sides[name].goodput_mbps(clock_hz) for name in result.side_pps}
    result.pps = sum(result.side_pps.values())
    result.goodput_mbps = sum(result.side_goodput_mbps.values())
    if len(received) > 1:
        at_reader = Side(outcome.delivered_cycle, received)
        result.reader_goodput_mbps = at_reader.goodput_mbps(clock_hz)
    result.cycles_per_frame = _per_frame(tx_ends, rx_ends)
    result.golden_cycles_per_frame = _per_frame(*evidence.frame_ends(predicted.events))
    uses = {"tx": _wire_use(scenario, simulated.frames["sfd_cycle"], simulated.frames["length"]),
            "rx": _wire_use(scenario, evidence.sfd_cycles(events)[1], received)}
    result.wire_utilisation = {side: use for side, use in uses.items() if use is not None}
    result.bus_utilisation = predicted.bus_busy_cycles / outcome.end_cycle
    if scenario.link is not None:
        result.link_utilisation = {way: units / (UNITS * outcome.end_cycle) for way, units
                                   in zip(("up", "down"), simulated.link_busy_units, strict=True)}
    result.cycle_account = evidence.account(events, outcome.end_cycle)
    result.cpu_account = outcome.cpu_account_ns
    result.irqs, result.mmio_reads, result.mmio_writes = outcome.irqs, outcome.mmio_reads, outcome.mmio_writes
    result.drops = evidence.drops(events)
    result.sim_cycles_per_s = simulated.cycles_per_s


def _per_frame(tx_ends: np.ndarray, rx_ends: np.ndarray) -> float | None:
    """Cycles from one frame's end to the next, on average: of the sending side if it sent, else of the
    receiving side."""
    ends = tx_ends if len(tx_ends) else rx_ends
    if len(ends) < 2:
        return None
    return (int(ends[-1]) - int(ends[0])) / (len(ends) - 1)


def _wire_use(scenario: Scenario, sfd_cycles: np.ndarray, lengths: np.ndarray) -> float | None:
    """Share of the wire's time, from the first SFD to the last frame's end and gap, that frames of `lengths`
    (bytes with FCS) with preamble and minimal gap took."""
    if len(sfd_cycles) < 2 or not len(lengths):
        return None
    periods = [wire_period_cycles(int(length), scenario.tick_cycles, symbol_bits=scenario.symbol_bits)
               for length in lengths]
    return sum(periods) / (int(sfd_cycles[-1]) - int(sfd_cycles[0]) + periods[-1])
