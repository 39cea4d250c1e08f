"""`make bench`: how fast the loop is, on this machine, with the driver in it. One run at a time, so that none
slows another."""

from collections.abc import Callable
from dataclasses import replace

from rich.console import Console

from model import traffic
from model.scenario import BREACHES, Scenario, find_scenario, load_part, macs
from model.scenario.schema import SIMULATORS
from model.session import golden
from tb.plan import Request, has_simulator
from tb.runspec import RunResult, RunSpec
from tb.sim import Runner

LOADS = ("wire_tx_1518", "wire_rx_1518", "wire_both_1518")
"""Scenarios that are measured, each in its first variant: one direction at the wire's limit, the other, and
both, the busiest state."""
FRAMES = {"verilator": 500, "icarus": 20}
"""Frames per direction: about a second or more of simulation in each."""
WARM_UP_FRAMES = 5
FLOOR_CYCLES_PER_S = {"verilator": 500_000, "icarus": 10_000}
AIM_CYCLES_PER_S = {"verilator": 1_000_000, "icarus": 20_000}
AIM_GOLDEN_RATIO = 10
"""Golden frames per second over Verilator's; the floor is the part's own (`Part.golden_floor`)."""
_DETAIL_LINES = 8


def measure(request: Request, load: Callable[[], Runner], console: Console) -> int:
    """Measure each MAC; exit status 0 whatever the figures, they are the machine's too, 1 if a run fails."""
    runner = load()
    for mac in request.macs or macs():
        for name in LOADS:
            scenario = next(iter(find_scenario(mac, name).variants.values()))
            console.print(f"{mac}, {scenario.name}, {scenario.variant}", style="bold")
            if not _measure(scenario, request, runner, console):
                return 1
    return 0


def _measure(scenario: Scenario, request: Request, runner: Runner, console: Console) -> bool:
    """One load in each simulator and in the golden world; False if a run fails."""
    # What a process loads once, the register map above all, is not the golden engine's speed.
    golden(scenario, traffic.tx_program(scenario, WARM_UP_FRAMES),
           traffic.rx_program(scenario, WARM_UP_FRAMES))
    for simulator in SIMULATORS:
        if not has_simulator(simulator):
            console.print(f"  {simulator}: not installed")
            continue
        result = _run(scenario, simulator, request, runner)
        failed = BREACHES.keys() & set(result.found)
        if failed:
            console.print(f"  {simulator}: the run failed: {', '.join(sorted(failed))}")
            for line in result.detail[-_DETAIL_LINES:]:
                console.print(f"      {line}", soft_wrap=True, markup=False)
            return False
        _line(console, simulator, result.sim_cycles_per_s, "cycles/s", FLOOR_CYCLES_PER_S[simulator],
              AIM_CYCLES_PER_S[simulator])
        if simulator == "verilator":
            verilated = result.frames / (result.cycles / result.sim_cycles_per_s)
            predicted = result.frames / result.golden_wall_s
            console.print(f"  {'':10} {verilated:>14,.0f} frames/s")
            console.print(f"  {'golden':10} {predicted:>14,.0f} frames/s")
            _line(console, "ratio", predicted / verilated, "x", load_part(scenario.mac).golden_floor,
                  AIM_GOLDEN_RATIO)
    return True


def _run(load: Scenario, simulator: str, request: Request, runner: Runner) -> RunResult:
    frames = request.frames or FRAMES[simulator]
    runner.prepare(load.mac, simulator, False, load.parameters)
    return runner.run_one(RunSpec(replace(load, wire_limit_ppm={}), simulator, frames, frames, False,
                                  request.build))


def _line(console: Console, name: str, value: float, unit: str, floor: float, aim: float) -> None:
    judged = "reaches the aim" if value >= aim else "above the floor" if value >= floor else "BELOW THE FLOOR"
    console.print(f"  {name:10} {value:>14,.1f} {unit:9} floor {floor:,}, aim {aim:,}: {judged}",
                  soft_wrap=True)
