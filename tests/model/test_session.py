"""A scenario on the golden world: what the machine is told to do, and that a run repeats itself."""

from dataclasses import replace

import numpy as np
import pytest

from model import session, traffic
from model.scenario import BusError, BusOptions, select
from model.scenario.schema import Action


def scenario(name, variant="depth2", **changes):
    chosen, = select(("at91ether",), (name,), (variant,))
    return replace(chosen, **changes)


def programs(chosen, tx=3, rx=3):
    return traffic.tx_program(chosen, tx), traffic.rx_program(chosen, rx)


def test_the_work_of_both_directions():
    chosen = scenario("wire_both_64", deadline_cycles=123_456)
    tx, rx = programs(chosen, 3, 5)
    work = session.workload(chosen, tx, rx)
    assert len(work.tx) == 3 and work.frame(1) == tx.frames.bytes(1)
    assert work.tx_ready_cycles is None, "there is always one waiting"
    assert work.deadline_cycles == 123_456 and work.rx_start_cycles == rx.start_cycles
    # 5 frames of 64 bytes at the wire's limit: 84 byte times of 4 cycles each, counted from the start of the
    # first gap, and what the player takes to begin
    assert 5 * 84 * 4 <= work.rx_wire_cycles <= 5 * 84 * 4 + 8
    assert work.rx_grace_cycles == 400e-6 * 50e6
    assert work.tx_timeout_cycles == 4000e-6 * 50e6


def test_the_work_of_one_direction():
    chosen = scenario("tx_64", tx=replace(scenario("tx_64").tx, interval_cycles=700))
    work = session.workload(chosen, *programs(chosen, 4))
    assert work.rx_start_cycles is None
    assert work.tx_ready_cycles.tolist() == [0, 700, 1400, 2100]
    nothing = session.workload(scenario("rx_64"), *programs(scenario("rx_64")))
    assert len(nothing.tx) == 0 and nothing.rx_start_cycles is not None


def test_a_part_that_says_when_all_has_settled_does_not_wait_out_its_grace():
    chosen, = select(("lan743x",), ("rx_filter",), ("merged",))
    rx = traffic.rx_program(chosen)
    work = session.workload(chosen, None, rx)
    assert 0 < len(rx.wanted()) < len(rx.frames), "only what is for this station"
    assert work.rx_wanted == len(rx.wanted())
    assert (work.rx_settle_cycles, work.rx_grace_cycles) == (20e-6 * 125e6, 4e-3 * 125e6)
    assert session.workload(scenario("rx_64"), *programs(scenario("rx_64"))).rx_wanted is None


def test_half_duplex_has_more_patience():
    full, half = (session.workload(scenario("tx_64", duplex=duplex), *programs(scenario("tx_64")))
                  for duplex in ("full", "half"))
    # sixteen attempts with up to 1023 slots of 512 bit times between them, at 100 Mb/s
    slots = sum(min(2**n, 1024) - 1 for n in range(1, 16))
    assert half.tx_timeout_cycles - full.tx_timeout_cycles >= slots * 512 / 100e6 * 50e6


def test_actions_are_passed_on():
    actions = (Action(10, "down"), Action(500, "up"), Action(600, "busy", 7, 0),
               Action(700, "slow_reader", 8, 9))
    work = session.workload(scenario("tx_64", actions=actions), *programs(scenario("tx_64")))
    assert [(a.at_cycle, a.do, a.for_cycles, a.cost_cycles) for a in work.actions] == [
        (10, "down", 0, 0), (500, "up", 0, 0), (600, "busy", 7, 0), (700, "slow_reader", 8, 9)]
    change = (Action(10, "mtu", mtu_bytes=576),)
    work = session.workload(scenario("tx_64", actions=change), *programs(scenario("tx_64")))
    assert (work.actions[0].do, work.actions[0].mtu_bytes) == ("mtu", 576)


def test_the_bus_is_the_scenarios():
    errors = (BusError(0, False, 3), BusError(1, True, 0))
    bus = session.bus_timing(scenario("tx_64", seed=77, bus=BusOptions(1, 2, 3, 4, errors)))
    assert (bus.read_latency, bus.write_latency, bus.beat_interval, bus.jitter) == (1, 2, 3, 4)
    assert (bus.seed, bus.outstanding) == (77, 1)
    assert session.bus_timing(scenario("tx_64", bus=BusOptions(outstanding=5))).outstanding == 5
    assert bus.errors == {(0, False, 3), (1, True, 0)}


@pytest.mark.parametrize("name", ["wire_both_64", "mixed_jitter"])
def test_a_golden_run_repeats_itself_and_keeps_to_its_end(name):
    chosen = scenario(name)
    first, second = (session.golden(chosen, *programs(chosen)) for _ in range(2))
    assert (first.events == second.events).all() and len(first.events) > 50
    assert np.array_equal(first.memory, second.memory)
    assert first.outcome.summary() == second.outcome.summary()
    assert int(first.events["cycle"].max()) < first.outcome.end_cycle
    assert len(first.memory) == session.MEMORY_BYTES
    assert 0 < first.bus_busy_cycles < first.outcome.end_cycle
    assert first.outcome.finding_counts == {}


def test_a_golden_run_delivers_what_was_played_and_sends_what_was_handed_in():
    chosen = scenario("wire_both_64")
    tx, rx = programs(chosen, 4, 6)
    outcome = session.golden(chosen, tx, rx).outcome
    assert [outcome.handed.bytes(n) for n in range(4)] == [tx.frames.bytes(n) for n in range(4)]
    assert len(outcome.delivered) == 6
    for n in range(6):
        assert rx.frames.bytes(n).startswith(outcome.delivered.bytes(n))
        assert len(outcome.delivered.bytes(n)) in (60, 64)
