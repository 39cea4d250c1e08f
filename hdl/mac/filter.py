"""Which destination addresses the receiver accepts, and what it says about them in the descriptor.

# Ref: docs/engines/at91ether.md, 4.2; reference sheet, sections 3 and 4 (word 1).
"""

from functools import reduce
from operator import or_

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

STATIONS = 4
ADDRESS_BITS = 48
HASH_BITS = 6


def hash_mask(bit: int) -> int:
    """The address bits whose exclusive or is `bit` of the hash index."""
    return sum(1 << position for position in range(bit, ADDRESS_BITS, HASH_BITS))


class AddressFilter(wiring.Component):
    """Address filter with four station addresses and a 64-bit hash.

    The decision is combinational from `address`, which changes only while a destination comes in.

    Members
    -------
    address : In(48)
        Destination, its first byte on the wire in bits 7:0.
    caf, nbc, mti, uni : In(1)
        CFG: copy all frames, no broadcast, multicast hash, unicast hash.
    hash_low, hash_high : In(32)
        HSL and HSH.
    sa_low, sa_high : In(4 x 32), In(4 x 16)
        SA1L .. SA4L and the low halves of SA1H .. SA4H.
    low_written, high_written : In(4)
        Pulses in the cycle of a write to SAnL (bit n - 1): the address is inactive from the next cycle on;
        to SAnH: active.
    accept : Out(1)
        The frame is for this station.
    flags : Out(9)
        Bits 31:23 of descriptor word 1: broadcast, multicast hash, unicast hash, external, no match but CAF,
        SA1 .. SA4.
    """

    address: In(ADDRESS_BITS)
    caf: In(1)
    nbc: In(1)
    mti: In(1)
    uni: In(1)
    hash_low: In(32)
    hash_high: In(32)
    sa_low: In(data.ArrayLayout(32, STATIONS))
    sa_high: In(data.ArrayLayout(16, STATIONS))
    low_written: In(STATIONS)
    high_written: In(STATIONS)
    accept: Out(1)
    flags: Out(9)

    def elaborate(self, platform: object) -> Module:
        m = Module()

        active = Signal(STATIONS)
        m.d.sync += active.eq((active & ~self.low_written) | self.high_written)

        index = Signal(HASH_BITS)
        m.d.comb += [index[bit].eq((self.address & hash_mask(bit)).xor()) for bit in range(HASH_BITS)]
        hashed = Signal()
        m.d.comb += hashed.eq(Cat(self.hash_low, self.hash_high).bit_select(index, 1))

        group = self.address[0]
        broadcast, multicast, unicast, unknown, match = Signal(), Signal(), Signal(), Signal(), Signal()
        station = Signal(STATIONS)
        m.d.comb += [
            broadcast.eq(self.address.all()),
            multicast.eq(hashed & self.mti & group),
            unicast.eq(hashed & self.uni & ~group),
        ]
        m.d.comb += [
            station[n].eq(active[n] & (self.address == Cat(self.sa_low[n], self.sa_high[n])))
            for n in range(STATIONS)
        ]
        m.d.comb += [
            match.eq(reduce(or_, [broadcast & ~self.nbc, multicast, unicast, station.any()])),
            unknown.eq(self.caf & ~match),
            self.accept.eq(self.caf | match),
            # Lowest bit first: SA4 is b23. No external match input exists here.
            self.flags.eq(Cat(station[::-1], unknown, C(0, 1), unicast, multicast, broadcast)),
        ]
        return m
