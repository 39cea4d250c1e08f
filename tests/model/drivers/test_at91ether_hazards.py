"""What each variant does wrong, and that its mended form does not: sheet sections 8 and 9."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.drivers.at91ether.registers import Registers
from model.drivers.at91ether.rx import next_index
from model.drivers.at91ether.settings import make_settings
from model.drivers.at91ether.tx import oldest_slot
from model.errors import BenchError
from model.host.workload import Action
from model.platforms import load
from tests.model.host.fake_engine import FakeEngine
from tests.model.host.machine import costs, frames, machine

FRAMES = 12


def early_releases(variant, flags, engines, platform):
    """How many of the engine's reads found no mapping, and how many frames came out wrong, over several
    engines."""
    unmapped = wrong = 0
    for engine in engines:
        m = machine(variant, flags, platform, engine)
        m.work(tx=frames(FRAMES), tx_timeout_cycles=20_000)
        unmapped += len(m.unmapped())
        wrong += sum(sent not in frames(FRAMES) for sent in engine.sent) + (engine.sent != frames(FRAMES))
    return unmapped, wrong


def engines_of_many_lengths():
    return [FakeEngine(frame_cycles=cycles) for cycles in range(100, 500, 25)]


SLOW_WRITES = {"mmio_write": 1000, "irq_entry": 400, "sched": 600, "stack": 300}


def test_pair_outside_lock_sends_released_memory():
    """Section 9, 3: the interrupt lands between tx_len++ and TAR/TCR and releases the frame not yet handed
    over."""
    unmapped, _ = early_releases("depth2", {"pair_locked": False}, engines_of_many_lengths(),
                                 costs(**SLOW_WRITES))
    assert unmapped > 0


@pytest.mark.parametrize("variant", ["depth1", "depth2", "depth2_bnq"])
def test_under_the_lock_nothing_is_released_early(variant):
    flags = {"pair_locked": True}
    assert early_releases(variant, flags, engines_of_many_lengths(), costs(**SLOW_WRITES)) == (0, 0)


def mstar_engine():
    return FakeEngine(places=4, frame_cycles=600, mstar=True)


def test_the_formula_releases_too_early_on_the_mstar_part():
    """Section 8: BNQ stays 1, so at most one frame is believed to be with the part."""
    unmapped, _ = early_releases("depth2", {"pair_locked": True}, [mstar_engine()], load("free"))
    assert unmapped > 0


def test_the_free_count_does_not():
    assert early_releases("free_count", {}, [mstar_engine()], load("free")) == (0, 0)


def test_the_free_count_uses_four_places():
    engine = mstar_engine()
    m = machine("free_count", engine=engine)
    m.work(tx=frames(FRAMES))
    assert engine.overruns == 0
    first_end = engine.sent_cycle[0]
    assert sum(cycle < first_end for cycle in m.outcome.handed_cycle) == 4


def test_two_places_hide_the_dead_time():
    def period(variant):
        m = machine(variant, {"pair_locked": True}, load("msc313e"), FakeEngine(frame_cycles=2480))
        m.work(tx=frames(20, 600))
        return (m.engine.sent_cycle[-1] - m.engine.sent_cycle[4]) / 15
    assert period("depth2") == 2480
    assert period("depth1") / 2480 == pytest.approx(1.5, abs=0.02), "the thread's +50 % (sheet section 7)"


@pytest.mark.parametrize("flags", [{}, {"tcom_counts": True}])
def test_one_tcom_for_two_frames(flags):
    """A handler that comes late finds one TCOM for both frames, and IDLE: both are given back."""
    m = machine("depth2_bnq", flags, engine=FakeEngine(frame_cycles=200))
    m.work(tx=frames(8), actions=(Action(250, "irqs_off", 600),))
    assert m.outcome.driver["isr_tcom"] < 8
    assert m.engine.sent == frames(8) and m.outcome.stats["tx_packets"] == 8
    assert m.outcome.finding_counts == {}


@pytest.mark.parametrize("variant, flags", [
    ("depth2", {"pair_locked": True}), ("depth2_bnq", {}), ("depth2_bnq", {"tcom_counts": True}),
])
def test_a_frame_that_ends_between_the_readings_of_isr_and_tsr(variant, flags):
    """Section 9, 4, STALE_TSR: its TCOM comes again and finds nothing to give back."""
    platform = costs(irq_entry=2000, mmio_read=800)
    engines = [FakeEngine(frame_cycles=cycles) for cycles in range(100, 300, 4)]
    assert early_releases(variant, flags, engines, platform) == (0, 0)


def torn_pair(flags):
    """Register accesses around a TAR write that an interrupt meets in its second half."""
    engine = FakeEngine(places=4, mstar=True)
    m = machine("free_count", {"split16": "low_first", **flags}, costs(mmio_write=1000), engine)

    async def handler():
        await m.driver.registers.read("ISR")

    async def main():
        m.host.request_irq(handler)
        registers = Registers(m.host, make_settings("free_count", {"split16": "low_first", **flags}))
        m.engine.imr = 0
        m.engine.world.kernel.call_at(4 * (m.host.now + 70) + 3, m.engine.cause, m.host.now + 70, "RCOM")
        await registers.write("TAR", 0x12345678)
        await m.host.spend("wait", 2000)
    m.host.world.run(m.host.run(main()))
    return [f"{kind} {name} {strobe:x}" for _, kind, name, _, strobe in m.engine.log]


def test_an_interrupt_between_the_halves():
    assert torn_pair({}) == ["W TAR 3", "R ISR f", "W TAR c"]
    assert torn_pair({"split16_irqsafe": True}) == ["W TAR 3", "W TAR c", "R ISR f"]


DOWN_UP = (Action(600, "down"), Action(1500, "up"))


def test_stop_as_in_linux_leaks_what_is_with_the_engine():
    m = machine("depth1", engine=FakeEngine(frame_cycles=200))
    outcome = m.work(tx=frames(FRAMES), actions=DOWN_UP, tx_timeout_cycles=5000)
    texts = [finding.text.split(":")[0] for finding in outcome.findings]
    assert texts == ["leak", "1 buffers of sent frames never freed"]


def test_the_posted_series_stays_busy_after_stop_with_two_frames():
    """tx_len is not reset by stop or open: with 2 in it nothing can be handed over, and nothing will
    interrupt."""
    m = machine("depth2", {"pair_locked": True}, engine=FakeEngine(frame_cycles=400))
    outcome = m.work(tx=frames(FRAMES), actions=DOWN_UP, tx_timeout_cycles=5000)
    assert outcome.finding_counts["tx_stopped"] == 1 and outcome.stats["tx_busy"] > 0


@pytest.mark.parametrize("variant", ["depth1", "depth2", "depth2_bnq", "free_count"])
def test_stop_that_releases_is_clean(variant):
    mstar = variant == "free_count"
    engine = FakeEngine(places=4 if mstar else 2, frame_cycles=400, mstar=mstar)
    m = machine(variant, {"stop_releases": True, "pair_locked": True}, engine=engine)
    outcome = m.work(tx=frames(FRAMES), actions=DOWN_UP, tx_timeout_cycles=5000)
    assert outcome.finding_counts == {} and len(outcome.handed) == FRAMES
    assert outcome.stats["tx_packets"] + outcome.stats["tx_dropped"] == FRAMES


@pytest.mark.parametrize("mtu, right", [(1500, True), (68, True), (1501, False), (67, False), (9000, False)])
def test_mtu(mtu, right):
    driver = machine().driver
    if right:
        driver.set_mtu(mtu)
        assert driver.netdev.mtu_bytes == mtu
    else:
        with pytest.raises(BenchError, match=f"at91ether: mtu = {mtu}: the driver takes 68 to 1500"):
            driver.set_mtu(mtu)


@given(st.integers(1, 64), st.integers(0, 1000))
def test_the_ring_goes_round(entries, steps):
    index = 0
    for _ in range(steps):
        index = next_index(index, entries)
    assert index == steps % entries


@given(st.integers(1, 8), st.lists(st.booleans(), max_size=60))
def test_the_oldest_frame_is_the_one_put_in_first(places, steps):
    slots, order = [None] * places, []
    tail = held = number = 0
    for put in steps:
        if put and held < places:
            slots[tail] = number
            order.append(number)
            tail, held, number = (tail + 1) % places, held + 1, number + 1
        elif not put and held:
            place = oldest_slot(tail, held, places)
            assert slots[place] == order.pop(0)
            slots[place], held = None, held - 1
    assert held == len(order)
