"""A receive channel as a whole: entries that are not the engine's, want of entries, stopping, resets and bus
errors. Sections 4.2 and 7."""

import pytest

from tests.hdl.engines.lan743x.channel_bench import BUFFERS, OWN, RING, ChannelBench, Event, payload

FS, LS = 1 << 31, 1 << 30
START = 6
PREFETCHED = START + 2  # AR of the first prefetch: requested and granted in START + 1


def desc(a: int, entries: int) -> int:
    """Cycle of the last beat of a prefetch addressed in a."""
    return a + 4 * entries


def started(*, tail: int = 4, entries: int = 8, length: int = 0x800, **settings) -> ChannelBench:
    bench = ChannelBench(tail=tail, **settings)
    for index in range(entries):
        bench.post(index, length=length)
    bench.at(START, "start")
    return bench


def prefetches(bench: ChannelBench) -> list[tuple[int, int, int]]:
    """(cycle, first, count) of each."""
    return [(event.cycle, event.index, event.data >> 32) for event in bench.named("rx_prefetch")]


def test_start_prefetches_up_to_the_tail():
    bench = started().run(80)
    beats = 4 * 4
    assert bench.events == [
        Event(PREFETCHED, "rx_prefetch", 0, RING | 4 << 32), Event(PREFETCHED + beats, "rx_desc", 0, 4),
    ]


def test_with_gaps_between_the_entries_it_prefetches_them_one_by_one():
    bench = started(stride=2).run(80)
    # last beat in d, so the next one is granted in d+1, with its address in d+2
    addressed = [PREFETCHED + 6 * n for n in range(4)]
    assert bench.events == [event for n, a in enumerate(addressed) for event in (
        Event(a, "rx_prefetch", n, RING + 64 * n | 1 << 32), Event(a + 4, "rx_desc", n, 1))]


def test_a_new_tail_is_seen_in_the_next_cycle_and_wraps():
    bench = started(tail=6)
    for n in range(5):
        bench.frame(60 + 40 * n, payload(64, n))
    bench.at(300, "tail", 2)
    bench.run(340)
    assert prefetches(bench) == [(PREFETCHED, 0, 6), (302, 6, 2), (302 + 8 + 2, 0, 2)]


def test_an_entry_of_the_drivers_blocks_the_channel_until_tail_is_written():
    bench = started()
    bench.post(1, own=False)
    bench.frame(60, payload(64))
    bench.frame(100, payload(64, 2))
    bench.at(200, "tail", 4)  # the same index will do
    bench.run(260)
    k = 102
    own = bench.named("rx_own")
    assert own[1] == Event(k, "rx_own", 1, 0x800)
    # the cache is empty and nothing may be prefetched in k+1
    assert bench.named("rx_starved")[0] == Event(k + 1, "rx_starved", 1)
    # entries 1 to 3 again, requested in 201; entry 1 is still the driver's: IDLE in d+1, CHECK in d+2
    assert prefetches(bench) == [(PREFETCHED, 0, 4), (202, 1, 3)]
    d = desc(202, 3)
    assert own[2:] == [Event(d + 2, "rx_own", 1, 0x800)]
    assert bench.cycles("rx_starved") == [k + 1, d + 3]


@pytest.mark.parametrize(("written", "again"), [
    (PREFETCHED - 2, False), (PREFETCHED - 1, True), (PREFETCHED, True), (60, True), (62, True), (63, True)])
def test_a_tail_written_since_the_last_prefetch_keeps_the_channel_going(written, again):
    """PREFETCHED - 1 is the cycle of the grant, 62 that of CHECK."""
    bench = started(tail=4)
    bench.post(0, own=False)
    bench.frame(60, payload(64))
    bench.at(written, "tail", 4)
    bench.run(78)  # before the entry is looked at again
    k = 62
    assert bench.cycles("rx_own")[0] == k
    if again:  # requested in k+1, AR in k+2; or, written in k+1 only: one later
        assert prefetches(bench)[1:] == [(max(written, k) + 2, 0, 4)]
        assert bench.cycles("rx_starved") == ([] if written <= k else [k + 1])
    else:
        assert prefetches(bench)[1:] == [] and bench.cycles("rx_starved") == [k + 1]


def test_what_a_prefetch_under_way_brings_is_thrown_away():
    bench = started(tail=5, pf_thres=1, memory={"read_latency": 20}, ring_len=16)
    bench.post(0, own=False)
    bench.at(40, "tail", 7)
    bench.frame(60, payload(64))
    bench.run(150)
    # five entries are cached by 48; the next prefetch needs an empty cache, so CHECK in 62 finds none under
    # way, and TAIL, written since, lets it start
    assert prefetches(bench) == [(PREFETCHED, 0, 5), (64, 0, 7)]
    bench = started(tail=1, pf_thres=2, memory={"read_latency": 20}, ring_len=16)
    bench.post(0, own=False)
    bench.at(59, "tail", 5)  # a prefetch of entries 1 to 4 is requested in 60, in the cache in 98
    bench.frame(60, payload(64))
    bench.run(190)
    d = 61 + 20 + 16
    assert bench.named("rx_desc")[1] == Event(d, "rx_desc", 1, 4)
    # CHECK in 62 threw it away; TAIL was not written after its grant: the channel is blocked
    assert prefetches(bench) == [(PREFETCHED, 0, 1), (61, 1, 4)]
    assert bench.cycles("rx_own") == [62] and bench.cycles("rx_starved") == [d + 1]


def test_starving_is_said_once_for_each_entry_taken():
    bench = started(tail=1, length=40)
    bench.frame(60, payload(100))
    bench.at(200, "tail", 2)
    bench.at(300, "tail", 3)
    data = bench.run(400)
    first, second, third = bench.pulse_cycles("entries_done")
    assert bench.named("rx_starved") == [
        Event(first + 1, "rx_starved", 1), Event(second + 1, "rx_starved", 2)]
    assert bench.cycles("rx_own")[1:] == [desc(202, 1) + 2, desc(302, 1) + 2]
    assert bench.cycles("rx_done") == [third] and data.head[-1] == 3


def test_past_tail_goes_by_own_alone():
    bench = started(tail=0, entries=3, past_tail=1)
    for n in range(4):
        bench.frame(80 + 60 * n, payload(64, n))
    bench.run(400)
    assert prefetches(bench)[0] == (PREFETCHED, 0, 8)
    assert [event.data & OWN for event in bench.named("rx_own")] == [OWN] * 3 + [0]
    assert bench.head[-1] == 3


def test_stop_when_idle():
    bench = started()
    bench.at(50, "stop")
    bench.frame(60, payload(64))
    bench.at(100, "start")
    bench.run(160)
    assert bench.named("rx_stopped") == [Event(51, "rx_stopped", 0)] and bench.pulses[0] == (51, "stopped")
    # the cache was emptied; the frame waited
    assert prefetches(bench) == [(PREFETCHED, 0, 4), (102, 0, 4)]
    assert bench.cycles("rx_own") == [desc(102, 4) + 2] and len(bench.cycles("rx_done")) == 1


def test_stop_waits_for_the_prefetch():
    bench = started(memory={"read_latency": 30})
    bench.at(12, "stop")
    bench.run(80)
    assert bench.cycles("rx_stopped") == [desc(PREFETCHED + 30, 4) + 1]


@pytest.mark.parametrize("entries", [2, 3])
def test_stop_in_the_midst_of_a_frame(entries):
    """With an entry cached the frame goes on; without one it is begun afresh when the channel is started."""
    bench = started(tail=entries, length=40)
    data = bench.frame(60, payload(110))
    bench.at(66, "stop")
    bench.at(200, "start")
    bench.at(210, "tail", 6)
    bench.run(420)
    done = bench.pulse_cycles("entries_done")
    if entries == 3:
        assert bench.cycles("rx_stopped") == [bench.cycles("rx_done")[0] + 1]
        return
    assert bench.named("rx_stopped") == [Event(done[1] + 1, "rx_stopped", 2)]
    assert [event.data & (FS | LS) for event in bench.named("rx_wb")] == [FS, 0, FS, 0, LS]
    assert {event.index for event in bench.named("rx_write")} == {0}
    memory = bench.memory.data
    assert b"".join(memory[BUFFERS + 0x800 * n:][:40] for n in (2, 3, 4)) == data + bytes(10)
    assert bench.named("rx_done")[0].index == 0 and bench.used[-1] == 0


def test_a_channel_that_is_not_started_takes_nothing():
    bench = ChannelBench(tail=4)
    bench.post(0)
    bench.frame(60, payload(64))
    assert bench.run(100).events == []


@pytest.mark.parametrize("reset", [70, 30])
def test_swr_waits_for_open_accesses_and_then_everything_is_initial(reset):
    bench = started(memory={"write_latency": 40}, length=64)
    data = bench.frame(60, payload(100))
    bench.at(reset, "reset")
    bench.at(150, "tail", 3)
    bench.at(152, "start")
    bench.run(420)
    a = 66  # of the first burst
    x = {70: a + 16 + 41 + 1, 30: 31}[reset]
    assert bench.pulse_cycles("was_reset") == [x] and bench.head[x + 1] == 0
    assert bench.cycles("rx_write")[:1] == ([a] if reset == 70 else [desc(154, 3) + 6])
    assert prefetches(bench) == [(PREFETCHED, 0, 4), (154, 0, 3)]
    assert bench.used[x] == bench.used[x + 1] == (25 if reset == 70 else 0)
    # the frame is begun afresh
    assert bench.cycles("rx_own")[-2] == desc(154, 3) + 2
    assert bench.memory.data[BUFFERS:BUFFERS + 64] + bench.memory.data[BUFFERS + 0x800:][:36] == data
    assert len(bench.cycles("rx_done")) == 1 and bench.named("rx_done")[0].index == 0


def test_a_failed_write_stops_the_channel_at_once():
    bench = started(memory={"errors": [(0, True, 0)]})
    data = bench.frame(60, payload(64))
    bench.at(150, "start")
    bench.run(260)
    d = 66 + 17
    assert sorted(bench.events[4:6]) == [Event(d, "rx_error", 0), Event(d, "rx_stopped", 0)]
    assert prefetches(bench)[1:] == [(152, 0, 4)]
    assert [event.index for event in bench.named("rx_write")] == [0, 0]
    assert bench.memory.data[BUFFERS:BUFFERS + 64] == data and len(bench.cycles("rx_done")) == 1


@pytest.mark.parametrize("early", [0, 1])
def test_a_failed_write_of_an_entry(early):
    bench = started(memory={"errors": [(0, True, 1)]}, head_wb_early=early)
    bench.frame(60, payload(64))
    bench.at(250, "start")
    bench.run(420)
    assert [event.index for event in bench.named("rx_stopped")] == [early]
    assert prefetches(bench)[1:] == [(252, early, 4 - early)]
    assert [event.index for event in bench.named("rx_wb")] == [0, early]


def test_a_failed_prefetch_makes_the_channel_stop():
    bench = started(memory={"errors": [(0, False, 0)]})
    bench.at(100, "start")
    bench.run(140)
    d = desc(PREFETCHED, 4)
    assert bench.named("rx_desc")[0] == Event(d, "rx_desc", 0, 4)
    assert bench.named("rx_error") == [Event(d, "rx_error", 0)] and (d, "fail") in bench.pulses
    assert bench.named("rx_stopped") == [Event(d + 1, "rx_stopped", 0)]
    assert prefetches(bench)[1:] == [(102, 0, 4)]
