"""Stop, reset and bus errors of the transmit channel: docs/engines/lan743x.md, sections 3, 5.1, 4 and 7."""

import pytest

from hdl.engines.lan743x.tx_channel import DATA_ID, DESCRIPTOR_ID
from tests.hdl.engines.lan743x.test_tx_load import on_the_wire
from tests.hdl.engines.lan743x.tx_bench import GAP_CYCLES, RING, Event, TxBench, pattern


def test_stop_with_nothing_to_do():
    bench = TxBench()
    bench.start(10)
    bench.at(50, stop=1)
    bench.run(80)
    assert bench.named("tx_stopped") == [Event(51, "tx_stopped", 0)]
    assert bench.states == [(1, "initial"), (11, "running"), (51, "pending"), (52, "stopped")]


def test_stop_waits_for_the_frames_that_are_loaded():
    bench = TxBench(txen=0)
    frames = [bench.frame(pattern(60, n)) for n in (1, 2)]
    bench.start(10)
    bench.at(100, stop=1)
    bench.at(200, txen=1)
    bench.run(500)
    ends = bench.cycles("tx_done")
    assert ends == [200 + 72, 200 + 72 + GAP_CYCLES + 72]
    assert bench.named("tx_stopped") == [Event(ends[1] + 1, "tx_stopped", 2)]
    assert [data for _, data in bench.wire] == [on_the_wire(data) for data in frames]


def test_stop_keeps_what_is_cached_for_later():
    """Entries that were prefetched and not taken are prefetched again after the next START."""
    bench = TxBench(txen=0)
    bench.frame(pattern(60, 1))
    second = bench.frame(pattern(60, 2))
    w = bench.start(10)
    taken = w + 1 + 8 + 1
    bench.at(taken, stop=1)  # the first entry is taken in this cycle, the second never
    bench.at(200, txen=1)
    bench.at(400, start=1)
    bench.run(600)
    stopped = 200 + 72 + 1
    assert bench.named("tx_stopped") == [Event(stopped, "tx_stopped", 1)]
    assert bench.named("tx_prefetch")[1] == Event(402, "tx_prefetch", 1, RING + 16 | 1 << 32)
    assert bench.wire[1][1] == on_the_wire(second) and len(bench.wire) == 2


def test_stop_in_the_midst_throws_the_part_away():
    bench = TxBench()
    whole = bench.frame(pattern(60, 1))
    split = bench.frame(pattern(100, 2), pattern(80, 3))
    bench.at(10, start=1, tail=2)  # the second part of the second frame is not handed over
    bench.at(40, stop=1)
    bench.at(300, start=1)
    bench.at(310, tail=3)
    bench.run(800)
    end = bench.cycles("tx_done")[0]
    # No frame loaded and nothing being sent: not before the first frame has left.
    assert bench.named("tx_stopped") == [Event(end + 1, "tx_stopped", 1)]
    assert [e.index for e in bench.named("tx_prefetch")] == [0, 1, 2]
    assert bench.named("tx_prefetch")[1].cycle == 302
    # Number 1 is used up.
    assert [e.index for e in bench.named("tx_done")] == [0, 2]
    assert [data for _, data in bench.wire] == [on_the_wire(whole), on_the_wire(split)]
    assert [count for _, count in bench.done] == [1, 2]


def test_stop_in_the_midst_goes_on_while_entries_are_cached():
    bench = TxBench()
    data = bench.frame(pattern(60, 1), pattern(50, 2))
    bench.frame(pattern(60, 3))
    w = bench.start(10)
    bench.at(w + 1 + 12 + 1, stop=1)  # x of the first entry
    bench.run(400)
    assert [sent for _, sent in bench.wire] == [on_the_wire(data)]
    assert bench.named("tx_stopped") == [Event(bench.cycles("tx_done")[0] + 1, "tx_stopped", 2)]


def test_stop_in_the_midst_takes_the_entries_that_are_cached():
    """Between two entries without data nothing is under way, and all the same the frame is not given up."""
    bench = TxBench()
    bench.entry(0x8000, 0, FS=1, FCS=1)
    bench.entry(0, 0, DTYPE=1)
    bench.put(0x8000, pattern(70))
    bench.entry(0x8000, 70, LS=1)
    w = bench.start(10)
    bench.at(w + 1 + 12 + 1, stop=1)  # x of the first entry
    bench.run(300)
    assert [data for _, data in bench.wire] == [on_the_wire(pattern(70))]
    assert bench.named("tx_stopped") == [Event(bench.cycles("tx_done")[0] + 1, "tx_stopped", 3)]


def test_thrown_away_words_make_room():
    """More than half of the FIFO, twice."""
    bench = TxBench(txen=0)
    bench.entry(0x8000, 20_000, FS=1, FCS=1)
    for start in (10, 5500):
        bench.at(start, start=1, tail=1)
        bench.at(start + 5400, stop=1)
    bench.run(10_950)
    assert bench.named("tx_stopped") == [Event(start + 5401, "tx_stopped", 0) for start in (10, 5500)]
    for lap in range(2):
        fetched = [e.data >> 32 for e in bench.named("tx_fetch") if e.index == lap]
        assert sum(fetched) == 20_000


@pytest.mark.parametrize("when", range(11, 60, 3))
def test_reset_waits_for_reads_and_starts_over(when):
    bench = TxBench(latency=6)
    data = bench.frame(pattern(60, 1), pattern(70, 2))
    bench.start(10)
    bench.at(when, swr=1)
    bench.at(400, start=1)
    bench.at(402, tail=2)
    bench.run(800)
    early = [e for e in bench.events if e.cycle < 400 and e.name != "tx_sfd"]
    assert not any(e.name in ("tx_fetch", "tx_prefetch") and e.cycle > when + 1 for e in early)
    opened = sum(e.name in ("tx_fetch", "tx_prefetch") for e in early)
    closed = [e.cycle for e in early if e.name in ("tx_fill", "tx_desc")]
    assert len(closed) == opened
    effect = max([when + 1, *(d + 1 for d in closed)])
    assert bench.pulses["was_reset"] == [effect]
    assert (effect + 1, "initial") in bench.states or when < 11
    assert bench.named("tx_prefetch")[-1].index == 0
    assert [sent for _, sent in bench.wire] == [on_the_wire(data)]
    assert bench.heads == [(0, 0), (bench.done[0][0] + 1, 2)]


def test_reset_lets_the_frame_on_the_wire_end():
    bench = TxBench()
    first = bench.frame(pattern(60, 1))
    bench.frame(pattern(60, 2))
    bench.start(10)
    bench.at(80, swr=1)
    bench.run(300)
    end = bench.cycles("tx_done")[0]
    assert end > 80 and bench.pulses["was_reset"] == [end + 1]
    assert [sent for _, sent in bench.wire] == [on_the_wire(first)]
    assert bench.heads == [(0, 0), (end + 1, 1), (end + 2, 0)]


def test_reset_empties_the_fifo():
    bench = TxBench(txen=0)
    bench.frame(pattern(60, 1))
    bench.start(10)
    bench.at(100, swr=1, fct_reset=1)
    bench.at(110, txen=1)
    bench.run(200)
    assert bench.pulses["was_reset"] == [101] and bench.wire == []
    assert bench.pulses["fct_was_reset"] == list(range(102, 200))


def test_fct_reset_waits_until_the_fifo_holds_nothing():
    bench = TxBench()
    bench.frame(pattern(60, 1))
    bench.start(10)
    bench.at(60, fct_reset=1)
    bench.run(200)
    assert bench.pulses["fct_was_reset"][0] == bench.cycles("tx_done")[0] + 1


@pytest.mark.parametrize("part", range(3))
def test_a_frame_with_a_bus_error_is_dropped(part):
    bench = TxBench(errors=[(DATA_ID, 1 + part)], burst_512=0)
    first = bench.frame(pattern(100, 1))
    bench.frame(pattern(100, 2), pattern(200, 3))
    third = bench.frame(pattern(90, 4))
    bench.start(10)
    bench.run(500)
    fill = bench.named("tx_fill")[1 + part]
    assert bench.named("tx_error") == [Event(fill.cycle, "tx_error", DATA_ID)]
    assert bench.pulses["fail"] == [fill.cycle] and (fill.cycle + 1, "pending") in bench.states
    free = bench.cycles("tx_done")[0] + GAP_CYCLES
    assert bench.named("tx_drop") == [Event(free, "tx_drop", 1)]
    assert (free, 2) in bench.done and free not in bench.pulses["cause"]
    assert [data for _, data in bench.wire] == [on_the_wire(first), on_the_wire(third)]
    # The third frame's entry was in the loader already when the burst failed.
    assert bench.wire[1][0] == free + 1
    assert bench.named("tx_stopped") == [Event(bench.cycles("tx_done")[1] + 1, "tx_stopped", 4)]


def test_only_the_frame_with_the_error_is_dropped():
    """Reads of several frames are open when one of them fails."""
    bench = TxBench(errors=[(DATA_ID, 2), (DATA_ID, 4)], latency=40)
    frames = [bench.frame(pattern(64, n)) for n in range(6)]
    bench.start(10)
    bench.run(1200)
    assert [e.index for e in bench.named("tx_drop")] == [2, 4]
    assert [e.index for e in bench.named("tx_done")] == [0, 1, 3, 5]
    assert [data for _, data in bench.wire] == [on_the_wire(frames[n]) for n in (0, 1, 3, 5)]
    assert len(bench.named("tx_error")) == 2
    assert [count for _, count in bench.done] == [1] * 6


def test_a_failed_prefetch():
    bench = TxBench(errors=[(DESCRIPTOR_ID, 0)])
    data = bench.frame(pattern(64))
    w = bench.start(10)
    bench.at(100, start=1)
    bench.run(300)
    d = w + 1 + 4
    assert bench.events[:4] == [
        Event(w + 1, "tx_prefetch", 0, RING | 1 << 32), Event(d, "tx_desc", 0, 1),
        Event(d, "tx_error", DESCRIPTOR_ID), Event(d + 1, "tx_stopped", 0)]
    assert bench.named("tx_prefetch")[1] == Event(102, "tx_prefetch", 0, RING | 1 << 32)
    assert [sent for _, sent in bench.wire] == [on_the_wire(data)]
