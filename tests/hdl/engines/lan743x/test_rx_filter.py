"""Address filter and steering: docs/engines/lan743x.md, section 4.1, 4 and 5, and 8 (RFE RAM)."""

import random

import pytest

from hdl.engines.lan743x.events import Reason
from tests.hdl.engines.lan743x.rx_mac_bench import STATION, RxMacBench, frame

BROADCAST = bytes([0xFF] * 6)
GROUP = bytes.fromhex("01005e7f0001")
OTHER = bytes.fromhex("0211223344aa")


def accepted(bench: RxMacBench) -> list[bool]:
    bench.run()
    assert {end.reason for end in bench.ends} <= {Reason.GOOD.value, Reason.FILTER.value}
    return [end.reason == Reason.GOOD.value for end in bench.ends]


def ether_crc(data: bytes) -> int:
    """CRC-32 shifted towards the high end, bytes taken lowest bit first, neither end inverted."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            feedback = register >> 31 ^ byte >> bit & 1
            register = register << 1 & 0xFFFFFFFF ^ (0x04C11DB7 if feedback else 0)
    return register


@pytest.mark.parametrize(("settings", "expected"), [
    ({}, [0, 0, 0]),
    ({"unicast": 1}, [1, 0, 0]),
    ({"broadcast": 1}, [0, 0, 1]),
    ({"multicast": 1}, [0, 1, 0]),
    ({"unicast": 1, "multicast": 1, "hash": 1, "perfect": 1}, [1, 1, 0]),
])
def test_kinds_of_address(settings, expected):
    bench = RxMacBench(**{"unicast": 0, "broadcast": 0} | settings)
    for to in (STATION, GROUP, BROADCAST):
        bench.receive(frame(to=to))
    assert accepted(bench) == [bool(e) for e in expected]


@pytest.mark.parametrize("number", [0, 1, 31, 32])
def test_perfect_entries(number):
    bench = RxMacBench(unicast=0, broadcast=0, perfect=1)
    for n in range(33):  # the tables outlast a reset
        bench.entry(20 + 4 * n, n, bytes(6), valid=0)
    bench._time = 200
    bench.entry(180, number, STATION)
    bench.receive(frame())
    bench.receive(frame(to=OTHER))
    s = bench.receive(frame(to=GROUP))
    bench.entry(s - 60, number, GROUP)  # while the frame before comes in
    bench.receive(frame(to=STATION))
    invalid = bench.receive(frame(to=GROUP)) + 20
    bench.entry(invalid, number, GROUP, valid=0)
    off = bench.receive(frame(to=GROUP))
    bench.entry(off - 20, number, GROUP)
    bench.at(off + 66, perfect=0)
    assert accepted(bench) == [True, False, True, False, False, False]


@pytest.mark.parametrize("number", [0, 32])
@pytest.mark.parametrize("when", [1, 7, 8, 9, 40, 41, 65, 66])
def test_an_entry_counts_as_it_is_when_the_frame_has_ended(number, when):
    """The low half was right before; VALID is written in s + `when`, and seen from the next cycle on."""
    for valid in (0, 1):
        bench = RxMacBench(unicast=0, broadcast=0, perfect=1)
        for n in range(33):
            bench.entry(20 + 4 * n, n, bytes(6), valid=0)
        bench._time = 200
        bench.entry(180, number, STATION, valid=1 - valid)
        s = bench.receive(frame())
        high = int.from_bytes(STATION[4:], "little")
        bench.write(s + when, f"RFE_ADDR_FILT_HI{number}", high | valid << 31)
        assert accepted(bench) == [bool(valid if when < 66 else 1 - valid)]


def test_strobes_of_a_table_write_count():
    bench = RxMacBench(unicast=0, broadcast=0, perfect=1)
    for n in range(33):
        bench.entry(20 + 4 * n, n, bytes(6), valid=0)
    bench._time = 200
    bench.entry(180, 3, STATION)
    bench.write(184, "RFE_ADDR_FILT_LO3", 0xAABBCCDD, strobe=0b0000)
    bench.write(186, "RFE_ADDR_FILT_HI3", 0x7FFFFFFF, strobe=0b0000)
    s = bench.receive(frame())
    bench.write(s + 50, "RFE_ADDR_FILT_HI3", 0x0000FFFF, strobe=0b0010)
    bench.write(s + 56, "RFE_ADDR_FILT_HI3", int.from_bytes(STATION[4:], "little"), strobe=0b0010)
    s = bench.receive(frame())
    bench.write(s + 50, "RFE_ADDR_FILT_HI3", 0x0000FFFF, strobe=0b0010)
    assert accepted(bench) == [True, False]


def test_hash():
    rng = random.Random(7)
    groups = [bytes([rng.randrange(256) | 1]) + rng.randbytes(5) for _ in range(12)]
    for wanted in (0, 7):
        bench = RxMacBench(unicast=0, broadcast=0, hash=1)
        table = [0] * 16
        index = ether_crc(groups[wanted]) >> 23
        table[index // 32] |= 1 << index % 32
        for word, value in enumerate(table):
            bench.ram(2 + word, 128 + word, value)
        bench.ram(19, 127, 0xFFFFFFFF)  # not of the hash
        for group in groups:
            bench.receive(frame(to=group))
        bench.receive(frame(to=BROADCAST))
        bench.receive(frame(to=bytes([groups[wanted][0] & 254]) + groups[wanted][1:]))
        assert accepted(bench) == [ether_crc(group) >> 23 == index for group in groups] + [False, False]


@pytest.mark.parametrize("when", [64, 65, 66])
def test_the_hash_counts_as_it_is_when_the_frame_has_ended(when):
    bench = RxMacBench(unicast=0, broadcast=0, hash=1)
    for word in range(16):
        bench.ram(2 + word, 128 + word, 0)
    s = bench.receive(frame(to=GROUP))
    bench.ram(s + when, 128 + (ether_crc(GROUP) >> 28), 0xFFFFFFFF)
    assert accepted(bench) == [when < 66]


KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
"""The key of the examples in "Verifying the RSS hash calculation" (Windows driver documentation)."""
FLOWS = [  # source, port, destination, port, hash of the addresses, hash with the ports
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
]


def packet(flow, protocol: int = 6) -> bytes:
    """Type, IPv4 header and ports."""
    source, source_port, destination, destination_port = flow[:4]
    header = bytes([0x45, 0, 0, 50, 0, 0, 0, 0, 64, protocol, 0, 0])
    addresses = b"".join(bytes(map(int, address.split("."))) for address in (source, destination))
    ports = source_port.to_bytes(2, "big") + destination_port.to_bytes(2, "big")
    return b"\x08\x00" + header + addresses + ports


@pytest.mark.parametrize("rx_channels", [2, 3, 4])
def test_steering(rx_channels):
    table = random.Random(3).randbytes(128)
    bench = RxMacBench(rx_channels, rss_enable=1, rss_queue_enable=1, ipv4=1, tcp_ipv4=1)
    for word in range(10):
        bench.write(20 + 2 * word, f"RFE_HASH_KEY{word}", int.from_bytes(KEY[4 * word:][:4], "little"))
    for word in range(32):
        bench.write(40 + 2 * word, f"RFE_INDX{word}", int.from_bytes(table[4 * word:][:4], "little"))
    bench._time = 120
    expected = []
    for flow in FLOWS:
        for protocol, value in ((6, flow[5]), (17, flow[4])):
            bench.receive(frame(body=packet(flow, protocol)))
            expected.append(table[value & 127] % rx_channels)
    bench.receive(frame(body=b"\x86\xdd"))
    short = frame(50, body=packet(FLOWS[0]))
    bench.receive(short)
    off = bench.receive(frame(body=packet(FLOWS[1])))
    bench.at(off + 66, rss_queue_enable=0)
    bench.run()
    assert [end.channel for end in bench.ends] == [*expected, 0, expected[0], 0]
    assert len(set(expected)) > 1
    assert [end.commits for end in bench.ends] == [(n,) for n in expected] + [(0,), (), (0,)]


def test_the_channel_decides_whether_there_is_room():
    bench = RxMacBench(4, rss_enable=1, rss_queue_enable=1, ipv4=1)
    for word in range(32):
        bench.write(20 + 2 * word, f"RFE_INDX{word}", 0x02020202)
    bench._time = 100
    for n in range(3):
        s = bench.receive(frame(body=packet(FLOWS[0])))
        bench.at(s + 60, off0=1, lost1=1, off3=1, off2=int(n == 1), lost2=int(n == 2))
    bench.run()
    assert [(end.reason, end.channel, end.commits) for end in bench.ends] == [
        (Reason.GOOD.value, 2, (2,)), (Reason.FCT_OFF.value, 2, ()), (Reason.OVERFLOW.value, 2, ())]


def test_a_table_entry_counts_as_it_is_when_the_frame_has_ended():
    bench = RxMacBench(2, rss_enable=1, rss_queue_enable=1, ipv4=1)
    for word in range(32):
        bench.write(20 + 2 * word, f"RFE_INDX{word}", 0)
    for word in range(10):
        bench.write(90 + 2 * word, f"RFE_HASH_KEY{word}", int.from_bytes(KEY[4 * word:][:4], "little"))
    bench._time = 120
    entry = FLOWS[0][4] & 127
    for when in (65, 66):
        s = bench.receive(frame(body=packet(FLOWS[0])))
        bench.write(s + when, f"RFE_INDX{entry // 4}", 1 << 8 * (entry % 4), strobe=1 << entry % 4)
        bench.write(s + 74, f"RFE_INDX{entry // 4}", 0)
    bench.run()
    assert [end.channel for end in bench.ends] == [1, 0]
