"""What open needs of the part, and MTU changes while it runs."""

import pytest

from model.errors import BenchError
from model.frames import wire_image
from model.host.workload import Action
from tests.model.drivers import lan743x_engine
from tests.model.drivers.lan743x_engine import MAP, FakeLan743x, mask
from tests.model.drivers.lan743x_machine import CLOCK_HZ, frames, machine, wire


def failure(m):
    """The text of the one finding of a run that could not begin."""
    m.work(tx=frames(1))
    assert m.outcome.finding_counts == {"open_failed": 1} and not m.outcome.handed_cycle.size
    return m.outcome.findings[0].text


def test_a_self_test_that_nobody_hears():
    m = machine(engine=FakeLan743x(silent=True))
    assert "self-test's interrupt did not come within 200 ms" in failure(m)
    assert m.outcome.end_cycle > CLOCK_HZ // 5
    assert m.accesses()[-3:] == ["W INT_EN_CLR", "W INT_EN_CLR", "W INT_VEC_EN_CLR"], "closed again"


def test_no_link(monkeypatch):
    monkeypatch.setitem(lan743x_engine.PHY, 1, 0)
    assert failure(machine()) == "PHY 1: no link"


def test_a_head_that_is_not_0_after_the_channels_reset():
    engine = FakeLan743x()
    engine.values["RX0_HEAD"] = 5
    m = machine(engine=engine)
    assert failure(m) == "RX0_HEAD reads 5 after the channel's reset"
    assert m.host.memory.live_blocks == 0 and not m.engine.values["MAC_RX"] & mask("MAC_RX", "RXEN")


def test_a_part_of_the_other_revision():
    assert "set to a LAN743x of revision a0" in failure(machine("merged", {"rev": "a0"}))


def test_no_memory_for_the_ring():
    m = machine("before", failing=frozenset({50}))
    assert failure(m) == "no memory for buffer 50 of receive channel 0"
    assert m.host.memory.live_blocks == 0


def test_a_part_that_does_not_stop():
    engine = FakeLan743x()
    m = machine(engine=engine)
    real = engine.command

    def never(value):
        real(value)
        engine.values["DMAC_CMD"] |= MAP["DMAC_CMD"].pack(START_R=1) & -bool(engine.started)
    engine.command = never
    programme, _ = wire(3)
    m.receive(programme)
    assert m.outcome.finding_counts == {"stop_failed": 1}
    assert "DMAC_CMD: bits 0x10 are not 0x0" in m.outcome.findings[0].text


@pytest.mark.parametrize("mtu", [67, 9217])
def test_mtus_out_of_range(mtu):
    with pytest.raises(BenchError, match=f"mtu = {mtu}: the driver takes 68 to 9216 bytes"):
        machine(mtu_bytes=mtu)


# Changes. The peer sends frames of the larger MTU all the time, every 400 cycles.

EVERY, CHANGE_AT = 400, 10_000


def changed(flags, mtu_bytes, new_mtu_bytes, size_bytes, count=60, failing=frozenset(), engine=None):
    m = machine("merged", {"rx_ring": 16, **flags}, mtu_bytes=mtu_bytes, failing=failing, engine=engine)
    sent = [bytes([n]) * size_bytes for n in range(count)]
    m.receive([(100 + EVERY * n, wire_image(frame)) for n, frame in enumerate(sent)],
              actions=(Action(CHANGE_AT, "mtu", mtu_bytes=new_mtu_bytes),))
    assert m.outcome.finding_counts == {} and m.unmapped() == []
    return m, [sent.index(frame) for frame in m.delivered()]


def test_the_receiver_is_off_while_the_size_changes():
    m, got = changed({}, 1500, 2000, 1000)
    begin = m.outcome.up_cycle + CHANGE_AT
    order = [entry for entry in m.accesses(begin, begin + 100) if "MAC_RX" in entry]
    assert order == ["R MAC_RX", "W MAC_RX", "R MAC_RX", "W MAC_RX", "W MAC_RX", "W MAC_RX"]
    off, clear, size, on = [MAP["MAC_RX"].unpack(value) for value in m.written("MAC_RX")[-5:-1]]
    assert (off["RXEN"], clear["RXD"], size["MAX_SIZE"], size["RXEN"], on["RXEN"]) == (0, 1, 2018, 0, 1)
    assert len(got) >= 59 and m.netdev.mtu_bytes == 2000


def test_a_change_is_refused_while_up():
    m, got = changed({"buffers": "mtu", "mtu_change": "busy"}, 500, 1500, 1000)
    assert m.outcome.stats["mtu_refused"] == 1 and got == [] and m.netdev.mtu_bytes == 500


def test_small_buffers_that_stay_small_drop_what_grew():
    """`live` with buffers of the old MTU: what the MAC lets pass now comes in several of them."""
    m, got = changed({"buffers": "mtu", "mtu_change": "live"}, 500, 1500, 1000)
    assert got == [] and m.outcome.driver["multi_buffer_frames"] > 30


def test_small_buffers_are_replaced_as_they_come_round():
    m, got = changed({"buffers": "multi", "mtu_change": "lazy"}, 500, 1500, 1000)
    first = got[0]
    assert got == list(range(first, 60)) and first <= CHANGE_AT // EVERY + 2
    ring = m.driver.settings.rx_ring
    assert 0 < m.outcome.driver["multi_buffer_frames"] <= ring, "as long as old buffers are in the ring"
    assert {520, 1520} <= set(m.outcome.dma_intervals["size_bytes"].tolist())


def test_a_failed_allocation_keeps_the_old_buffer_which_is_replaced_later():
    m, got = changed({"buffers": "multi", "mtu_change": "lazy", "timestamps": False}, 500, 1500, 400,
                     failing=frozenset(range(16 + 26, 16 + 30)))
    assert got == [n for n in range(60) if n not in range(26, 30)]
    assert m.outcome.driver["rx_alloc_failed"] == m.outcome.stats["rx_dropped"] == 4
    sizes = m.outcome.dma_intervals["size_bytes"]
    assert sorted(set(sizes[(sizes > 4) & (sizes < 4096)].tolist())) == [520, 1520]


def test_shrinking_keeps_frames_that_fit_the_old_buffers():
    m, got = changed({"buffers": "multi", "mtu_change": "lazy"}, 1500, 500, 400)
    assert len(got) >= 59 and m.outcome.driver["multi_buffer_frames"] == 0
    _, got = changed({"buffers": "multi", "mtu_change": "lazy"}, 1500, 500, 1000)
    assert 20 < len(got) <= CHANGE_AT // EVERY + 2, "larger ones do not pass the MAC any more"


def test_a_change_while_down_is_never_refused():
    m = machine("merged", {"buffers": "mtu", "mtu_change": "busy"}, mtu_bytes=500)
    sent = frames(20, 1000)
    programme = [(30_000 + 300 * n, wire_image(frame)) for n, frame in enumerate(sent)]
    m.receive(programme, actions=(Action(100, "down"), Action(8000, "mtu", mtu_bytes=1500),
                                  Action(9000, "up")))
    assert m.delivered() == sent and m.outcome.stats["mtu_refused"] == 0
