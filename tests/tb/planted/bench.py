"""Runs stimuli on a planted engine and on the golden one, and says how the scoreboard takes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np
from amaranth.hdl import Fragment

from hdl.emit import emit
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.link import Link
from tb import cache as build_cache
from tb.build import Built, build
from tb.design import ROOT, Design, Recipe, clock_hz, engine_recipe, event_kinds, phy_parameters
from tb.job import Job, Program
from tb.native.layout import PLAY_ERROR, PLAY_ODD
from tb.scoreboard import Comparison, compare
from tb.simulate import simulate
from tests.tb.planted.mutant import Change
from tests.tb.planted.plant import Front, Plants, Register, Transition, planted, planted_engine
from tests.tb.planted.play import MEMORY_BYTES, play
from tests.tb.planted.script import Script

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "tests" / "planted"


class Bench:
    """Both engines of a MAC.

    Parameters: `mac`; `stimuli` by name; `parameters` of the RTL engine's class; `registers`, its state
    machines that are plain registers; `front`, what is between it and the wire.

    Members: `kinds`, the events' `Kind`; `states`, what each says of which machine.
    """

    def __init__(self, mac: str, stimuli: Mapping[str, Callable[[], Script]], *,
                 parameters: Mapping[str, int] | None = None, registers: Sequence[Register] = (),
                 front: Front | None = None) -> None:
        events = import_module(f"model.engines.{mac}.events")
        self.mac, self.stimuli = mac, stimuli
        self.kinds, self.states = events.Kind, events.STATE_AFTER
        self._parameters, self._registers, self._front = dict(parameters or {}), registers, front
        self._scripts: dict[str, Script] = {}
        self._predictions: dict[str, np.ndarray] = {}

    def _engine(self, plants: Plants):
        return planted_engine(self.mac, plants, self._parameters, self._front)

    @cached_property
    def numbers(self) -> dict[Transition, int]:
        """Every transition of every planted state machine of the engine, and its number on the straps."""
        with planted(registers=self._registers) as plants:
            Fragment.get(self._engine(plants), None)
        return plants.numbers

    def _design(self) -> Design:
        with planted(registers=self._registers) as plants:
            emitted = emit(self._engine(plants), "planted_engine")
        plant_numbers = {str(transition): number for transition, number in plants.numbers.items()}
        sidecar = emitted.sidecar | {"plants": plant_numbers}
        return Design(f"planted-{self.mac}", emitted.verilog, sidecar, event_kinds(self.mac),
                      clock_hz(self.mac), phy_parameters(self.mac))

    @cached_property
    def built(self) -> Built:
        """The planted engine's simulator. One process builds it, the others wait."""
        ours = [HERE / name for name in ("plant.py", "registers.py", "bench.py")]
        ours += [path for name in ("front.py", "bench.py") if (path := HERE / self.mac / name).exists()]
        files = [*engine_recipe(self.mac).files, *ours]
        with build_cache.locked(FOLDER / f"{self.mac}.lock"):
            return build(Recipe(f"planted-{self.mac}", files, self._design), "verilator")

    def script(self, stimulus: str) -> Script:
        """The stimulus's script; to be left as it is."""
        if stimulus not in self._scripts:
            self._scripts[stimulus] = self.stimuli[stimulus]()
        return self._scripts[stimulus]

    def golden_events(self, stimulus: str, change: Change = nullcontext) -> np.ndarray:
        """What the golden engine predicts for a stimulus; `change`: a context for the prediction."""
        given = self.script(stimulus)
        with change():
            kernel, memory, log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
            link = Link(given.link, clock_hz(self.mac)) if given.link else None
            world = GoldenWorld(given.engine(kernel, memory, log, link), clock_hz(self.mac), kernel=kernel,
                                mem=memory, link=link)
            world.run(play(world, given.steps))
            return log.array(kernel.cycle)

    def rtl_events(self, stimulus: str, transition: Transition | None = None, cycles: int = 0) -> np.ndarray:
        """What the RTL logs for a stimulus, with `transition` `cycles` late if one is given."""
        given, built = self.script(stimulus), self.built
        straps = dict(given.straps)
        if transition is not None:
            straps |= {"plant_select": built.sidecar["plants"][str(transition)], "plant_cycles": cycles}
        pins = sum(value << built.sidecar["straps"][name]["offset"] for name, value in straps.items())
        folder = FOLDER / "runs" / self.mac / f"{stimulus}-{straps.get('plant_select', 0)}-{cycles}"
        job = Job("tests.tb.planted.play:play", {"steps": given.steps}, memory_bytes=MEMORY_BYTES,
                  straps=pins,
                  bus=given.bus | {"errors": [list(error) for error in given.errors]},
                  link=given.link.numbers(clock_hz(self.mac)) if given.link else None, **given.job())
        outcome = simulate(built, job, _wire(given), folder=folder)
        shutil.rmtree(folder)
        return outcome.events[outcome.events["cycle"] < outcome.end_cycle]

    def compare(self, golden: np.ndarray, rtl: np.ndarray) -> Comparison:
        """The scoreboard's judgement."""
        return compare(golden, rtl, self.kinds, self.states)

    def first_divergence(self, stimulus: str, transition: Transition | None = None,
                         cycles: int = 0) -> str | None:
        """What the scoreboard says first if `transition` comes `cycles` late; None if it finds nothing."""
        if stimulus not in self._predictions:
            self._predictions[stimulus] = self.golden_events(stimulus)
        return self.compare(self._predictions[stimulus], self.rtl_events(stimulus, transition, cycles)).first


def _wire(given: Script) -> Program | None:
    program = given.program()
    if program is None:
        return None
    flags = [PLAY_ODD * odd | (PLAY_ERROR | at << 8 if at >= 0 else 0)
             for odd, at in zip(given.odd, given.error_at, strict=True)]
    return Program(program.frames.data, program.frames.length, program.gap_symbols,
                   np.array(flags, np.uint32))
