"""The scoreboard finds what is a cycle late in lan743x; see checks.py."""

import pytest

from tests.tb.planted.checks import LONG_CYCLES, Checks
from tests.tb.planted.lan743x.bench import BENCH
from tests.tb.planted.lan743x.random_use import rtl_events
from tests.tb.planted.lan743x.spec_numbers import NUMBERS
from tests.tb.planted.lan743x.stimuli import STIMULI
from tests.tb.planted.lan743x.transitions import CASES, NEVER_TAKEN

CHECKS = Checks(BENCH, CASES, NUMBERS, NEVER_TAKEN)


@pytest.fixture(scope="session")
def logged(tmp_path_factory: pytest.TempPathFactory):
    return CHECKS.logged(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("stimulus", STIMULI)
def test_as_it_is_nothing_differs(stimulus, logged):
    CHECKS.nothing_differs(stimulus, logged)


@pytest.mark.parametrize("name", [name for name in CHECKS.transitions if name not in NEVER_TAKEN])
def test_a_late_transition_is_caught(name):
    CHECKS.late_transition_is_caught(name)


@pytest.mark.parametrize(("name", "stimulus"), [(name, stimulus) for name, never in NEVER_TAKEN.items()
                                                for stimulus in never.stimuli])
def test_what_is_never_taken_is_never_late(name, stimulus, logged):
    CHECKS.never_taken(name, stimulus, logged)


def test_no_case_is_of_a_transition_that_is_gone():
    CHECKS.no_case_of_what_is_gone()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_changed_number_is_caught(name, logged):
    CHECKS.changed_number_is_caught(name, logged)


def test_every_stimulus_is_there_for_something():
    CHECKS.every_stimulus_is_needed()


@pytest.mark.parametrize("seed", [3, 6])
def test_nor_in_random_use(seed):
    plain = rtl_events(seed)
    for name in NEVER_TAKEN:
        found = CHECKS.bench.compare(plain, rtl_events(seed, name, LONG_CYCLES)).first
        assert found is None, f"{name} happens with seed {seed}: it needs a Case. {found}"
