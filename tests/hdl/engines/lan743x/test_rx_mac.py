"""Words, decision, reasons, RXD and time stamp: docs/engines/lan743x.md, section 4.1, 1 to 3 and 6."""

import pytest

from hdl.engines.lan743x.events import Reason
from tests.hdl.engines.lan743x.rx_mac_bench import STATION, End, RxMacBench, frame

GOOD = Reason.GOOD.value
PAUSE = bytes.fromhex("0180c2000001")


def words_of(s: int, data: bytes) -> list[tuple[int, int, int]]:
    """(cycle, index, word): word j in s + 5 + 4 j, a part word in e + 1."""
    end = s + 1 + len(data)
    return [(s + 5 + at if at + 4 <= len(data) else end + 1, at // 4,
             int.from_bytes(data[at:at + 4], "little")) for at in range(0, len(data), 4)]


@pytest.mark.parametrize("length", [64, 65, 66, 67, 68, 301])
def test_words_and_decision(length):
    bench = RxMacBench()
    data = frame(length)
    s = bench.receive(data)
    bench.run()
    assert bench.sfds == [(s, 0)] and bench.words == words_of(s, data)
    assert bench.ends == [End(s + 2 + length, 0, length, GOOD, 0, (0,))]
    assert bench.stamps == [(1000 + s, s)]


def test_frames_are_numbered_and_part_words_are_clean():
    bench = RxMacBench()
    frames = [frame(length, bytes([0xFF] * 6)) for length in (67, 65, 66, 64, 70)]
    starts = [bench.receive(data, gap=1) for data in frames]
    bench.run()
    assert bench.sfds == [(s, n) for n, s in enumerate(starts)]
    assert bench.words == [word for s, data in zip(starts, frames, strict=True) for word in words_of(s, data)]
    assert [(end.number, end.length) for end in bench.ends] == [(n, len(d)) for n, d in enumerate(frames)]


@pytest.mark.parametrize("length", range(9))
def test_tiny_frames(length):
    bench = RxMacBench()
    data = bytes(range(1, length + 1))
    s = bench.receive(data)
    bench.receive(frame())
    bench.run()
    assert bench.words[:(length + 3) // 4] == words_of(s, data)
    assert bench.ends[0] == End(s + 2 + length, 0, length, Reason.SHORT.value, 0, ())
    assert bench.ends[1].reason == GOOD


def broken(data: bytes) -> bytes:
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


@pytest.mark.parametrize(("data", "options", "settings", "reason"), [
    (frame(), {"error_at": 0}, {}, Reason.CODE),
    (frame(), {"error_at": 63}, {}, Reason.CODE),
    (frame(63), {"error_at": 10}, {}, Reason.CODE),
    (frame(63), {}, {}, Reason.SHORT),
    (broken(frame(63)), {}, {}, Reason.SHORT),
    (frame(101), {}, {"max_size": 100}, Reason.LONG),
    (broken(frame(101)), {}, {"max_size": 100}, Reason.LONG),
    (frame(100), {}, {"max_size": 100}, Reason.GOOD),
    (broken(frame()), {}, {}, Reason.CRC),
    (broken(frame(to=bytes([3] * 6))), {}, {}, Reason.CRC),
    (frame(to=PAUSE, body=bytes.fromhex("888800010007")), {}, {"rx_fcen": 1}, Reason.FILTER),
    (frame(to=PAUSE, body=bytes.fromhex("880800010007")), {}, {"rx_fcen": 1}, Reason.PAUSE),
    (frame(to=PAUSE, body=bytes.fromhex("880800010007")), {}, {}, Reason.FILTER),
    (broken(frame(to=PAUSE, body=bytes.fromhex("880800010007"))), {}, {"rx_fcen": 1}, Reason.CRC),
    (frame(to=bytes([3] * 6)), {}, {}, Reason.FILTER),
    (frame(), {}, {"unicast": 0, "off0": 1, "lost0": 1}, Reason.FILTER),
    (frame(), {}, {"off0": 1, "lost0": 1}, Reason.FCT_OFF),
    (frame(), {}, {"lost0": 1}, Reason.OVERFLOW),
    (frame(), {}, {}, Reason.GOOD),
])
def test_the_first_reason_that_applies(data, options, settings, reason):
    bench = RxMacBench()
    s = bench.receive(data, **options)
    decided = s + 2 + len(data)
    # Everything is looked at in e + 1: it is right in that cycle alone.
    contrary = {"max_size": 0, "rx_fcen": 1, "unicast": 0, "broadcast": 0, "off0": 1, "lost0": 1}
    bench.at(0, **contrary)
    bench.at(decided, **{"max_size": 1518, "rx_fcen": 0, "unicast": 1, "broadcast": 1, "off0": 0, "lost0": 0}
             | settings)
    bench.at(decided + 1, **contrary)
    bench.run()
    assert bench.ends == [End(decided, 0, len(data), reason.value, 0, (0,) if reason is Reason.GOOD else ())]
    assert bench.pauses == ([(decided, 7)] if reason is Reason.PAUSE else [])


def test_what_is_counted():
    bench = RxMacBench(multicast=1)
    frames = [frame(), broken(frame()), frame(to=bytes([0xFF] * 6)), frame(to=PAUSE), frame(30)]
    for data in frames:
        bench.receive(data)
    bench.run()
    assert [counted[1:] for counted in bench.counted] == [
        (1, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 0), (1, 0, 0)]


def test_rxen_counts_in_s_and_a_frame_under_way_is_completed():
    bench = RxMacBench()
    s = [bench.receive(frame()) for _ in range(4)]
    bench.at(s[0] + 1, rxen=0)  # the first frame is under way
    bench.at(s[1] + 1, rxen=1)  # the second began without RXEN
    bench.at(s[2], rxen=0)  # so does the third
    bench.at(s[3], rxen=1)
    bench.run()
    assert bench.sfds == [(s[0], 0), (s[3], 1)]
    assert [end.cycle for end in bench.ends] == [s[0] + 66, s[3] + 66]
    # The second fall is answered at once.
    assert bench.rxd == [s[0] + 66, s[2]]


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_rxd_about_the_end_of_a_frame(late):
    bench = RxMacBench()
    s = bench.receive(frame())
    fall = s + 66 + late  # RXEN reads 0 first
    bench.at(fall, rxen=0)
    bench.run()
    assert bench.rxd == [max(fall, s + 66)]


def test_a_frame_without_a_good_preamble_is_not_seen():
    bench = RxMacBench()
    for number, byte in enumerate([0x55, 0x54, 0x55, 0xD5, *frame()]):
        bench._wires[200 + number] = (byte, False)
    bench.receive(frame(to=STATION))
    bench.run(400)
    assert len(bench.sfds) == 1
