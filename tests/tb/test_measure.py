"""The figures of a run against ones worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from model.engines.at91ether import Kind, evidence
from model.events import EVENT
from model.frames import FrameSet
from model.link import LinkTiming
from tb.measure import measure
from tb.native.layout import FRAME, FRAME_FCS_OK
from tb.runspec import RunResult

CLOCK_HZ = 50_000_000
SCENARIO = SimpleNamespace(clock_hz=CLOCK_HZ, tick_cycles=2, symbol_bits=4, link=None)
END = 2000


def events(*rows):
    return np.array(list(rows), EVENT)


def figures(log, tx_bytes=(), rx_bytes=(), golden=None, busy=500, scenario=SCENARIO, link_busy_units=(0, 0),
            hands_up_fcs=True):
    """What `measure` makes of an event log and the lengths of the frames on either side, those sent at the
    first SFDs of the log."""
    frames = np.zeros(len(tx_bytes), FRAME)
    frames["length"], frames["flags"] = tx_bytes, FRAME_FCS_OK
    frames["sfd_cycle"] = log["cycle"][log["kind"] == Kind.TX_SFD][:len(tx_bytes)]
    simulated = SimpleNamespace(events=log, frames=frames, cycles_per_s=1.5e6,
                                link_busy_units=list(link_busy_units))
    outcome = SimpleNamespace(end_cycle=END, delivered=FrameSet.of([bytes(n) for n in rx_bytes]), irqs=3,
                              mmio_reads=4, mmio_writes=5, cpu_account_ns={"stack": 6.5},
                              hands_up_fcs=hands_up_fcs,
                              delivered_cycle=np.arange(len(rx_bytes)) * 500 + 1000)
    predicted = SimpleNamespace(events=log if golden is None else golden, bus_busy_cycles=busy)
    result = RunResult("at91ether", "s", "v", "verilator", 0, CLOCK_HZ, 0, 0)
    measure(result, scenario, evidence, predicted, simulated, outcome)
    return result


# Two frames of 64 bytes: SFD to SFD 336 cycles, handed over in cycle 100, on the wire from 108 and 444.
SENT = events((100, Kind.TX_QUEUE, 0, 0, 60 << 32), (102, Kind.TX_QUEUE, 0, 1, 60 << 32),
              (138, Kind.TX_SFD, 0, 0, 0), (396, Kind.TX_DONE, 0, 0, 0),
              (474, Kind.TX_SFD, 0, 1, 0), (732, Kind.TX_DONE, 0, 1, 0))


def test_sending():
    result = figures(SENT, tx_bytes=[64, 64])
    assert (result.cycles, result.frames, result.bytes) == (END, 2, 128)
    seconds = 336 / CLOCK_HZ    # one frame more in one period
    assert result.pps == result.side_pps["tx"] == pytest.approx(1 / seconds)
    assert result.goodput_mbps == result.side_goodput_mbps["tx"] == pytest.approx(46 * 8 / seconds / 1e6)
    assert result.cycles_per_frame == result.golden_cycles_per_frame == 336
    assert result.wire_utilisation == {"tx": pytest.approx(1.0)}
    assert result.bus_utilisation == 500 / END and result.sim_cycles_per_s == 1.5e6
    assert (result.irqs, result.mmio_reads, result.mmio_writes) == (3, 4, 5)
    assert result.cpu_account == {"stack": 6.5} and result.drops == {}
    assert result.reader_goodput_mbps is None, "nothing was received"


def test_the_account_of_sending_sums_to_the_run():
    # 8 cycles from the hand-over to the first nibble; 288 on the wire each; the gap of 48 between them
    account = figures(SENT, tx_bytes=[64, 64]).cycle_account
    assert account == {"bring_up": 100, "first_fill": 8, "frame_on_wire": 576, "gap": 48,
                       "after_the_last_frame": END - 732}
    assert sum(account.values()) == END


RECEIVED = events((138, Kind.RX_SFD, 1, 0, 0), (397, Kind.RX_END, 1, 0, 64), (420, Kind.RX_DONE, 1, 0, 64),
                  (474, Kind.RX_SFD, 1, 1, 0), (733, Kind.RX_END, 1, 1, 64 | 3 << 32),
                  (740, Kind.RX_DROP, 1, 1, 3),
                  (1100, Kind.RX_SFD, 1, 2, 0), (1359, Kind.RX_END, 1, 2, 64), (1400, Kind.RX_DONE, 1, 1, 64))


def test_receiving():
    result = figures(RECEIVED, rx_bytes=[64, 64], busy=0)
    assert (result.frames, result.bytes) == (2, 128)
    assert result.side_pps == {"rx": pytest.approx(CLOCK_HZ / (1400 - 420))}
    assert result.cycles_per_frame == 1400 - 420
    assert result.reader_goodput_mbps == pytest.approx(46 * 8 / (500 / CLOCK_HZ) / 1e6)
    assert result.wire_utilisation == {"rx": pytest.approx(2 * 336 / (1100 - 138 + 336))}
    assert result.drops == {"crc": 1}
    account = result.cycle_account
    assert sum(account.values()) == END and account["bring_up"] == 108
    assert account["frame_on_wire"] == 3 * 289 and account["after_the_last_frame"] == END - 1359


def test_golden_and_rtl_are_measured_apart():
    late = SENT.copy()
    late["cycle"][-1] += 10
    result = figures(SENT, tx_bytes=[64, 64], golden=late)
    assert (result.cycles_per_frame, result.golden_cycles_per_frame) == (336, 346)


def test_events_after_the_end_do_not_count():
    after = events(*SENT.tolist(), (END, Kind.TX_SFD, 0, 2, 0), (END + 5, Kind.TX_DONE, 0, 2, 0))
    assert figures(after, [64, 64], golden=SENT) == figures(SENT, [64, 64])


def test_directions_have_rates_of_their_own():
    both = events(*SENT.tolist(), *RECEIVED.tolist())
    result = figures(both, tx_bytes=[64, 64], rx_bytes=[64, 64])
    assert result.side_pps == {"tx": pytest.approx(CLOCK_HZ / 336), "rx": pytest.approx(CLOCK_HZ / 980)}
    assert result.pps == pytest.approx(sum(result.side_pps.values()))
    assert result.cycles_per_frame == 336, "that of the sending side"


def test_a_driver_that_cuts_the_fcs_off_receives_the_same_frames():
    assert figures(RECEIVED, rx_bytes=[60, 60], hands_up_fcs=False) == figures(RECEIVED, rx_bytes=[64, 64])


def test_how_full_the_link_is():
    behind = SimpleNamespace(**vars(SCENARIO) | {"link": LinkTiming()})
    result = figures(SENT, [64, 64], scenario=behind, link_busy_units=(65536 * END // 4, 65536 * END // 10))
    assert result.link_utilisation == {"up": pytest.approx(0.25), "down": pytest.approx(0.1)}
    assert figures(SENT, [64, 64]).link_utilisation == {}


def test_on_a_wire_of_bytes_a_period_is_a_byte_a_cycle():
    gigabit = SimpleNamespace(clock_hz=125_000_000, tick_cycles=1, symbol_bits=8, link=None)
    log = events((1000, Kind.TX_SFD, 0, 0, 0), (1084, Kind.TX_SFD, 0, 1, 0), (1168, Kind.TX_SFD, 0, 2, 0))
    assert figures(log, [64, 64, 64], scenario=gigabit).wire_utilisation == {"tx": pytest.approx(1.0)}


def test_pause_frames_are_no_goodput(monkeypatch):
    monkeypatch.setattr(evidence, "pauses", lambda events: {474: 0xFFFF})
    result = figures(SENT, tx_bytes=[64, 64])
    assert (result.frames, result.bytes, result.side_pps) == (1, 64, {})
    assert result.wire_utilisation == {"tx": pytest.approx(1.0)}, "they take the wire like any other"


def test_nothing_happened():
    result = figures(events())
    assert (result.frames, result.pps, result.goodput_mbps, result.cycles_per_frame) == (0, 0, 0, None)
    assert result.wire_utilisation == {} and result.cycle_account == {"after_the_last_frame": END}
