"""The link's arithmetic: the formulas of docs/link.md by hand for a small case, what must hold for any."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.errors import BenchError
from model.link import UNITS, Link, LinkTiming

CLOCK_HZ = 125_000_000
CALM = settings(deadline=None, max_examples=80)
BYTE_NS = 4
"""At 2.5 GT/s and 8b/10b: 250 bytes a microsecond, less the share of DLLPs and SKP."""


def cycle_from(units):
    return -(-units // UNITS)


def test_a_byte_of_gen_1_x1():
    share = 1 - 8 / 237 - 8 / 237 - 4 / 1538
    assert LinkTiming().share() == pytest.approx(share)
    assert LinkTiming().byte_units(CLOCK_HZ) == round(UNITS * (BYTE_NS / 8) / share)
    # 232.5 Mbyte/s
    assert UNITS * CLOCK_HZ / LinkTiming().byte_units(CLOCK_HZ) == pytest.approx(232.5e6, rel=1e-3)


def test_wider_and_faster():
    x8 = LinkTiming(generation=2, lanes=8, mps_bytes=256)
    assert x8.share() == pytest.approx(1 - 16 / 158 - 4 / 1538)
    assert x8.raw_bytes_per_s() == 16 * LinkTiming().raw_bytes_per_s() == 4e9


@pytest.mark.parametrize("what", [{"lanes": 3}, {"generation": 3}, {"mps_bytes": 64}])
def test_links_without_a_known_limit_are_refused(what):
    with pytest.raises(BenchError, match="generation, mps, lanes"):
        LinkTiming(**what).share()


def test_times_in_cycles():
    numbers = LinkTiming().numbers(CLOCK_HZ)
    assert [numbers[name] for name in ("up_latency", "down_latency", "memory_latency", "credit_return")] == [
        19, 19, 31, 12], "150, 150, 250 and 100 ns of 8 ns, to the nearest"
    assert LinkTiming(up_latency_ns=1).numbers(CLOCK_HZ)["up_latency"] == 1, "at least one"
    assert numbers["posted_room_units"] == 512 * numbers["byte_units"]


UNIT = LinkTiming().byte_units(CLOCK_HZ)
UP, DOWN, MEMORY, RETURN = 19, 19, 31, 12


def test_a_write_read_and_register_access_by_hand():
    """Frame of 200 bytes, last beat in cycle 100; a read of 600 bytes from 0x1003 asked for in 101; a
    register read and written in 90, and a register's value that goes back with the stamp 131."""
    link = Link(LinkTiming(), CLOCK_HZ)
    first = 101 * UNITS + (24 + 128) * UNIT
    second = first + (24 + 72) * UNIT
    visible, reply = link.write(100, 200)
    assert (visible, reply) == (cycle_from(second) + UP, 102), "less than 512 bytes wait: B at once"
    # two MRd behind it: 512 and 88
    requests = second + 2 * 24 * UNIT
    fetch = link.read(101, 600)
    assert fetch == cycle_from(requests) + UP + MEMORY
    # register access on the way down, long before the answers
    assert link.register_access(90, False) == cycle_from(91 * UNITS + 24 * UNIT) + DOWN
    assert link.register_access(91, True) == cycle_from(91 * UNITS + 24 * UNIT + 28 * UNIT) + DOWN
    # 0x1000..0x1257 touches ten blocks of 64
    answers = fetch * UNITS + (600 + 10 * 20) * UNIT
    assert link.complete(fetch, 0x1003, 600) == cycle_from(answers) + DOWN
    assert link.register_completion(131) == cycle_from(max(132 * UNITS, requests) + 24 * UNIT) + UP
    assert link.up_busy_units == (24 + 128 + 24 + 72 + 2 * 24 + 24) * UNIT
    assert link.down_busy_units == (24 + 28 + 800) * UNIT


def test_b_waits_until_no_more_than_the_room_waits_for_the_wire():
    link = Link(LinkTiming(posted_headers=1000, posted_data=1000), CLOCK_HZ)
    end = 11 * UNITS
    replies = []
    for _ in range(6):
        _, reply = link.write(10, 128)
        end += 152 * UNIT
        replies.append(reply)
        assert reply == max(12, cycle_from(end - 512 * UNIT))
    assert replies[:3] == [12, 12, 12] and replies[3] > 12


def test_a_write_waits_for_its_header_credit():
    """One header: the second TLP starts when the first one's has come back."""
    link = Link(LinkTiming(posted_headers=1), CLOCK_HZ)
    visible, _ = link.write(0, 128)
    assert visible == cycle_from(UNITS + 152 * UNIT) + UP
    back = visible + RETURN
    assert link.write(1, 4)[0] == cycle_from(back * UNITS + 28 * UNIT) + UP


def test_a_write_waits_for_its_data_credits():
    """Nine units of 16 bytes: 128 bytes take eight, the next four bytes one, the ones after wait."""
    link = Link(LinkTiming(posted_data=9), CLOCK_HZ)
    first, _ = link.write(0, 128)
    second, _ = link.write(0, 4)
    assert second == cycle_from(UNITS + (152 + 28) * UNIT) + UP
    third, _ = link.write(0, 4)
    assert third == cycle_from((first + RETURN) * UNITS + 28 * UNIT) + UP


def test_reads_wait_for_their_own_credits_and_hold_up_what_is_behind():
    link = Link(LinkTiming(nonposted_headers=1), CLOCK_HZ)
    first = link.read(0, 4)
    back = (first + RETURN) * UNITS
    second = link.read(1, 4)
    assert second == cycle_from(back + 24 * UNIT) + UP + MEMORY
    visible, _ = link.write(2, 4)
    assert visible == cycle_from(back + 24 * UNIT + 28 * UNIT) + UP, "nothing overtakes"


def test_memory_is_not_read_before_the_read_before():
    link = Link(LinkTiming(), CLOCK_HZ)
    first = link.read(0, 4, jitter_cycles=50)
    assert link.read(1, 4) == first and link.read(first, 4) > first


TIMINGS = st.builds(LinkTiming, generation=st.sampled_from([1, 2]), lanes=st.sampled_from([1, 2, 4, 8, 16]),
                    mps_bytes=st.sampled_from([128, 256, 512]), mrrs_bytes=st.sampled_from([128, 256, 512]),
                    rcb_bytes=st.sampled_from([64, 128]), memory_latency_ns=st.integers(0, 900),
                    up_latency_ns=st.integers(0, 400), credit_return_ns=st.integers(0, 400),
                    posted_headers=st.integers(1, 12), posted_data=st.integers(32, 80),
                    nonposted_headers=st.integers(1, 6), posted_room_bytes=st.sampled_from([0, 128, 512]))
OFFERS = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["write", "read", "completion", "access"]),
                            st.integers(1, 512), st.integers(0, 30)), min_size=1, max_size=40)


class Watched(Link):
    """Keeps when each TLP occupies the row up and how many credits are out, and checks the latter."""

    def __init__(self, timing):
        super().__init__(timing, CLOCK_HZ)
        self.up, self.down = [], []
        self.pools = (self._headers, self._data, self._requests)

    def _up(self, start, wire_bytes):
        end = super()._up(start, wire_bytes)
        self.up.append((start, end))
        return end

    def _down(self, earliest, wire_bytes):
        cycle = super()._down(earliest, wire_bytes)
        self.down.append((self._down_free - wire_bytes * self.byte_units, self._down_free, earliest))
        return cycle


@CALM
@given(TIMINGS, OFFERS)
def test_rows_never_overlap_writes_stay_in_order_and_credits_are_never_overdrawn(timing, offers):
    link, stamp = Watched(timing), 0
    room = timing.posted_room_bytes * link.byte_units
    last_visible = last_fetch = last_access = -1
    for later, what, size, jitter in offers:
        stamp += later
        before = len(link.up)
        if what == "write":
            visible, reply = link.write(stamp, size)
            assert visible > last_visible and visible >= cycle_from(link.up[-1][1]) + 1
            assert reply >= stamp + 2 and reply * UNITS >= link.up[-1][1] - room
            assert reply == stamp + 2 or (reply - 1) * UNITS < link.up[-1][1] - room, "and not later"
            assert len(link.up) - before == -(-size // timing.mps_bytes)
            last_visible = visible
        elif what == "read":
            fetch = link.read(stamp, size, jitter)
            assert fetch >= last_fetch and fetch > stamp
            assert len(link.up) - before == -(-size // timing.mrrs_bytes)
            assert link.complete(fetch, 4 * jitter, size) > fetch
            last_fetch = fetch
        elif what == "completion":
            assert link.register_completion(stamp) > stamp
        else:
            access = link.register_access(max(stamp, last_fetch), True)
            assert access >= last_access
            last_access = access
        for start, _ in link.up[before:]:
            assert start >= (stamp + 1) * UNITS
        for pool in link.pools:
            assert 0 <= pool.free <= pool.limit
            assert pool.free + sum(count for _, count in pool._returns) == pool.limit
    for row in (link.up, [(start, end) for start, end, _ in link.down]):
        assert all(end <= start for (_, end), (start, _) in pairwise(row))
    assert all(start >= earliest for start, _, earliest in link.down)
    assert link.up_busy_units == sum(end - start for start, end in link.up)


@CALM
@given(TIMINGS, st.lists(st.integers(1, 512), min_size=1, max_size=30))
def test_credits_in_flight_are_never_more_than_there_are(timing, sizes):
    """Counted from the outside: TLPs whose start lies before another's and whose return lies behind it."""
    link = Watched(timing)
    flights = []
    for n, size in enumerate(sizes):
        before = len(link.up)
        link.write(n, size)
        left = size
        for start, end in link.up[before:]:
            units = -(-min(left, timing.mps_bytes) // 16)
            left -= timing.mps_bytes
            flights.append((start, (cycle_from(end) + link.up_latency + link.credit_return) * UNITS, units))
    for start, _, _ in flights:
        out = [units for begin, back, units in flights if begin <= start < back]
        assert len(out) <= timing.posted_headers and sum(out) <= timing.posted_data
