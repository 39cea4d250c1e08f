"""The two bundles between a MAC and its PHY: MII for frames, MDIO for management.

# Ref: IEEE 802.3 clause 22.2 (MII), 22.2.4.5 (MDIO).
"""

from __future__ import annotations

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class MII(wiring.Signature):
    """The MII as the MAC sees it, in the MAC's own clock.

    The two nibble clocks of the PHY are one enable here, `tick`: the bench's PHY runs from the engine's
    clock, so that every nibble has its cycle.

    Members
    -------
    tick : In(1)
        Nibble enable. `txd` and its companions change at the edge that ends a tick cycle; `rxd` and its
        companions are sampled in a tick cycle.
    txd, tx_en, tx_er : Out(4), Out(1), Out(1)
        Nibble to the PHY, whether it belongs to a frame, and whether it is to be sent as an error.
    rxd, rx_dv, rx_er : In(4), In(1), In(1)
        Nibble from the PHY, whether it belongs to a frame, and whether the PHY saw an error.
    crs, col : In(1), In(1)
        Carrier and collision, half duplex only.
    link : In(1)
        Level of the PHY's link pin.
    """

    def __init__(self) -> None:
        super().__init__({
            "tick": In(1),
            "txd": Out(4), "tx_en": Out(1), "tx_er": Out(1),
            "rxd": In(4), "rx_dv": In(1), "rx_er": In(1),
            "crs": In(1), "col": In(1),
            "link": In(1),
        })


class MDIO(wiring.Signature):
    """The management wires as the MAC sees them; the line itself is open to both ends.

    Members
    -------
    mdc : Out(1)
        Management clock.
    o, oe : Out(1), Out(1)
        Level the MAC would drive, and whether it drives.
    i : In(1)
        Level of the line.
    """

    def __init__(self) -> None:
        super().__init__({"mdc": Out(1), "o": Out(1), "oe": Out(1), "i": In(1)})
