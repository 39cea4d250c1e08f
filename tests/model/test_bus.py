"""Timing of host memory: the hash, what is drawn in which order, and the cycles of a burst."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import frames
from model.bus import BusTiming, mix

CALM = settings(deadline=None, max_examples=80)


@CALM
@given(st.integers(0, 2**32 - 1))
def test_the_hash_can_be_undone(x):
    """Every step is a bijection of 32 bits, so none of them can have lost a bit: undo them one by one."""
    def unshift(value, shift):
        known = value
        for _ in range(32 // shift):
            known = value ^ known >> shift
        return known

    y = unshift(mix(x), 16)
    y = unshift(y * pow(0x846CA68B, -1, 2**32) % 2**32, 15)
    y = unshift(y * pow(0x7FEB352D, -1, 2**32) % 2**32, 16)
    assert y == x


@CALM
@given(st.integers(0, 2**40))
def test_the_hash_is_that_of_the_frames_contents(x):
    assert mix(x) == int(frames.mix(x))


@CALM
@given(st.integers(0, 2**32 - 1), st.integers(1, 50), st.lists(st.tuples(st.integers(0, 1), st.booleans()),
                                                               min_size=1, max_size=40))
def test_jitter_does_not_depend_on_who_else_is_served(seed, jitter, order):
    mixed = BusTiming(jitter=jitter, seed=seed)
    drawn = [mixed.draw(requester, write)[0] for requester, write in order]
    for who in set(order):
        alone = BusTiming(jitter=jitter, seed=seed)
        expected = [alone.draw(*who)[0] for _ in range(order.count(who))]
        assert [extra for extra, one in zip(drawn, order, strict=True) if one == who] == expected
        assert all(0 <= extra <= jitter for extra in expected)


def test_jitter_takes_every_value_and_differs_between_streams():
    streams = {}
    for requester in (0, 1):
        for write in (False, True):
            bus = BusTiming(jitter=7, seed=3)
            streams[requester, write] = tuple(bus.draw(requester, write)[0] for _ in range(400))
    assert len(set(streams.values())) == 4
    for extras in streams.values():
        assert set(extras) == set(range(8))
        assert all(25 <= extras.count(value) <= 80 for value in range(8)), "50 of each would be even"


@pytest.mark.parametrize(("latency", "a", "first"), [(0, 100, 101), (1, 100, 102), (20, 7, 28)])
def test_a_read(latency, a, first):
    assert BusTiming(read_latency=latency).read(0, a) == (first, False)


def test_reads_that_are_open_at_once_answer_in_order():
    """A burst waits for the R channel, not for the latency of the one before it."""
    bus = BusTiming(read_latency=10, outstanding=3)
    assert bus.read_in_order(0, 100, 4) == (111, 114, False)
    assert bus.read_in_order(1, 101, 4) == (115, 118, False)
    assert bus.read_in_order(0, 110, 1) == (121, 121, False)
    slow = BusTiming(read_latency=2, beat_interval=3, errors=frozenset({(5, False, 1)}))
    assert slow.read_in_order(5, 20, 3) == (23, 29, False)
    assert slow.read_in_order(5, 21, 2) == (30, 33, True)


@CALM
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 16)), min_size=1, max_size=30),
       st.integers(0, 20))
def test_the_channel_carries_one_beat_at_a_time(bursts, jitter):
    bus, alone = BusTiming(read_latency=4, jitter=jitter), BusTiming(read_latency=4, jitter=jitter)
    cycle, end = 0, -1
    for pause, beats in bursts:
        cycle += pause
        first, last, _ = bus.read_in_order(0, cycle, beats)
        due, _ = alone.read(0, cycle)
        assert first == (due if due > end else end + 1) and last == first + beats - 1
        end = last


@pytest.mark.parametrize(("latency", "interval", "beats", "last", "response"), [
    (0, 1, 1, 101, 102), (0, 1, 4, 104, 105), (0, 3, 4, 110, 111), (5, 1, 4, 104, 110), (2, 2, 1, 101, 104)])
def test_a_write(latency, interval, beats, last, response):
    """AW in 100: the beats from 101 on, the answer the cycle after the last, and the latency."""
    bus = BusTiming(write_latency=latency, beat_interval=interval)
    assert bus.write(1, 100, beats) == (last, response, False)


def test_jitter_delays_the_first_beat_and_the_answer():
    drawn = BusTiming(jitter=9, seed=5)
    extras = {write: [drawn.draw(0, write)[0] for _ in range(10)] for write in (False, True)}
    assert any(extras[False]) and any(extras[True])
    bus = BusTiming(read_latency=2, write_latency=3, jitter=9, seed=5)
    assert [bus.read(0, 50)[0] for _ in range(10)] == [53 + extra for extra in extras[False]]
    assert [bus.write(0, 50, 2)[:2] for _ in range(10)] == [(52, 56 + extra) for extra in extras[True]]


def test_errors_hit_the_burst_named_and_no_other():
    bus = BusTiming(errors=frozenset({(0, False, 2), (1, True, 0)}))
    assert [bus.read(0, 0)[1] for _ in range(4)] == [False, False, True, False]
    assert [bus.read(1, 0)[1] for _ in range(4)] == [False] * 4
    assert [bus.write(1, 0, 1)[2] for _ in range(2)] == [True, False]
