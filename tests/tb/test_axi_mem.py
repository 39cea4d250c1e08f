"""The bus memory keeps the formulas of model.bus.BusTiming to the cycle, in both simulators."""

import numpy as np
import pytest

from model.bus import BusTiming
from model.events import ordered
from tb.build import build

SLOW_RREADY, SLOW_WVALID, LATE_BREADY = 1, 2, 4

TIMINGS = {
    "fastest": {},
    "latency": {"read_latency": 7, "write_latency": 4},
    "slow beats": {"read_latency": 2, "beat_interval": 3},
    "jitter": {"read_latency": 3, "write_latency": 1, "jitter": 12, "seed": 0xC0FFEE},
    "jitter and slow beats": {"jitter": 5, "beat_interval": 2, "seed": 77},
    "two open": {"read_latency": 9, "outstanding": 2, "jitter": 6, "seed": 5},
    "four open": {"read_latency": 20, "outstanding": 4, "beat_interval": 2},
}
SHAPE = {"src": 0x1000, "dst": 0x8000, "beats_read": 4, "reads": 12, "beats_write": 6, "writes": 8}
COPIED = [[0x8000, 0x8000 + 192]]
SOURCE = np.arange(0x1000, 0x1000 + 192, 4)
"""What `fill` leaves at src: each word holds its address."""


def expected_reads(timing: BusTiming, first: int, reads: int, beats: int,
                   ids: int = 2) -> list[tuple[int, int, int]]:
    """(address handshake, first beat, last beat) of reads issued as fast as they are accepted, from cycle
    `first` on, with `ids` requesters in turn."""
    out: list[tuple[int, int, int]] = []
    for k in range(reads):
        opened = out[-1][0] + 1 if out else first
        if k >= timing.outstanding:
            opened = max(opened, out[k - timing.outstanding][2] + 1)
        begin, end, _ = timing.read_in_order(k % ids, opened, beats)
        out.append((opened, begin, end))
    return out


def expected_writes(timing: BusTiming, first: int, writes: int, beats: int) -> list[tuple[int, int, int]]:
    """(address handshake, last beat, B) of writes issued one after the other; the next address follows B by
    one cycle."""
    out: list[tuple[int, int, int]] = []
    for k in range(writes):
        opened = out[-1][2] + 1 if out else first
        last, reply, _ = timing.write(k & 1, opened, beats)
        out.append((opened, last, reply))
    return out


@pytest.mark.parametrize("name", TIMINGS)
def test_beats_come_in_the_cycles_of_the_formula(run_verilator, name):
    outcome = run_verilator("copy", SHAPE, bus=TIMINGS[name] | {"log_bursts": True}, prepare="fill",
                            keep_memory=COPIED)
    assert outcome.errors == {}
    timing = BusTiming(**TIMINGS[name])
    reads = outcome.bursts[outcome.bursts["write"] == 0]
    writes = outcome.bursts[outcome.bursts["write"] == 1]
    found = [tuple(map(int, burst)) for burst in reads[["open_cycle", "begin_cycle", "end_cycle"]]]
    assert found == expected_reads(timing, found[0][0], 12, 4)
    found = [tuple(map(int, burst)) for burst in writes[["open_cycle", "end_cycle", "reply_cycle"]]]
    assert found == expected_writes(timing, found[0][0], 8, 6)
    assert np.array_equal(outcome.memory[0x8000].view("<u4"), SOURCE)
    assert outcome.bus_beats[:2].tolist() == [[24, 24], [24, 24]]


@pytest.mark.parametrize("bus", [
    {"read_latency": 60, "outstanding": 8}, {"read_latency": 9, "outstanding": 16, "jitter": 40, "seed": 12},
    {"read_latency": 300, "outstanding": 64, "beat_interval": 2}], ids=["8 open", "16 open", "64 open"])
def test_many_reads_open_come_back_in_order_each_with_its_id(run_on_link, bus):
    shape = {"src": 0x1000, "dst": 0x8000, "beats_read": 4, "reads": 64, "beats_write": 4, "writes": 64}
    outcome = run_on_link("shuttle", shape | {"pauses": [1500]}, bus=bus | {"log_bursts": True},
                          prepare="fill", keep_memory=[[0x8000, 0x8400]])
    assert outcome.errors == {}
    reads = outcome.bursts[outcome.bursts["write"] == 0]
    assert reads["requester"].tolist() == [k % 16 for k in range(64)] * 2
    found = [tuple(map(int, burst)) for burst in reads[["open_cycle", "begin_cycle", "end_cycle"]]]
    timing = BusTiming(**bus)
    assert found == (expected_reads(timing, found[0][0], 64, 4, 16)
                     + expected_reads(timing, found[64][0], 64, 4, 16))
    opened = reads["open_cycle"][:64].astype(int)
    most = max(np.count_nonzero((opened <= cycle) & (reads["end_cycle"][:64] >= cycle)) for cycle in opened)
    assert most == min(bus["outstanding"], 64)
    assert np.array_equal(outcome.memory[0x8000].view("<u4"), np.arange(0x1000, 0x1400, 4))


def test_the_engine_sees_the_handshakes_that_the_log_reports(run_verilator, dummy_engine):
    outcome = run_verilator("copy", SHAPE, prepare="fill",
                            bus={"read_latency": 3, "jitter": 4, "outstanding": 2, "log_bursts": True})
    events, bursts, kinds = outcome.events, outcome.bursts, dummy_engine.KINDS
    reads, writes = bursts[bursts["write"] == 0], bursts[bursts["write"] == 1]
    assert events["cycle"][events["kind"] == kinds["ar"]].tolist() == reads["open_cycle"].tolist()
    beats = events[events["kind"] == kinds["r"]]
    assert beats["cycle"].tolist() == [int(burst["begin_cycle"]) + k for burst in reads for k in range(4)]
    assert beats["data"].tolist() == list(range(0x1000, 0x1000 + 192, 4))
    words = events["cycle"][events["kind"] == kinds["w"]].reshape(-1, 6)
    assert words[:, -1].tolist() == writes["end_cycle"].tolist()
    assert events["cycle"][events["kind"] == kinds["b"]].tolist() == writes["reply_cycle"].tolist()


@pytest.mark.parametrize("straps", [SLOW_RREADY, SLOW_WVALID, LATE_BREADY, 7])
def test_back_pressure_loses_nothing(run_verilator, straps):
    outcome = run_verilator("copy", SHAPE, straps=straps, prepare="fill", keep_memory=COPIED,
                            bus={"beat_interval": 2, "jitter": 3, "outstanding": 2})
    assert outcome.errors == {}
    assert np.array_equal(outcome.memory[0x8000].view("<u4"), SOURCE)


def test_reads_and_writes_do_not_wait_for_each_other(run_verilator):
    outcome = run_verilator("copy", SHAPE | {"both": True}, prepare="fill",
                            bus={"read_latency": 5, "write_latency": 5, "log_bursts": True})
    bursts = outcome.bursts
    first = [bursts[bursts["write"] == write]["open_cycle"].min() for write in (0, 1)]
    assert first[0] == first[1]


def test_failing_bursts_answer_slverr_and_write_nothing(run_verilator, dummy_engine):
    errors = [[0, True, 1], [1, False, 2]]
    outcome = run_verilator("copy", SHAPE, bus={"errors": errors, "log_bursts": True}, prepare="fill",
                            keep_memory=COPIED)
    failed = outcome.bursts[outcome.bursts["response"] != 0]
    assert failed[["requester", "write", "ordinal", "response"]].tolist() == [(1, 0, 2, 2), (0, 1, 1, 2)]
    replies = outcome.events[outcome.events["kind"] == dummy_engine.KINDS["b"]]
    assert replies["data"].tolist() == [0, 0, 2, 0, 0, 0, 0, 0]
    words = outcome.memory[0x8000].view("<u4")
    assert words[12:18].tolist() == list(range(0x8000 + 48, 0x8000 + 72, 4))   # as `fill` left them
    assert words[18] == 0x1000 + 72


def test_a_write_is_seen_by_a_read_that_begins_at_its_edge(run_verilator, dummy_engine):
    """Read data are what memory holds if each write changes it at the edge that ends its last beat."""
    at, words = 0x4000, 60
    outcome = run_verilator("race", {"at": at, "words": words}, prepare="fill",
                            bus={"read_latency": 1, "jitter": 3, "seed": 3, "log_bursts": True})
    events, kinds = outcome.events, dummy_engine.KINDS
    bursts = outcome.bursts[(outcome.bursts["address"] >= at)]
    reads, writes = bursts[bursts["write"] == 0], bursts[bursts["write"] == 1]
    read_data = events[events["kind"] == kinds["r"]]["data"][-words:]
    written_data = events[events["kind"] == kinds["w"]]["data"][-words:]
    changed = {int(burst["address"]): (int(burst["end_cycle"]) + 1, int(data))
               for burst, data in zip(writes, written_data, strict=True)}
    at_the_edge = 0
    for burst, data in zip(reads, read_data, strict=True):
        address, begin = int(burst["address"]), int(burst["begin_cycle"])
        edge, new = changed[address]
        assert data == (new if edge <= begin else address), f"{address:#x} read in {begin}, written at {edge}"
        at_the_edge += edge == begin
    assert at_the_edge > 0, "no read began at the edge of a write to the same word: choose another seed"


def test_accesses_outside_memory_are_counted_and_harmless(run_verilator):
    outcome = run_verilator("outside")
    assert outcome.errors == {"memory_errors": 6, "memory_errors_first": 1 << 16}


def test_a_burst_across_a_4_kib_boundary_is_counted(run_verilator):
    outcome = run_verilator("copy", SHAPE | {"src": 0x1FF8, "reads": 1, "beats_write": 4, "writes": 1},
                            prepare="fill")
    assert set(outcome.errors) == {"bus_errors", "bus_errors_first"} and outcome.errors["bus_errors"] == 1


@pytest.mark.parametrize(("straps", "bus"), [
    (0, {}), (SLOW_RREADY, {"jitter": 9, "outstanding": 3, "errors": [[0, False, 2]]}),
    (SLOW_WVALID | LATE_BREADY, {"read_latency": 4, "beat_interval": 3, "write_latency": 2}),
], ids=["fastest", "jitter", "slow"])
@pytest.mark.parametrize("data_width", [32, 128])
def test_both_simulators_write_the_same_log(run_on, dummy_engine, straps, bus, data_width):
    logs = []
    for simulator in ("verilator", "icarus"):
        run = run_on(build(dummy_engine.recipe(data_width), simulator))
        logs.append(run("copy", SHAPE | {"both": True}, straps=straps, bus=bus | {"log_bursts": True},
                        prepare="fill"))
        logs.append(run("copy", SHAPE, straps=straps, bus=bus, prepare="fill",
                        keep_memory=[[0x8000, 0x8000 + 768]]))
    assert np.array_equal(ordered(logs[0].events), ordered(logs[2].events))
    assert np.array_equal(logs[0].bursts, logs[2].bursts) and logs[0].result == logs[2].result
    assert np.array_equal(ordered(logs[1].events), ordered(logs[3].events))
    assert np.array_equal(logs[1].memory[0x8000], logs[3].memory[0x8000])
    copied = logs[3].memory[0x8000].view("<u4")[:12 * data_width // 8]
    assert bool(bus.get("errors")) or np.array_equal(copied, np.arange(0x1000, 0x1000 + 4 * copied.size, 4))
    assert all(log.errors == {} for log in logs)
