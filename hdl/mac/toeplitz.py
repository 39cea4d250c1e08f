"""The hash by which receive-side scaling (RSS) spreads frames over rings: Toeplitz, over IPv4 and ports.

# Ref: Microsoft, "RSS hashing functions" and "Verifying the RSS hash calculation" (Windows driver
documentation): what is hashed, in which order, and example keys and results. RFC 791 (IPv4 header).

Bit n of the input, counted from the left, adds the 32 bits of the key that start at its bit n. The key stands
in a window that moves on by eight with each byte, so a byte adds eight overlapping pieces of the window's
first 39 bits.
"""

from contextlib import AbstractContextManager
from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

ETHERTYPE = 0x0800
VERSION_AND_LENGTH = 0x45
"""IPv4 with a header of five words, that is, without options."""
TCP = 6
UDP = 17

TYPE_AT = 12
"""Offsets in the frame, in bytes, from the first of the destination."""
VERSION_AT = 14
FLAGS_AT = 20
PROTOCOL_AT = 23
ADDRESSES_AT = 26
PORTS_AT = 34
PORTS_END = 38
HASH_BITS = 32
WINDOW_BITS = 8 * (PORTS_END - ADDRESSES_AT) + HASH_BITS
"""What IPv4 uses of the key."""


class Toeplitz(wiring.Component):
    """Looks at the header of a frame that comes in and hashes what identifies its flow.

    The hash applies to Ethernet II frames with an IPv4 header without options. Ports are hashed after the
    addresses if the frame is TCP or UDP, the enable of that protocol is up and the datagram is no fragment;
    else it is the addresses alone, if `ipv4` is up. The lengths, the checksums and the FCS are not looked at.

    While it has nothing to look for, it costs a simulator next to nothing.

    Parameters
    ----------
    key_bytes : int
        Length of the key; IPv4 uses its first 16 bytes.

    Raises ValueError if the key is shorter than that.

    Members
    -------
    sfd, byte, data, count : In(1), In(1), In(8), In(14)
        From the deframer: a frame begins; its next byte, with `count` = 1 for the first.
    key : In(8 * key_bytes)
        The key, its first byte in bits 7:0. Taken over in the cycle of `sfd`, as are the enables.
    ipv4, tcp_ipv4, udp_ipv4 : In(1)
        Hash over the addresses; over addresses and ports of TCP; of UDP.
    valid : Out(1)
        The hash applies. From two cycles after the last byte of the hash was on the wire (one after its
        `byte`), so at the frame's `eof` at the latest; 0 after `sfd`.
    hash : Out(32)
        The hash, 0 while it does not apply.
    """

    def __init__(self, key_bytes: int = 40) -> None:
        if 8 * key_bytes < WINDOW_BITS:
            raise ValueError(f"IPv4 with ports takes {WINDOW_BITS // 8} bytes of the key, not {key_bytes}")
        super().__init__({
            "sfd": In(1), "byte": In(1), "data": In(8), "count": In(14),
            "key": In(8 * key_bytes), "ipv4": In(1), "tcp_ipv4": In(1), "udp_ipv4": In(1),
            "valid": Out(1), "hash": Out(HASH_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # follow: the bytes still matter; ports: they are to be hashed.
        kept = Signal(data.StructLayout({
            "follow": 1, "ipv4": 1, "tcp": 1, "udp": 1, "fragment": 1, "ports": 1, "valid": 1,
        }))
        window, register = Signal(WINDOW_BITS), Signal(HASH_BITS)
        m.d.comb += self.valid.eq(kept.valid)
        with m.If(kept.valid):
            m.d.comb += self.hash.eq(register)

        first_bit = WINDOW_BITS - HASH_BITS
        hashed = [
            register.eq(reduce(xor, (
                window[first_bit - bit:][:HASH_BITS] & self.data[7 - bit].replicate(HASH_BITS)
                for bit in range(8)), register)),
            window.eq(window << 8),
        ]

        def at(*offsets: int) -> AbstractContextManager[None]:
            """The case that the byte with one of these offsets is there."""
            return m.Case(*(offset + 1 for offset in offsets))

        def must_be(byte: int) -> None:
            with m.If(self.data != byte):
                m.d.sync += kept.follow.eq(0)

        with m.If(self.sfd):
            m.d.sync += [
                kept.eq(0),
                kept.follow.eq(self.ipv4 | self.tcp_ipv4 | self.udp_ipv4),
                kept.ipv4.eq(self.ipv4), kept.tcp.eq(self.tcp_ipv4), kept.udp.eq(self.udp_ipv4),
                # The key's first bit, the highest of its first byte, is the window's highest.
                window.eq(Cat(*(self.key.word_select(i, 8) for i in reversed(range(WINDOW_BITS // 8))))),
                register.eq(0),
            ]
        with m.Elif(self.byte & kept.follow), m.Switch(self.count):
            with at(TYPE_AT):
                must_be(ETHERTYPE >> 8)
            with at(TYPE_AT + 1):
                must_be(ETHERTYPE & 0xFF)
            with at(VERSION_AT):
                must_be(VERSION_AND_LENGTH)
            with at(FLAGS_AT):
                # More fragments, and the high part of the offset; not the two flags above them.
                m.d.sync += kept.fragment.eq(self.data[:6] != 0)
            with at(FLAGS_AT + 1):
                m.d.sync += kept.fragment.eq(kept.fragment | (self.data != 0))
            with at(PROTOCOL_AT):
                ports = ~kept.fragment & (((self.data == TCP) & kept.tcp) | ((self.data == UDP) & kept.udp))
                m.d.sync += [kept.ports.eq(ports), kept.follow.eq(kept.ipv4 | ports)]
            with at(*range(ADDRESSES_AT, PORTS_AT - 1), *range(PORTS_AT, PORTS_END - 1)):
                m.d.sync += hashed
            with at(PORTS_AT - 1):
                m.d.sync += [*hashed, kept.valid.eq(~kept.ports), kept.follow.eq(kept.ports)]
            with at(PORTS_END - 1):
                m.d.sync += [*hashed, kept.valid.eq(1), kept.follow.eq(0)]
        return m
