"""Whole runs, short, in both simulators: golden and RTL never part, the simulators never part, and each run
shows what its scenario is there to show."""

import shutil
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from model.host.outcome import Outcome
from model.scenario import verdict
from tb.drive import OUTCOME_FILE
from tb.job import ARRAYS_FILE
from tb.sim import compare_simulators
from tests.tb.runs import SIMULATORS, run, scenario, sent_frames

CAPTURE = Path(__file__).resolve().parents[1] / "data" / "tcp_iperf3.pcap"
STATION = bytes.fromhex("020000000001")
CAPTURED = {"verilator": 40, "icarus": 13}
"""Frames of the capture to replay each way: its first full segment from the server is the thirteenth."""
INSTALLED = SIMULATORS if shutil.which("iverilog") else SIMULATORS[:1]


@dataclass(frozen=True)
class Case:
    """Members: scenario and variant; frames each way; what has to be found; why received frames are dropped;
    how many frames come out otherwise than they went in."""

    name: str
    variant: str
    tx: int
    rx: int
    found: frozenset = frozenset()
    dropped: frozenset = frozenset()
    bad: int = 0

    def __str__(self):
        return f"{self.name}.{self.variant}"


def shows(*names):
    return frozenset(names)


CASES = [
    Case("wire_both_64", "depth2", 6, 8),
    Case("mixed_jitter", "depth2", 4, 4),
    Case("mstar", "free_count", 8, 4),
    Case("pair_outside_lock", "outside", 5, 3, shows("early_release", "dma_unmapped")),
    Case("rx_ring_full", "long", 0, 40, shows("rx_bna", "frames_dropped"), dropped=shows("bna")),
    Case("bus_latency_tx", "late", 2, 0, shows("tx_underrun"), bad=2),
    Case("bus_latency_rx", "write_late", 0, 3, shows("rx_overrun", "frames_dropped"),
         dropped=shows("overrun")),
    Case("bus_error", "tx_read", 4, 4, shows("tx_aborted"), bad=1),
    Case("rx_damage", "depth2", 0, 8, dropped=shows("crc", "code", "short")),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdict_bytes_and_cycles(tmp_path, case):
    chosen = scenario(case.name, case.variant)
    results, folders = [], []
    for simulator in INSTALLED:
        result, folder = run(tmp_path, chosen, simulator, case.tx, case.rx)
        assert result.events_off == 0 and result.first_divergence is None, result.first_divergence
        assert result.events_compared > 20 and result.worst_offset_cycles == 0
        assert set(result.found) == case.found, result.detail
        assert verdict(result.found, chosen.expect).passed
        assert set(result.drops) == case.dropped
        assert result.frames_checked == case.tx + case.rx - sum(result.drops.values())
        assert result.frames_bad == case.bad
        assert sum(result.cycle_account.values()) == result.cycles
        results.append(result)
        folders.append(folder)
    if len(results) == 2:
        same_in_both(results, folders)


def same_in_both(results, folders):
    one, two = results
    assert one.events_digest == two.events_digest
    assert np.array_equal(np.load(one.events_file), np.load(two.events_file))
    compare_simulators(one, two)
    assert "simulators_differ" not in two.found
    # what the wire's checker saw, bytes and cycles
    with np.load(folders[0] / ARRAYS_FILE) as a, np.load(folders[1] / ARRAYS_FILE) as b:
        assert all(np.array_equal(a[name], b[name]) for name in ("frames", "frame_bytes"))


def packets(path):
    """The packets of a capture, taken apart here: 24 bytes of header, then 16 before each packet."""
    data = path.read_bytes()
    assert data[:4] == bytes.fromhex("d4c3b2a1"), "little endian, microseconds"
    place, found = 24, []
    while place < len(data):
        size, = struct.unpack_from("<I", data, place + 8)
        found.append(data[place + 16:place + 16 + size])
        place += 16 + size
    return found


def wire(frame):
    padded = frame.ljust(60, b"\0")
    return padded + zlib.crc32(padded).to_bytes(4, "little")


@pytest.mark.parametrize("simulator", INSTALLED)
def test_a_capture_of_real_tcp(tmp_path, simulator):
    """Every byte that the station sent is on the wire, every byte for it reached the stack."""
    frames = CAPTURED[simulator]
    result, folder = run(tmp_path, scenario("pcap_tcp", "depth2"), simulator, frames, frames)
    assert (result.found, result.events_off, result.frames_checked) == ([], 0, 2 * frames), result.detail
    sent = [wire(packet) for packet in packets(CAPTURE) if packet[6:12] == STATION][:frames]
    to_station = [wire(packet) for packet in packets(CAPTURE) if packet[6:12] != STATION][:frames]
    records = sent_frames(folder)
    with np.load(folder / ARRAYS_FILE) as arrays:
        everything = arrays["frame_bytes"].tobytes()
    assert [everything[int(r["offset"]):int(r["offset"]) + int(r["length"])] for r in records] == sent
    delivered = Outcome.load(folder / OUTCOME_FILE).delivered
    assert len(delivered) == frames
    for n in range(frames):
        assert to_station[n].startswith(delivered.bytes(n))
        assert len(to_station[n]) - len(delivered[n]) in (0, 4)
    assert max(map(len, to_station)) == 1518, "full segments are among them"
