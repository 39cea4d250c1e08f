"""The PHY behind MDIO as the golden world sees it: IEEE 802.3 clause 22 registers, negotiated to 100BASE-TX
full duplex, or to 1000BASE-T.

The simulated top holds the same registers in `tb/top/rb_mdio_phy.sv`.
"""

from __future__ import annotations

NOT_THERE = 0xFFFF
"""What the pulled-up line reads as where no PHY answers."""
BMCR, BMSR, PHYID1, PHYID2, ANAR, ANLPAR = range(6)
CTRL1000, STAT1000, ESTATUS = 9, 10, 15
BMSR_ABLE, BMSR_LINK, BMSR_NEGOTIATED, BMSR_EXTENDED_STATUS = 0x7849, 0x0004, 0x0020, 0x0100
BMCR_RESET, BMCR_INIT, BMCR_INIT_GIGABIT = 0x8000, 0x3100, 0x1140
LINK_PARTNER_FULL, LINK_PARTNER_HALF = 0x4101, 0x4081
CTRL1000_INIT, STAT1000_FULL, ESTATUS_FULL = 0x0200, 0x3800, 0x2000
"""1000BASE-T full duplex: advertised; the partner's, with both receivers in order; what the PHY can do."""
START_BITS_END = 34
TURNAROUND_BIT = 46
"""Bit of the 64-bit frame in which a reading station lets go of the line."""
DATA_BITS = 16
FRAME_BITS = 64


class Phy:
    """Registers of the one PHY on the bus.

    Parameters: `link` whether the link is up; `half_duplex` whether its partner can no more; `address` of the
    PHY; `gigabit` whether both sides can 1000BASE-T (IEEE 802.3 clause 40; a half-duplex partner cannot).
    """

    def __init__(self, link: bool = True, half_duplex: bool = False, address: int = 0,
                 gigabit: bool = False) -> None:
        self.link = link
        self.address = address
        self.gigabit = gigabit
        self.half_duplex = half_duplex
        self._partner = LINK_PARTNER_HALF if half_duplex else LINK_PARTNER_FULL
        self._bmcr = self._bmcr_init = BMCR_INIT_GIGABIT if gigabit else BMCR_INIT
        self._ctrl1000 = CTRL1000_INIT
        self._anar = 0x0101

    def read(self, address: int, register: int) -> int:
        """The register's value (16 bits) as an MDIO read brings it."""
        if address != self.address:
            return NOT_THERE
        values = {
            BMCR: self._bmcr,
            BMSR: (BMSR_ABLE | (BMSR_LINK | BMSR_NEGOTIATED if self.link else 0)
                   | (BMSR_EXTENDED_STATUS if self.gigabit else 0)),
            PHYID1: 0x5242,
            PHYID2: 0x0001,
            ANAR: self._anar,
            ANLPAR: self._partner if self.link else 0,
        }
        if self.gigabit:
            values |= {CTRL1000: self._ctrl1000, ESTATUS: ESTATUS_FULL,
                       STAT1000: STAT1000_FULL if self.link and not self.half_duplex else 0}
        return values.get(register, 0)

    def write(self, address: int, register: int, value: int) -> None:
        """An MDIO write of 16 bits."""
        if address != self.address:
            return
        if register == BMCR:
            self._bmcr = self._bmcr_init if value & BMCR_RESET else value
        elif register == ANAR:
            self._anar = value
        elif register == CTRL1000:
            self._ctrl1000 = value


def line_level(since_start: int, divider: int, frame: int, answer: int | None) -> int:
    """Level of the MDIO line while a station sends a management frame.

    `since_start`: cycles since the frame's first; `divider`: cycles a bit; `frame`: the 32 bits behind
    the preamble; `answer`: what a PHY sends in a read (16 bits), None if nobody answers or it is a write.
    The PHY changes the line one cycle after it sees MDC rise.
    """
    bit = since_start // divider
    reading = frame >> 28 & 3 == 2
    if bit < FRAME_BITS // 2:
        return 1
    if not reading or bit < TURNAROUND_BIT:
        return frame >> FRAME_BITS - 1 - bit & 1 if bit < FRAME_BITS else 1
    if answer is None:
        return 1
    # Number of MDC edges, from that of the first turnaround bit on, that the PHY has reacted to.
    edges = (since_start - TURNAROUND_BIT * divider - divider // 2 - 1) // divider + 1
    if edges <= 0:
        return 1
    if edges == 1:
        return 0
    return answer >> DATA_BITS - (edges - 1) & 1 if edges <= DATA_BITS + 1 else 1
