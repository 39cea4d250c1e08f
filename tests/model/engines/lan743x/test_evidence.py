"""What an event log is made to say, from logs written by hand and from those of random use."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.lan743x import Kind, evidence
from model.engines.lan743x.events import STATE_AFTER, Reason
from model.events import EVENT
from tests.model.engines.lan743x.play import Bench, ethernet

TX, RX, NONE = 0, 1, 2
CALM = settings(deadline=None, max_examples=30)


def log(*rows):
    return np.array(list(rows), EVENT)


def tx(cycle, kind, index=0, data=0):
    return cycle, kind, TX, index, data


def rx(cycle, kind, index=0, data=0):
    return cycle, kind, RX, index, data


def end(cycle, reason, index=0, length=64):
    return rx(cycle, Kind.RX_END, index, length | reason << 32)


def test_failures_name_what_went_wrong_how_often_and_when():
    events = log(end(10, Reason.OVERFLOW), end(20, Reason.OVERFLOW | 1 << 8), end(21, Reason.CRC),
                 tx(30, Kind.TX_ERROR, 4), tx(31, Kind.TX_DROP), rx(40, Kind.RX_ERROR))
    assert evidence.failures(events) == {"rx_overrun": (2, 10), "tx_aborted": (2, 30), "rx_aborted": (1, 40)}
    assert evidence.failures(log(tx(1, Kind.TX_DONE), end(2, Reason.GOOD))) == {}
    assert evidence.unsent(events) == 1 and evidence.spoilt(events) == 0 and evidence.hand_overs(events) == []


def test_drops_by_reason():
    reasons = (Reason.CRC, Reason.GOOD, Reason.CRC, Reason.PAUSE, Reason.FCT_OFF, Reason.FILTER | 3 << 8)
    assert evidence.drops(log(*(end(n, reason) for n, reason in enumerate(reasons)))) == {
        "crc": 2, "fct_off": 1, "filter": 1}


def test_accesses_to_buffers():
    """The edge that ends the address's cycle; rings and heads are not among them."""
    events = log(tx(5, Kind.TX_PREFETCH, 0, 0x100 | 4 << 32), tx(12, Kind.TX_FETCH, 0, 0x1002 | 60 << 32),
                 (30, Kind.RX_WRITE, 4, 0, 0x2002 | 510 << 32), rx(40, Kind.RX_WB, 0, 0x8000),
                 tx(50, Kind.TX_HEAD, 0, 1))
    assert evidence.accesses(events).tolist() == [(13, 0x1002, 60, False), (31, 0x2002, 510, True)]
    assert len(evidence.accesses(log())) == 0


def test_ends_sfds_and_pauses():
    events = log(tx(39, Kind.TX_SFD), rx(50, Kind.RX_SFD), tx(90, Kind.TX_PAUSE, 0, 0xFF),
                 tx(300, Kind.TX_DONE), end(310, Reason.GOOD), rx(330, Kind.RX_DONE))
    assert [side.tolist() for side in evidence.sfd_cycles(events)] == [[39], [50]]
    assert [side.tolist() for side in evidence.frame_ends(events)] == [[300], [330]]
    assert evidence.pauses(events) == {90: 0xFF}


def test_the_account_says_what_the_wire_waited_for():
    """Known in 100, its data asked for in 103, on the wire from 123 on. Frame 1 follows after the gap; the
    data of frame 2 are asked for 50 cycles after the gap; frame 3 is on the wire at the end."""
    events = log(
        tx(100, Kind.TX_PREFETCH, 0, 0x1000 | 3 << 32), tx(103, Kind.TX_FETCH, 0), tx(105, Kind.TX_FETCH, 1),
        tx(130, Kind.TX_SFD, 0), tx(195, Kind.TX_DONE, 0),
        tx(214, Kind.TX_SFD, 1), tx(279, Kind.TX_DONE, 1),
        tx(341, Kind.TX_FETCH, 2), tx(370, Kind.TX_SFD, 2), tx(435, Kind.TX_DONE, 2),
        tx(440, Kind.TX_FETCH, 3), tx(454, Kind.TX_SFD, 3))
    assert evidence.account(events, 480) == {
        "bring_up": 100, "no_frame_handed_over": 3 + 50, "first_fill": 20 + 22, "gap": 3 * 12,
        "frame_on_wire": 3 * 72 + (480 - 447)}
    assert evidence.account(events, 5000)["frame_on_wire"] == 3 * 72 + 5000 - 447


def test_the_account_of_a_pause_frame_and_of_the_end():
    events = log(tx(10, Kind.TX_PREFETCH, 0, 1 << 32), tx(13, Kind.TX_FETCH, 0), tx(47, Kind.TX_SFD, 0),
                 tx(112, Kind.TX_DONE, 0), tx(131, Kind.TX_PAUSE, 0, 5))
    assert evidence.account(events, 300) == {
        "bring_up": 10, "no_frame_handed_over": 3, "first_fill": 27, "frame_on_wire": 72, "gap": 12,
        "pause_frame": 72, "after_the_last_frame": 300 - 124 - 72}


def test_the_account_of_a_pause_frame_before_the_first_entry():
    events = log(tx(107, Kind.TX_PAUSE, 0, 5), tx(400, Kind.TX_PREFETCH, 0, 1 << 32),
                 tx(403, Kind.TX_FETCH, 0), tx(437, Kind.TX_SFD, 0), tx(502, Kind.TX_DONE, 0))
    account = evidence.account(events, 600)
    assert sum(account.values()) == 600 and account["pause_frame"] == 72


def test_the_account_of_a_receiver():
    """The preamble begins seven cycles before the SFD; RX_END is one cycle after the first idle symbol."""
    events = log(rx(107, Kind.RX_SFD, 0), end(173, Reason.GOOD), rx(191, Kind.RX_SFD, 1),
                 end(257, Reason.CRC, 1), rx(307, Kind.RX_SFD, 2))
    assert evidence.account(events, 320) == {"bring_up": 100, "wire_idle": 12 + 44,
                                             "frame_on_wire": 72 * 2 + 20}
    assert evidence.account(events[:4], 320) == {"bring_up": 100, "wire_idle": 12, "frame_on_wire": 72 * 2,
                                                 "after_the_last_frame": 320 - 256}
    assert evidence.account(log(), 320) == {"after_the_last_frame": 320}


@CALM
@given(lengths=st.lists(st.integers(14, 900), max_size=6),
       later=st.lists(st.integers(0, 400), min_size=6, max_size=6),
       received=st.lists(st.integers(64, 300), max_size=4), cut=st.integers(1, 6000))
def test_the_account_of_any_run_sums_to_its_end(lengths, later, received, cut):
    bench = Bench([ethernet(length) for length in received], gaps=40)
    bench.listen()
    bench.play()
    if lengths:
        bench.transmit_ring(ring=16)
    for n, length in enumerate(lengths):
        bench.outgoing(n, length)
        bench.run(later[n])
        bench.write("TX0_TAIL", INDEX=n + 1)
    bench.run(8000)
    events = bench.log.array(cut)
    account = evidence.account(events, cut)
    assert sum(account.values()) == cut and min(account.values()) > 0
    if cut > 5900:
        on_wire = sum(8 + max(60, length) + 4 for length in lengths) or sum(8 + length for length in received)
        assert account.get("frame_on_wire", 0) == on_wire


def test_every_event_has_a_state_for_its_reader():
    assert set(STATE_AFTER) == set(Kind) - {Kind.CSR_WRITE, Kind.CSR_READ}
