"""Flow control: when the other end is asked to pause, and when to go on.

Ref: docs/engines/lan743x.md, section 4.1, 7.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .events import MOST_RX_CHANNELS
from .straps import RX_FIFO_WORDS
from .tx_sender import QUANTA_WIDTH

__all__ = ["Flow", "FlowChannel"]

UNIT_WORDS = 512 // 4
"""What the thresholds count in (A)."""
THRESHOLD_WIDTH = 7


class FlowChannel(wiring.Signature):
    """What it looks at of a receive channel, seen from the channel.

    Members
    -------
    used: words of committed frames in the FIFO.
    was_reset: pulse: the FIFO is empty from the next cycle on.
    on, off, req_en: FCT_FLOW of the channel.
    """

    def __init__(self):
        super().__init__({
            "used": Out(range(RX_FIFO_WORDS + 1)), "was_reset": Out(1),
            "on": Out(THRESHOLD_WIDTH), "off": Out(THRESHOLD_WIDTH), "req_en": Out(1),
        })


class Flow(wiring.Component):
    """The state of each channel, and the pause frames wanted.

    Parameters
    ----------
    rx_channels: 1 to 4.

    Raises ValueError for another number.

    Members
    -------
    channels: one `FlowChannel` each.
    tx_fcen, time: MAC_FLOW: TX_FCEN and FCPT.
    xoff: the other end was asked to pause, or would have been with TX_FCEN; a bit a channel.
    want, quanta: pulse: a pause frame with this time is to be sent; in the first cycle with a new `used`.
        Of several channels in one cycle the last one's counts.
    """

    def __init__(self, rx_channels: int = 1):
        if not 1 <= rx_channels <= MOST_RX_CHANNELS:
            raise ValueError(f"Flow: rx_channels must be in 1..{MOST_RX_CHANNELS}, not {rx_channels!r}")
        self.rx_channels = rx_channels
        super().__init__({
            "channels": In(FlowChannel()).array(rx_channels),
            "tx_fcen": In(1), "time": In(QUANTA_WIDTH),
            "xoff": Out(rx_channels), "want": Out(1), "quanta": Out(QUANTA_WIDTH),
        })

    def elaborate(self, platform):
        m = Module()
        for number, channel in enumerate(self.channels):
            before = Signal.like(channel.used, name=f"before{number}")
            xoff = self.xoff[number]
            m.d.sync += before.eq(channel.used)
            with m.If((channel.used != before) & channel.req_en):
                with m.If(~xoff & (channel.used >= channel.on * UNIT_WORDS)):
                    m.d.sync += xoff.eq(1)
                    m.d.comb += [self.want.eq(self.tx_fcen), self.quanta.eq(self.time)]
                with m.Elif(xoff & (channel.used <= channel.off * UNIT_WORDS)):
                    m.d.sync += xoff.eq(0)
                    m.d.comb += [self.want.eq(self.tx_fcen), self.quanta.eq(0)]
            with m.If(channel.was_reset):
                m.d.sync += xoff.eq(0)
        return m
