"""A whole run against the stand-in engine: what is handed in, delivered, disturbed and found."""

import json

import numpy as np
import pytest

from model.host.outcome import Outcome
from model.host.workload import Action
from model.platforms import load
from tests.model.host.fake_engine import FakeEngine
from tests.model.host.machine import frames, machine


def rx_programme(count, every_cycles, size_bytes=64):
    return [(every_cycles * (ordinal + 1), frame) for ordinal, frame in enumerate(frames(count, size_bytes))]


def with_rx(programme, **options):
    m = machine(**options)
    m.engine.programme = programme
    return m, {"rx_start_cycles": 0, "rx_wire_cycles": programme[-1][0]}


def test_all_frames_go_out_in_order_and_nothing_is_left():
    m = machine(platform=load("msc313e"))
    outcome = m.work(tx=frames(30))
    assert m.engine.sent == frames(30) == [outcome.handed.bytes(n) for n in range(30)]
    assert outcome.finding_counts == {} and outcome.stats["tx_packets"] == 30
    assert m.netdev.tx_skbs.live == 0 and m.host.memory.live_blocks == 0
    assert m.unmapped() == []


def test_received_frames_reach_the_reader_in_order():
    m, rx = with_rx(rx_programme(40, 700), platform=load("msc313e"))
    outcome = m.work(**rx)
    assert [outcome.delivered.bytes(n) for n in range(len(outcome.delivered))] == frames(40, 64)
    assert outcome.finding_counts == {} and m.unmapped() == []
    assert (np.diff(outcome.delivered_cycle) > 0).all() and outcome.wire_cycle >= outcome.up_cycle


def test_frames_are_not_handed_in_before_their_time():
    m = machine()
    ready = np.array([0, 5000, 5000, 9000])
    outcome = m.work(tx=frames(4), tx_ready_cycles=ready)
    assert (outcome.handed_cycle - outcome.up_cycle >= ready).all()
    assert outcome.handed_cycle[3] - outcome.up_cycle == 9000


def test_sent_data_begin_two_bytes_off_a_word():
    m = machine()
    outcome = m.work(tx=frames(5))
    streaming = outcome.dma_intervals[outcome.dma_intervals["size_bytes"] == 60]
    assert len(streaming) == 5 and set(streaming["address"] % 4) == {2}


def test_a_freed_buffer_is_the_next_one_used():
    m = machine("depth1")
    outcome = m.work(tx=frames(6))
    addresses = outcome.dma_intervals["address"][outcome.dma_intervals["size_bytes"] == 60].tolist()
    assert addresses[2:] == addresses[:2] * 2, "one is being filled while the other is with the engine"


def test_a_failed_allocation_drops_the_frame_and_gives_the_entry_back():
    m, rx = with_rx(rx_programme(30, 700), failing=frozenset({3, 4}))
    outcome = m.work(**rx)
    expected = [frame for ordinal, frame in enumerate(frames(30, 64)) if ordinal not in (3, 4)]
    assert [outcome.delivered.bytes(n) for n in range(len(outcome.delivered))] == expected
    assert outcome.stats["rx_dropped"] == 2 and outcome.driver["isr_rbna"] == 0


def test_interrupts_blocked_too_long_fill_the_ring_and_the_restart_empties_it():
    m, rx = with_rx(rx_programme(40, 336))
    outcome = m.work(actions=(Action(1000, "irqs_off", 336 * 15),), **rx)
    assert outcome.driver["isr_rbna"] > 0 and 30 <= len(outcome.delivered) < 40
    assert outcome.delivered.bytes(len(outcome.delivered) - 1) == frames(40, 64)[-1]
    assert outcome.cpu_account_ns["irqs_off"] == 336 * 15 * 20


def test_a_transmitter_that_never_completes_is_noted():
    m = machine(engine=FakeEngine(frame_cycles=10**9))
    outcome = m.work(tx=frames(5), tx_timeout_cycles=30_000)
    assert outcome.finding_counts["tx_stopped"] == 1 and len(outcome.handed) == 2
    stopped = next(finding for finding in outcome.findings if finding.name == "tx_stopped")
    assert stopped.cycle == outcome.handed_cycle[-1] + 30_000
    assert "2 with the driver, 3 waiting, queue stopped" in stopped.text


def test_the_deadline_ends_a_run():
    m = machine(engine=FakeEngine(frame_cycles=3000))
    outcome = m.work(tx=frames(50), deadline_cycles=20_000)
    assert outcome.finding_counts["hang"] == 1 and len(outcome.handed) < 50
    assert outcome.end_cycle < outcome.up_cycle + 21_000


def test_an_interface_that_stays_down_ends_the_sending():
    m = machine("depth2_bnq")
    outcome = m.work(tx=frames(30), actions=(Action(1000, "down"),))
    assert outcome.finding_counts == {} and 0 < len(outcome.handed) < 30
    assert outcome.end_cycle < outcome.up_cycle + 2000


def test_an_unknown_action_is_refused():
    with pytest.raises(ValueError, match="action 'irq_off': expected one of down, up, irqs_off"):
        Action(0, "irq_off")


def test_a_busy_process_delays_the_sender_but_not_interrupts():
    m, rx = with_rx(rx_programme(20, 700))
    outcome = m.work(tx=frames(40), actions=(Action(700, "busy", 6000),), **rx)
    assert np.diff(outcome.handed_cycle).max() >= 5500
    assert np.diff(outcome.delivered_cycle).max() < 1500


def test_a_slow_reader_costs_cpu_time():
    m, rx = with_rx(rx_programme(20, 700))
    outcome = m.work(actions=(Action(0, "slow_reader", 700 * 10, 100),), **rx)
    assert outcome.cpu_account_ns["slow_reader"] == pytest.approx(10 * 100 * 20, rel=0.11)


def test_the_outcome_survives_a_file(tmp_path):
    m, rx = with_rx(rx_programme(5, 700), platform=load("at91rm9200"))
    outcome = m.work(tx=frames(5), **rx)
    outcome.save(tmp_path / "outcome.npz")
    again = Outcome.load(tmp_path / "outcome.npz")
    assert again.summary() == outcome.summary() == json.loads(json.dumps(outcome.summary()))
    assert [again.handed.bytes(n) for n in range(5)] == frames(5)
    assert (again.dma_intervals == outcome.dma_intervals).all()


def test_cpu_time_adds_up_to_the_run():
    m, rx = with_rx(rx_programme(20, 1000), platform=load("at91rm9200"))
    outcome = m.work(tx=frames(20), **rx)
    total_ns = (outcome.end_cycle - outcome.began_cycle) * 20
    assert sum(outcome.cpu_account_ns.values()) == pytest.approx(total_ns)
    assert outcome.cpu_account_ns["idle"] > 0


def test_two_runs_are_the_same():
    def once():
        m, rx = with_rx(rx_programme(30, 400), platform=load("at91rm9200"))
        m.work(tx=frames(30), **rx)
        return m.engine.log, m.outcome.summary()
    assert once() == once()


def test_one_configures_the_interface_at_a_time():
    """As under the kernel's RTNL: who comes while another opens or stops waits for its end."""
    m = machine()
    inside, entered = [0], []

    def alone(name, call):
        async def guarded():
            assert not inside[0], f"{name} while {entered[-1]} is at it"
            inside[0] = 1
            entered.append(name)
            await m.host.cpu.sleep(50)
            await call()
            inside[0] = 0
        return guarded

    m.driver.open, m.driver.stop = alone("open", m.driver.open), alone("stop", m.driver.stop)
    actions = [Action(at_cycle, do) for at_cycle, do in ((0, "down"), (10, "up"), (20, "down"), (30, "up"))]
    outcome = m.work(actions=tuple(actions))
    assert entered == ["open", "stop", "open", "stop", "open", "stop"] and outcome.finding_counts == {}
