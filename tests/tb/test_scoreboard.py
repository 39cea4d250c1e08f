"""The comparison of two event logs: nothing escapes it, and what it says points at the right place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.at91ether import STATE_AFTER, Kind
from model.events import EVENT
from tb.scoreboard import compare

KINDS = sorted(Kind)
EVENTS = st.tuples(st.integers(0, 400), st.sampled_from(KINDS), st.integers(0, 2), st.integers(0, 3),
                   st.integers(0, 2**64 - 1))
LOGS = st.lists(EVENTS, min_size=1, max_size=30)
APART = st.lists(EVENTS, min_size=1, max_size=30, unique_by=lambda event: event[:4])
"""No two events are alike but for their data: of two such it could not be said which is lacking."""


def log(events) -> np.ndarray:
    return np.array(events, EVENT)


def held(golden, rtl):
    return compare(log(golden), log(rtl), Kind, STATE_AFTER)


@settings(deadline=None)
@given(LOGS, st.randoms(use_true_random=False))
def test_the_same_events_in_any_order_are_equal(events, rng):
    shuffled = list(events)
    rng.shuffle(shuffled)
    result = held(events, shuffled)
    assert (result.compared, result.off, result.worst_offset_cycles) == (len(events), 0, 0)
    assert result.first is None and result.first_cycle is None


@settings(deadline=None)
@given(LOGS, st.data())
def test_one_event_shifted_is_found_and_named(events, data):
    place = data.draw(st.integers(0, len(events) - 1))
    cycle, kind, *rest = events[place]
    moved = data.draw(st.integers(0, 500).filter(lambda other: other != cycle))
    shifted = [*events[:place], (moved, kind, *rest), *events[place + 1:]]
    result = held(events, shifted)
    assert result.off == 1 and result.compared == len(events)
    early = min(cycle, moved)
    assert result.first_cycle == early
    who = "golden" if early == cycle else "RTL"
    assert result.first.startswith(f"{who} has {Kind(kind).name} index {rest[1]} data {rest[2]:#x} "
                                   f"in cycle {early}, ")


@settings(deadline=None)
@given(LOGS, st.data())
def test_one_event_with_other_contents_is_found(events, data):
    place = data.draw(st.integers(0, len(events) - 1))
    cycle, kind, ring, index, value = events[place]
    change = data.draw(st.sampled_from(["kind", "index", "data"]))
    other = {"kind": (cycle, data.draw(st.sampled_from([k for k in KINDS if k != kind])), ring, index, value),
             "index": (cycle, kind, ring, index + 1, value),
             "data": (cycle, kind, ring, index, value ^ 1 << data.draw(st.integers(0, 63)))}[change]
    result = held(events, [*events[:place], other, *events[place + 1:]])
    assert result.off == 1 and result.first_cycle == cycle
    assert f"in cycle {cycle}" in result.first or "in the same cycle" in result.first


@settings(deadline=None)
@given(APART, st.data(), st.booleans())
def test_one_event_too_few_or_too_many_is_found(events, data, golden_lacks_it):
    place = data.draw(st.integers(0, len(events) - 1))
    fewer = [*events[:place], *events[place + 1:]]
    result = held(fewer, events) if golden_lacks_it else held(events, fewer)
    assert result.off == 1 and result.compared == len(events)
    assert result.first_cycle == events[place][0]
    assert f"{'RTL' if golden_lacks_it else 'golden'} has {Kind(events[place][1]).name}" in result.first


@settings(deadline=None)
@given(LOGS, LOGS)
def test_off_counts_what_has_no_partner(one, two):
    rest = list(two)
    lacking = 0
    for event in one:
        if event in rest:
            rest.remove(event)
        else:
            lacking += 1
    assert held(one, two).off == max(lacking, len(rest)) == held(two, one).off


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20, unique=True), st.data())
def test_the_worst_offset_is_that_between_pairs(cycles, data):
    cycles.sort()
    late = [data.draw(st.integers(0, 100)) for _ in cycles]
    other = sorted(cycle + more for cycle, more in zip(cycles, late, strict=True))
    worst = max(abs(a - b) for a, b in zip(cycles, other, strict=True))
    both = [[(c, Kind.TX_SFD, 0, n, 0) for n, c in enumerate(log)] for log in (cycles, other)]
    assert held(*both).worst_offset_cycles == worst


GOLDEN = [(10, Kind.TX_QUEUE, 0, 0, 0x40), (13, Kind.TX_FETCH, 0, 0, 0x4), (17, Kind.TX_FILL, 0, 0, 0),
          (49, Kind.TX_SFD, 0, 0, 0), (350, Kind.TX_DONE, 0, 0, 7)]


@pytest.mark.parametrize(("place", "event", "says"), [
    (3, (51, Kind.TX_SFD, 0, 0, 0), "golden has TX_SFD index 0 data 0x0 in cycle 49, RTL in cycle 51."),
    (3, (47, Kind.TX_SFD, 0, 0, 0), "RTL has TX_SFD index 0 data 0x0 in cycle 47, golden in cycle 49."),
    (4, (350, Kind.TX_DONE, 0, 0, 8), "golden has TX_DONE index 0 data 0x7 in cycle 350, RTL in the same "
                                      "cycle TX_DONE index 0 data 0x8."),
    (4, (351, Kind.TX_DONE, 0, 1, 7), "golden has TX_DONE index 0 data 0x7 in cycle 350, RTL as its TX_DONE "
                                      "no. 0: TX_DONE index 1 data 0x7 in cycle 351."),
    (4, None, "golden has TX_DONE index 0 data 0x7 in cycle 350, RTL has no TX_DONE no. 0."),
])
def test_what_it_says(place, event, says):
    rtl = [*GOLDEN[:place], *([event] if event else []), *GOLDEN[place + 1:]]
    assert held(GOLDEN, rtl).first.startswith(says)


def test_it_says_where_the_machines_stood_and_what_came_before():
    text = held(GOLDEN, GOLDEN[:3]).first
    assert "framer" not in text.split("States before it: ")[1].split(" Last")[0]
    assert "States before it: pair: frame held since 10, reader: WAIT or IDLE since 17." in text
    assert text.endswith("Last common events: 10 TX_QUEUE index 0 data 0x40; 13 TX_FETCH index 0 data 0x4; "
                         "17 TX_FILL index 0 data 0x0.")


def test_names_of_the_two_sides_and_empty_logs():
    empty = log([])
    assert compare(empty, empty, Kind, STATE_AFTER).off == 0
    result = compare(empty, log(GOLDEN[:1]), Kind, STATE_AFTER, names=("Verilator", "Icarus"))
    assert (result.compared, result.off, result.first_cycle) == (1, 1, 10)
    assert result.first.startswith("Icarus has TX_QUEUE index 0 data 0x40 in cycle 10, Verilator has no "
                                   "TX_QUEUE no. 0. States before it: reset.")
