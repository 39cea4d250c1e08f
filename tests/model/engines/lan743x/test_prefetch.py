"""Which entries are prefetched, and when (section 3)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.bus import BusTiming
from model.engines.lan743x.events import Kind
from tests.model.engines.lan743x.play import OWN, RX_RING, TX_RING, Bench, ethernet

CALM = settings(deadline=None, max_examples=40)


def prefetches(bench, ring=1):
    """(ring index, address, entries) of each."""
    return [(index, data & 0xFFFFFFFF, data >> 32)
            for _, index, data in bench.events(Kind.TX_PREFETCH, Kind.RX_PREFETCH, ring=ring)]


def test_request_grant_address_entries():
    """START in c, RUN and request in c+1, AR in c+2, n entries of four words from c+3 on."""
    bench = Bench()
    bench.receive_ring(tail=5, start=False)
    c = bench.write("DMAC_CMD", START_R=1)
    bench.run(60)
    assert bench.events(Kind.RX_PREFETCH, Kind.RX_DESC) == [
        (c + 2, 0, RX_RING | 5 << 32), (c + 2 + 20, 0, 5)]
    assert bench.get("DMAC_CMD", "START_R") == 1


@CALM
@given(ring=st.integers(2, 100), tail=st.integers(0, 100), threshold=st.integers(0, 31),
       stride=st.integers(0, 3), base=st.integers(0, 255))
def test_how_many_entries_a_prefetch_brings(ring, tail, threshold, stride, base):
    """Until as many are cached as wanted: by the bounds of the specification; one at a time if they are
    further apart than they are long."""
    bench = Bench()
    bench.write("DMAC_CFG", MAX_DSPACE=stride)
    bench.write("RX0_CFG_A", PF_THRES=threshold)
    bench.write("RX0_CFG_B", RING_LEN=ring)
    bench.write("RX0_BASE_L", RX_RING + 16 * base)
    bench.write("RX0_TAIL", INDEX=tail)
    bench.write("DMAC_CMD", START_R=1)
    bench.run(3000)
    size, expected, at, cached = 16 << stride, [], 0, 0
    while tail < ring and cached < max(threshold, 1) and at != tail:
        address = RX_RING + 16 * base + at * size
        in_page = sum(entry // 4096 == address // 4096 for entry in range(address, address + 256, 16))
        count = min(32 - cached, (tail - at) % ring, ring - at, 16, in_page) if stride == 0 else 1
        expected.append((at, address, count))
        at, cached = (at + count) % ring, cached + count
    assert prefetches(bench) == expected
    words = [last - first for first, last in zip(bench.cycles(Kind.RX_PREFETCH), bench.cycles(Kind.RX_DESC),
                                                 strict=True)]
    assert words == [4 * count for _, _, count in expected]


def test_the_next_request_can_be_in_the_cycle_after_the_last_word():
    bench = Bench()
    bench.receive_ring(ring=64, a={"PF_THRES": 31})
    bench.run(300)
    _, second = bench.cycles(Kind.RX_PREFETCH)
    assert second == bench.cycles(Kind.RX_DESC)[0] + 2
    assert prefetches(bench) == [(0, RX_RING, 16), (16, RX_RING + 0x100, 16)]


def test_a_raised_threshold_counts_from_the_next_cycle_on():
    bench = Bench()
    bench.receive_ring(ring=64, a={"PF_THRES": 2})
    bench.run(100)
    c = bench.write("RX0_CFG_A", PF_THRES=31)
    bench.run(60)
    assert bench.cycles(Kind.RX_PREFETCH)[1] == c + 2


@pytest.mark.parametrize("tail", [8, 9, 0xFFFF])
def test_a_tail_beyond_the_ring_brings_nothing(tail):
    bench = Bench()
    bench.receive_ring(ring=8, tail=tail)
    bench.run(100)
    assert prefetches(bench) == []
    bench.write("RX0_TAIL", INDEX=7)
    bench.run(100)
    assert prefetches(bench) == [(0, RX_RING, 7)]


def test_an_inclusive_tail_is_prefetched_once():
    bench = Bench(tail_inclusive=1)
    bench.receive_ring(tail=0)
    bench.run(60)
    assert prefetches(bench) == [(0, RX_RING, 1)]
    bench.write("RX0_TAIL", INDEX=0)
    bench.run(60)
    assert len(prefetches(bench)) == 1, "the index has not changed"
    bench.write("RX0_TAIL", INDEX=2)
    bench.run(60)
    assert prefetches(bench)[1:] == [(1, RX_RING + 16, 2)]
    bench.transmit_ring(ring=8)
    bench.outgoing(0)
    bench.run(60)
    assert prefetches(bench, ring=0) == [], "TX knows nothing of it"


def test_past_the_tail_the_ring_goes_round():
    bench = Bench(past_tail=1)
    bench.receive_ring(ring=8, tail=3, a={"PF_THRES": 4})
    bench.run(60)
    assert prefetches(bench) == [(0, RX_RING, 8)]


def test_entries_that_are_not_ours_block_until_the_tail_is_written():
    bench = Bench([ethernet()], gaps=40)
    bench.receive_ring(ring=8, own=0)
    bench.listen()
    bench.play()
    bench.run(300)
    (k, index, data0), = bench.events(Kind.RX_OWN)
    assert (index, data0 & OWN) == (0, 0)
    assert prefetches(bench) == [(0, RX_RING, 7)]
    assert bench.cycles(Kind.RX_STARVED) == [k + 1]
    for n in range(8):
        bench.entry(RX_RING + 16 * n, OWN | 1600, bench.buffer(n))
    c = bench.write("RX0_TAIL", INDEX=7)
    bench.run(100)
    assert prefetches(bench)[1:] == [(0, RX_RING, 7)] and bench.cycles(Kind.RX_PREFETCH)[1] == c + 2
    assert len(bench.cycles(Kind.RX_DONE)) == 1


@pytest.mark.parametrize(("after_grant", "again"), [(-1, False), (0, True), (1, True), (20, True)])
def test_a_tail_from_the_grant_on_means_that_it_is_looked_at_again(after_grant, again):
    """In the grant's own cycle the write wins."""
    def unowned():
        bench = Bench([ethernet()], gaps=40)
        bench.receive_ring(ring=8, own=0, start=False)
        bench.listen()
        bench.play()
        return bench, bench.write("DMAC_CMD", START_R=1)

    bench, c = unowned()
    w = c + 1
    bench.write("RX0_TAIL", INDEX=7, at=w + after_grant)
    bench.run(150)
    assert len(prefetches(bench)) == 1 + again


def test_a_prefetch_that_fails_stops_the_channel():
    bench = Bench(bus=BusTiming(outstanding=8, errors=frozenset({(5, False, 0)})))
    bench.transmit_ring()
    for n in range(3):
        bench.outgoing(n)
    bench.write("TX0_TAIL", INDEX=3)
    bench.run(60)
    (d, _, _), = bench.events(Kind.TX_DESC)
    assert bench.events(Kind.TX_ERROR) == [(d, 5, 0)]
    assert bench.events(Kind.TX_STOPPED) == [(d + 1, 0, 0)]
    assert (bench.get("DMAC_CMD", "START_T"), bench.get("DMAC_CMD", "STOP_T")) == (0, 1)
    bench.write("DMAC_CMD", START_T=1)
    bench.run(500)
    assert prefetches(bench, ring=0) == [(0, TX_RING, 3)] * 2
    assert len(bench.cycles(Kind.TX_DONE)) == 3
