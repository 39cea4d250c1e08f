"""What the MAC counts, frame by frame, and in which cycle it shows."""

import pytest

from model.engines.lan743x.statistics import Statistics
from model.frames import fcs, pause
from tests.model.engines.lan743x.play import (
    BROADCAST,
    GROUP,
    OTHER,
    REGISTERS,
    STATION,
    Bench,
    Kind,
    ethernet,
)

COUNTERS = [register.name.removeprefix("STAT_") for register in REGISTERS
            if register.name.startswith("STAT_")]


def counted(bench: Bench) -> dict[str, int]:
    values = {name: bench.read("STAT_" + name) for name in COUNTERS}
    return {name: value for name, value in values.items() if value}


def received(frames, spoilt=(), enabled=True, **rfe):
    bench = Bench(frames, spoilt=spoilt)
    bench.write("FCT_RX_CTL", EN=int(enabled))
    bench.write("MAC_FLOW", RX_FCEN=1)
    bench.listen(**rfe)
    bench.play()
    bench.run(sum(len(frame) + 20 for frame in frames) + 50)
    return bench


def wrong(frame: bytes) -> bytes:
    return frame[:-1] + bytes([frame[-1] ^ 1])


@pytest.mark.parametrize(("frame", "name"), [
    (wrong(ethernet(64)), "FCS_ERRORS"),
    (ethernet(64)[:20] + b"\0" * 43, "FRAGMENT_ERRORS"),
    (wrong(ethernet(1519)), "JABBER_ERRORS"),
    (ethernet(1519), "OVERSIZE_FRAME_ERRORS"),
])
def test_frames_with_an_error(frame, name):
    assert counted(received([frame])) == {"RX_" + name: 1}


def test_a_short_frame_with_a_right_fcs_is_undersize():
    body = ethernet(64)[:59]
    assert counted(received([body + fcs(body)])) == {"RX_UNDERSIZE_FRAME_ERRORS": 1}


def test_an_error_of_the_code_comes_first():
    frames = [ethernet(64), wrong(ethernet(64)), ethernet(1600)]
    assert counted(received(frames, spoilt=(0, 1, 2))) == {"RX_ALIGNMENT_ERRORS": 3}


def test_dropped_filtered_and_pause_frames():
    assert counted(received([ethernet(64)], enabled=False)) == {"RX_DROPPED_FRAMES": 1}
    assert counted(received([ethernet(64)], AB=1)) == {}, "FILTER counts nothing"
    pausing = pause(OTHER, 3).ljust(60, b"\0")
    assert counted(received([pausing + fcs(pausing)])) == {"RX_PAUSE_FRAMES": 1}


@pytest.mark.parametrize(("address", "kind"), [
    (STATION, "UNICAST"), (GROUP, "MULTICAST"), (BROADCAST, "BROADCAST")])
@pytest.mark.parametrize(("length", "size"), [
    (64, "64_BYTE_FRAMES"), (65, "65_127_BYTE_FRAMES"), (127, "65_127_BYTE_FRAMES"),
    (128, "128_255_BYTE_FRAMES"), (255, "128_255_BYTE_FRAMES"), (256, "256_511_BYTES_FRAMES"),
    (511, "256_511_BYTES_FRAMES"), (512, "512_1023_BYTE_FRAMES"), (1023, "512_1023_BYTE_FRAMES"),
    (1024, "1024_1518_BYTE_FRAMES"), (1518, "1024_1518_BYTE_FRAMES")])
def test_good_frames_by_address_and_size(address, kind, length, size):
    frames = [ethernet(length, address)] * 2
    assert counted(received(frames)) == {f"RX_{kind}_BYTE_COUNT": 2 * length, f"RX_{kind}_FRAMES": 2,
                                         f"RX_{size}": 2, "RX_TOTAL_FRAMES": 2}


def test_sent_frames_count_with_fcs_and_padding_and_pause_frames_apart():
    bench = Bench()
    bench.transmit_ring()
    body = GROUP + OTHER + b"\x88\xb5" + bytes(186)
    bench.mem[0x30000:0x30000 + 200] = list(body)
    bench.outgoing(0, 200)
    bench.outgoing(1, 30)
    bench.outgoing(2, 64, FCS=0)
    bench.write("TX0_TAIL", INDEX=3)
    bench.run(600)
    assert counted(bench) == {"TX_MULTICAST_FRAMES": 3, "TX_MULTICAST_BYTE_COUNT": 204 + 64 + 64,
                              "TX_128_255_BYTE_FRAMES": 1, "TX_64_BYTE_FRAMES": 2, "TX_TOTAL_FRAMES": 3}


def test_what_is_counted_in_a_cycle_shows_in_the_next():
    bench = received([ethernet(64)])
    (decided, _, _), = bench.events(Kind.RX_END)
    for offset, value in ((0, 0), (1, 1)):
        bench = Bench([ethernet(64)])
        bench.write("FCT_RX_CTL", EN=1)
        bench.write("MAC_FLOW", RX_FCEN=1)
        bench.listen()
        bench.play()
        assert bench.read("STAT_RX_TOTAL_FRAMES", decided + offset) == value
    bench = Bench()
    bench.transmit_ring()
    bench.outgoing(0)
    bench.write("TX0_TAIL", INDEX=1)
    bench.run(40)
    (f, _, _), = bench.events(Kind.TX_DONE)
    assert [bench.read("STAT_TX_TOTAL_FRAMES", cycle) for cycle in (f, f + 1)] == [0, 1]


@pytest.mark.parametrize(("written", "left"), [(-2, 1), (-1, 0), (0, 0)])
def test_cntr_rst_clears_at_the_edge_that_ends_the_cycle_after_it(written, left):
    """What is counted at that edge is lost; a frame decided one cycle later is not."""
    decided = received([ethernet(64)]).cycles(Kind.RX_END)[0]
    bench = Bench([ethernet(64)])
    bench.write("FCT_RX_CTL", EN=1)
    bench.write("MAC_FLOW", RX_FCEN=1)
    bench.listen()
    bench.play()
    c = bench.write("MAC_CR", at=decided + written, CNTR_RST=1)
    assert [bench.get("MAC_CR", "CNTR_RST", c + n) for n in (1, 2)] == [1, 0]
    assert bench.read("STAT_RX_TOTAL_FRAMES", decided + 4) == left


def test_they_have_32_bits():
    statistics = Statistics()
    for cycle in range(3):
        statistics.sent(bytes(6), 2**31, cycle)
    assert statistics.read("TX_UNICAST_BYTE_COUNT", 3) == 2**31
    assert statistics.read("TX_UNICAST_BYTE_COUNT", 2) == 0
