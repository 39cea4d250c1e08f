"""The sources of interrupts: which are active, what they wait for, and which vectors they make ready.

Source n is receive channel n, then come the transmit channel and software's SW_GP.

Ref: docs/engines/lan743x.md, section 6, "Sources"; sheet lan743x, section 2 (INT_*, DMAC_INT_*).
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .moderation import TIMERS

__all__ = ["NIBBLE", "VECTORS", "Sources", "in_int_sts"]

VECTORS = 8
NIBBLE = 4
SW_GP_BIT, TX_BIT, RX_BIT = 9, 16, 24
"""Of INT_STS."""


def in_int_sts(rx_channels: int, sources) -> Cat:
    """A bit a source, put where INT_STS has them; 28 bits."""
    rx, tx, software = sources[:rx_channels], sources[rx_channels], sources[rx_channels + 1]
    return Cat(Const(0, SW_GP_BIT), software, Const(0, TX_BIT - SW_GP_BIT - 1), tx,
               Const(0, RX_BIT - TX_BIT - 1), rx, Const(0, 28 - RX_BIT - rx_channels))


class Sources(wiring.Component):
    """Combinational. All vectors have a bit a source unless said otherwise.

    Members
    -------
    cause: DMAC_INT_STS, and SW_GP.
    unmasked: DMAC_INT_EN; SW_GP has no such mask.
    enabled, master: INT_EN, and its MAS.
    vector_enabled: INT_VEC_EN, a bit a vector.
    vector, timer: INT_VEC_MAP and INT_MOD_MAP, a nibble a source; 8 and more: none.
    expired: the moderation timers, a bit a timer.

    status: cause that its DMA mask lets through; what INT_STS shows.
    active: what INT_EN lets through of it.
    rested: the source's timer is expired, or it has none.
    eligible: active and rested.
    served: the source's vector exists and is enabled.
    ready: a bit a vector: a message may go.
    masked: a cause that arrives now would not make its source heard.
    """

    def __init__(self, rx_channels: int):
        self.rx_channels = rx_channels
        self.count = count = rx_channels + 2
        super().__init__({
            "cause": In(count), "unmasked": In(count - 1), "enabled": In(count), "master": In(1),
            "vector_enabled": In(VECTORS), "vector": In(data.ArrayLayout(NIBBLE, count)),
            "timer": In(data.ArrayLayout(NIBBLE, count)), "expired": In(TIMERS),
            "status": Out(count), "active": Out(count), "rested": Out(count), "eligible": Out(count),
            "served": Out(count), "ready": Out(VECTORS), "masked": Out(count),
        })

    def elaborate(self, platform):
        m = Module()
        none = Const(0, (1 << NIBBLE) - VECTORS)
        vectors, timers = Signal(1 << NIBBLE), Signal(1 << NIBBLE)
        m.d.comb += [
            vectors.eq(Cat(self.vector_enabled, none)),
            timers.eq(Cat(self.expired, ~none)),
            self.status.eq(self.cause & Cat(self.unmasked, Const(1, 1))),
            self.active.eq(Mux(self.master, self.status & self.enabled, 0)),
            self.rested.eq(Cat(timers.bit_select(self.timer[n], 1) for n in range(self.count))),
            self.served.eq(Cat(vectors.bit_select(self.vector[n], 1) for n in range(self.count))),
            self.eligible.eq(self.active & self.rested),
            self.masked.eq(~(Cat(self.unmasked, Const(1, 1)) & self.enabled & self.served
                             & self.master.replicate(self.count))),
        ]
        with m.If((self.eligible & self.served).any()):
            m.d.comb += self.ready.eq(self.vector_enabled & self.mapped(m, self.eligible))
        return m

    def mapped(self, m: Module, sources) -> Signal:
        """The vectors to which any of these sources is mapped."""
        vectors = Signal(VECTORS, name="mapped")
        m.d.comb += vectors.eq(reduce(or_, (
            Mux(sources[n], Const(1, VECTORS) << self.vector[n], 0) for n in range(self.count))))
        return vectors
