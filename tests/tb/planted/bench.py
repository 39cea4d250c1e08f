"""Runs stimuli on the planted engine and on the golden one, and says how the scoreboard takes it."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import numpy as np
from amaranth.hdl import Fragment

from hdl.emit import emit
from model.bus import BusTiming
from model.engines import at91ether
from model.engines.at91ether.events import STATE_AFTER, Kind
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.phy import Phy
from tb import cache as build_cache
from tb.build import Built, build
from tb.design import ROOT, Design, Recipe, clock_hz, engine_recipe, event_kinds
from tb.job import Job, Program
from tb.native.layout import PLAY_ERROR, PLAY_ODD
from tb.scoreboard import compare
from tb.simulate import simulate
from tests.tb.planted.mutant import Change
from tests.tb.planted.plant import Transition, planted, planted_engine
from tests.tb.planted.play import MEMORY_BYTES, play
from tests.tb.planted.script import Script
from tests.tb.planted.stimuli import STIMULI

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "tests" / "planted"
MAC = "at91ether"


@cache
def numbers() -> dict[Transition, int]:
    """Every transition of every FSM of the engine, and its number on the straps."""
    with planted() as plants:
        Fragment.get(planted_engine(MAC, plants), None)
    return plants.numbers


def _design() -> Design:
    with planted() as plants:
        emitted = emit(planted_engine(MAC, plants), "planted_engine")
    plant_numbers = {str(transition): number for transition, number in plants.numbers.items()}
    sidecar = emitted.sidecar | {"plants": plant_numbers}
    return Design("planted", emitted.verilog, sidecar, event_kinds(MAC), clock_hz(MAC))


@cache
def built_planted(simulator: str = "verilator") -> Built:
    """The planted engine's simulator. One process builds it, the others wait."""
    files = [*engine_recipe(MAC).files, HERE / "plant.py", HERE / "bench.py"]
    recipe = Recipe("planted", files, _design)
    with build_cache.locked(FOLDER / "build.lock"):
        return build(recipe, simulator)


@cache
def _script(stimulus: str) -> Script:
    return STIMULI[stimulus]()


def golden_events(stimulus: str, change: Change = nullcontext) -> np.ndarray:
    """What the golden engine predicts for a stimulus; `change`: a context for the prediction."""
    given = _script(stimulus)
    with change():
        return _predicted(given)


def _predicted(given: Script) -> np.ndarray:
    kernel, memory, log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
    bus = BusTiming(**given.bus, errors=frozenset(given.errors))
    engine = at91ether.Engine(kernel, memory, given.straps, bus, given.program(), log,
                              Phy(half_duplex=given.half))
    world = GoldenWorld(engine, clock_hz(MAC), kernel=kernel, mem=memory)
    world.run(play(world, given.steps))
    return log.array(kernel.cycle)


def _wire(given: Script) -> Program | None:
    program = given.program()
    if program is None:
        return None
    flags = [PLAY_ODD * odd | (PLAY_ERROR | at << 8 if at >= 0 else 0)
             for odd, at in zip(given.odd, given.error_at, strict=True)]
    frames = program.frames
    return Program(frames.data, frames.length, program.gap_symbols, np.array(flags, np.uint32))


def rtl_events(stimulus: str, transition: Transition | None = None, cycles: int = 0) -> np.ndarray:
    """What the RTL logs for a stimulus, with `transition` `cycles` late if one is given."""
    given, built = _script(stimulus), built_planted()
    fields = built.sidecar["straps"]
    straps = dict(given.straps)
    if transition is not None:
        plants = built.sidecar["plants"]
        straps |= {"plant_select": plants[str(transition)], "plant_cycles": cycles}
    pins = sum(value << fields[name]["offset"] for name, value in straps.items())
    folder = FOLDER / "runs" / f"{stimulus}-{straps.get('plant_select', 0)}-{cycles}"
    job = Job("tests.tb.planted.play:play", {"steps": given.steps}, memory_bytes=MEMORY_BYTES, straps=pins,
              bus=given.bus | {"errors": [list(error) for error in given.errors]},
              half_duplex=given.half)
    outcome = simulate(built, job, _wire(given), folder=folder)
    shutil.rmtree(folder)
    return outcome.events[outcome.events["cycle"] < outcome.end_cycle]


@cache
def _as_predicted(stimulus: str) -> np.ndarray:
    return golden_events(stimulus)


def first_divergence(stimulus: str, transition: Transition | None = None, cycles: int = 0) -> str | None:
    """What the scoreboard says first if `transition` comes `cycles` late; None if it finds nothing."""
    rtl = rtl_events(stimulus, transition, cycles)
    return compare(_as_predicted(stimulus), rtl, Kind, STATE_AFTER).first
