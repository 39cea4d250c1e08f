"""Datagrams of several flows against scapy, and which frames count as one flow."""

import numpy as np
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from model import flows, frames, traffic
from tests.model.scenario.support import GIGABIT, changed, loaded

SPREAD = changed('size = "600 B"', 'sizes = { min = "64 B", max = "1518 B" }\nflows = 5',
                 changed("frames = 5", "frames = 40", GIGABIT))


def program(tmp_path):
    return traffic.rx_program(loaded(tmp_path, SPREAD, "merged"))


def test_each_frame_is_a_datagram_with_right_checksums(tmp_path):
    played = program(tmp_path)
    for n in range(len(played.frames)):
        whole = played.frames.bytes(n)
        assert frames.fcs_is_right(whole)
        read = Ether(whole[:-4])
        assert read[IP].len == len(whole) - 18 and read[UDP].len == len(whole) - 38, "no padding"
        again = Ether(bytes(read))
        del again[IP].chksum, again[UDP].chksum
        assert bytes(again) == whole[:-4], "the sums that scapy makes"
        assert bytes(read[UDP].payload)[:4] == n.to_bytes(4, "big"), "its number, to tell it by"
        assert read.dst == "02:00:00:00:00:01" and read[IP].dst == "192.0.2.1"


def test_flows_take_turns_and_differ_in_address_and_port(tmp_path):
    played = program(tmp_path)
    assert played.flow.tolist() == [n % 5 for n in range(40)]
    ends = [(read[IP].src, read[UDP].sport) for read in
            (Ether(played.frames.bytes(n)) for n in range(40))]
    assert len(set(ends)) == 5 and all(ends[n] == ends[n % 5] for n in range(40))
    assert flows.numbers([played.frames.bytes(n)[:-4] for n in range(40)]).tolist() == played.flow.tolist()
    assert played.wanted().tolist() == list(range(40))


def test_one_flow_or_none_is_no_matter_of_order(tmp_path):
    one = traffic.rx_program(loaded(tmp_path, changed("flows = 5", "flows = 1", SPREAD), "merged"))
    assert one.flow is None
    assert traffic.rx_program(loaded(tmp_path, GIGABIT, "merged")).flow is None


def test_many_flows_stay_apart():
    made = frames.make_frames(np.full(1000, 60), np.zeros((1000, 6), np.uint8), bytes(6), 1, 1)
    numbers = np.arange(1000)
    datagrams = flows.as_datagrams(made, numbers)
    assert flows.numbers([datagrams.bytes(n) for n in range(1000)]).tolist() == numbers.tolist()


def test_a_frame_too_short_for_a_datagram():
    made = frames.make_frames(np.array([45]), np.zeros((1, 6), np.uint8), bytes(6), 1, 1)
    with pytest.raises(ValueError, match="a datagram needs 46 bytes, not 45"):
        flows.as_datagrams(made, np.zeros(1, np.int64))


ADDRESSES = {"src": "10.0.0.1", "dst": "10.0.0.2"}


@pytest.mark.parametrize(("one", "other", "alike"), [
    (IP(**ADDRESSES) / UDP(sport=1, dport=2), IP(**ADDRESSES) / UDP(sport=1, dport=2) / b"more", True),
    (IP(**ADDRESSES) / UDP(sport=1, dport=2), IP(**ADDRESSES) / UDP(sport=3, dport=2), False),
    (IP(**ADDRESSES) / TCP(sport=1, dport=2), IP(src="10.0.0.3", dst="10.0.0.2") / TCP(sport=1, dport=2),
     False),
    # a first fragment has ports and a later one has not: both go by their addresses
    (IP(**ADDRESSES, flags="MF") / UDP(sport=1, dport=2), IP(**ADDRESSES, frag=9) / b"rest of it", True),
    (IP(**ADDRESSES, flags="DF") / UDP(sport=1, dport=2), IP(**ADDRESSES) / UDP(sport=1, dport=2), True),
])
def test_what_is_one_flow(one, other, alike):
    first, second = flows.numbers([bytes(Ether() / packet) for packet in (one, other)])
    assert (first == second) == alike


def test_what_is_no_ipv4_is_all_one_flow():
    assert flows.numbers([bytes(60), b"\xFF" * 60, bytes(14)]).tolist() == [0, 0, 0]
