"""On a host that costs nothing each engine keeps the wire full; at91ether with one place falls short by what
the timing specification says.

The expected rate is RFC 5180's, rate / (8 (X + 20)) frames of X bytes a second; the periods of one place are
those of section 9 of docs/engines/at91ether.md.
"""

import shutil

import numpy as np
import pytest

from model import engines
from model.host.outcome import Outcome
from model.scenario import CsrOptions
from tb.drive import OUTCOME_FILE
from tb.runner import EVENTS_FILE
from tests.tb.runs import run, scenario, sent_frames

FRAMES = 500
PPM = 1e-6
TICK = 2
GAP = 48
WIRE_BITS_PER_S = {"at91ether": 100e6, "lan743x": 1e9}
VARIANT = {"at91ether": "depth2", "lan743x": "merged"}


def frames_per_second(mac, frame_bytes):
    return WIRE_BITS_PER_S[mac] / (8 * (frame_bytes + 20))


def rate(cycles, clock_hz):
    """Frames a second from the first of these cycles to the last."""
    return (len(cycles) - 1) / (int(cycles[-1]) - int(cycles[0])) * clock_hz


@pytest.mark.parametrize("frame_bytes", [64, 1518])
@pytest.mark.parametrize("direction", ["tx", "rx", "both"])
@pytest.mark.parametrize("mac", sorted(VARIANT))
def test_the_wire_stays_full(tmp_path, mac, direction, frame_bytes):
    chosen = scenario(f"wire_{direction}_{frame_bytes}", VARIANT[mac], mac)
    assert chosen.link is None and chosen.platform == "free"
    result, folder = run(tmp_path, chosen, tx=FRAMES, rx=FRAMES)
    assert (result.found, result.events_off) == ([], 0), result.detail
    expected = pytest.approx(frames_per_second(mac, frame_bytes), rel=100 * PPM)
    if direction != "rx":
        frames = sent_frames(folder)
        assert len(frames) == FRAMES and (frames["length"] == frame_bytes).all()
        assert rate(frames["sfd_cycle"], chosen.clock_hz) == expected
    if direction != "tx":
        events, kinds = np.load(folder / EVENTS_FILE), engines.load(mac).Kind
        for kind in (kinds.RX_SFD, kinds.RX_DONE):
            cycles = events["cycle"][events["kind"] == kind]
            assert len(cycles) == FRAMES and rate(cycles, chosen.clock_hz) == expected
        delivered = Outcome.load(folder / OUTCOME_FILE).delivered
        assert len(delivered) == FRAMES


@pytest.mark.parametrize(("mac", "frame_bytes", "frames"), [
    ("at91ether", 64, 148_809), ("at91ether", 1518, 8_127),
    ("lan743x", 64, 1_488_095), ("lan743x", 1518, 81_274),
])
def test_the_limits_as_they_are_printed(mac, frame_bytes, frames):
    """RFC 5180, appendix A, cut off to whole frames."""
    assert int(frames_per_second(mac, frame_bytes)) == frames


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
