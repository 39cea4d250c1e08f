"""What an event log is made to say, from logs written by hand and from those of random use."""

import numpy as np
import pytest

from model.engines.at91ether import Kind, Reason, evidence
from model.events import EVENT
from tests.hdl.engines.at91ether.test_against_golden import golden

TX, RX = 0, 1


def log(*rows):
    return np.array(list(rows), EVENT)


def tx(cycle, kind, index=0, data=0):
    return cycle, kind, TX, index, data


def rx(cycle, kind, index=0, data=0):
    return cycle, kind, RX, index, data


def test_failures_name_what_went_wrong_how_often_and_when():
    events = log(tx(5, Kind.TX_OVERRUN), tx(9, Kind.TX_OVERRUN), tx(11, Kind.TX_UNDERRUN),
                 rx(20, Kind.RX_BNA), tx(30, Kind.TX_ABORT))
    assert evidence.failures(events) == {"tx_overrun": (2, 5), "tx_underrun": (1, 11), "rx_bna": (1, 20),
                                         "tx_aborted": (1, 30)}
    assert evidence.failures(log(tx(1, Kind.TX_DONE), rx(2, Kind.RX_END, 0, 64))) == {}


def test_an_overrun_is_that_of_the_fifo_or_of_a_third_open_frame():
    events = log(rx(3, Kind.RX_MISS, 0, Reason.STALLED), rx(4, Kind.RX_END, 0, 64 | Reason.CRC << 32),
                 rx(7, Kind.RX_END, 1, 28 | Reason.OVERRUN << 32), rx(9, Kind.RX_MISS, 2, Reason.OVERRUN))
    assert evidence.failures(events) == {"rx_overrun": (2, 7)}


def test_collisions_that_end_a_frame():
    """A collision is none of the frame's end; the sixteenth or a late one releases it in the same cycle."""
    retried = log(tx(10, Kind.TX_COLLISION, 0, 1), tx(90, Kind.TX_DONE))
    assert evidence.failures(retried) == {} and len(evidence.given_up(retried)) == 0
    late = log(tx(10, Kind.TX_COLLISION, 0, 1), tx(10, Kind.TX_DONE), tx(50, Kind.TX_ABORT, 1))
    assert evidence.failures(late) == {"tx_aborted": (2, 10)}
    assert evidence.unsent(late) == 2 and evidence.spoilt(late) == 1


def test_drops_by_reason():
    events = log(rx(1, Kind.RX_DROP, 0, Reason.CRC), rx(2, Kind.RX_DROP, 1, Reason.CRC),
                 rx(3, Kind.RX_MISS, 2, Reason.STALLED), rx(4, Kind.RX_DROP, 3, Reason.BNA))
    assert evidence.drops(events) == {"crc": 2, "stalled": 1, "bna": 1}


@pytest.mark.parametrize(("begin", "length", "fetch", "beats", "access"), [
    (0x1000, 64, 0x1000, 4, (0x1000, 16)),       # a burst in the midst of the frame
    (0x1002, 60, 0x1000, 4, (0x1002, 14)),       # its first word has bytes that are not the frame's
    (0x1002, 60, 0x1030, 4, (0x1030, 14)),       # so has its last
    (0x1001, 2, 0x1000, 1, (0x1001, 2)),
])
def test_of_what_is_read_only_the_frames_own_bytes_count(begin, length, fetch, beats, access):
    events = log(tx(8, Kind.TX_QUEUE, 3, begin | length << 32), tx(12, Kind.TX_FETCH, 3, fetch | beats << 32))
    assert evidence.accesses(events).tolist() == [(13, *access, False)]


def test_what_is_written_counts_whole():
    events = log(rx(30, Kind.RX_WRITE, 0, 0x2000 | 4 << 32), rx(40, Kind.RX_WRITE, 0, 0x2010 | 1 << 32),
                 rx(50, Kind.RX_WB1, 0, 64), rx(55, Kind.RX_WB0, 0, 1))
    assert evidence.accesses(events).tolist() == [(31, 0x2000, 16, True), (41, 0x2010, 4, True)]


def test_hand_overs_and_when_the_engine_was_done_with_them():
    queued = (tx(10 + n, Kind.TX_QUEUE, n, 0x1000 * n | 60 + n << 32 | (n == 2) << 47) for n in range(5))
    events = log(*queued, tx(400, Kind.TX_DONE, 0), tx(900, Kind.TX_DROP, 1, 3))
    assert evidence.hand_overs(events) == [(10, 0, 60, 400), (11, 0x1000, 61, 900), (12, 0x2000, 62, 900),
                                           (13, 0x3000, 63, 900), (14, 0x4000, 64, -1)]


def test_what_the_engine_itself_reports_as_spoilt_and_unsent():
    events = log(tx(10, Kind.TX_UNDERRUN, 0, 9), tx(20, Kind.TX_CUT, 1, 9), tx(21, Kind.TX_ABORT, 1),
                 tx(30, Kind.TX_COLLISION, 2, 1), tx(99, Kind.TX_DROP, 2, 2))
    assert evidence.spoilt(events) == 3
    assert evidence.unsent(events) == 1 + 1 + 2


def test_ends_and_sfds_of_either_side():
    events = log(tx(39, Kind.TX_SFD), rx(50, Kind.RX_SFD), tx(300, Kind.TX_DONE), rx(310, Kind.RX_END),
                 rx(330, Kind.RX_DONE))
    assert [side.tolist() for side in evidence.sfd_cycles(events)] == [[39], [50]]
    assert [side.tolist() for side in evidence.frame_ends(events)] == [[300], [330]]


def test_the_account_says_what_the_wire_waited_for():
    """Frame 0 waits 8 cycles for its first words. Frame 1 is handed over 100 cycles after the gap of 48 and
    waits 8 more; frame 2 was there in time and follows after the gap, while frame 3 comes in."""
    events = log(tx(100, Kind.TX_QUEUE, 0), tx(138, Kind.TX_SFD, 0), tx(396, Kind.TX_DONE, 0),
                 tx(544, Kind.TX_QUEUE, 1), tx(550, Kind.TX_QUEUE, 2),
                 tx(582, Kind.TX_SFD, 1), tx(840, Kind.TX_DONE, 1), tx(850, Kind.TX_QUEUE, 3),
                 tx(918, Kind.TX_SFD, 2), tx(1176, Kind.TX_DONE, 2), tx(1254, Kind.TX_SFD, 3))
    assert evidence.account(events, 1300) == {
        "bring_up": 100, "first_fill": 8 + 8, "no_frame_handed_over": 100, "gap": 3 * 48,
        "frame_on_wire": 3 * 288 + (1300 - 1224)}


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_the_account_of_random_use_sums_to_the_run(seed):
    events, _, end = golden(seed)
    for cut in (end, end // 2, end // 3):
        account = evidence.account(events[events["cycle"] < cut], cut)
        assert sum(account.values()) == cut and min(account.values()) > 0, account
