"""Which frames are wanted and for which channel, against tables and hashes worked out bit by bit."""

import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.lan743x.events import Kind, Reason
from model.engines.lan743x.rx_mac import address_hash
from model.frames import wire_image
from tests.model.engines.lan743x.play import BROADCAST, GROUP, OTHER, REGISTERS, STATION, Bench, ethernet

ADDRESS = st.binary(min_size=6, max_size=6)
CALM = settings(deadline=None, max_examples=60)
POLYNOMIAL = 0x04C11DB7
"""IEEE 802.3, 3.2.9, the highest power first."""
KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
VECTORS = [
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x5D1809C5, 0x10E828A2),
]
"""Microsoft, "Verifying the RSS hash calculation": key, and (source, port, destination, port, hash over the
addresses, hash over addresses and ports)."""
TCP, UDP, ICMP = 6, 17, 1
WHOLE, MORE_FRAGMENTS, LAST_FRAGMENT = 0x4000, 0x2000, 0x0010


def shift_register_crc(data: bytes) -> int:
    """The CRC's shift register after `data`, its bits as they come on the wire: lowest of each byte first."""
    register = 0xFFFFFFFF
    for byte in data:
        for n in range(8):
            feedback = register >> 31 ^ byte >> n & 1
            register = (register << 1 & 0xFFFFFFFF) ^ (POLYNOMIAL if feedback else 0)
    return register


def hash_bit(address: bytes) -> int:
    return shift_register_crc(address) >> 23


@CALM
@given(ADDRESS)
def test_the_hash_is_the_top_of_the_shift_register(address):
    assert address_hash(address) == hash_bit(address)


def hash_with(bench: Bench, *bits: int) -> None:
    """Fill the hash RAM by the data port."""
    bench.write("DP_SEL", SELECT=1)
    for word in {bit // 32 for bit in bits}:
        bench.write("DP_ADDR", 128 + word)
        bench.write("DP_DATA_0", sum(1 << bit % 32 for bit in set(bits) if bit // 32 == word))
        bench.write("DP_CMD", WRITE=1)


def list_address(bench: Bench, number: int, address: bytes, valid: int = 1) -> None:
    bench.write(f"RFE_ADDR_FILT_LO{number}", int.from_bytes(address[:4], "little"))
    bench.write(f"RFE_ADDR_FILT_HI{number}", ADDRESS=int.from_bytes(address[4:], "little"), VALID=valid)


@pytest.mark.parametrize("flags", range(32))
def test_every_combination_of_ways_in(flags):
    names = ("AB", "AM", "AU", "DA_PERFECT", "MCAST_HASH")
    on = {name for n, name in enumerate(names) if flags >> n & 1}
    listed_group, hashed_group = bytes.fromhex("333300000001"), GROUP
    bench = Bench()
    list_address(bench, 0, STATION)
    list_address(bench, 32, listed_group)
    list_address(bench, 7, OTHER, valid=0)
    hash_with(bench, hash_bit(hashed_group), hash_bit(STATION), hash_bit(OTHER), hash_bit(BROADCAST))
    bench.write("RFE_CTL", **dict.fromkeys(on, 1))
    accepts = bench.engine.rfe.accepts
    assert accepts(BROADCAST) == ("AB" in on), "nothing else counts for it"
    assert accepts(STATION) == bool(on & {"AU", "DA_PERFECT"})
    assert accepts(OTHER) == ("AU" in on), "its entry is not VALID, its hash bit is for groups"
    assert accepts(listed_group) == bool(on & {"AM", "DA_PERFECT"})
    assert accepts(hashed_group) == bool(on & {"AM", "MCAST_HASH"})
    assert accepts(bytes.fromhex("0180c200000e")) == ("AM" in on)


def test_a_changed_filter_counts_from_the_next_frame_on():
    bench = Bench()
    accepts = bench.engine.rfe.accepts
    assert not accepts(GROUP) and not accepts(STATION)
    bench.write("RFE_CTL", MCAST_HASH=1, DA_PERFECT=1)
    hash_with(bench, hash_bit(GROUP))
    list_address(bench, 3, STATION)
    assert accepts(GROUP) and accepts(STATION)
    list_address(bench, 3, STATION, valid=0)
    bench.write("DP_DATA_0", 0)
    bench.write("DP_CMD", WRITE=1)
    assert not accepts(GROUP) and not accepts(STATION)


def test_only_the_hash_is_kept_of_the_rfe_ram():
    bench = Bench()
    bench.write("DP_SEL", SELECT=1)
    for word in (127, 128, 143, 144):
        bench.write("DP_ADDR", word)
        bench.write("DP_DATA_0", 0x1000 + word)
        bench.write("DP_CMD", WRITE=1)
    seen = []
    for word in (127, 128, 143, 144):
        bench.write("DP_ADDR", word)
        bench.write("DP_CMD", WRITE=0)
        seen.append(bench.read("DP_DATA_0"))
    assert seen == [0, 0x1000 + 128, 0x1000 + 143, 0]
    bench.write("DP_SEL", SELECT=2)
    bench.write("DP_DATA_0", 0x55)
    bench.write("DP_ADDR", 128)
    bench.write("DP_CMD", WRITE=1)
    bench.write("DP_SEL", SELECT=1)
    bench.write("DP_CMD", WRITE=0)
    assert bench.read("DP_DATA_0") == 0x1000 + 128, "another RAM"
    assert bench.read("DP_SEL") == REGISTERS.pack("DP_SEL", SELECT=1) | 1 << 31, "always ready"


def datagram(source="10.1.2.3", source_port=4711, destination="192.168.77.5", destination_port=80, *,
             protocol=TCP, fragment=WHOLE, version=0x45, ethertype=0x0800) -> bytes:
    header = struct.pack(">BBHHHBBH4s4sHH", version, 0, 40, 0x1234, fragment, 64, protocol, 0xBEEF,
                         IPv4Address(source).packed, IPv4Address(destination).packed, source_port,
                         destination_port)
    return wire_image(STATION + OTHER + struct.pack(">H", ethertype) + header)


def scaling(bench: Bench, key: bytes = KEY, table=range(128), **enables: int) -> None:
    """Byte n of the key is byte n mod 4 of register n / 4, the lowest first; so is the table."""
    for n in range(10):
        bench.write(f"RFE_HASH_KEY{n}", int.from_bytes(key[4 * n:4 * n + 4], "little"))
    table = bytes(table)
    for n in range(32):
        bench.write(f"RFE_INDX{n}", int.from_bytes(table[4 * n:4 * n + 4], "little"))
    bench.write("RFE_RSS_CFG", **enables)


@pytest.mark.parametrize(("source", "source_port", "destination", "destination_port", "two", "four"), VECTORS)
def test_the_published_vectors(source, source_port, destination, destination_port, two, four):
    bench = Bench(channels=2)
    scaling(bench, IPV4=1)
    for protocol in (TCP, UDP):
        frame = datagram(source, source_port, destination, destination_port, protocol=protocol)
        bench.write("RFE_RSS_CFG", IPV4=1)
        assert bench.engine.rfe.hash(frame) == two
        bench.write("RFE_RSS_CFG", TCP_IPV4=1, UDP_IPV4=1)
        assert bench.engine.rfe.hash(frame) == four


@pytest.mark.parametrize("enables", range(8))
def test_what_is_hashed(enables):
    """Ports for whole datagrams of a protocol that is enabled; else addresses, if those are."""
    ipv4, tcp, udp = (bool(enables >> n & 1) for n in range(3))
    bench = Bench(channels=2)
    scaling(bench, IPV4=ipv4, TCP_IPV4=tcp, UDP_IPV4=udp)
    source, source_port, destination, destination_port, two, four = VECTORS[0]
    for protocol in (TCP, UDP, ICMP):
        for fragment in (WHOLE, 0, MORE_FRAGMENTS, LAST_FRAGMENT):
            frame = datagram(source, source_port, destination, destination_port, protocol=protocol,
                             fragment=fragment)
            ports = fragment in (WHOLE, 0) and {TCP: tcp, UDP: udp}.get(protocol, False)
            wanted = four if ports else two if ipv4 else None
            assert bench.engine.rfe.hash(frame) == wanted, (protocol, fragment)
    for other in ({"version": 0x46}, {"version": 0x65}, {"ethertype": 0x86DD}, {"ethertype": 0x0806}):
        assert bench.engine.rfe.hash(datagram(source, **other)) is None


def test_the_low_seven_bits_choose_from_the_table():
    bench = Bench(channels=2)
    source, source_port, destination, destination_port, two, four = VECTORS[1]
    frame = datagram(source, source_port, destination, destination_port)
    for hashed, enables in ((two, {"IPV4": 1}), (four, {"TCP_IPV4": 1})):
        scaling(bench, table=[n == hashed & 0x7F for n in range(128)], RSS_ENABLE=1, RSS_QUEUE_ENABLE=1,
                **enables)
        rfe = bench.engine.rfe
        assert rfe.channel(rfe.hash(frame)) == 1
        assert sum(rfe.channel(n) for n in range(128)) == 1, "and no other entry does"
        for off in ({"RSS_ENABLE": 1}, {"RSS_QUEUE_ENABLE": 1}):
            bench.write("RFE_RSS_CFG", **off, **enables)
            assert rfe.channel(rfe.hash(frame)) == 0


@pytest.mark.parametrize(("channels", "entry"), [
    (2, 1), (3, 2), (4, 3), (4, 0), (2, 2), (3, 4), (3, 255), (4, 7)])
def test_a_frame_goes_to_the_entry_modulo_the_channels(channels, entry):
    bench = Bench([datagram(), ethernet()], channels=channels)
    scaling(bench, table=[entry] * 128, RSS_ENABLE=1, RSS_QUEUE_ENABLE=1, IPV4=1)
    bench.write("FCT_RX_CTL", EN=(1 << channels) - 1)
    bench.listen()
    bench.play()
    bench.run(400)
    assert [data >> 40 for _, _, data in bench.events(Kind.RX_END)] == [entry % channels, 0]
    assert [data >> 32 & 0xFF for _, _, data in bench.events(Kind.RX_END)] == [Reason.GOOD] * 2
