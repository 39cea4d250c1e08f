"""On a host that costs nothing the engine keeps the wire full; with one place it falls short by what the
timing specification says.

The expected rate is RFC 5180's for 100 Mb/s Ethernet, 100e6 / (8 (X + 20)) frames of X bytes a second; the
periods of one place are those of section 9 of docs/engines/at91ether.md.
"""

import shutil

import numpy as np
import pytest

from model.engines.at91ether import Kind
from model.host.outcome import Outcome
from model.scenario import CsrOptions
from tb.drive import OUTCOME_FILE
from tb.runner import EVENTS_FILE
from tests.tb.runs import run, scenario, sent_frames

CLOCK_HZ = 50_000_000
FRAMES = 500
PPM = 1e-6
TICK = 2
GAP = 48


def frames_per_second(frame_bytes):
    return 100e6 / (8 * (frame_bytes + 20))


def rate(cycles):
    """Frames a second from the first of these cycles to the last."""
    return (len(cycles) - 1) / (int(cycles[-1]) - int(cycles[0])) * CLOCK_HZ


@pytest.mark.parametrize("frame_bytes", [64, 1518])
@pytest.mark.parametrize("direction", ["tx", "rx", "both"])
def test_the_wire_stays_full(tmp_path, direction, frame_bytes):
    chosen = scenario(f"wire_{direction}_{frame_bytes}", "depth2")
    result, folder = run(tmp_path, chosen, tx=FRAMES, rx=FRAMES)
    assert (result.found, result.events_off) == ([], 0), result.detail
    expected = pytest.approx(frames_per_second(frame_bytes), rel=100 * PPM)
    if direction != "rx":
        frames = sent_frames(folder)
        assert len(frames) == FRAMES and (frames["length"] == frame_bytes).all()
        assert rate(frames["sfd_cycle"]) == expected
    if direction != "tx":
        events = np.load(folder / EVENTS_FILE)
        for kind in (Kind.RX_SFD, Kind.RX_DONE):
            cycles = events["cycle"][events["kind"] == kind]
            assert len(cycles) == FRAMES and rate(cycles) == expected
        delivered = Outcome.load(folder / OUTCOME_FILE).delivered
        assert len(delivered) == FRAMES


def ready(there, back):
    """Cycles from a frame's end until the next has its first words, with one place."""
    return 18 + 3 * there + 2 * back


def period(frame_bytes, there, back):
    """From SFD to SFD: preamble and SFD, the frame, the gap or, if that takes longer, until the next frame is
    ready, on the next tick."""
    idle = max(GAP, ready(there, back))
    return 16 * TICK + 2 * frame_bytes * TICK + idle + idle % TICK


def periods(folder):
    return set(np.diff(sent_frames(folder)["sfd_cycle"]).tolist())


def one_place(there, back, variant="depth1"):
    return scenario("wire_tx_64", variant, csr=CsrOptions(there, back), wire_limit_ppm={})


@pytest.mark.parametrize(("there", "back"), [(0, 0), (10, 0), (6, 6), (7, 5), (0, 16), (12, 12), (40, 3)])
def test_the_dead_time_of_one_place(tmp_path, there, back):
    result, folder = run(tmp_path, one_place(there, back), tx=6)
    assert (result.found, result.events_off) == ([], 0), result.detail
    assert periods(folder) == {period(64, there, back)}


def test_where_the_gap_ends_to_hide_the_dead_time():
    """The table's own sums: 30 cycles of register latency fit, and the first beyond costs a tick."""
    at_limit = 4 * (64 + 20)
    assert ready(0, 0) == 18 and ready(10, 0) == ready(6, 6) == GAP
    assert [period(64, *latency) - at_limit for latency in ((0, 0), (10, 0), (6, 6))] == [0, 0, 0]
    assert [period(64, *latency) - at_limit for latency in ((7, 5), (0, 16), (12, 12))] == [2, 2, 30]


def test_two_places_hide_what_one_does_not(tmp_path):
    result, folder = run(tmp_path, one_place(12, 12, "depth2"), tx=6)
    assert (result.found, result.events_off) == ([], 0), result.detail
    assert periods(folder) == {4 * (64 + 20)}


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
def test_the_dead_time_in_icarus(tmp_path):
    _, folder = run(tmp_path, one_place(7, 5), "icarus", tx=5)
    assert periods(folder) == {period(64, 7, 5)} == {338}
