"""Transmission: one tail write a frame, the empty slot, the overflow frame, fragments, and completion."""

import pytest

from model.host.workload import Action
from tests.model.drivers.lan743x_engine import TX, FakeLan743x
from tests.model.drivers.lan743x_machine import frames, machine

RE_ARM = 0b111 << 29


@pytest.mark.parametrize("platform", ["free", "imx6"])
@pytest.mark.parametrize("flags", [{}, {"rev": "a0"}, {"msix": False}])
def test_all_frames_go_out_in_order_and_nothing_is_left(platform, flags):
    m = machine("merged", {"tx_ring": 16, **flags}, platform, FakeLan743x(rev_a0=flags.get("rev") == "a0"))
    m.work(tx=frames(100, 60))
    assert m.engine.sent == frames(100, 60) and m.outcome.finding_counts == {} and m.unmapped() == []
    assert m.outcome.stats["tx_packets"] == 100 and m.netdev.tx_skbs.live == 0


def test_each_frame_is_one_write_of_the_tail_that_re_arms():
    m = machine("merged", {"tx_ring": 4, "rx_ring": 8})
    m.work(tx=frames(10, 60))
    tails = [value for value in m.written("TX0_TAIL") if value]
    assert tails == [RE_ARM | (n + 1) % 4 for n in range(10)]
    assert m.outcome.driver["tx_tail_writes"] == 10


def test_without_automatic_modes_the_tail_is_an_index():
    m = machine("merged", {"tx_ring": 8, "msix": False})
    m.work(tx=frames(5, 60))
    assert m.written("TX0_TAIL") == [0, 1, 2, 3, 4, 5]


def test_what_a_descriptor_says():
    engine = FakeLan743x(tx_frame_cycles=10**7)
    m = machine("merged", {}, engine=engine)
    seen = []

    def look():
        entry = engine.entry("TX0", 0, TX)
        words = {field.name: field.extract(int(entry["DATA0"])) for field in TX["DATA0"].fields}
        seen.append((words, int(entry["DATA1"]), int(TX.get(entry, "DATA3", "FRAME_LENGTH_MSS"))))
    m.host.world.kernel.call_at(4 * 60_000, look)
    m.work(tx=frames(1, 80), tx_timeout_cycles=80_000)
    words, address, frame_bytes = seen[0]
    assert {name for name, value in words.items() if value} == {"BUF_LENGTH", "FS", "LS", "IOC", "FCS"}
    assert words["BUF_LENGTH"] == frame_bytes == 80 and address == m.outcome.dma_intervals["address"][-1]


@pytest.mark.parametrize("ring", [2, 3, 8])
def test_one_slot_stays_empty_and_the_frame_too_many_waits(ring):
    engine = FakeLan743x(tx_frame_cycles=2000)
    m = machine("merged", {"tx_ring": ring}, engine=engine)
    m.work(tx=frames(ring + 3, 60))
    before_first_end = sum(cycle < engine.sent_cycle[0] for cycle in m.outcome.handed_cycle)
    assert before_first_end == ring, "ring - 1 with the engine and the one that waits"
    assert m.outcome.driver["tx_overflows"] > 0 and engine.sent == frames(ring + 3, 60)
    assert m.outcome.stats["tx_busy"] == 0, "the driver never says NETDEV_TX_BUSY"


def after_bring_up(m):
    """The register accesses from the last one of open on."""
    log = m.accesses()
    return log[log.index("W RFE_CTL") + 1:]


def test_its_poll_reads_and_arms_in_the_drivers_order():
    m = machine("merged")
    m.work(tx=frames(1, 60), tx_timeout_cycles=10_000)
    assert after_bring_up(m)[:5] == ["W TX0_TAIL", "R INT_EN_SET", "R DMAC_INT_STS", "W INT_EN_SET",
                                     "R INT_STS"]


def test_on_a0_every_interrupt_costs_its_accesses():
    m = machine("merged", {"rev": "a0"}, engine=FakeLan743x(rev_a0=True))
    m.work(tx=frames(1, 60))
    assert after_bring_up(m)[:13] == [
        "W TX0_TAIL", "R INT_STS", "W INT_EN_CLR", "R INT_EN_SET",
        "R INT_EN_SET", "W INT_EN_CLR", "R DMAC_INT_STS", "R DMAC_INT_EN_SET", "W INT_EN_SET",
        "R DMAC_INT_STS", "W DMAC_INT_STS", "W INT_EN_SET", "R INT_STS"]


def test_a_frame_with_page_fragments():
    m = machine("merged", {"tx_ring": 8})
    host, data = m.host, bytes(range(1, 251))
    parts = (data[:60], data[60:200], data[200:])

    async def main():
        await m.driver.probe()
        await m.driver.open()
        for _ in range(3):
            skb = m.netdev.tx_skbs.allocate(62)
            skb.reserve(2)
            host.cpu_write(skb.put(60), parts[0])
            for part in parts[1:]:
                page = host.memory.allocate(4096)
                host.cpu_write(page + 5, part)
                skb.pages.append((page + 5, len(part)))
            async with host.bottom_halves_off():
                assert await m.driver.xmit(skb)
        waiting = m.driver.tx_pending, m.netdev.queue_stopped
        await host.cpu.block_until(lambda: not m.driver.tx_pending, 10_000)
        await m.driver.stop()
        return waiting
    waiting = host.world.run(host.run(main()))
    assert waiting == (3, True), "two frames of three entries fit into seven, the third waits"
    assert m.engine.sent == [data] * 3 and m.netdev.stats["tx_bytes"] == 3 * 250
    assert not host.findings.counts


def test_a_frame_of_more_parts_than_the_ring_has_is_dropped():
    m = machine("merged", {"tx_ring": 3})
    host = m.host

    async def main():
        await m.driver.probe()
        await m.driver.open()
        skb = m.netdev.tx_skbs.allocate(62)
        skb.put(60)
        page = host.memory.allocate(4096)
        skb.pages += [(page, 10), (page + 64, 10)]
        async with host.bottom_halves_off():
            await m.driver.xmit(skb)
        await m.driver.stop()
    host.world.run(host.run(main()))
    assert m.netdev.stats["tx_dropped"] == 1 and m.netdev.tx_skbs.live == 0 and not m.engine.sent


@pytest.mark.parametrize("down_at", [300, 900, 5000])
def test_stop_leaves_no_mapping_behind(down_at):
    engine = FakeLan743x(tx_frame_cycles=700)
    m = machine("merged", {"tx_ring": 4}, engine=engine)
    m.work(tx=frames(30, 60), actions=(Action(down_at, "down"),))
    assert m.outcome.finding_counts == {} and m.netdev.tx_skbs.live == 0
    stats = m.outcome.stats
    assert stats["tx_packets"] + stats["tx_dropped"] == len(m.outcome.handed) < 30


def test_a_head_beyond_the_tail_is_a_fault_of_the_engine():
    m = machine("merged", {"tx_ring": 8})
    real = m.engine.write_head
    m.engine.write_head = lambda register, head: real(register, (head + 2) % 8 if "TX" in register else head)
    with pytest.raises(RuntimeError, match="TX head 3 of the part is beyond what it was given: entry 1 is"):
        m.work(tx=frames(1, 60))
