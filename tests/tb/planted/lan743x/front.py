"""Between the wire and the planted engine: hides symbols, so that the deframer hears what no player plays.

`hide` has a bit for each symbol of the first carrier event, its preamble included: where it is 1, RX_DV is
down.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

HIDE_BITS = 16


class Hide:
    """A `plant.Front`."""

    fields = {"hide": HIDE_BITS}

    def connect(self, m: Module, engine: wiring.Component, outside: wiring.Component, straps: object) -> None:
        place, over = Signal(range(HIDE_BITS + 1)), Signal()
        here = Signal()
        m.d.comb += here.eq((straps.hide >> place)[0] & ~over)
        with m.If(outside.phy.rx_dv):
            m.d.sync += place.eq(Mux(place == HIDE_BITS, place, place + 1))
        with m.Elif(place != 0):
            m.d.sync += over.eq(1)
        for name, member in outside.phy.signature.members.items():
            own, other = getattr(engine.phy, name), getattr(outside.phy, name)
            if member.flow == Out:
                m.d.comb += other.eq(own)
            else:
                m.d.comb += own.eq(other & ~here if name == "rx_dv" else other)
