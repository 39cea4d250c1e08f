"""The RSS hash: against the vectors Microsoft publishes for it, and against its definition bit by bit."""

import random
import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.mac.toeplitz import Toeplitz
from tests.hdl.mac.gmii_bench import IDLE, PREFACE, SnoopBench, fcs, valid

KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
"""The key of "Verifying the RSS hash calculation"; the results below are from there too."""
VECTORS = [
    # source, port, destination, port, hash over addresses, hash over addresses and ports
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x5D1809C5, 0x10E828A2),
]
TCP, UDP, ICMP = 6, 17, 1
NOTHING = (0, 0)
LAST_ADDRESS_BYTE, LAST_PORT_BYTE = 33, 37


@pytest.fixture(scope="module")
def bench() -> SnoopBench:
    return SnoopBench(Toeplitz(), ("valid", "hash"))


def frame(source: str = "10.1.2.3", source_port: int = 4711, destination: str = "192.168.77.5",
          destination_port: int = 80, *, protocol: int = TCP, flags: int = 0x4000, version: int = 0x45,
          ethertype: int = 0x0800) -> bytes:
    """A frame with FCS; `flags` with the fragment offset."""
    header = struct.pack(">BBHHHBBH4s4sHH", version, 0, 40, 0x1234, flags, 64, protocol, 0xBEEF,
                         IPv4Address(source).packed, IPv4Address(destination).packed,
                         source_port, destination_port)
    body = (bytes(range(2, 14)) + struct.pack(">H", ethertype) + header).ljust(60, b"\xa5")
    return body + fcs(body)


def by_definition(key: bytes, hashed: bytes) -> int:
    """The exclusive or of the 32 bits of the key that start where a bit of the input is set."""
    key_bits = int.from_bytes(key, "big")
    total = 0
    for n in range(8 * len(hashed)):
        if hashed[n // 8] >> (7 - n % 8) & 1:
            total ^= key_bits >> (8 * len(key) - 32 - n) & 0xFFFFFFFF
    return total


def settings_of(ipv4: int = 1, tcp: int = 0, udp: int = 0, key: bytes = KEY):
    """Key and enables, never changed."""
    values = {"key": int.from_bytes(key, "little"), "ipv4": ipv4, "tcp_ipv4": tcp, "udp_ipv4": udp}
    return lambda cycle: values


def due(data: bytes, ipv4: int, tcp: int, udp: int, key: bytes = KEY) -> tuple[int, int, int]:
    """(valid, hash, first cycle, from that of byte 0) by the text of the rule."""
    kind = data[12:15] == bytes.fromhex("080045")
    whole = int.from_bytes(data[20:22], "big") & 0x3FFF == 0
    if kind and whole and data[23:24] in [bytes([TCP])] * tcp + [bytes([UDP])] * udp:
        end = LAST_PORT_BYTE
    elif kind and ipv4:
        end = LAST_ADDRESS_BYTE
    else:
        return *NOTHING, 0
    if len(data) <= end:
        return *NOTHING, 0
    return 1, by_definition(key, data[26:end + 1]), end + 2


@pytest.mark.parametrize(("source", "source_port", "destination", "destination_port", "two", "four"), VECTORS)
@pytest.mark.parametrize("protocol", [TCP, UDP])
def test_the_published_vectors(bench: SnoopBench, source: str, source_port: int, destination: str,
                               destination_port: int, two: int, four: int, protocol: int) -> None:
    data = frame(source, source_port, destination, destination_port, protocol=protocol)
    assert bench.frame(data, settings_of(1, 0, 0))[-1] == (1, two)
    assert bench.frame(data, settings_of(0, 1, 1))[-1] == (1, four)
    assert bench.frame(data, settings_of(1, protocol == TCP, protocol == UDP))[-1] == (1, four)


def test_it_is_there_two_cycles_after_the_byte(bench: SnoopBench) -> None:
    data = frame()
    for enables in ((1, 0, 0), (1, 1, 1)):
        up, value, first = due(data, *enables)
        assert up
        assert bench.frame(data, settings_of(*enables)) == (
            [NOTHING] * first + [(1, value)] * (len(data) + 2 - first))


@pytest.mark.parametrize("enables", [(ipv4, tcp, udp) for ipv4 in (0, 1) for tcp in (0, 1) for udp in (0, 1)])
def test_what_applies(bench: SnoopBench, enables: tuple[int, int, int]) -> None:
    for protocol in (TCP, UDP, ICMP, 7, 22):
        for flags in (0, 0x4000, 0x8000, 0x2000, 0x0001, 0x1000, 0x0100, 0x2010):
            data = frame(protocol=protocol, flags=flags)
            assert bench.frame(data, settings_of(*enables))[-1] == due(data, *enables)[:2], (protocol, flags)


@pytest.mark.parametrize("other", [{"ethertype": 0x86DD}, {"ethertype": 0x0801}, {"ethertype": 0x0900},
                                   {"ethertype": 0x8100}, {"version": 0x46}, {"version": 0x65}])
def test_what_is_no_plain_ipv4(bench: SnoopBench, other: dict[str, int]) -> None:
    assert set(bench.frame(frame(**other), settings_of(1, 1, 1))) == {NOTHING}


def test_the_next_frame_starts_anew(bench: SnoopBench) -> None:
    """One that counts, one that does not, one that counts."""
    first, other, last = frame(), frame(ethertype=0x0806), frame("10.9.8.7", 1, protocol=UDP)
    script = [wire for data in (first, other, last) for wire in [*valid(PREFACE + data), IDLE]]
    trace = bench.run(script, settings_of(1, 1, 1))
    step = len(PREFACE) + len(first) + 1
    ends = [trace[step * n] for n in (1, 2, 3)]
    assert ends == [due(first, 1, 1, 1)[:2], NOTHING, due(last, 1, 1, 1)[:2]]
    s = step + len(PREFACE) - 1
    assert (trace[s], trace[s + 1]) == (ends[0], NOTHING), "it stays until the SFD"


@pytest.mark.parametrize("changed", ["key", "ipv4", "tcp_ipv4"])
def test_key_and_enables_are_those_at_the_sfd(bench: SnoopBench, changed: str) -> None:
    data = frame()
    on = settings_of(1, 1, 1)(0)
    off = on | {changed: on[changed] ^ 1}
    wanted = bench.frame(data, lambda cycle: on)[-1]
    assert wanted == due(data, 1, 1, 1)[:2]
    other = bench.frame(data, lambda cycle: off)[-1]
    assert (other != wanted) == (changed != "ipv4")
    assert bench.frame(data, lambda cycle: on if cycle == -1 else off)[-1] == wanted
    assert bench.frame(data, lambda cycle: off if cycle == -1 else on)[-1] == other


@pytest.mark.parametrize("length", [0, 13, 15, 33, 34, 35, 37, 38])
def test_a_frame_that_ends_early(bench: SnoopBench, length: int) -> None:
    data = frame()[:length]
    for enables in ((1, 0, 0), (1, 1, 1)):
        assert bench.frame(data, settings_of(*enables))[-1] == due(data, *enables)[:2]


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([TCP, UDP, ICMP]),
       st.sampled_from([0, 0x4000, 0x2000]), st.tuples(*[st.integers(0, 1)] * 3))
def test_any_header_and_key(randomness: random.Random, protocol: int, flags: int,
                            enables: tuple[int, int, int]) -> None:
    if not _shared:
        _shared.append(SnoopBench(Toeplitz(), ("valid", "hash")))
    key = randomness.randbytes(40)
    data = frame(*(value for _ in range(2) for value in (str(IPv4Address(randomness.randrange(1 << 32))),
                                                         randomness.randrange(1 << 16))),
                 protocol=protocol, flags=flags)
    assert _shared[0].frame(data, settings_of(*enables, key))[-1] == due(data, *enables, key)[:2]


_shared: list[SnoopBench] = []


def test_refuses_a_short_key() -> None:
    Toeplitz(key_bytes=16)
    with pytest.raises(ValueError, match="IPv4 with ports takes 16 bytes of the key, not 15"):
        Toeplitz(key_bytes=15)
