"""The bundle between a gigabit MAC and its PHY, and what surrounds a frame on it.

# Ref: IEEE 802.3 clause 35.2 (GMII), 3.2.1 and 3.2.2 (preamble, start of frame).
"""

from __future__ import annotations

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

PREAMBLE = 0x55
PREAMBLE_BYTES = 7
"""Bytes in front of the SFD."""
SFD = 0xD5
FCS_BYTES = 4


class GMII(wiring.Signature):
    """The GMII as the MAC sees it, in the MAC's own clock.

    GTX_CLK and RX_CLK are that clock: the bench's PHY runs from it, so every cycle is a byte in either
    direction and every byte has its cycle.

    Members
    -------
    txd, tx_en, tx_er : Out(8), Out(1), Out(1)
        Byte to the PHY, whether it belongs to a frame, and whether it is to be sent as an error.
    rxd, rx_dv, rx_er : In(8), In(1), In(1)
        Byte from the PHY, whether it belongs to a frame, and whether the PHY saw an error.
    crs, col : In(1), In(1)
        Carrier and collision, half duplex only.
    link : In(1)
        Level of the PHY's link pin.
    """

    def __init__(self) -> None:
        super().__init__({
            "txd": Out(8), "tx_en": Out(1), "tx_er": Out(1),
            "rxd": In(8), "rx_dv": In(1), "rx_er": In(1),
            "crs": In(1), "col": In(1),
            "link": In(1),
        })
