"""The scoreboard finds what is a cycle late.

In the RTL one transition at a time is delayed, in a stimulus in which it has the least slack. That this shows
proves that the transition was taken, since a plant does nothing before. In the golden engine one number of
the specification at a time is changed, and the RTL is as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from model.engines.at91ether.events import STATE_AFTER, Kind
from tb import cache
from tb.scoreboard import compare
from tests.tb.planted.bench import MAC, first_divergence, golden_events, numbers, rtl_events
from tests.tb.planted.spec_numbers import NUMBERS
from tests.tb.planted.stimuli import STIMULI
from tests.tb.planted.transitions import CASES

TRANSITIONS = {str(transition): transition for transition in sorted(numbers())}


@pytest.fixture(scope="session")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], np.ndarray]:
    """logged(stimulus): what the RTL without a plant logs. Simulated once for all processes of a session."""
    folder = tmp_path_factory.getbasetemp()
    shared = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "planted"
    shared.mkdir(exist_ok=True)

    def log(stimulus: str) -> np.ndarray:
        def make(folder: Path) -> None:
            np.save(folder / "events.npy", rtl_events(stimulus))
        return np.load(cache.made(shared / stimulus, make) / "events.npy")
    return log


def kind_of(divergence: str) -> str:
    """The kind of the event that differs first."""
    return re.match(r"(?:golden|RTL) has (\w+) index", divergence)[1]


@pytest.mark.parametrize("stimulus", STIMULI)
def test_as_it_is_nothing_differs(stimulus, logged):
    assert compare(golden_events(stimulus), logged(stimulus), Kind, STATE_AFTER).first is None


@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_late_transition_is_caught(name):
    assert name in CASES, (
        f"the RTL of {MAC} has the transition {name}, tests/tb/planted/transitions.py has not: add a Case "
        "with a stimulus in which it has no slack (a new one in stimuli.py if need be), the kind of the "
        "event that first shows a delay, and the smallest delay that shows; a tick is 2 cycles")
    case, transition = CASES[name], TRANSITIONS[name]
    divergence = first_divergence(case.stimulus, transition, case.cycles)
    assert divergence is not None, f"{name}, {case.cycles} cycles late in {case.stimulus}, is not found"
    assert kind_of(divergence) == case.kind.name, divergence
    if case.cycles > 1:
        sooner = first_divergence(case.stimulus, transition, case.cycles - 1)
        assert sooner is None, f"{name}: {case.cycles - 1} cycles show already: {sooner}"


def test_no_case_is_of_a_transition_that_is_gone():
    gone = CASES.keys() - TRANSITIONS.keys()
    assert not gone, f"tests/tb/planted/transitions.py speaks of what the RTL does not have: {sorted(gone)}"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_changed_number_is_caught(name, logged):
    number = NUMBERS[name]
    changed = golden_events(number.stimulus, number.change)
    divergence = compare(changed, logged(number.stimulus), Kind, STATE_AFTER).first
    assert divergence is not None, f"{name}: the change is not found in {number.stimulus}"
    assert kind_of(divergence) == number.kind.name, divergence


def test_every_stimulus_is_there_for_something():
    used = {case.stimulus for case in CASES.values()} | {number.stimulus for number in NUMBERS.values()}
    assert used == STIMULI.keys()
