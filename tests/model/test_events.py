"""The event log: every event once, in one order, as the C library writes it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from model.events import EVENT, EventLog, ordered

EVENTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5), st.integers(0, 2), st.integers(0, 3),
                            st.integers(0, 2**64 - 1)), max_size=30)


def test_the_record_is_24_bytes_without_gaps():
    assert EVENT.itemsize == 24 == sum(EVENT[name].itemsize for name in EVENT.names)
    assert [EVENT.fields[name][1] for name in EVENT.names] == [0, 8, 10, 12, 16]


@settings(deadline=None, max_examples=60)
@given(EVENTS, st.integers(0, 60))
def test_the_log_is_sorted_and_ends_where_it_is_told(events, end):
    log = EventLog()
    for event in events:
        log.add(event)
    assert log.array().tolist() == sorted(events)
    assert log.array(end).tolist() == sorted(event for event in events if event[0] < end)


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_ordered_is_a_copy(events):
    given_in = np.array(events, EVENT)
    before = given_in.copy()
    assert ordered(given_in).tolist() == sorted(events)
    assert (given_in == before).all()
