"""Passive registers, in which the engine has no part, in one memory.

A part has hundreds of them (address filters, keys, tables). As flip-flops they would cost a simulator time in
every cycle; a memory costs what its ports cost.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.registers import Register, RegisterMap

__all__ = ["PassiveMemory", "passive_kinds"]


class PassiveMemory(wiring.Component):
    """A word for every word of the map up to the last passive register; the others are never written.

    Parameters
    ----------
    registers: the map; it has at least one passive register that can be written.
    addr_width: bits of a byte address.

    Members
    -------
    enable: the bytes to write, 0 while no write to a passive register is taken.
    waddr, wdata: the write.
    raddr, rdata: what the word at a byte address holds, in the same cycle.
    paddr, pdata: the same for the engine.
    """

    def __init__(self, registers: RegisterMap, addr_width: int):
        self._kept = [register for register in registers if register.passive and register.writable]
        super().__init__({
            "enable": In(4), "waddr": In(addr_width), "wdata": In(32),
            "raddr": In(addr_width), "rdata": Out(32), "paddr": In(addr_width), "pdata": Out(32),
        })

    def elaborate(self, platform):
        m = Module()
        words = 1 << max(register.offset >> 2 for register in self._kept).bit_length()
        init = [0] * words
        for register in self._kept:
            init[register.offset >> 2] = register.reset
        m.submodules.memory = memory = Memory(shape=32, depth=words, init=init)
        write = memory.write_port(granularity=8)
        read, peek = memory.read_port(domain="comb"), memory.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.enable), write.addr.eq(self.waddr[2:]), write.data.eq(self.wdata),
            read.addr.eq(self.raddr[2:]), self.rdata.eq(read.data),
            peek.addr.eq(self.paddr[2:]), self.pdata.eq(peek.data),
        ]
        return m


def passive_kinds(registers: RegisterMap) -> dict[tuple[int, int], list[Register]]:
    """The readable passive registers by (bits that a read takes from the memory, bits that read 1)."""
    kinds: dict[tuple[int, int], list[Register]] = {}
    for register in registers:
        if register.passive and register.readable:
            kept = sum(field.mask for field in register.fields if field.readable and field.writable)
            kinds.setdefault((kept, register.reset & ~kept), []).append(register)
    return kinds
