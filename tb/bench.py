"""`make bench`: how fast the loop is, on this machine, with the driver in it. One run at a time, so that none
slows another."""

from collections.abc import Callable
from dataclasses import replace

from rich.console import Console

from model.scenario import BREACHES, Scenario, macs, select
from model.scenario.schema import SIMULATORS
from tb.plan import Request, has_simulator
from tb.runspec import RunResult, RunSpec
from tb.sim import Runner

LOAD = ("wire_both_1518", "depth2")
"""Scenario and variant that is measured: both directions at the wire's limit, the busiest steady state."""
FRAMES = {"verilator": 500, "icarus": 20}
"""Frames per direction: about a second or more of simulation in each."""
FLOOR_CYCLES_PER_S = {"verilator": 500_000, "icarus": 10_000}
AIM_CYCLES_PER_S = {"verilator": 1_000_000, "icarus": 20_000}
FLOOR_GOLDEN_RATIO, AIM_GOLDEN_RATIO = 3, 10
"""Golden frames per second over Verilator's. All floors and aims: the goals of the first loop."""
_DETAIL_LINES = 8


def measure(request: Request, load: Callable[[], Runner], console: Console) -> int:
    """Measure each MAC; exit status 0 whatever the figures, they are the machine's too, 1 if a run fails."""
    runner = load()
    for mac in request.macs or macs():
        [scenario] = select([mac], [LOAD[0]], [LOAD[1]])
        console.print(f"{mac}, {LOAD[0]}, {LOAD[1]}", style="bold")
        golden = verilated = None
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
                return 1
            _line(console, simulator, result.sim_cycles_per_s, "cycles/s", FLOOR_CYCLES_PER_S[simulator],
                  AIM_CYCLES_PER_S[simulator])
            if simulator == "verilator":
                verilated = result.frames / (result.cycles / result.sim_cycles_per_s)
                golden = result.frames / result.golden_wall_s
        if golden is not None and verilated is not None:
            console.print(f"  {'verilator':10} {verilated:>14,.0f} frames/s")
            console.print(f"  {'golden':10} {golden:>14,.0f} frames/s")
            _line(console, "ratio", golden / verilated, "x", FLOOR_GOLDEN_RATIO, AIM_GOLDEN_RATIO)
    return 0


def _run(load: Scenario, simulator: str, request: Request, runner: Runner) -> RunResult:
    frames = request.frames or FRAMES[simulator]
    runner.prepare(load.mac, simulator, False)
    return runner.run_one(RunSpec(replace(load, wire_limit_ppm={}), simulator, frames, frames, False,
                                  request.build))


def _line(console: Console, name: str, value: float, unit: str, floor: float, aim: float) -> None:
    judged = "reaches the aim" if value >= aim else "above the floor" if value >= floor else "BELOW THE FLOOR"
    console.print(f"  {name:10} {value:>14,.1f} {unit:9} floor {floor:,}, aim {aim:,}: {judged}",
                  soft_wrap=True)
