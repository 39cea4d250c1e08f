"""Pause in either direction, the enables and TXD, what is counted: docs/engines/lan743x.md, section 5.2."""

import pytest

from tests.hdl.engines.lan743x.test_tx_load import on_the_wire
from tests.hdl.engines.lan743x.tx_bench import GAP_CYCLES, Event, TxBench, fcs, pattern

STATION = bytes([0x02, 0x11, 0x22, 0x33, 0x44, 0x55])
FRAME_CYCLES = 8 + 64
"""From t to F of a frame of 64 bytes, pause frames included."""


def pause_frame(quanta: int) -> bytes:
    head = bytes.fromhex("0180c2000001") + STATION + bytes.fromhex("88080001") + quanta.to_bytes(2, "big")
    return head.ljust(60, b"\0") + fcs(head.ljust(60, b"\0"))


def bench_with(frames: int, **settings: int) -> TxBench:
    """So many frames of 64 bytes, the first loaded before cycle 100."""
    bench = TxBench(station=int.from_bytes(STATION, "little"), **settings)
    bench.frames = [bench.frame(pattern(60, n + 1)) for n in range(frames)]
    bench.start(10)
    return bench


@pytest.mark.parametrize("quanta", [1, 3])
def test_a_received_pause_holds_data_frames(quanta):
    bench = bench_with(1, txen=0)
    e1 = 100  # e + 1
    bench.at(e1, pause=1, pause_quanta=quanta, txen=1)
    bench.run(500)
    assert [t for t, _ in bench.wire] == [e1]  # none in force yet in e + 1

    bench = bench_with(1, txen=0)
    bench.at(e1, pause=1, pause_quanta=quanta)
    bench.at(e1 + 1, txen=1)
    bench.run(500)
    assert [t for t, _ in bench.wire] == [e1 + 64 * quanta + 1]


def test_a_new_pause_replaces_the_old():
    bench = bench_with(1, txen=0)
    bench.at(100, pause=1, pause_quanta=1000)
    bench.at(110, txen=1)
    bench.at(150, pause=1, pause_quanta=2)
    bench.run(500)
    assert [t for t, _ in bench.wire] == [150 + 128 + 1]
    bench = bench_with(1, txen=0)
    bench.at(100, pause=1, pause_quanta=1000)
    bench.at(110, txen=1)
    bench.at(150, pause=1, pause_quanta=0)
    bench.run(500)
    assert [t for t, _ in bench.wire] == [151]


def test_a_pause_lets_the_frame_on_the_wire_end():
    bench = bench_with(2)
    bench.at(100, pause=1, pause_quanta=4)
    bench.run(600)
    starts = [t for t, _ in bench.wire]
    assert starts[0] < 100 < starts[0] + FRAME_CYCLES and starts[1] == 100 + 256 + 1


def test_a_pause_frame_goes_first_and_even_in_a_pause():
    bench = bench_with(1, txen=0)
    bench.at(100, want=1, quanta=0x1234)
    bench.at(105, pause=1, pause_quanta=3)
    bench.at(110, txen=1)
    bench.run(600)
    assert bench.wire == [(110, pause_frame(0x1234)), (105 + 192 + 1, on_the_wire(bench.frames[0]))]
    assert bench.named("tx_pause") == [Event(117, "tx_pause", 0, 0x1234)]
    assert [e.index for e in bench.named("tx_sfd")] == [0]
    assert bench.counted[0] == (110 + FRAME_CYCLES, True, *bench.counted[0][2:])
    assert [count for _, count in bench.done] == [1] and len(bench.pulses["cause"]) == 1


def test_a_want_is_seen_in_the_next_cycle_and_a_later_one_replaces_it():
    bench = TxBench(station=int.from_bytes(STATION, "little"))
    bench.at(50, want=1, quanta=7)
    bench.at(51, want=1, quanta=8)  # in t of the first: one more
    bench.at(60, want=1, quanta=9)  # replaces the second
    bench.run(300)
    assert bench.wire == [(51, pause_frame(7)), (51 + FRAME_CYCLES + GAP_CYCLES, pause_frame(9))]


def test_a_pause_frame_goes_before_a_frame_that_is_dropped():
    bench = TxBench(station=int.from_bytes(STATION, "little"), txen=0)
    bench.entry(0x8000, 0, FS=1, LS=1)
    data = bench.frame(pattern(60))
    bench.start(10)
    bench.at(99, want=1, quanta=5)
    bench.at(100, txen=1)
    bench.run(400)
    turn = 100 + FRAME_CYCLES + GAP_CYCLES
    assert bench.cycles("tx_drop") == [turn]
    assert bench.wire == [(100, pause_frame(5)), (turn + 1, on_the_wire(data))]


def test_nothing_starts_without_the_enables():
    for name in ("txen", "fct_enabled"):
        bench = bench_with(1, **{name: 0})
        bench.at(100, want=1, quanta=1)
        bench.at(200, **{name: 1})
        bench.at(205, **{name: 0})
        bench.run(400)
        assert bench.wire == [(200, pause_frame(1))]


@pytest.mark.parametrize("case", ["early", "before F", "in F", "in the gap", "second frame"])
def test_txd(case):
    bench = bench_with(2)
    bench.run(250)
    (first, _), (second, _) = bench.wire
    end = first + FRAME_CYCLES
    # TXEN reads 0 first in the cycle `fall`, and TXD is set at the edge that ends `answer`.
    fall, answer = {"early": (first + 1, end), "before F": (end - 1, end), "in F": (end, end),
                    "in the gap": (end + 1, end + 1),
                    "second frame": (second + 1, second + FRAME_CYCLES)}[case]
    bench.at(fall, txen=0)
    bench.at(300, txen=1)
    bench.at(310, txen=0)
    bench.run(400)
    # Once more after TXEN was up again: its frame, if there still is one, ends first.
    again = 300 + FRAME_CYCLES if case != "second frame" else 310
    assert bench.pulses["txd_set"] == [answer, again]


def test_what_is_counted():
    bench = TxBench()
    destinations = [bytes([0xFF] * 6), bytes([0x01, 0x80, 0xC2, 0, 0, 1]), bytes([0xFF] * 5 + [0xFE]),
                    bytes([0xFE] + [0xFF] * 5), bytes([0xFF] * 5)]
    frames = [(bytes(d) + pattern(94, 5) if len(d) == 6 else bytes(d), flag)
              for d in destinations for flag in (0, 1)]
    for data, flag in frames:
        bench.frame(data, flag=flag)
    bench.start()
    bench.run(2000)
    expected = [(max(len(data), 60) + 4 if flag else len(data), data[0] & 1,
                 int(data[:6] == bytes([0xFF] * 6))) for data, flag in frames]
    assert [(length, group, broadcast) for _, _, length, group, broadcast in bench.counted] == expected
    assert [cycle for cycle, *_ in bench.counted] == bench.cycles("tx_done")
