"""Flows: which received frames belong together, and frames that several receive queues can tell apart.

A queue is chosen by a hash over addresses and ports (Microsoft's RSS), so frames of one flow keep their order
and those of different flows need not.
"""

from __future__ import annotations

import numpy as np

from model.frames import HEADER_BYTES, ORDINAL_BYTES, FrameSet

IPV4_BYTES, UDP_BYTES = 20, 8
"""Headers without options, RFC 791 and RFC 768."""
DATAGRAM_BYTES = HEADER_BYTES + IPV4_BYTES + UDP_BYTES + ORDINAL_BYTES
"""Smallest frame without FCS that has the headers and its ordinal."""
_ETHERTYPE_IPV4 = b"\x08\x00"
_VERSION_AND_WORDS = 0x45
_TTL, _UDP = 64, 17
_STATION_IP = bytes([192, 0, 2, 1])
_PEER_IP = bytes([198, 51, 100, 0])
"""Networks for documentation, RFC 5737; the last byte of the peer's is part of the flow's number."""
_SERVICE_PORT, _FIRST_PORT, _PORTS, _PORT_STEP = 9, 10_000, 50_021, 40_503
"""The discard service; where the peers' ports begin, how many there are, and from one flow's to the next. The
last two have no common factor: flows have different ports, and spread under a linear hash, as RSS's is."""
_ADDRESSES = slice(26, 34)
_ADDRESSES_AND_PORTS = slice(26, 38)
_MAX_PEERS = 250


def as_datagrams(made: FrameSet, flow: np.ndarray) -> FrameSet:
    """The frames as UDP datagrams: what follows their Ethernet header becomes IPv4, UDP, the frame's ordinal,
    then the bytes it had there.

    Parameters: `made` frames without FCS whose ordinal follows their Ethernet header, each of at least
    DATAGRAM_BYTES; `flow` int64 per frame, each number another peer and port. Both checksums are right.
    ValueError if a frame is too short.
    """
    if len(made) and made.length.min() < DATAGRAM_BYTES:
        raise ValueError(f"a datagram needs {DATAGRAM_BYTES} bytes, not {made.length.min()}")
    return FrameSet.of([_datagram(made.bytes(n), int(number)) for n, number in enumerate(flow)])


def _datagram(frame: bytes, flow: int) -> bytes:
    ordinal = frame[HEADER_BYTES:HEADER_BYTES + ORDINAL_BYTES]
    data = ordinal + frame[DATAGRAM_BYTES:]
    addresses = _PEER_IP[:3] + bytes([1 + flow % _MAX_PEERS]) + _STATION_IP
    udp_length = UDP_BYTES + len(data)
    ports = (_FIRST_PORT + flow * _PORT_STEP % _PORTS).to_bytes(2, "big") + _SERVICE_PORT.to_bytes(2, "big")
    udp = ports + udp_length.to_bytes(2, "big")
    pseudo = addresses + bytes([0, _UDP]) + udp_length.to_bytes(2, "big")
    udp_sum = _ones_complement(pseudo + udp + b"\0\0" + data) or 0xFFFF   # RFC 768: 0 would mean none
    ip_length = IPV4_BYTES + udp_length
    ip = (bytes([_VERSION_AND_WORDS, 0]) + ip_length.to_bytes(2, "big") + ordinal[2:]
          + bytes([0x40, 0, _TTL, _UDP]))    # do not fragment
    ip_sum = _ones_complement(ip + b"\0\0" + addresses)
    return (frame[:12] + _ETHERTYPE_IPV4 + ip + ip_sum.to_bytes(2, "big") + addresses
            + udp + udp_sum.to_bytes(2, "big") + data)


def _ones_complement(data: bytes) -> int:
    """The Internet checksum, RFC 1071."""
    total = int(np.frombuffer(data + b"\0" * (len(data) % 2), ">u2").sum(dtype=np.int64))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def numbers(frames: list[bytes]) -> np.ndarray:
    """Number of the flow of each frame without FCS, int64.

    IPv4 without options counts by its addresses and, if it is whole, its ports; everything else is one flow.
    A hash over less than that puts several flows into one queue, never one into several.
    """
    keys: dict[bytes, int] = {}
    return np.array([keys.setdefault(_key(frame), len(keys)) for frame in frames], np.int64)


def _key(frame: bytes) -> bytes:
    is_ipv4 = frame[12:14] == _ETHERTYPE_IPV4 and frame[14:15] == bytes([_VERSION_AND_WORDS])
    if not is_ipv4 or len(frame) < _ADDRESSES.stop:
        return b""
    fragment = int.from_bytes(frame[20:22], "big") & 0x3FFF
    return frame[_ADDRESSES if fragment else _ADDRESSES_AND_PORTS]
