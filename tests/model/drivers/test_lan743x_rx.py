"""The receive poll: when RX_TAIL moves, what a poll takes, extension entries, and what goes wrong when the
order is not kept."""

import pytest

from model.frames import wire_image
from model.host.napi import NAPI_POLL_WEIGHT
from model.host.workload import Action
from tests.model.drivers.lan743x_engine import RX, FakeLan743x
from tests.model.drivers.lan743x_machine import frames, machine, wire

VARIANTS = ("before", "posted", "merged")
RE_ARM = 1 << 30 | 1 << 29


def burst(variant, flags, count, **options):
    """`count` frames that all wait in the ring when their one message comes; returns (machine, tails)."""
    m = machine(variant, {"buffers": "mtu", **flags}, **options)
    programme, sent = wire(count, 20)
    hold_messages(m.engine, 30 * count + 400)
    m.receive(programme)
    assert m.delivered() == sent and m.outcome.finding_counts == {} and m.unmapped() == []
    wire_cycle = m.outcome.wire_cycle
    return m, m.written("RX0_TAIL", since=wire_cycle)


def hold_messages(engine, cycles):
    """The moderation timer of the receive vector runs for so long from the wire's start."""
    start = engine.wire_start

    def begin(cycle):
        engine.next_message[2] = cycle + cycles
        start(cycle)
    engine.wire_start = begin


def polls(m):
    driver = m.outcome.driver
    return driver["polls_rx0"], driver["full_polls_rx0"], driver["frames_rx0"]


@pytest.mark.parametrize("variant, tails", [
    ("before", [RE_ARM | 19]), ("posted", [RE_ARM | 19]), ("merged", [7, 15, RE_ARM | 19])])
def test_when_the_tail_moves(variant, tails):
    """Ten frames with their time stamps are entries 0..19."""
    _, written = burst(variant, {}, 10)
    assert written == tails


@pytest.mark.parametrize("every, tails", [(1, list(range(12)) + [RE_ARM | 11]), (4, [3, 7, 11, RE_ARM | 11]),
                                          (0, [RE_ARM | 11])])
def test_the_rule_of_the_tail_is_a_flag(every, tails):
    _, written = burst("merged", {"tail_every": every}, 6)
    assert written == tails


WEIGHTS = {"before": 64, "posted": 32, "merged": NAPI_POLL_WEIGHT}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_weights(variant, more):
    """Without time stamps a ring of 65 holds 64 frames at once: only then `before` can use up its weight."""
    weight = WEIGHTS[variant]
    count = min(weight + more, 64)
    m, _ = burst(variant, {"timestamps": False}, count)
    used_up = int(count >= weight)
    assert polls(m) == (1 + used_up, used_up, count)


def test_the_posted_driver_moves_the_tail_when_it_leaves_early():
    _, written = burst("posted", {"timestamps": False}, 40)
    assert written == [31, RE_ARM | 39]


def test_before_does_not_when_the_weight_is_used_up():
    m, written = burst("before", {"timestamps": False, "rx_ring": 9}, 8)
    assert written == [RE_ARM | 7] and polls(m) == (2, 1, 8)


def test_with_time_stamps_half_the_ring_is_all():
    m = machine("before", {"buffers": "mtu"})
    programme, sent = wire(100, 20)
    m.receive(programme, actions=(Action(0, "irqs_off", 4000),))
    assert m.engine.starved > 0 and m.outcome.driver["full_polls_rx0"] == 0
    assert m.delivered() == sent and m.outcome.driver["timestamps_seen"] == 100


def test_an_interrupt_costs_no_register_access_in_its_handler():
    m = machine("merged", {"timestamps": False})
    programme, _ = wire(3, 2000)
    m.receive(programme)
    since = m.outcome.wire_cycle + 50
    assert m.accesses(since, since + 6000) == ["W RX0_TAIL"] * 3


def descriptor_stores(own_first):
    """The words of entry 0 as the cycle shows them, while it is posted again after its first frame."""
    engine, seen = FakeLan743x(), []
    m = machine("merged", {"own_first": own_first, "timestamps": False}, costs={"descriptor": 400},
                engine=engine)
    m.engine.programme = [(100, wire_image(frames(1)[0]))]

    def look():
        entry = engine.entry("RX0", 0, RX)
        words = tuple(int(entry[f"DATA{n}"]) for n in range(2))
        if not seen or seen[-1] != words:
            seen.append(words)
        world.kernel.call_at(world.kernel.now + 4, look)
    world = m.host.world
    start = engine.wire_start

    def begin(cycle):
        start(cycle)
        look()
    engine.wire_start = begin
    m.work(rx_start_cycles=0, rx_wire_cycles=100, rx_grace_cycles=3000)
    own = RX.field("DATA0", "OWN").mask
    return [(bool(words[0] & own), bool(words[1])) for words in seen]


def test_own_comes_with_the_address():
    assert descriptor_stores(False)[:3] == [(True, True), (False, False), (True, True)]


def test_own_before_the_address_is_there_to_be_seen():
    assert descriptor_stores(True)[:4] == [(True, True), (False, False), (True, False), (True, True)]


def test_a_failed_allocation_recycles_the_buffer_and_drops_the_frame():
    ring = 20
    m = machine("before", {"rx_ring": ring, "buffers": "mtu"}, failing=frozenset({ring + 2, ring + 5}))
    programme, sent = wire(40)
    m.receive(programme)
    assert m.delivered() == [frame for n, frame in enumerate(sent) if n not in (2, 5)]
    assert m.outcome.driver["rx_alloc_failed"] == 2 and m.outcome.stats["rx_dropped"] == 2
    assert m.outcome.finding_counts == {} and m.netdev.rx_skbs.live == 0


@pytest.mark.parametrize("variant, counted", [("before", 8), ("posted", 8), ("merged", 10)])
def test_whether_dropped_frames_count(variant, counted):
    m, _ = burst_with_failures(variant)
    assert m.outcome.driver["frames_rx0"] == counted


def burst_with_failures(variant):
    m = machine(variant, {"rx_ring": 64, "buffers": "mtu"}, failing=frozenset({64, 67}))
    programme, sent = wire(10, 20)
    hold_messages(m.engine, 1000)
    m.receive(programme)
    return m, sent


def test_frames_over_several_buffers_are_dropped_whole():
    m = machine("before", {"rx_ring": 20, "buffers": "mtu"}, engine=FakeLan743x(extra_buffer=True))
    programme, _ = wire(12, 300)
    m.receive(programme)
    assert m.delivered() == [] and m.outcome.driver["multi_buffer_frames"] == 12
    assert m.outcome.stats["rx_dropped"] == 12 and m.outcome.finding_counts == {}


def test_clearing_the_cause_last_loses_the_frame_of_the_window():
    """Sheet section 9, 5: a frame that ends between the last look at the ring and the write that clears its
    cause waits for the next one's interrupt."""
    def delays(rearm):
        m = machine("before", {"buffers": "mtu", "rearm": rearm}, costs={"mmio_write": 2000})
        sent = frames(3)
        # the second ends while the first one's poll is on its way to the end
        m.engine.programme = [(cycle, wire_image(frame)) for cycle, frame in zip((100, 250, 9000), sent,
                                                                                 strict=True)]
        m.work(rx_start_cycles=0, rx_wire_cycles=9000)
        assert m.delivered() == sent
        return (m.outcome.delivered_cycle - m.outcome.wire_cycle).tolist()
    assert delays("clear_first")[1] < 2000 and delays("clear_last")[1] > 9000


def test_trusting_the_head_alone():
    """Sheet section 9, 7: the head is there before the entry is."""
    def received(check_own):
        engine = FakeLan743x()
        write_back = engine.write_back

        def late(channel, cfg_b, **fields):
            place = channel.head
            channel.head = (place + 1) % cfg_b["RING_LEN"]

            def now():
                kept, channel.head = channel.head, place
                write_back(channel, cfg_b, **fields)
                channel.head = kept
                engine.causes |= 1 << 16
                engine.update(engine.kernel.cycle)
            engine.kernel.call_at(engine.kernel.now + 4 * 300, now)
        engine.write_back = late
        m = machine("before", {"buffers": "mtu", "timestamps": False, "check_own": check_own}, engine=engine)
        programme, sent = wire(10, 2000)
        m.receive(programme)
        return m, sent
    m, sent = received(True)
    assert m.delivered() == sent
    m, sent = received(False)
    assert m.delivered() == [] and m.outcome.stats["rx_errors"] == 10


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_channel_has_its_ring_its_vector_and_its_poll(variant):
    m = machine(variant, {"rx_channels": 4, "rx_ring": 16, "buffers": "mtu"})
    programme, sent = wire(80, 200)
    m.receive([(cycle, frame, n % 3 + 1) for n, (cycle, frame) in enumerate(programme)])
    assert m.delivered() == sent and m.outcome.finding_counts == {} and m.unmapped() == []
    driver = m.outcome.driver
    assert [driver[f"frames_rx{n}"] for n in range(4)] == [0, 27, 27, 26]
    assert "irqs_vector2" in driver and driver["irqs_vector2"] == 0
    assert all(driver[f"irqs_vector{n}"] == driver[f"polls_rx{n - 2}"] > 0 for n in (3, 4, 5))
