"""The receive filter engine's answers: is the frame for this station, and which channel gets it.

The tables are shadowed here, as they are written, in memories with a single read each. The perfect filter
compares the destination with one entry a cycle, from the cycle after it is complete on, and with an entry
that is written meanwhile at once; so at the frame's end (64 bytes at least) its answer is that of all entries
as they are then.

Ref: docs/engines/lan743x.md, sections 4.1, 4 and 5, and 8 (RFE RAM); sheet lan743x, section 3.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.mac.crc32 import shifted_out
from hdl.registers import load

from .events import OFFSET_WIDTH

__all__ = ["ADDRESS_BITS", "RxFilter"]

ADDRESS_BITS = 48
PERFECT_ENTRIES = 33
HASH_AT = 128
"""The hash's first word in the RFE RAM."""
HASH_WORDS = 16
WORD_BITS = 32
HASH_INDEX_BITS = (HASH_WORDS * WORD_BITS - 1).bit_length()
CRC_INIT = 0xFFFFFFFF


def hash_parity(bit: int) -> tuple[int, int]:
    """The address bits whose exclusive or is `bit` of the hash index, and what is to be added to it.

    The index is the nine highest bits of the CRC register read from its other end, so its bit n is bit 8 - n
    of the register. The CRC is linear: each address bit adds what it makes of an empty register.
    """
    position = HASH_INDEX_BITS - 1 - bit
    mask = sum(1 << n for n in range(ADDRESS_BITS)
               # Bit n meets the register n steps after the first, and is shifted out with it in the others.
               if shifted_out(1, ADDRESS_BITS - n) >> position & 1)
    return mask, shifted_out(CRC_INIT, ADDRESS_BITS) >> position & 1


class RxFilter(wiring.Component):
    """Address filter with 33 perfect addresses and a hash of 512 bits.

    Members
    -------
    broadcast, multicast, unicast, hash, perfect: RFE_CTL: AB, AM, AU, MCAST_HASH, DA_PERFECT.
    decide, address: pulse: the destination is complete, its first byte in bits 7:0. It changes only while the
        next one comes in.
    accept: the frame is for this station. Good from 34 cycles after `decide` on.
    is_group, is_broadcast: kind of destination; broadcast is a group too.
    ram_address, ram_write, ram_data, ram_value: RFE RAM: written with the edge that ends the cycle; read in
        the same cycle. Words outside the hash read 0.
    csr_write, csr_addr, csr_data, csr_strobe: every register write, in its cycle.
    """

    broadcast: In(1)
    multicast: In(1)
    unicast: In(1)
    hash: In(1)
    perfect: In(1)
    decide: In(1)
    address: In(ADDRESS_BITS)
    accept: Out(1)
    is_group: Out(1)
    is_broadcast: Out(1)
    ram_address: In(8)
    ram_write: In(1)
    ram_data: In(WORD_BITS)
    ram_value: Out(WORD_BITS)
    csr_write: In(1)
    csr_addr: In(OFFSET_WIDTH)
    csr_data: In(WORD_BITS)
    csr_strobe: In(WORD_BITS // 8)

    def elaborate(self, platform):
        m = Module()
        listed, hashed = self._compare(m), self._look_up(m)
        m.d.comb += [
            self.is_group.eq(self.address[0]), self.is_broadcast.eq(self.address.all()),
        ]
        with m.If(self.is_broadcast):
            m.d.comb += self.accept.eq(self.broadcast)
        with m.Elif(self.is_group):
            m.d.comb += self.accept.eq(self.multicast | (self.perfect & listed) | (self.hash & hashed))
        with m.Else():
            m.d.comb += self.accept.eq(self.unicast | (self.perfect & listed))
        return m

    def _look_up(self, m: Module) -> Signal:
        """The hash table. Returns the address's bit in it."""
        m.submodules.hash_words = words = Memory(shape=WORD_BITS, depth=HASH_WORDS, init=[])
        write = words.write_port()
        port, window = words.read_port(domain="comb"), words.read_port(domain="comb")
        index, hashed = Signal(HASH_INDEX_BITS), Signal()
        with m.If(self.decide):
            for bit in range(HASH_INDEX_BITS):
                mask, added = hash_parity(bit)
                m.d.sync += index[bit].eq((self.address & mask).xor() ^ added)
        inside = self.ram_address[4:] == HASH_AT // HASH_WORDS
        m.d.comb += [
            port.addr.eq(index[5:]), hashed.eq(port.data.bit_select(index[:5], 1)),
            window.addr.eq(self.ram_address[:4]),
            write.addr.eq(self.ram_address[:4]), write.data.eq(self.ram_data),
            write.en.eq(self.ram_write & inside),
        ]
        with m.If(inside):
            m.d.comb += self.ram_value.eq(window.data)
        return hashed

    def _compare(self, m: Module) -> Signal:
        """The perfect filter. Returns whether an entry is the address."""
        registers = load("lan743x")
        first = registers.offset("RFE_ADDR_FILT_HI0")
        address_bits = registers.field("RFE_ADDR_FILT_HI0", "ADDRESS").width
        valid_bit = registers.field("RFE_ADDR_FILT_HI0", "VALID").lsb
        matches = Signal(PERFECT_ENTRIES)
        scan, place = Signal(), Signal(range(PERFECT_ENTRIES))
        written, entry = Signal(), Signal(range(64))
        m.d.comb += entry.eq(self.csr_addr[3:])
        with m.If(self.csr_write):
            m.d.comb += written.eq(
                (self.csr_addr[9:] == first >> 9) & (entry < PERFECT_ENTRIES))

        # HI, then LO: each is a memory, read where the scan is and where a write is.
        scanned, rewritten = [], []
        for word in range(2):
            memory = Memory(shape=WORD_BITS, depth=PERFECT_ENTRIES, init=[])
            m.submodules[f"filter_{('high', 'low')[word]}"] = memory
            write = memory.write_port(granularity=8)
            here, there = memory.read_port(domain="comb"), memory.read_port(domain="comb")
            merged = Signal(WORD_BITS, name=f"merged{word}")
            hit = self.csr_addr[2] == word
            m.d.comb += [
                write.addr.eq(entry), write.data.eq(self.csr_data), here.addr.eq(place), there.addr.eq(entry),
                merged.eq(there.data),
            ]
            with m.If(written & hit):
                m.d.comb += write.en.eq(self.csr_strobe)
                for byte in range(WORD_BITS // 8):
                    with m.If(self.csr_strobe[byte]):
                        m.d.comb += merged.word_select(byte, 8).eq(self.csr_data.word_select(byte, 8))
            scanned.append(here.data)
            rewritten.append(merged)

        def same(words) -> Signal:
            high, low = words
            return high[valid_bit] & (Cat(low, high[:address_bits]) == self.address)

        with m.If(self.decide):
            m.d.sync += [scan.eq(1), place.eq(0)]
        with m.Elif(scan):
            m.d.sync += [matches.bit_select(place, 1).eq(same(scanned)), place.eq(place + 1)]
            with m.If(place == PERFECT_ENTRIES - 1):
                m.d.sync += scan.eq(0)
        with m.If(written):
            m.d.sync += matches.bit_select(entry, 1).eq(same(rewritten))
        return matches.any()
