"""The framer in full duplex: each letter of the timing specification's section 3.3, computed here from t."""

import zlib

import pytest
from amaranth.hdl import Fragment
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.mac.mii_tx import MiiTx
from tests.hdl.mac.mii_bench import Frame, TxBench, fcs, first_tick, nibbles

GAP = 48
PREFACE = [0x5] * 15 + [0xD]


@pytest.fixture(scope="module")
def bench() -> TxBench:
    return TxBench()


def pattern(length: int, seed: int = 1) -> bytes:
    return bytes((seed + 37 * i + (i * i >> 3)) & 255 for i in range(length))


def on_wire(frame: Frame) -> bytes:
    """The bytes after the SFD."""
    if frame.starve is not None:
        sent = frame.data[:frame.starve]
        return sent + bytes(byte ^ 0xFF for byte in fcs(sent))
    if frame.ncrc:
        return frame.data
    padded = frame.data.ljust(60, b"\0")
    return padded + fcs(padded)


def expected_wire(cycles: int, *frames: tuple[int, list[int]]) -> list[int | None]:
    """The nibbles of (t, nibbles): nibble k is loaded in t + 2k and seen in the two cycles after it."""
    wire: list[int | None] = [None] * cycles
    for t, sequence in frames:
        for k, nibble in enumerate(sequence):
            wire[t + 2 * k + 1] = wire[t + 2 * k + 2] = nibble
    return wire


@pytest.mark.parametrize("ncrc", [False, True])
@pytest.mark.parametrize("length", [1, 2, 14, 59, 60, 61, 64])
def test_every_pulse_of_a_frame(bench: TxBench, length: int, ncrc: bool) -> None:
    frame = Frame(pattern(length), ncrc)
    body = on_wire(frame)
    t = first_tick(10)
    end = t + 32 + 4 * len(body)
    trace = bench.run([frame], end + 10, ready=10)
    assert trace.at == {
        "began": [t], "sfd": [t + 30], "take": [t + 32 + 4 * i for i in range(length)], "done": [end],
        "underrun": [], "hit": [], "jam": [], "collision": [], "retry": [], "cut": [],
    }
    assert trace.wire == expected_wire(end + 10, (t, PREFACE + nibbles(body)))
    covered = frame.data if ncrc else frame.data.ljust(60, b"\0")
    assert trace.status[end] == {
        "whole": 1, "starved": 0, "late": 0, "excess": 0, "aborted": 0, "deferred": 0, "no_carrier": 0,
        "collisions": 0, "crc": zlib.crc32(covered), "count": len(covered), "taken": length,
    }


def test_the_longest_frame(bench: TxBench) -> None:
    frame = Frame(pattern(1514))
    trace = bench.run([frame], 4 * 1530, ready=1)
    assert trace.at["done"] == [1 + 32 + 4 * 1518]
    assert trace.wire == expected_wire(4 * 1530, (1, PREFACE + nibbles(on_wire(frame))))


@pytest.mark.parametrize("length", [46, 60, 100])
def test_back_to_back_period(bench: TxBench, length: int) -> None:
    frames = [Frame(pattern(length, seed)) for seed in range(4)]
    on_the_line = max(length, 60) + 4
    period = 4 * (on_the_line + 20)
    starts = [1 + period * i for i in range(4)]
    trace = bench.run(frames, 4 * period)
    assert trace.at["began"] == starts
    assert trace.wire == expected_wire(4 * period, *(
        (t, PREFACE + nibbles(on_wire(frame))) for t, frame in zip(starts, frames, strict=True)))


@pytest.mark.parametrize("delay", [0, 30, 46, 47, 48, 49, 50])
def test_start_is_the_first_tick_ready_and_past_the_gap(bench: TxBench, delay: int) -> None:
    first, second = Frame(pattern(10), ncrc=True), Frame(pattern(5), ncrc=True, delay=delay)
    end = 1 + 32 + 40
    trace = bench.run([first, second], end + 120)
    assert trace.at["began"] == [1, max(end + GAP, first_tick(end + 1 + delay))]


@pytest.mark.parametrize(("length", "starve"), [(20, 0), (20, 1), (20, 19), (80, 59), (80, 60), (80, 79)])
@pytest.mark.parametrize("ncrc", [False, True])
def test_underrun(bench: TxBench, length: int, starve: int, ncrc: bool) -> None:
    frame, following = Frame(pattern(length), ncrc, starve), Frame(pattern(3))
    due = 1 + 32 + 4 * starve
    end = due + 16
    cycles = end + GAP + 32 + 256 + 10
    trace = bench.run([frame, following], cycles)
    assert trace.at["underrun"] == [due]
    assert trace.status[due]["taken"] == starve
    assert trace.at["done"] == [end, end + GAP + 32 + 256]
    assert trace.at["began"] == [1, end + GAP]
    status = trace.status[end]
    assert (status["starved"], status["whole"], status["aborted"]) == (1, 0, 0)
    assert (status["crc"], status["count"]) == (zlib.crc32(frame.data[:starve]), starve)
    assert trace.wire == expected_wire(
        cycles, (1, PREFACE + nibbles(on_wire(frame))), (end + GAP, PREFACE + nibbles(on_wire(following))))
    # Nothing of the underrun is left for the next frame.
    after = trace.status[end + GAP + 32 + 256]
    assert (after["whole"], after["starved"]) == (1, 0)


def cut_wire(sequence: list[int], t: int, cut: int) -> list[int]:
    """What is left of the nibbles if TX_EN falls at tick `cut`."""
    return sequence[:(cut - t) // 2]


@pytest.mark.parametrize("kind", ["te", "abort"])
def test_cut_in_any_cycle(bench: TxBench, kind: str) -> None:
    frame = Frame(pattern(4))
    t, end = 1, 1 + 32 + 4 * 64
    sequence = PREFACE + nibbles(on_wire(frame))
    for cycle in [2, 3, 30, 31, 32, *range(33, 50), 150, 151, 272, 273, end - 2, end - 1, end]:
        cut = first_tick(cycle)
        if kind == "te":
            trace = bench.run([frame, frame], end + 10, te=lambda c, off=cycle: not off <= c < off + 2)
        else:
            trace = bench.run([frame, frame], end + 10, abort=[cycle])
        if kind == "abort" and cut == end:
            assert trace.at["cut"] == [], "the regular end falls on that tick"
            assert trace.status[end]["whole"] == 1
            continue
        assert trace.at["cut"] == [cut], cycle
        assert trace.at["done"] == ([cut] if kind == "abort" else []), cycle
        taken = len([i for i in range(4) if t + 32 + 4 * i < cut])
        status = trace.status[cut]
        assert (status["taken"], status["whole"], status["aborted"]) == (taken, 0, kind == "abort")
        assert trace.at["began"] == [t] + [cut + GAP] * (cut + GAP < end + 10)
        assert trace.wire[:cut + 2] == expected_wire(end + 10, (t, cut_wire(sequence, t, cut)))[:cut + 2]


@pytest.mark.parametrize("kind", ["te", "abort"])
def test_a_reason_to_cut_is_remembered_until_the_tick(bench: TxBench, kind: str) -> None:
    """With ticks further apart than the reason lasts; the next frame is not touched by it."""
    frames = [Frame(pattern(40), ncrc=True), Frame(pattern(2), ncrc=True)]
    options = {"te": lambda cycle: cycle != 101} if kind == "te" else {"abort": [101]}
    trace = bench.run(frames, 400, tick=lambda cycle: cycle % 4 == 3, **options)
    following = 103 + 24 * 4
    assert trace.at["cut"] == [103]
    assert trace.at["began"] == [3, following]
    assert trace.at["done"] == [103] * (kind == "abort") + [following + (16 + 4) * 4]


def test_abort_in_the_inverted_fcs_of_an_underrun(bench: TxBench) -> None:
    due = 1 + 32 + 4 * 8
    trace = bench.run([Frame(pattern(20), starve=8)], 200, abort=[due + 5])
    assert (trace.at["underrun"], trace.at["cut"], trace.at["done"]) == ([due], [due + 6], [due + 6])
    assert (trace.status[due + 6]["starved"], trace.status[due + 6]["aborted"]) == (0, 1)
    trace = bench.run([Frame(pattern(20), starve=8)], 200, abort=[due + 16])
    assert (trace.at["cut"], trace.at["done"]) == ([], [due + 16])
    assert trace.status[due + 16]["starved"] == 1


def test_a_cut_in_the_fcs_leaves_nothing_for_the_next_frame(bench: TxBench) -> None:
    frame = Frame(pattern(60))
    cut = 1 + 32 + 240 + 6
    trace = bench.run([frame, frame], cut + GAP + 300, abort=[cut])
    assert trace.at["cut"] == [cut]
    sequence = PREFACE + nibbles(on_wire(frame))
    assert trace.wire == expected_wire(
        cut + GAP + 300, (1, cut_wire(sequence, 1, cut)), (cut + GAP, sequence))


def test_nothing_starts_without_te(bench: TxBench) -> None:
    frame = Frame(pattern(5), ncrc=True)
    trace = bench.run([frame], 200, te=lambda cycle: cycle >= 60)
    assert trace.at["began"] == [61]


def test_abort_between_frames_has_no_effect(bench: TxBench) -> None:
    frame = Frame(pattern(5), ncrc=True)
    trace = bench.run([frame], 200, ready=20, abort=range(20))
    assert (trace.at["began"], trace.at["cut"], trace.at["done"]) == ([21], [], [21 + 32 + 20])


def test_crc_and_counts_are_zero_between_frames(bench: TxBench) -> None:
    trace = bench.run([Frame(pattern(70)), Frame(pattern(5))], 900)
    for t in trace.at["began"]:
        assert [trace.status[t][name] for name in ("crc", "count", "taken")] == [0, 0, 0]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.binary(min_size=1, max_size=70))
def test_time_is_counted_in_ticks(divider: int, data: bytes) -> None:
    """The same nibbles at whatever rate the ticks come."""
    frames = [Frame(data), Frame(b"x", ncrc=True)]
    length = max(len(data), 60) + 4
    trace = shared().run(frames, (16 + 2 * length + 70) * divider,
                         tick=lambda cycle: cycle % divider == divider - 1)
    t = divider - 1
    end = t + (16 + 2 * length) * divider
    assert trace.at["done"] == [end, end + (24 + 16 + 2) * divider]
    sequence = PREFACE + nibbles(on_wire(frames[0]))
    assert trace.wire[t + 1:end + 1] == [nibble for nibble in sequence for _ in range(divider)]


_shared: list[TxBench] = []


def shared() -> TxBench:
    """One bench for all examples: hypothesis and function fixtures do not mix."""
    if not _shared:
        _shared.append(TxBench())
    return _shared[0]


def test_refuses_a_gap_of_nothing() -> None:
    with pytest.raises(ValueError, match="a gap has at least one tick, not 0"):
        Fragment.get(MiiTx(gap_ticks=0), None)
