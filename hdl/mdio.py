"""MDIO manager: one clause 22 management frame for each word written to the PHY maintenance register.

Ref: IEEE 802.3 clause 22.2.4.5 (frame); sheet at91ether, section 3 (MAN) and CFG.CLK. The 32 bits of MAN are
the frame as it goes over the wire, behind a preamble of 32 ones.

Timing, for a start in cycle c and D = 8, 16, 32 or 64 cycles a bit:

- bit k (0..63) occupies cycles c+1+k*D .. c+(k+1)*D; MDC is low in the first half of it, high in the second;
- the input is sampled at the edge that ends the first half, that is, the one at which MDC rises;
- `busy` is 1 from c+1 to c+64*D; `done` is 1 in c+64*D.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MdioManager"]

PREAMBLE_BITS = 32
TURNAROUND_BIT = PREAMBLE_BITS + 14
"""The first bit that a read leaves to the PHY: start, operation and two addresses are 14 bits."""
OPERATION_READ = 2
SHORTEST_HALF_BIT_CYCLES = 4


class MdioManager(wiring.Component):
    """The manager, and the pads of its two wires.

    Members
    -------
    start: begin a frame with `word` and `divider` of this cycle; without effect while `busy`.
    word: MAN as written: SOF 31:30, RW 29:28, PHYA 27:23, REGA 22:18, CODE 17:16, DATA 15:0.
    divider: CFG.CLK: a bit is 8 << divider cycles.
    busy: a frame is on the wires.
    done: the last cycle of a frame.
    read: the frame is a read; holds in the cycle of `done`.
    data: the last 16 bits sampled; in the cycle of `done` what the PHY answered.
    mdc, o, oe, i: clock, output, its enable, and input.
    """

    start: In(1)
    word: In(32)
    divider: In(2)
    busy: Out(1)
    done: Out(1)
    read: Out(1)
    data: Out(16)
    mdc: Out(1)
    o: Out(1, init=1)
    oe: Out(1)
    i: In(1, init=1)

    def elaborate(self, platform):
        m = Module()
        shift = Signal(32)
        bit = Signal(6)
        longest = SHORTEST_HALF_BIT_CYCLES << 3
        half_left = Signal(range(longest))
        half_last = Signal.like(half_left)  # cycles of half a bit, less one, as latched at the start

        reading = self.word[28:30] == OPERATION_READ
        new_half_last = ((C(SHORTEST_HALF_BIT_CYCLES) << self.divider) - 1)[:len(half_last)]

        half_ends = Signal()
        m.d.comb += [
            half_ends.eq(half_left == 0),
            self.done.eq(self.busy & half_ends & self.mdc & (bit == 63)),
        ]
        with m.If(self.busy):
            m.d.sync += half_left.eq(Mux(half_ends, half_last, half_left - 1))
            with m.If(half_ends):
                m.d.sync += self.mdc.eq(~self.mdc)
                with m.If(~self.mdc):
                    m.d.sync += self.data.eq(Cat(self.i, self.data))
                with m.Else():
                    m.d.sync += bit.eq(bit + 1)
                    with m.If(bit >= PREAMBLE_BITS - 1):
                        m.d.sync += [self.o.eq(shift[-1]), shift.eq(shift << 1)]
                    with m.If(self.read & (bit == TURNAROUND_BIT - 1)):
                        m.d.sync += self.oe.eq(0)
            with m.If(self.done):
                m.d.sync += [self.busy.eq(0), self.oe.eq(0), self.o.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [
                self.busy.eq(1), self.oe.eq(1), self.o.eq(1),
                shift.eq(self.word), bit.eq(0), self.read.eq(reading),
                half_left.eq(new_half_last), half_last.eq(new_half_last),
            ]
        return m
