"""Loader, FIFO and what goes onto the wire: docs/engines/lan743x.md, sections 3, 5.1 and 5.2, 1 to 4."""

import random
import zlib

import pytest

from tests.hdl.engines.lan743x.tx_bench import GAP_CYCLES, Event, TxBench, fcs, pattern

FIFO_WORDS = 8192


def bursts(addr: int, length: int, limit: int) -> list[tuple[int, int]]:
    """(address, bytes) of the bursts of a buffer: each ends at a multiple of `limit`, or at the end."""
    result, at = [], addr
    while at < addr + length:
        end = min(addr + length, (at // limit + 1) * limit)
        result.append((at, end - at))
        at = end
    return result


def fetches(bench: TxBench) -> list[tuple[int, int, int]]:
    """(frame, address, bytes) as the events have them."""
    return [(e.index, e.data & 0xFFFFFFFF, e.data >> 32) for e in bench.named("tx_fetch")]


def on_the_wire(data: bytes, flag: int = 1) -> bytes:
    padded = data.ljust(60, b"\0")
    return padded + fcs(padded) if flag else data


def check_frames(bench: TxBench, frames: list[bytes], flags: list[int], entries: list[int]) -> None:
    """Every frame has its t, SFD and F, and its bytes; nothing else was sent."""
    loaded: dict[int, int] = {}
    for event in bench.named("tx_fill"):
        loaded[event.index] = event.cycle
    free = 0
    for number, (data, flag) in enumerate(zip(frames, flags, strict=True)):
        t = max(free, loaded[number] + 1)
        wire = on_the_wire(data, flag)
        end = t + 8 + len(wire)
        before_fcs = wire[:-4] if flag else wire
        assert bench.wire[number] == (t, wire)
        assert bench.named("tx_sfd")[number] == Event(t + 7, "tx_sfd", number)
        assert bench.named("tx_done")[number] == Event(
            end, "tx_done", number, zlib.crc32(before_fcs) | len(before_fcs) << 32)
        assert bench.done[number] == (end, entries[number])
        assert bench.heads[number + 1] == (end + 1, sum(entries[:number + 1]) % bench.ring_len)
        free = end + GAP_CYCLES
    assert len(bench.wire) == len(frames)


def test_first_frame_cycle_by_cycle():
    bench = TxBench()
    data = bench.frame(pattern(60))
    w = bench.start(10)
    bench.run(200)
    a = w + 1
    d = a + 4  # four beats, the first in a + 1
    x = d + 1
    fetch = x + 2 + 1  # LOAD from x + 2, granted there
    fill = fetch + 15
    t = fill + 1
    assert bench.events == [
        Event(a, "tx_prefetch", 0, 0x1000 | 1 << 32), Event(d, "tx_desc", 0, 1),
        Event(fetch, "tx_fetch", 0, 0x8000 | 60 << 32), Event(fill, "tx_fill", 0),
        Event(t + 7, "tx_sfd", 0),
        Event(t + 8 + 64, "tx_done", 0, zlib.crc32(data) | 60 << 32),
    ]
    assert bench.wire == [(t, on_the_wire(data))]
    assert bench.pulses["cause"] == [t + 72] and bench.done == [(t + 72, 1)]


@pytest.mark.parametrize("burst_512", [0, 1])
@pytest.mark.parametrize("offset", [0, 1, 126, 511])
def test_bursts_end_at_multiples(burst_512, offset):
    bench = TxBench(burst_512=burst_512, latency=3)
    data = bench.frame(pattern(1300), offset=offset)
    bench.start()
    bench.run(3000, lambda b: len(b.wire) == 1)
    expected = bursts(0x8000 + offset, 1300, 512 if burst_512 else 128)
    assert fetches(bench) == [(0, *burst) for burst in expected]
    # Requested from w + 1 on, but the port is in its address phase then: a grant every other cycle.
    first = bench.cycles("tx_fetch")[0]
    assert bench.cycles("tx_fetch")[:8] == [first + 2 * n for n in range(min(8, len(expected)))]
    check_frames(bench, [data], [1], [1])


def test_reads_open_are_limited_by_the_tags():
    bench = TxBench(tags=2, burst_512=0, latency=20)
    bench.frame(pattern(512))
    bench.start()
    bench.run(400)
    fetched, filled = bench.cycles("tx_fetch"), bench.cycles("tx_fill")
    assert fetched[1] == fetched[0] + 2
    # Open up to d, so the next one is granted in d + 1, with its handshake in d + 2.
    assert fetched[2:] == [d + 2 for d in filled[:2]]


def test_frames_follow_each_other_after_the_gap():
    bench = TxBench()
    frames = [bench.frame(pattern(60, n), offset=n) for n in range(1, 9)]
    bench.start()
    bench.run(1000)
    check_frames(bench, frames, [1] * 8, [1] * 8)
    starts = [t for t, _ in bench.wire]
    assert starts == [starts[0] + 84 * n for n in range(8)]


def test_short_frames_with_and_without_fcs():
    bench = TxBench()
    sizes = [(1, 1), (5, 1), (59, 1), (60, 1), (61, 1), (1, 0), (2, 0), (59, 0), (64, 0), (70, 0)]
    frames = [bench.frame(pattern(size, 3 + n), offset=n % 4, flag=flag)
              for n, (size, flag) in enumerate(sizes)]
    bench.start()
    bench.run(1800)
    check_frames(bench, frames, [flag for _, flag in sizes], [1] * len(sizes))


def test_a_frame_of_many_buffers():
    bench = TxBench(latency=2)
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 33, 130]
    data = bench.frame(*(pattern(length, n + 1) for n, length in enumerate(lengths)), offset=2)
    follower = bench.frame(pattern(70))
    bench.start()
    bench.run(1200)
    check_frames(bench, [data, follower], [1, 1], [len(lengths), 1])


def test_entries_without_data_belong_to_the_frame():
    bench = TxBench()
    bench.put(0x18001, pattern(40))
    bench.put(0x19002, pattern(50, 9))
    bench.entry(0x18001, 40, FS=1, FCS=1, EXT=1)
    bench.entry(0, 1234, DTYPE=1)
    bench.entry(0x4000, 0)
    bench.entry(0x19002, 50, IOC=1)
    bench.entry(0x4000, 0, LS=1)
    follower = bench.frame(pattern(60, 5), ioc=0)
    w = bench.start()
    bench.run(600)
    check_frames(bench, [pattern(40) + pattern(50, 9), follower], [1, 1], [5, 1])
    assert bench.pulses["cause"] == [bench.done[0][0]]
    # 24 beats of descriptors; x, SETUP, LOAD; x, SETUP twice; then LOAD once more
    x = w + 1 + 24 + 1
    assert bench.cycles("tx_fetch")[:2] == [x + 3, x + 10]


def test_empty_frames_are_dropped_in_their_turn():
    bench = TxBench(txen=0)
    bench.entry(0x8000, 0, FS=1, LS=1, IOC=1, FCS=1)
    data = bench.frame(pattern(64))
    bench.entry(0x8000, 0, FS=1, FCS=1)
    bench.entry(0x8000, 0, DTYPE=1)
    bench.entry(0x8000, 0, LS=1, IOC=1)
    bench.start()
    bench.at(200, txen=1)
    bench.run(500)
    f = 201 + 8 + 68
    drop = f + GAP_CYCLES
    assert bench.named("tx_drop") == [Event(200, "tx_drop", 0), Event(drop, "tx_drop", 2)]
    assert bench.wire == [(201, on_the_wire(data))]
    assert bench.done == [(200, 1), (f, 1), (drop, 3)]
    assert bench.heads == [(0, 0), (201, 1), (f + 1, 2), (drop + 1, 5)]
    assert bench.pulses["cause"] == [f]
    assert [cycle for cycle, *_ in bench.counted] == [f]


def test_a_full_fifo_waits_for_a_frame_to_leave():
    bench = TxBench(txen=0)
    frames = [bench.frame(pattern(1514, n + 1)) for n in range(24)]
    bench.start()
    bench.at(10_000, txen=1)
    bench.run(14_500)
    words = (1514 + 3) // 4
    granted = [(a - 1, (size + 3) // 4) for a, (_, _, size) in zip(
        bench.cycles("tx_fetch"), fetches(bench), strict=True)]
    fitting, room = 0, FIFO_WORDS
    for size in [128, 128, 123] * 24:  # the bursts of a frame, in words
        if size > room:
            break
        fitting, room = fitting + 1, room - size
    assert sum(w < 10_000 for w, _ in granted) == fitting
    # `held` shrinks from F + 1, in which the next burst is granted
    ends = bench.cycles("tx_done")
    assert ends[0] == 10_000 + 8 + 1518
    assert next(w for w, _ in granted if w > 10_000) == ends[0] + 1
    for w, size in granted:
        held = sum(s for v, s in granted if v < w) - words * sum(end < w for end in ends)
        assert held + size <= FIFO_WORDS
    assert [data for _, data in bench.wire] == [on_the_wire(data) for data in frames[:len(bench.wire)]]


def test_a_burst_may_fill_the_fifo_to_the_last_word():
    bench = TxBench(txen=0)
    bench.entry(0x8000, 4 * FIFO_WORDS, FS=1, FCS=1, LS=1)
    bench.start()
    bench.run(9000)
    assert len(bench.named("tx_fill")) == FIFO_WORDS // 128


def test_any_entry_of_a_frame_may_ask_for_the_interrupt():
    for asking in range(4):
        bench = TxBench()
        for n in range(3):
            bench.entry(0x8000, 30, FS=int(n == 0), LS=int(n == 2), FCS=1, IOC=int(n == asking))
        bench.start()
        bench.run(200)
        assert bench.pulses["cause"] == ([bench.done[0][0]] if asking < 3 else [])


def test_ring_wraps():
    bench = TxBench(ring_len=4, stride=1)
    frames = []
    for lap in range(3):
        bench.when = 500 * lap
        frames += [bench.frame(pattern(60, 5 * lap + n)) for n in range(3)]
        bench.at(10 + bench.when, start=1, tail=bench.entries % 4)
    bench.run(1500)
    assert [data for _, data in bench.wire] == [on_the_wire(data) for data in frames]
    assert [head for _, head in bench.heads] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("seed", range(4))
def test_random_frames_on_a_bus_that_does_as_it_likes(seed):
    rng = random.Random(seed)
    bench = TxBench(latency=rng.choice([1, 8, 30]), rng=rng, tags=rng.choice([1, 2, 8]),
                    burst_512=rng.randrange(2), stride=rng.randrange(4))
    frames, flags, entries, expected = [], [], [], []
    while bench.entries < 40:
        parts = [pattern(rng.choice([1, 2, 3, 4, 7, 20, 64, 200]), rng.randrange(999))
                 for _ in range(rng.choice([1, 1, 2, 5]))]
        flags.append(rng.random() < 0.7)
        at, offset = bench._buffer_at, rng.randrange(400)
        frames.append(bench.frame(*parts, offset=offset, flag=int(flags[-1])))
        entries.append(len(parts))
        for n, part in enumerate(parts):
            expected += [(len(frames) - 1, *burst) for burst in bursts(
                at + offset + 3 * n, len(part), 512 if bench.settings["burst_512"] else 128)]
            at = (at + offset + 3 * n + len(part) + 1023) // 1024 * 1024
    bench.start()
    bench.run(20_000, lambda b: len(b.wire) == len(frames))
    assert fetches(bench) == expected
    assert [e.index for e in bench.named("tx_fill")] == [number for number, *_ in expected]
    assert not bench.named("tx_error")
    check_frames(bench, frames, flags, entries)
