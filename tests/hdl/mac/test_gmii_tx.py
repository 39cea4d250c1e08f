"""The GMII framer: every pulse and every byte, computed here from t."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.mac.gmii_tx import GmiiTx
from tests.hdl.mac.gmii_bench import IDLE, PREFACE, Frame, TxBench, Wire, fcs, pattern

GAP = 12


@pytest.fixture(scope="module")
def bench() -> TxBench:
    return TxBench()


def covered(frame: Frame) -> bytes:
    """The bytes in front of the FCS."""
    if frame.starve is not None:
        return frame.data[:frame.starve]
    return frame.data.ljust(60, b"\0") if frame.insert_fcs else frame.data


def on_wire(frame: Frame) -> list[Wire]:
    """From the preamble to the last byte."""
    body = covered(frame)
    if frame.starve is not None:
        tail, error = bytes(byte ^ 0xFF for byte in fcs(body)), 1
    else:
        tail, error = fcs(body) if frame.insert_fcs else b"", 0
    return [(1, byte, 0) for byte in PREFACE + body] + [(1, byte, error) for byte in tail]


def expected_wire(cycles: int, *frames: tuple[int, Frame]) -> list[Wire]:
    """Byte k is loaded in t + k, so it is there in t + k + 1."""
    wire = [IDLE] * cycles
    for t, frame in frames:
        body = on_wire(frame)
        wire[t + 1:t + 1 + len(body)] = body
    return wire[:cycles]


@pytest.mark.parametrize("insert_fcs", [False, True])
@pytest.mark.parametrize("length", [1, 2, 14, 59, 60, 61, 64])
def test_every_pulse_of_a_frame(bench: TxBench, length: int, insert_fcs: bool) -> None:
    frame = Frame(pattern(length), insert_fcs)
    t = 10
    n = (max(length, 60) + 4) if insert_fcs else length
    end = t + 8 + n
    trace = bench.run([frame], end + 20, ready=t)
    assert trace.at == {"began": [t], "sfd": [t + 7], "take": [t + 8 + i for i in range(length)],
                        "underrun": [], "done": [end]}
    assert trace.levels["busy"] == list(range(t + 1, end + 1))
    assert trace.levels["ready"] == [*range(t + 1), *range(end + GAP, end + 20)]
    assert trace.wire == expected_wire(end + 20, (t, frame))
    body = covered(frame)
    assert trace.status[end] == {"starved": 0, "crc": zlib.crc32(body), "count": len(body)}
    for i in range(length):
        assert (trace.status[t + 8 + i]["crc"], trace.status[t + 8 + i]["count"]) == (
            zlib.crc32(frame.data[:i]), i)
    assert all(trace.status[cycle] == {"starved": 0, "crc": 0, "count": 0}
               for cycle in (*range(t + 8), *range(end + 1, end + 20)))


@pytest.mark.parametrize("length", [46, 60, 100])
def test_back_to_back_period(bench: TxBench, length: int) -> None:
    frames = [Frame(pattern(length, seed)) for seed in range(4)]
    period = 8 + max(length, 60) + 4 + GAP
    assert length > 60 or period == 84
    trace = bench.run(frames, 4 * period)
    starts = [period * i for i in range(4)]
    assert trace.at["began"] == starts
    assert trace.at["done"] == [start + period - GAP for start in starts]
    assert trace.wire == expected_wire(4 * period, *zip(starts, frames, strict=True))


@pytest.mark.parametrize("delay", [0, 9, 10, 11, 12, 13])
def test_start_is_the_first_cycle_ready_and_past_the_gap(bench: TxBench, delay: int) -> None:
    frames = [Frame(pattern(10), False), Frame(pattern(5, 2), False, delay=delay)]
    end = 18
    trace = bench.run(frames, 60)
    assert trace.at["began"] == [0, max(end + GAP, end + 1 + delay)]
    assert trace.wire == expected_wire(60, *zip(trace.at["began"], frames, strict=True))


def test_start_is_not_looked_at_during_a_frame(bench: TxBench) -> None:
    frames = [Frame(pattern(10), False)] * 2
    trace = bench.run(frames, 90, start=lambda cycle: not 0 < cycle < 40)
    assert (trace.at["began"], trace.at["done"]) == ([0, 40], [18, 58])


@pytest.mark.parametrize("insert_fcs", [False, True])
@pytest.mark.parametrize(("length", "starve"), [(20, 0), (20, 1), (20, 19), (80, 59), (80, 60), (80, 79)])
def test_underrun(bench: TxBench, length: int, starve: int, insert_fcs: bool) -> None:
    frames = [Frame(pattern(length), insert_fcs, starve), Frame(pattern(3))]
    due = 8 + starve
    end, after = due + 4, due + 4 + GAP
    trace = bench.run(frames, after + 100)
    assert trace.at["underrun"] == [due]
    assert trace.status[due]["count"] == starve
    assert trace.at["take"] == [*range(8, due), *range(after + 8, after + 11)]
    assert (trace.at["began"], trace.at["done"]) == ([0, after], [end, after + 72])
    assert trace.status[end] == {"starved": 1, "crc": zlib.crc32(frames[0].data[:starve]), "count": starve}
    assert trace.status[after + 72]["starved"] == 0, "nothing of it is left for the next frame"
    assert trace.wire == expected_wire(after + 100, (0, frames[0]), (after, frames[1]))


def test_the_count_stays_at_its_maximum(bench: TxBench) -> None:
    """And a frame so long is not padded."""
    data = bytes(16390)
    trace = bench.run([Frame(data)], len(data) + 30)
    end = 8 + len(data) + 4
    assert trace.at["done"] == [end]
    assert trace.status[end] == {"starved": 0, "crc": zlib.crc32(data), "count": 16383}


@pytest.mark.parametrize(("min_bytes", "gap_cycles"), [(0, 1), (0, 2), (17, 20)])
def test_other_parameters(min_bytes: int, gap_cycles: int) -> None:
    bench = TxBench(min_bytes=min_bytes, gap_cycles=gap_cycles)
    period = 8 + max(5, min_bytes) + 4 + gap_cycles
    trace = bench.run([Frame(pattern(5))] * 3, 3 * period)
    assert trace.at["began"] == [0, period, 2 * period]
    padded = pattern(5).ljust(min_bytes, b"\0")
    once = [(1, byte, 0) for byte in PREFACE + padded + fcs(padded)]
    assert trace.wire[1:] + [IDLE] == (once + [IDLE] * gap_cycles) * 3


@settings(max_examples=15, deadline=None)
@given(st.lists(st.builds(Frame, st.binary(min_size=1, max_size=70), st.booleans(), st.none(),
                          st.integers(0, 20)), min_size=1, max_size=4))
def test_any_frames(frames: list[Frame]) -> None:
    if not _shared:
        _shared.append(TxBench())
    starts, ends, ready, free = [], [], 0, 0
    for frame in frames:
        starts.append(max(ready, free))
        ends.append(starts[-1] + len(on_wire(frame)))
        free = ends[-1] + GAP
        ready = ends[-1] + 1 + (frames[len(ends)].delay if len(ends) < len(frames) else 0)
    trace = _shared[0].run(frames, free)
    assert (trace.at["began"], trace.at["done"]) == (starts, ends)
    assert trace.wire == expected_wire(free, *zip(starts, frames, strict=True))


_shared: list[TxBench] = []


def test_refuses_a_gap_of_nothing() -> None:
    with pytest.raises(ValueError, match="a gap has at least one cycle, not 0"):
        GmiiTx(gap_cycles=0)
