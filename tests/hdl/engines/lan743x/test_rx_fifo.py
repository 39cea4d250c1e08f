"""The FIFO of a receive channel: room, what is committed, and its reset. Sections 4.1 and 7."""

import pytest

from hdl.engines.lan743x.rx_fifo import RxFifo
from tests.hdl.engines.lan743x.channel_bench import BUFFERS, ChannelBench, Event, payload

START = 6


def started(entries: int = 6, **settings) -> ChannelBench:
    bench = ChannelBench(tail=entries, **settings)
    for index in range(entries):
        bench.post(index)
    bench.at(START, "start")
    return bench


@pytest.mark.parametrize(("capacity", "size", "lost"), [
    (40, 96, False), (40, 97, True), (39, 96, True), (39, 93, True), (39, 92, False)])
def test_a_frame_is_lost_if_any_word_finds_no_room(capacity, size, lost):
    """Without a channel at work, 16 words of a frame before are in it. A part word takes the room of one."""
    bench = ChannelBench(capacity=capacity)
    bench.frame(60, payload(64))
    bench.frame(120, payload(size, 2))
    bench.frame(140, payload(64, 3))
    bench.run(150)
    assert bench.drops == [(60, False, False), (120, False, lost), (140, False, (not lost) or capacity < 32)]
    assert bench.used[121] == 16 + (0 if lost else (size + 3) // 4)


def test_frames_and_their_records_wrap_in_the_memory():
    """More words than the memory has, and of frames that were lost in between nothing is left."""
    bench = started()
    sizes = (1400, 1200, 1500, 1388)
    frames = [bench.frame(400 + 420 * n, payload(size, n)) for n, size in enumerate(sizes[:3])]
    bench.at(1270, "fct_enabled", 0)
    bench.frame(1270, payload(64, 9))
    bench.at(1271, "fct_enabled", 1)
    frames.append(bench.frame(1660, payload(sizes[3], 3)))
    bench.run(2150)
    assert bench.drops[3] == (1270, True, False)
    for index, data in enumerate(frames):
        at = BUFFERS + 0x800 * index
        assert bench.memory.data[at:at + len(data) + 4] == data + bytes(4)
    assert [event.data for event in bench.named("rx_done")] == list(sizes)


@pytest.mark.parametrize(("reset", "off"), [(42, False), (43, True), (50, True), (59, True), (60, False)])
def test_a_reset_loses_the_frame_that_comes_in(reset, off):
    """The frame's SFD is in 44, its end in 60; RESET written in c takes effect in c+1, from s to e+1."""
    bench = ChannelBench()
    bench.frame(30, payload(64, 2))
    bench.at(reset, "fct_reset")
    bench.frame(60, payload(64))
    bench.run(70)
    assert bench.pulse_cycles("fct_was_reset") == [reset + 1]
    assert bench.drops[1] == (60, off, False)
    assert [bench.used[reset + 1], bench.used[reset + 2]] == [16 if reset < 60 else 32, 0]
    assert bench.used[-1] == (16 if reset == 42 else 0)


def test_a_reset_waits_for_the_frame_at_work():
    bench = started()
    bench.frame(60, payload(64))
    bench.frame(80, payload(65, 2))
    bench.at(66, "fct_reset")
    data = bench.frame(200, payload(66, 3))
    bench.run(300)
    first, second = bench.cycles("rx_done")
    assert bench.pulse_cycles("fct_was_reset") == [first + 1] and bench.used[first + 2] == 0
    # the second frame was not taken up in that cycle, and has no number
    assert bench.named("rx_done")[1] == Event(second, "rx_done", 1, 66)
    assert bench.memory.data[BUFFERS + 0x800:][:68] == data + bytes(2)


def test_a_frame_dropped_after_it_was_taken_up_has_used_its_number():
    bench = started(1)
    bench.post(0, length=40)
    bench.frame(60, payload(64))
    bench.at(150, "stop")  # starved of a second buffer: stops in NEXT, and the frame stays
    bench.at(160, "fct_reset")
    bench.post(1)
    bench.frame(200, payload(70))
    bench.at(210, "start")
    bench.at(212, "tail", 2)
    bench.run(300)
    assert bench.cycles("rx_stopped") == [151] and bench.used[163] == 0
    assert [event.index for event in bench.named("rx_write")] == [0, 1]
    assert bench.named("rx_done")[0].index == 1


@pytest.mark.parametrize("words", [8, 1000])
def test_sizes_that_the_memory_cannot_have(words):
    with pytest.raises(ValueError, match="words must be a power of two of at least 16"):
        RxFifo(words)
