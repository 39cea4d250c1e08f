"""The mover: its cycles, its entries, and the bytes that come into the buffers. Section 4.2."""

import random

import pytest

from tests.hdl.engines.lan743x.channel_bench import BUFFERS, OWN, ChannelBench, Event, payload

FS, LS, EXT = 1 << 31, 1 << 30, 1 << 14
START = 6


def started(*, entries: int = 4, length: int = 0x800, **settings) -> ChannelBench:
    """A channel that has its entries cached in cycle 60 at the latest."""
    bench = ChannelBench(**settings)
    for index in range(entries):
        bench.post(index, length=length)
    bench.at(START - 1, "tail", entries)
    bench.at(START, "start")
    return bench


def test_a_frame_takes_the_cycles_of_the_specification():
    bench = started()
    data = bench.frame(60, payload(70))
    bench.run(140)
    x = 61  # e+2
    k, m = x + 1, x + 2
    a = m + 3  # requested and granted in m+2
    d = a + 18 + 1
    wb = d + 2  # WB in d+1, granted there
    done = wb + 4 + 1
    assert bench.events[2:] == [
        Event(k, "rx_own", 0, 0x800 | OWN),
        Event(a, "rx_write", 0, BUFFERS | 70 << 32),
        Event(wb, "rx_wb", 0, FS | LS | 70 << 16 | 0x800),
        Event(done, "rx_done", 0, 70),
    ]
    assert bench.pulses == [(done, "entries_done"), (done, "cause")]
    assert bench.entry(0) == (FS | LS | 70 << 16 | 0x800, 0, 0, 0)
    assert bench.memory.data[BUFFERS:BUFFERS + 72] == data + bytes(2)
    # used grows from e+2 on, shrinks from d+1 on; HEAD moves with it
    assert [bench.used[c] for c in (60, 61, done, done + 1)] == [0, 18, 18, 0]
    assert [bench.head[c] for c in (done, done + 1)] == [0, 1]


def test_the_next_frame_is_taken_up_in_the_cycle_after_the_first_is_done():
    bench = started()
    bench.frame(60, payload(64))
    bench.frame(80, payload(65, 2))
    bench.run(200)
    assert bench.cycles("rx_own")[1] == bench.cycles("rx_done")[0] + 2
    assert [event.index for event in bench.named("rx_write")] == [0, 1]
    assert [event.index for event in bench.named("rx_own")] == [0, 1]


@pytest.mark.parametrize(("burst_512", "longest"), [(0, 128), (1, 512)])
@pytest.mark.parametrize("first", [BUFFERS, BUFFERS + 511, BUFFERS + 125])
def test_bursts_end_at_multiples_of_their_length(burst_512, longest, first):
    bench = ChannelBench(burst_512=burst_512)
    bench.post(0, first, 0x1000)
    bench.at(5, "tail", 1)
    bench.at(6, "start")
    data = bench.frame(400, payload(1518))
    bench.run(950)
    expected, at = [], first
    while at < first + 1518:
        until = min((at // longest + 1) * longest, first + 1518)
        expected.append((at, until - at))
        at = until
    bursts = bench.named("rx_write")
    assert [(event.data & 0xFFFFFFFF, event.data >> 32) for event in bursts] == expected
    # B in d, the next request in d+1, granted there, AW in d+2; after the last, WB's likewise
    addressed = [event.cycle for event in bursts] + bench.cycles("rx_wb")
    for (at, count), a, following in zip(expected, addressed, addressed[1:], strict=False):
        beats = (at % 4 + count + 3) // 4
        assert following == a + beats + 1 + 2
    assert bench.memory.data[first:first + 1518] == data
    assert not any(bench.memory.data[first - 4:first]) and not any(bench.memory.data[first + 1518:][:8])


@pytest.mark.parametrize("pad", [0, 2, 3])
def test_the_pad_is_charged_to_the_first_buffer_only(pad):
    bench = started(length=520, pad=pad)
    data = bench.frame(400, payload(1100))
    bench.run(800)
    split = [520 - pad, 520, 1100 - 1040 + pad]
    at = 0
    for index, (size, flags) in enumerate(zip(split, (FS, 0, LS | 1100 << 16), strict=True)):
        address = BUFFERS + 0x800 * index + (0 if index else pad)
        assert bench.memory.data[address:address + size] == data[at:at + size]
        assert bench.entry(index) == (flags | 520, 0, 0, 0)
        at += size
    assert len(bench.pulse_cycles("entries_done")) == 3
    assert bench.pulse_cycles("cause") == bench.cycles("rx_done") == bench.pulse_cycles("entries_done")[2:]
    # NEXT in d+1, CHECK in d+2
    assert bench.cycles("rx_own")[1:] == [c + 2 for c in bench.pulse_cycles("entries_done")[:2]]


@pytest.mark.parametrize("length", [0, 2])
def test_a_buffer_without_room_is_written_back_all_the_same(length):
    bench = started(pad=2)
    bench.post(0, length=length)
    data = bench.frame(60, payload(64))
    bench.run(200)
    k = 62
    assert bench.named("rx_wb")[0] == Event(k + 1 + 2 + 1, "rx_wb", 0, FS | length)  # WB from m+2
    assert bench.entry(1)[0] == LS | 64 << 16 | 0x800
    assert bench.memory.data[BUFFERS + 0x800:BUFFERS + 0x840] == data


def test_an_extension_entry_carries_the_time():
    bench = started(timestamps=1)
    bench.frame(60, payload(64), seconds=0x12345678, nanoseconds=0x3ABCDEF0)
    bench.at(64, "timestamps", 0)  # was looked at when the frame was taken up
    bench.run(200)
    k, first_d = 62, bench.pulse_cycles("entries_done")[0]
    wb = first_d + 4  # EXT in d+1, CHECK, WB, AW
    assert bench.cycles("rx_own") == [k, first_d + 2]
    assert bench.named("rx_wb") == [
        Event(first_d - 5, "rx_wb", 0, FS | LS | EXT | 64 << 16 | 0x800),
        Event(wb, "rx_wb", 1, EXT | 0x800 | 0x12345678 << 32),
    ]
    assert bench.entry(1) == (EXT | 0x800, 0x12345678, 0x3ABCDEF0, 0)
    assert bench.cycles("rx_done") == [wb + 5] == bench.pulse_cycles("cause")
    assert bench.pulse_cycles("entries_done") == [first_d, wb + 5]


def test_head_first():
    bench = started(head_wb_early=1)
    bench.frame(60, payload(64))
    bench.run(240)
    a = 61 + 5
    z = a + 16 + 1 + 1
    assert bench.pulse_cycles("entries_done") == [z]
    assert bench.head[z:z + 2] == [0, 1]
    assert bench.named("rx_wb") == [Event(z + 64 + 1, "rx_wb", 0, FS | LS | 64 << 16 | 0x800)]
    assert bench.cycles("rx_done") == bench.pulse_cycles("cause") == [z + 65 + 5]


def test_the_rest_of_the_buffer_is_zeros_if_the_whole_is_written():
    bench = started(write_whole_buffer=1, length=203, pad=3)
    bench.memory.data[BUFFERS:BUFFERS + 0x1000] = b"\xEE" * 0x1000
    for index in range(4):
        bench.post(index, BUFFERS + 0x400 * index + 1, 203)
    data = bench.frame(200, payload(270))
    bench.run(500)
    memory = bench.memory.data
    assert memory[BUFFERS:BUFFERS + 205] == b"\xEE" * 4 + data[:200] + b"\xEE"
    second = BUFFERS + 0x401
    assert memory[second - 1:second + 204] == b"\xEE" + data[200:] + bytes(133) + b"\xEE"
    assert sum(event.data >> 32 for event in bench.named("rx_write")) == 200 + 203


def test_every_third_frame_spills_into_one_more_buffer():
    bench = started(entries=7, extra_buffer=3, ring_len=16)
    frames = [bench.frame(200 + 60 * n, payload(64 + n, n)) for n in range(6)]
    bench.run(700)
    lengths = [(event.data >> 32) for event in bench.named("rx_write")]
    # the frames of numbers 2 and 5 take two buffers; the last frame's second one is not there
    assert lengths == [64, 65, 62, 4, 67, 68, 65]
    assert bench.entry(2)[0] == FS | 0x800 and bench.entry(3)[0] == LS | 66 << 16 | 0x800
    assert bench.memory.data[BUFFERS + 3 * 0x800:][:5] == frames[2][-4:] + b"\0"
    assert len(bench.cycles("rx_starved")) == 1


@pytest.mark.parametrize("rest", [4, 5])
def test_no_more_than_four_bytes_left_is_no_spill(rest):
    bench = started(entries=3, extra_buffer=1, length=100)
    bench.frame(100, payload(100 + rest))
    bench.run(400)
    assert [event.data >> 32 for event in bench.named("rx_write")] == ([100, 4] if rest == 4 else [100, 1, 4])


@pytest.mark.parametrize("seed", range(3))
def test_random_buffers_hold_the_frames(seed):
    """Buffers of any length at any byte, on a bus that pauses: bytes and entries."""
    rng = random.Random(seed)
    ring, pad = 28, rng.randrange(4)
    bench = ChannelBench(
        memory={"rng": random.Random(seed + 100), "write_latency": 2}, stride=rng.randrange(4), ring_len=ring,
        pad=pad, burst_512=seed % 2, write_whole_buffer=seed == 2, pf_thres=rng.randrange(20), tail=ring - 1)
    posted = []
    for index in range(ring - 1):
        address, length = 0x8000 + 0x400 * index + rng.randrange(64), rng.randrange(60, 200)
        posted.append((bench.post(index, address, length), length))
    bench.at(6, "start")
    frames, end = [], 40
    for number in range(4):
        size = rng.randrange(64, 400)
        end += 30 + size // 2
        frames.append(bench.frame(end, payload(size, seed * 10 + number)))
    bench.run(2200)
    index = 0
    for data in frames:
        at = 0
        while at < len(data):
            address, length = posted[index]
            lead = pad if at == 0 else 0
            part = data[at:at + length - lead]
            # what is not the frame's stays 0, or is written as 0
            around = bytes(lead) + part + bytes(length - lead - len(part) + 4)
            assert bench.memory.data[address:address + length + 4] == around
            last = at + len(part) == len(data)
            flags = (FS if at == 0 else 0) | ((LS | len(data) << 16) if last else 0)
            assert bench.entry(index) == (flags | length, 0, 0, 0)
            at, index = at + len(part), index + 1
    assert len(bench.cycles("rx_done")) == len(frames)
    assert len(bench.pulse_cycles("entries_done")) == index
