"""The scoreboard finds what is a cycle late in at91ether; see checks.py."""

import pytest

from tests.tb.planted.at91ether.spec_numbers import NUMBERS
from tests.tb.planted.at91ether.stimuli import STIMULI
from tests.tb.planted.at91ether.transitions import CASES
from tests.tb.planted.bench import Bench
from tests.tb.planted.checks import Checks

CHECKS = Checks(Bench("at91ether", STIMULI), CASES, NUMBERS)


@pytest.fixture(scope="session")
def logged(tmp_path_factory: pytest.TempPathFactory):
    return CHECKS.logged(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("stimulus", STIMULI)
def test_as_it_is_nothing_differs(stimulus, logged):
    CHECKS.nothing_differs(stimulus, logged)


@pytest.mark.parametrize("name", CHECKS.transitions)
def test_a_late_transition_is_caught(name):
    CHECKS.late_transition_is_caught(name)


def test_no_case_is_of_a_transition_that_is_gone():
    CHECKS.no_case_of_what_is_gone()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_changed_number_is_caught(name, logged):
    CHECKS.changed_number_is_caught(name, logged)


def test_every_stimulus_is_there_for_something():
    CHECKS.every_stimulus_is_needed()
