"""Reading the PHY over MDIO, and what its answer means for NCFGR.

Ref: sheet section 3 (MAN, SR.IDLE polled); IEEE 802.3 clause 22.2.4 for the PHY's registers.
"""

from __future__ import annotations

from model.drivers.at91ether.registers import MAP, Registers, bits
from model.host.host import Host

MII_BMSR, MII_ANLPAR = 1, 5
BMSR_LINK = 1 << 2
ANLPAR_10_FULL, ANLPAR_100_HALF, ANLPAR_100_FULL = 1 << 6, 1 << 7, 1 << 8

MAN_READ, MAN_START, MAN_CODE = 2, 1, 2
POLL_NS = 10_000
POLLS = 1000
"""Sleep between two looks at SR.IDLE (assumed: what a microsecond's usleep comes to), and how many before
giving up."""


async def read_phy(host: Host, registers: Registers, phy_address: int, register: int) -> int:
    """A PHY register, 16 bits; RuntimeError if the manager never gets idle."""
    await registers.write("MAN", MAP.pack("MAN", SOF=MAN_START, RW=MAN_READ, PHYA=phy_address, REGA=register,
                                          CODE=MAN_CODE))
    idle = bits("NSR", "IDLE")
    poll_cycles = max(1, POLL_NS * host.world.clock_hz // 1_000_000_000)
    for _ in range(POLLS):
        if await registers.read("NSR") & idle:
            return MAP.field("MAN", "DATA").extract(await registers.read("MAN"))
        await host.cpu.sleep(poll_cycles)
    raise RuntimeError(f"MDIO: SR.IDLE not set {POLLS} polls after the read of PHY {phy_address} "
                       f"register {register}")


async def read_link(host: Host, registers: Registers, phy_address: int) -> tuple[bool, int]:
    """Whether the link is up, and the bits of NCFGR for its speed and duplex (100 Mb/s preferred, then full
    duplex)."""
    if not await read_phy(host, registers, phy_address, MII_BMSR) & BMSR_LINK:
        return False, 0
    partner = await read_phy(host, registers, phy_address, MII_ANLPAR)
    if partner & ANLPAR_100_FULL:
        return True, bits("NCFGR", "SPD", "FD")
    if partner & ANLPAR_100_HALF:
        return True, bits("NCFGR", "SPD")
    return True, bits("NCFGR", "FD") if partner & ANLPAR_10_FULL else 0
