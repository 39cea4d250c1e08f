"""Performs one run: the RTL in a simulator, the golden world beside it, scoreboard and checks."""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from model import engines, traffic
from model.events import ordered
from model.host.dma_check import unmapped_accesses
from model.host.outcome import Outcome
from model.session import MEMORY_BYTES, GoldenRun, golden
from model.traffic import RxProgram, TxProgram
from tb import checks
from tb.build import Built, build_engine
from tb.drive import OUTCOME_FILE, SESSION_FILE
from tb.job import Job, Program
from tb.job import Outcome as Simulated
from tb.measure import measure
from tb.native.layout import PLAY_ERROR, PLAY_ODD
from tb.postmortem import PAGE_BYTES, page_sums, standstill
from tb.runspec import RunResult, RunSpec
from tb.scoreboard import Comparison, compare
from tb.simulate import JobError, SimulationError, SimulationTimeout, simulate

SLACK_CYCLES = 2_000_000
"""Beyond the scenario's deadline: for bring-up and taking down."""
EVENTS_FILE, WAVES_FILE, SAVE_FILE = "events.npy", "waves.fst", "waves.gtkw"
STOPS = ("hang", "tx_stopped")
"""Findings of the host after which it is told how the machine stands."""
STANDSTILLS = ("CycleLimitError", "DeadlockError", "EngineError")
"""Failures of the job that mean that the machine went no further."""
ERRORS_OF_THE_MACHINE = {"memory_errors": "dma_unmapped"}
"""Counts of the native library that are a finding; any other is a broken rule of the bus or of the bench."""


def prepare(mac: str, simulator: str, waves: bool = False,
            parameters: Mapping[str, int] | None = None) -> None:
    """Build the simulator of `mac` with these parameters of its engine, or find it built."""
    build_engine(mac, simulator, waves=waves, parameters=parameters)


def run_one(spec: RunSpec) -> RunResult:
    """Perform one run. BenchError for what the user has to put right."""
    scenario = spec.scenario
    package = engines.load(scenario.mac)
    tx = traffic.tx_program(scenario, spec.tx_frames)
    rx = traffic.rx_program(scenario, spec.rx_frames)
    built = build_engine(scenario.mac, spec.simulator, waves=spec.waves, parameters=scenario.parameters)
    folder = spec.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    result = spec.result()
    began = time.perf_counter()
    predicted = golden(scenario, tx, rx)
    result.golden_wall_s = predicted.wall_s
    simulated, problem = simulate_run(spec, built, package, tx, rx, folder)
    if problem is None:
        marks = _judge(result, spec, package, predicted, simulated, rx)
    else:
        marks = _explain(result, problem, simulated, package)
    if spec.waves and simulated is not None:
        _keep_waves(result, folder, built, simulated.events, marks, package)
    result.wall_s = time.perf_counter() - began
    return result


def _judge(result: RunResult, spec: RunSpec, package: ModuleType, predicted: GoldenRun, simulated: Simulated,
           rx: RxProgram | None) -> dict[str, int]:
    """Everything about a run that came to its end. Returns marks for the waves: text -> cycle."""
    folder = spec.folder.resolve()
    outcome = Outcome.load(folder / OUTCOME_FILE)
    events = simulated.events[simulated.events["cycle"] < outcome.end_cycle]
    comparison = _hold_together(result, predicted, simulated, outcome, package)
    _check(result, spec, package, simulated, outcome, rx)
    measure(result, spec.scenario, package.evidence, predicted, simulated, outcome)
    stopped = [finding.cycle for finding in outcome.findings if finding.name in STOPS]
    if stopped:
        before = events[events["cycle"] <= min(stopped)]
        result.detail += standstill(before, package.Kind, package.STATE_AFTER, result.mac)
        result.detail.append("registers then: " + "; ".join(outcome.registers))
    path = folder / EVENTS_FILE
    np.save(path, events)
    result.events_file = str(path)
    result.events_digest = hashlib.sha256(events.tobytes()).hexdigest()
    return {} if comparison.first_cycle is None else {"divergence": comparison.first_cycle}


def _straps(package: ModuleType, values: dict[str, object], fields: dict[str, dict[str, int]]) -> int:
    """The strap pins as one number: codes from the model, positions from the RTL."""
    return sum(code << fields[name]["offset"] for name, code in package.encode(values).items())


def _program(rx: RxProgram | None) -> Program | None:
    if rx is None or not len(rx.frames):
        return None
    odd = np.where(rx.odd, PLAY_ODD, 0)
    error = np.where(rx.rx_er_at >= 0, PLAY_ERROR | np.maximum(rx.rx_er_at, 0) << 8, 0)
    return Program(rx.frames.data, rx.frames.length, rx.gap_symbols, odd | error)


def simulate_run(spec: RunSpec, built: Built, package: ModuleType, tx: TxProgram | None, rx: RxProgram | None,
                 folder: Path, more_straps: int = 0,
                 ) -> tuple[Simulated | None, JobError | SimulationError | None]:
    """The simulation's outcome, None if it left none, and what ended it early if something did.

    `more_straps`: pins beyond those of the scenario.
    """
    scenario, bus = spec.scenario, spec.scenario.bus
    (folder / SESSION_FILE).write_bytes(pickle.dumps({"scenario": scenario, "tx": tx, "rx": rx}))
    job = Job("tb.drive:scenario", {"folder": str(folder)}, memory_bytes=MEMORY_BYTES,
              straps=_straps(package, scenario.straps, built.sidecar["straps"]) | more_straps,
              bus={"read_latency": bus.read_latency_cycles, "write_latency": bus.write_latency_cycles,
                   "beat_interval": bus.beat_interval_cycles, "jitter": bus.jitter_cycles,
                   "seed": scenario.seed, "outstanding": bus.outstanding,
                   "errors": [[error.requester, error.write, error.ordinal] for error in bus.errors]},
              csr_write_latency_cycles=scenario.csr.write_latency_cycles,
              csr_read_latency_cycles=scenario.csr.read_latency_cycles,
              half_duplex=scenario.duplex == "half",
              link=None if scenario.link is None else scenario.link.numbers(scenario.clock_hz),
              max_cycles=scenario.deadline_cycles + SLACK_CYCLES)
    waves = folder / WAVES_FILE if spec.waves else None
    try:
        return simulate(built, job, _program(rx), waves=waves, folder=folder), None
    except JobError as error:
        return error.outcome, error
    except SimulationError as error:
        return None, error


def _explain(result: RunResult, problem: JobError | SimulationError, simulated: Simulated | None,
             package: ModuleType) -> dict[str, int]:
    """The watchdog's word on a run that did not come to its end. Returns marks for the waves."""
    if simulated is None:
        result.found.append("hang" if isinstance(problem, SimulationTimeout) else "crashed")
        result.detail += str(problem).strip().splitlines()
        return {}
    result.found.append("hang" if simulated.failure_type in STANDSTILLS else "crashed")
    result.cycles = simulated.end_cycle
    result.detail.append(f"{simulated.failure_type} in cycle {simulated.end_cycle}")
    result.detail += simulated.failure.strip().splitlines()
    events = ordered(simulated.events)
    result.detail += standstill(events, package.Kind, package.STATE_AFTER, result.mac)
    return {"last event": int(events["cycle"][-1])} if len(events) else {}


def _hold_together(result: RunResult, predicted: GoldenRun, simulated: Simulated, outcome: Outcome,
                   package: ModuleType) -> Comparison:
    """Golden against RTL: events, the host's end, and every page of memory."""
    events = simulated.events[simulated.events["cycle"] < outcome.end_cycle]
    comparison = compare(predicted.events, events, package.Kind, package.STATE_AFTER)
    result.events_compared, result.events_off = comparison.compared, comparison.off
    result.worst_offset_cycles = comparison.worst_offset_cycles
    result.first_divergence = comparison.first
    differences = []
    if predicted.outcome.summary() != outcome.summary():
        differences.append("the hosts differ: "
                           + "; ".join(_unlike(predicted.outcome.summary(), outcome.summary())))
    sums = zip(page_sums(predicted.memory), simulated.result["pages"], strict=True)
    pages = [page for page, (a, b) in enumerate(sums) if a != b]
    if pages:
        first = pages[0] * PAGE_BYTES
        differences.append(f"host memory differs in {len(pages)} pages, the first at {first:#x}")
    if comparison.off or differences:
        result.found.append("golden_differs")
        result.detail += differences
    return comparison


def _unlike(golden: dict[str, Any], rtl: dict[str, Any], of: str = "") -> Iterator[str]:
    """What differs between two summaries of a host, down to the counter."""
    for name in sorted(golden.keys() | rtl.keys()):
        ours, theirs = golden.get(name), rtl.get(name)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _unlike(ours, theirs, f"{of}{name}.")
        elif ours != theirs:
            yield f"{of}{name} golden {ours}, RTL {theirs}"


def _check(result: RunResult, spec: RunSpec, package: ModuleType, simulated: Simulated, outcome: Outcome,
           rx: RxProgram | None) -> None:
    """Everything that the run shows by itself."""
    evidence, events = package.evidence, simulated.events[simulated.events["cycle"] < outcome.end_cycle]
    found: dict[str, str] = {}
    for finding in outcome.findings:
        found.setdefault(finding.name, f"cycle {finding.cycle}: {finding.text}")
    for name, (count, cycle) in evidence.failures(events).items():
        found.setdefault(name, f"{count} times, first in cycle {cycle}")
    unmapped = unmapped_accesses(evidence.accesses(events), outcome.dma_intervals)
    for finding in unmapped[:1]:
        found.setdefault(finding.name, f"cycle {finding.cycle}: {finding.text} ({len(unmapped)} in all)")
    for name, count in simulated.errors.items():
        found.setdefault(ERRORS_OF_THE_MACHINE.get(name, "protocol"), f"{name}: {count}")
    pauses = evidence.pauses(events)
    frames = simulated.frames[~checks.are_pauses(simulated.frames, pauses)]
    parts = [checks.check_transmit(outcome, frames, simulated.frame_bytes, evidence.spoilt(events),
                                   evidence.unsent(events)),
             checks.check_pauses(simulated.frames, simulated.frame_bytes, pauses, spec.scenario.station),
             checks.check_mappings(evidence.hand_overs(events), outcome.dma_intervals)]
    if rx is not None:
        parts.append(checks.check_receive(outcome, rx))
    parts.append(checks.check_rates(spec.scenario, frames, evidence.sfd_cycles(events)[1],
                                    len(evidence.frame_ends(events)[1]), rx))
    for part in parts:
        result.frames_checked += part.checked
        result.frames_bad += part.bad
        for name, text in part.found.items():
            found.setdefault(name, text)
    for name, text in found.items():
        result.found.append(name)
        result.detail.append(f"{name}: {text}")


def _keep_waves(result: RunResult, folder: Path, built: Built, events: np.ndarray, marks: dict[str, int],
                package: ModuleType) -> None:
    """What shows the waves, opened at the first of `marks`, or of the first frames' if there are none."""
    from tb.waves import first_marks, write_save_file
    waves = folder / WAVES_FILE
    result.waves_file = str(waves)
    result.save_file = str(write_save_file(folder / SAVE_FILE, waves, built.sidecar, built.clock_hz,
                                           marks | first_marks(events, package.Kind)))
