"""What the tests of each MAC ask: does the scoreboard find what is a cycle late?

In the RTL one transition at a time is delayed, in a stimulus in which it has the least slack. That this shows
proves that the transition was taken, since a plant does nothing before. In the golden engine one number of
the specification at a time is changed, and the RTL is as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from tb import cache
from tests.tb.planted.bench import Bench
from tests.tb.planted.mutant import Number

Logged = Callable[[str], np.ndarray]
"""logged(stimulus): what the RTL without a plant logs."""
LONG_CYCLES = 40
"""A delay that shows wherever one can."""


@dataclass(frozen=True)
class Case:
    """Members: `stimulus` by name; `kind` of the event that differs first; `cycles`, the smallest delay that
    shows; `slack`, why it is not one cycle, or one tick of the wire."""

    stimulus: str
    kind: IntEnum
    cycles: int
    slack: str = ""


@dataclass(frozen=True)
class Never:
    """A transition that does not happen. Members: `why`; `stimuli` in which it would be late if it did."""

    why: str
    stimuli: tuple[str, ...]


class Checks:
    """The checks of one MAC.

    Parameters: `bench`; `cases` by transition; `numbers` by what they say; `never`, transitions that do not
    happen.
    """

    def __init__(self, bench: Bench, cases: Mapping[str, Case], numbers: Mapping[str, Number],
                 never: Mapping[str, Never] | None = None) -> None:
        self.bench, self.cases, self.numbers, self.never = bench, cases, numbers, never or {}
        self.folder = f"tests/tb/planted/{bench.mac}"
        self.transitions = {str(transition): transition for transition in sorted(bench.numbers)}

    def logged(self, folder: Path) -> Logged:
        """Simulates each stimulus once for all processes of a session, whose temporary folder is `folder`."""
        shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
        shared /= f"planted_{self.bench.mac}"
        shared.mkdir(exist_ok=True)

        def log(stimulus: str) -> np.ndarray:
            def make(folder: Path) -> None:
                np.save(folder / "events.npy", self.bench.rtl_events(stimulus))
            return np.load(cache.made(shared / stimulus, make) / "events.npy")
        return log

    def nothing_differs(self, stimulus: str, logged: Logged) -> None:
        found = self.bench.compare(self.bench.golden_events(stimulus), logged(stimulus)).first
        assert found is None, f"{stimulus}: {found}"

    def late_transition_is_caught(self, name: str) -> None:
        assert name in self.cases, (
            f"the RTL of {self.bench.mac} has the transition {name}, {self.folder}/transitions.py has not: "
            "add a Case with a stimulus in which it has no slack (a new one in stimuli.py if need be), the "
            "kind of the event that first shows a delay, and the smallest delay that shows")
        case, transition = self.cases[name], self.transitions[name]
        divergence = self.bench.first_divergence(case.stimulus, transition, case.cycles)
        assert divergence is not None, f"{name}, {case.cycles} cycles late in {case.stimulus}, is not found"
        assert kind_of(divergence) == case.kind.name, divergence
        if case.cycles > 1:
            sooner = self.bench.first_divergence(case.stimulus, transition, case.cycles - 1)
            assert sooner is None, f"{name}: {case.cycles - 1} cycles show already: {sooner}"

    def never_taken(self, name: str, stimulus: str, logged: Logged) -> None:
        late = self.bench.rtl_events(stimulus, self.transitions[name], LONG_CYCLES)
        found = self.bench.compare(logged(stimulus), late).first
        assert found is None, f"{name} happens in {stimulus}: it needs a Case. {found}"

    def no_case_of_what_is_gone(self) -> None:
        gone = (self.cases.keys() | self.never.keys()) - self.transitions.keys()
        assert not gone, f"{self.folder}/transitions.py speaks of what the RTL does not have: {sorted(gone)}"

    def changed_number_is_caught(self, name: str, logged: Logged) -> None:
        number = self.numbers[name]
        changed = self.bench.golden_events(number.stimulus, number.change)
        divergence = self.bench.compare(changed, logged(number.stimulus)).first
        assert divergence is not None, f"{name}: the change is not found in {number.stimulus}"
        assert kind_of(divergence) == number.kind.name, divergence

    def every_stimulus_is_needed(self) -> None:
        used = {case.stimulus for case in self.cases.values()}
        used |= {number.stimulus for number in self.numbers.values()}
        used |= {stimulus for never in self.never.values() for stimulus in never.stimuli}
        assert used == self.bench.stimuli.keys()


def kind_of(divergence: str) -> str:
    """The kind of the event that differs first."""
    return re.match(r"(?:golden|RTL) has (\w+) index", divergence)[1]
