"""Interrupt latch: causes stay pending until cleared, masked or not; the mask only keeps them off the line.

A cause that arrives in the very cycle of the clear is kept. A straightforward register loses it, and parts
have been built that way: `naive` switches to that behaviour, so that a driver's exposure to it can be studied
(sheet at91ether, section 9, ISR_RC_RACE).
"""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["InterruptLatch"]


class InterruptLatch(wiring.Component):
    """One bit a cause.

    Parameters
    ----------
    width: number of causes.

    Members
    -------
    set: the causes that occur in this cycle.
    clear: the causes that software takes back in this cycle.
    mask: 1 keeps a cause off the line. It is not consulted for latching.
    naive: 1 lets a clear win over a set in the same cycle.
    pending: the latched causes.
    irq: the line; from registers only (`pending` and, usually, `mask`), so it rises in the cycle after the
        set.
    """

    def __init__(self, width: int):
        if not isinstance(width, int) or width < 1:
            raise ValueError(f"InterruptLatch: width must be an integer of at least 1, not {width!r}")
        self.width = width
        super().__init__({
            "set": In(width), "clear": In(width), "mask": In(width), "naive": In(1),
            "pending": Out(width), "irq": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.pending.eq(Mux(
            self.naive,
            (self.pending | self.set) & ~self.clear,
            (self.pending & ~self.clear) | self.set))
        m.d.comb += self.irq.eq((self.pending & ~self.mask).any())
        return m
