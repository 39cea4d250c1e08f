"""Register writes in 16-bit halves, as the MStar part's bus makes them, between the CSR port and the bank.

By default a half simply lands in its bytes. With the strap `split_latch` the half that does not commit goes
to one latch that all registers share, and the committing one writes 32 bits: the written half and whatever
the latch holds, be it from another register (A).

Ref: docs/engines/at91ether.md, section 6; sheet at91ether, section 9, SPLIT16.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4Lite

__all__ = ["SplitAccess"]

LOW_HALF, HIGH_HALF = 0b0011, 0b1100


class SplitAccess(wiring.Component):
    """Parameters
    ----------
    addr_width: bits of a byte address of `csr`.

    Members
    -------
    csr: the port as the outside sees it.
    bank: the register bank's.
    shared_latch: strap `split_latch`.
    high_commits: strap `split_commit`.
    commit: the write on `bank` in this cycle includes the committing half.
    """

    def __init__(self, addr_width: int):
        super().__init__({
            "csr": In(AXI4Lite(addr_width)), "bank": Out(AXI4Lite(addr_width)),
            "shared_latch": In(1), "high_commits": In(1), "commit": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        csr, bank = self.csr, self.bank
        for name, member in bank.signature.members.items():
            if name in ("wdata", "wstrb"):
                continue
            source, target = (csr, bank) if member.flow is Out else (bank, csr)
            m.d.comb += getattr(target, name).eq(getattr(source, name))

        latch = Signal(16)
        low, high = csr.wdata[:16], csr.wdata[16:]
        committing, other = Signal(), Signal()
        m.d.comb += [
            bank.wdata.eq(csr.wdata), bank.wstrb.eq(csr.wstrb),
            committing.eq(csr.wstrb == Mux(self.high_commits, HIGH_HALF, LOW_HALF)),
            other.eq(csr.wstrb == Mux(self.high_commits, LOW_HALF, HIGH_HALF)),
            self.commit.eq((bank.wstrb & Mux(self.high_commits, HIGH_HALF, LOW_HALF)).any()),
        ]
        with m.If(self.shared_latch & committing):
            m.d.comb += [
                bank.wstrb.eq(LOW_HALF | HIGH_HALF),
                bank.wdata.eq(Mux(self.high_commits, Cat(latch, high), Cat(low, latch))),
            ]
        with m.If(self.shared_latch & other):
            m.d.comb += bank.wstrb.eq(0)  # the bank still answers, and writes nothing
            with m.If(csr.awvalid & csr.awready):
                m.d.sync += latch.eq(Mux(self.high_commits, low, high))
        return m
