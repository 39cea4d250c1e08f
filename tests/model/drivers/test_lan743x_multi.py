"""Frames over several buffers: put together, trimmed, dropped as a whole; buffers cleaned for the cache by
halves."""

import numpy as np
import pytest

from model.frames import wire_image
from model.host.dma import Direction
from model.platforms import load
from tests.model.drivers.lan743x_engine import MAP, RX, FakeLan743x
from tests.model.drivers.lan743x_machine import machine, wire

ETH, FCS = 14, 4


def varied(size_bytes, seed=1):
    """A frame without FCS whose bytes are all different from their neighbours'."""
    return bytes((seed + 7 * n + n // 256) & 0xFF for n in range(size_bytes))


def one_frame(payload_bytes, mtu_bytes=500, flags=None, engine=None, max_size=None):
    """Receive one frame with so much payload; returns (machine, frame, write-backs)."""
    engine = engine or FakeLan743x()
    seen, write_back = [], engine.write_back

    def watch(channel, cfg_b, **fields):
        seen.append({name: int(value) for name, value in fields.items()})
        write_back(channel, cfg_b, **fields)
    engine.write_back = watch
    m = machine("merged", {"buffers": "multi", "timestamps": False, **(flags or {})}, mtu_bytes=mtu_bytes,
                engine=engine)
    frame = varied(ETH + payload_bytes)
    begin = engine.wire_start

    def open_up(cycle):   # as with a peer whose MTU is larger: the MAC lets it pass, the buffers do not grow
        engine.values["MAC_RX"] = MAP["MAC_RX"].pack(base=engine.values["MAC_RX"], MAX_SIZE=max_size or 9216)
        begin(cycle)
    engine.wire_start = open_up
    m.receive([(100, wire_image(frame))])
    return m, frame, seen


PING_HEADERS = 20 + 8
"""IPv4 and ICMP: what `ping -s` does not count."""


@pytest.mark.parametrize("ping_bytes, buffers", [(471, 1), (472, 1), (473, 2), (990, 2), (992, 2), (993, 3)])
def test_where_the_count_of_buffers_changes(ping_bytes, buffers):
    """Sheet section 7: MTU 500 makes buffers of 520; with the padding of 2 the first takes 518, FCS
    included."""
    m, frame, seen = one_frame(PING_HEADERS + ping_bytes)
    wire_bytes = len(frame) + FCS
    assert {entry["BUF_LENGTH"] for entry in seen} == {500 + 14 + 4 + 2}
    assert len(seen) == buffers == 1 + max(0, -(-(wire_bytes - 518) // 520))
    assert m.delivered() == [frame] and m.outcome.finding_counts == {}
    assert m.outcome.driver["multi_buffer_frames"] == (buffers > 1) and m.netdev.rx_skbs.live == 0


@pytest.mark.parametrize("payload_bytes", [46, 500, 501, 502, 1020, 1021, 1500])
@pytest.mark.parametrize("trim, missing", [(4, 0), (6, 2)])
def test_the_fcs_is_cut_off_and_by_the_fix_two_bytes_more(payload_bytes, trim, missing):
    m, frame, _ = one_frame(payload_bytes, flags={"trim_fcs": trim})
    assert m.delivered() == [frame[:len(frame) - missing]]
    assert not m.driver.hands_up_fcs and not m.outcome.hands_up_fcs


@pytest.mark.parametrize("payload_bytes, buffers", [(46, 2), (500, 2), (505, 3), (900, 3)])
@pytest.mark.parametrize("sync", ["full", "used"])
def test_a_buffer_more_than_needed_does_no_harm(payload_bytes, buffers, sync):
    m, frame, seen = one_frame(payload_bytes, engine=FakeLan743x(extra_buffer=True), flags={"sync": sync})
    assert len(seen) == buffers and m.delivered() == [frame]
    assert m.outcome.finding_counts == {} and m.unmapped() == []


def test_frames_of_all_sizes_with_time_stamps_round_the_ring():
    m = machine("merged", {"buffers": "multi", "rx_ring": 24, "sync": "used"}, mtu_bytes=200)
    sent = [varied(60 + 17 * n, n) for n in range(80)]
    programme = [(100 + 500 * n, wire_image(frame)) for n, frame in enumerate(sent)]
    begin = m.engine.wire_start

    def open_up(cycle):
        m.engine.values["MAC_RX"] = MAP["MAC_RX"].pack(base=m.engine.values["MAC_RX"], MAX_SIZE=9216)
        begin(cycle)
    m.engine.wire_start = open_up
    m.receive(programme)
    assert m.delivered() == sent and m.outcome.finding_counts == {} and m.unmapped() == []
    assert m.outcome.driver["timestamps_seen"] == 80 and m.netdev.rx_skbs.live == 0


@pytest.mark.parametrize("failing, lost", [((20 + 1,), 0), ((20 + 3,), 1), ((20 + 4,), 1)])
def test_a_buffer_that_cannot_be_replaced_drops_its_frame(failing, lost):
    """Frame 0 takes allocations 20..22 (two buffers and the copy), frame 1 the next, and so on."""
    m = machine("merged", {"buffers": "multi", "rx_ring": 20, "timestamps": False}, mtu_bytes=500,
                failing=frozenset(failing))
    sent = [varied(800, n) for n in range(5)]
    begin = m.engine.wire_start

    def open_up(cycle):
        m.engine.values["MAC_RX"] = MAP["MAC_RX"].pack(base=m.engine.values["MAC_RX"], MAX_SIZE=9216)
        begin(cycle)
    m.engine.wire_start = open_up
    m.receive([(100 + 500 * n, wire_image(frame)) for n, frame in enumerate(sent)])
    assert m.delivered() == [frame for n, frame in enumerate(sent) if n != lost]
    assert m.outcome.stats["rx_dropped"] == 1 and m.outcome.finding_counts == {}
    assert m.netdev.rx_skbs.live == 0


def test_no_memory_for_the_copy_drops_the_frame():
    m = machine("merged", {"buffers": "multi", "rx_ring": 20, "timestamps": False}, mtu_bytes=500,
                engine=FakeLan743x(extra_buffer=True), failing=frozenset({22}))
    programme, sent = wire(3)
    m.receive(programme)
    assert m.delivered() == sent[1:] and m.outcome.stats["rx_dropped"] == 1 and m.netdev.rx_skbs.live == 0


LINES = {"full": 2 * 48, "used": 48 + 4}


@pytest.mark.parametrize("sync", LINES)
def test_what_partial_sync_saves(sync):
    """A frame of 100 + 4 bytes in a buffer of 1520 at a line's begin: the map cleans 48 lines either way."""
    m = machine("merged", {"buffers": "multi", "sync": sync, "rx_ring": 8}, costs={"cache_line": 8})
    programme, _ = wire(30, 300, size_bytes=100)
    m.receive(programme)
    ring_lines = 8 * 2 * 48    # mapped at open, unmapped at stop
    assert m.outcome.cpu_account_ns["cache_line"] == 8 * (ring_lines + 30 * LINES[sync])


@pytest.mark.parametrize("sync", ["full", "used", "a", "c"])
def test_every_right_way_to_sync_gives_right_bytes(sync):
    m = machine("before", {"sync": sync, "rx_ring": 6}, platform="imx6")
    programme, sent = wire(40, 20_000, size_bytes=300)
    m.receive(programme)
    assert m.delivered() == sent and m.outcome.finding_counts == {}


def test_leaving_out_the_map_side_corrupts_frames():
    """The thread's experiment b, once buffers come back that the reader has looked into."""
    m = machine("before", {"sync": "b", "rx_ring": 6}, platform="imx6")
    programme, sent = wire(40, 20_000, size_bytes=300)
    m.receive(programme)
    wrong = [got != right for got, right in zip(m.delivered(), sent, strict=True)]
    assert not any(wrong[:4]) and sum(wrong) > 20
    assert m.host.dma.cache.overwritten > 0


def test_on_a_coherent_platform_it_does_not():
    m = machine("before", {"sync": "b", "rx_ring": 6}, platform="imx6")
    coherent = load("imx6")
    coherent = type(coherent)(coherent.name, coherent.title, coherent.cache_line_bytes, True, coherent.costs)
    m.host.platform, m.host.dma.cache = coherent, None
    programme, sent = wire(40, 20_000, size_bytes=300)
    m.receive(programme)
    assert m.delivered() == sent


def test_buffers_are_of_the_mtus_size():
    m = machine("merged", {"buffers": "mtu", "rx_ring": 10}, mtu_bytes=1000)
    m.work()
    mapped = m.outcome.dma_intervals
    mapped = mapped[mapped["direction"] == Direction.FROM_DEVICE]
    assert mapped["size_bytes"].tolist() == [1000 + 14 + 4 + 2] * 10
    assert RX.size_bytes == 16 and np.all(mapped["end_cycle"] < m.outcome.end_cycle)


def test_large_buffers_cost_four_pages():
    def per_buffer(buffers):
        m = machine("before", {"buffers": buffers, "rx_ring": 10}, costs={"alloc_order2": 800})
        programme, _ = wire(10)
        m.receive(programme)
        return m.outcome.cpu_account_ns.get("alloc_order2", 0) / 20
    assert (per_buffer("9k"), per_buffer("mtu")) == (800, 0)
