"""What the scenarios of lan743x are there to show, on the golden world: the thread's figures and the hazards.

That the RTL does the same is what `make sim` finds out.
"""

from functools import cache

import numpy as np
import pytest

from model import session, traffic
from model.engines import lan743x
from model.scenario import select
from model.session import GoldenRun

PAYLOAD_BYTES = 1448
"""Of TCP in a full segment at MTU 1500 with time stamps, which is what iperf3 counts."""


@cache
def run(name: str, variant: str, rx: int | None = None, tx: int | None = None) -> GoldenRun:
    scenario, = select(("lan743x",), (name,), (variant,))
    return session.golden(scenario, traffic.tx_program(scenario, tx) if scenario.tx else None,
                          traffic.rx_program(scenario, rx) if scenario.rx else None)


def cycles_of(golden: GoldenRun, kind: lan743x.Kind) -> np.ndarray:
    return golden.events["cycle"][golden.events["kind"] == kind]


def reader_us(golden: GoldenRun) -> float:
    """From one frame to the next at its reader, the middle one of all."""
    return float(np.median(np.diff(golden.outcome.delivered_cycle))) / 125


@pytest.mark.parametrize(("name", "thread_mbps"), [("mtu1500_9k", 203), ("mtu1500_mtu", 496)])
def test_what_a_frame_costs_the_cpu_is_what_the_thread_measured(name, thread_mbps):
    for variant in ("merged", "merged_link"):
        golden = run(name, variant, 60)
        assert reader_us(golden) == pytest.approx(8 * PAYLOAD_BYTES / thread_mbps, rel=0.02)


def test_the_lane_is_not_what_limits_the_thread():
    for name in ("mtu1500_9k", "mtu1500_mtu", "mtu9000_9k"):
        ideal, link = (reader_us(run(name, variant, 24)) for variant in ("merged", "merged_link"))
        assert link == pytest.approx(ideal, rel=0.01)


def starved_us(golden: GoldenRun) -> float:
    """The longest time without an entry for what the FIFO held, until RX_TAIL was written and one came."""
    began, came = (cycles_of(golden, kind) for kind in (lan743x.Kind.RX_STARVED, lan743x.Kind.RX_DESC))
    return max(int(came[np.searchsorted(came, at, "right")] - at) for at in began if at < came[-1]) / 125


def test_merged_interrupts_less_and_lets_the_engine_starve_less():
    before, merged = run("pingpong", "before"), run("pingpong", "merged")
    assert merged.outcome.irqs < before.outcome.irqs / 2
    assert starved_us(merged) < starved_us(before) / 5
    assert len(merged.outcome.delivered) == 400 > len(before.outcome.delivered)


def test_as_posted_the_tail_moves_but_nothing_is_there_to_poll():
    """Its weight is what a ring of 65 holds with time stamps, and a channel that starves keeps its head."""
    before, posted = (run("pingpong", variant).outcome for variant in ("before", "posted"))
    assert posted.driver["full_polls_rx0"] > 5 and before.driver["full_polls_rx0"] == 0
    assert posted.driver["rx_tail_writes"] == (before.driver["rx_tail_writes"]
                                               + posted.driver["full_polls_rx0"])
    assert (posted.irqs, len(posted.delivered)) == (before.irqs, len(before.delivered))


def test_entries_apart_cost_the_link_but_no_frame_of_full_size():
    apart, close = run("stride", "apart_1518", 100, 100), run("stride", "close_1518", 100, 100)
    for kind in (lan743x.Kind.TX_DONE, lan743x.Kind.RX_DONE):
        assert len(cycles_of(apart, kind)) == len(cycles_of(close, kind)) == 100
    reads = [len(cycles_of(golden, lan743x.Kind.RX_PREFETCH)) for golden in (apart, close)]
    assert reads[0] > 3 * reads[1]
    apart, close = (run("stride", variant, 600, 600) for variant in ("apart_64", "close_64"))
    for kind in (lan743x.Kind.TX_DONE, lan743x.Kind.RX_DONE):
        periods = [float(np.mean(np.diff(cycles_of(golden, kind)[:500]))) for golden in (apart, close)]
        assert periods[0] > 1.4 * periods[1]


def test_a_revision_without_moderation_interrupts_more_and_asks_more():
    a0, b0 = run("rev_a0", "a0"), run("rev_a0", "b0")
    assert a0.outcome.irqs > 2 * b0.outcome.irqs
    assert a0.outcome.mmio_reads > b0.outcome.mmio_reads


def test_the_stock_transmit_ring_lasts_33_us_of_the_400_between_interrupts():
    golden = run("wire_stock_rings", "tx_64", None, 600)
    begins = cycles_of(golden, lan743x.Kind.TX_SFD)
    # 49 frames, 84 cycles each, then nothing until the driver hears of them; the first frame's interrupt has
    # none before it to be held back by, so one slot is used twice
    steps = np.diff(begins)
    stalls = np.flatnonzero(steps > 10_000)
    assert stalls[0] + 1 == 50 and set(np.diff(stalls)) == {49}
    assert set(np.delete(steps, stalls)) == {84}
    assert begins[stalls[0] + 1 + 49] - begins[stalls[0] + 1] == pytest.approx(400e-6 * 125e6, rel=0.01)


def test_a_whole_buffer_a_frame_takes_the_lane():
    """2.5 GT/s, 8b/10b: 250 bytes a us, less what acknowledgements, flow control and SKP take."""
    golden = run("link_rx_1518", "whole_buffer", 60)
    done = cycles_of(golden, lan743x.Kind.RX_DONE)
    us = float(np.median(np.diff(done))) / 125
    bytes_a_frame = 9236 - 2 + 24 * 73 + 16 + 24     # its TLPs of 128 bytes, and its entry
    assert us == pytest.approx(bytes_a_frame / (250 * (1 - 16 / 237 - 4 / 1538)), rel=0.01)


def test_four_channels_all_get_their_part():
    golden = run("channels4", "merged", 100, 4)
    rings = golden.events["ring"][golden.events["kind"] == lan743x.Kind.RX_DONE]
    assert set(rings.tolist()) == {1, 3, 4, 5}
    assert len(rings) == len(golden.outcome.delivered) == 100


def test_pause_frames_go_out_at_the_thresholds_and_hold_the_sender_when_they_come():
    events = run("pause", "sent").events
    sent = events[events["kind"] == lan743x.Kind.TX_PAUSE]
    assert len(sent) >= 2 and sent["data"][0] > 0 and sent["data"][-1] == 0, "asked for, then taken back"
    events = run("pause", "obeyed").events
    starts = events["cycle"][events["kind"] == lan743x.Kind.TX_SFD].astype(int) - 7
    at = events["cycle"][events["kind"] == lan743x.Kind.RX_END].astype(int)
    # 100 quanta, a frame later 40 instead; then 500, taken back two frames later. A quantum is 64 cycles.
    for first, last in ((at[2] + 1, at[3] + 64 * 40), (at[6] + 1, at[8])):
        assert not ((starts >= first) & (starts <= last)).any() and last + 1 in starts
    ignored = run("pause", "ignored").events
    begins = ignored["cycle"][ignored["kind"] == lan743x.Kind.TX_SFD].astype(int)
    assert set(np.diff(begins)) == {8 + 600 + 12}
