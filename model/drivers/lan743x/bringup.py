"""What probe and open do besides rings and interrupts: resets, MAC, PHY, PTP clock, DMA controller.

Ref: lan743x_csr_light_reset, lan743x_hardware_init, lan743x_mac_*, lan743x_phy_*, lan743x_ptp_open,
lan743x_dmac_init; sheet sections 2 and 3.
"""

from __future__ import annotations

from model.drivers.lan743x.registers import MAP, Registers, bits
from model.drivers.lan743x.settings import DESCRIPTOR_BYTES, Settings
from model.errors import BenchError
from model.host.host import Host
from model.host.netdev import NetDevice, OpenFailed
from model.platforms import NS_PER_S

ID_LAN7430 = (0x7430, 0x7431)
CHIP_REVISIONS = {"a0": 0x0000, "b0": 0x0010}
MII_BMSR, MII_LPA, MII_STAT1000 = 1, 5, 10
BMSR_LINK = 1 << 2
LPA_100_HALF, LPA_100_FULL, LPA_PAUSE = 1 << 7, 1 << 8, 1 << 10
STAT1000_FULL = 1 << 11
"""IEEE 802.3 clauses 22.2.4 and 40.5.1."""
MII_POLL_NS = 10_000
SPEED_1000, SPEED_100, SPEED_10 = 2, 1, 0
GPIO_CFG = (0, MAP.pack("GPIO_CFG1", GPIOEN=0xFFF), 0, 0)
"""All inputs, open drain, no PTP pin."""
PAUSE_TIME = 0xFFFF
PTP_LATENCY_1000 = MAP.pack("PTP_LATENCY", TX=30, RX=525)
"""ns at 1 Gb/s (A); the engine does nothing with it."""
ETH_DATA_BYTES, ETH_OVERHEAD_BYTES = 1500, 18
MTU_MIN_BYTES, MTU_MAX_BYTES = 68, 9216
PTP_INTERRUPTS = bits("PTP_INT_EN_SET", "TX_TS", "TX_SWTS_ERR")


def check_mtu(mtu_bytes: int) -> None:
    """BenchError if the driver does not take this MTU."""
    if not MTU_MIN_BYTES <= mtu_bytes <= MTU_MAX_BYTES:
        raise BenchError(f"lan743x: mtu = {mtu_bytes}: the driver takes {MTU_MIN_BYTES} to {MTU_MAX_BYTES} "
                         "bytes")


class Part:
    """The part behind its registers."""

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers, settings: Settings) -> None:
        self.host = host
        self.netdev = netdev
        self.registers = registers
        self.settings = settings

    async def reset(self) -> None:
        """From the first look at the part to a DMA controller that is set up (probe)."""
        registers = self.registers
        id_rev = await registers.read("ID_REV")
        await registers.read("FPGA_REV")
        expected = CHIP_REVISIONS[self.settings.rev]
        if id_rev >> 16 not in ID_LAN7430 or id_rev & 0xFFFF != expected:
            raise OpenFailed(f"ID_REV reads {id_rev:#010x}: the driver is set to a LAN743x of revision "
                             f"{self.settings.rev} (low half {expected:#06x})")
        await registers.update("HW_CFG", set_bits=bits("HW_CFG", "LRST"))
        await registers.wait_for("HW_CFG", bits("HW_CFG", "LRST"), 0)
        await registers.write("INT_EN_CLR", 0xFFFF_FFFF)
        for number, value in enumerate(GPIO_CFG):
            await registers.write(f"GPIO_CFG{number}", value)
        await self._set_up_mac()
        await registers.update("PMT_CTL", set_bits=bits("PMT_CTL", "ETH_PHY_RST"))
        await registers.wait_for("PMT_CTL", bits("PMT_CTL", "ETH_PHY_RST", "READY"), bits("PMT_CTL", "READY"))
        await self._set_own_filter()
        await self._set_up_dma()
        if self.netdev.mtu_bytes != ETH_DATA_BYTES:
            await self.set_max_size(self.netdev.mtu_bytes)

    async def _set_up_mac(self) -> None:
        registers, netdev = self.registers, self.netdev
        await registers.update("MAC_CR", bits("MAC_CR", "ADD", "ASD"), bits("MAC_CR", "CNTR_RST"))
        high, low = await registers.read("MAC_RX_ADDRH"), await registers.read("MAC_RX_ADDRL")
        address = low.to_bytes(4, "little") + (high & 0xFFFF).to_bytes(2, "little")
        if not address[0] & 1 and any(address):    # else the kernel draws one; here the device has its own
            netdev.station = address
        await registers.write("MAC_RX_ADDRL", int.from_bytes(netdev.station[:4], "little"))
        await registers.write("MAC_RX_ADDRH", int.from_bytes(netdev.station[4:], "little"))

    async def _set_own_filter(self) -> None:
        station = self.netdev.station
        await self.registers.write("RFE_ADDR_FILT_LO0", int.from_bytes(station[:4], "little"))
        await self.registers.write("RFE_ADDR_FILT_HI0",
                                   MAP.pack("RFE_ADDR_FILT_HI0", VALID=1,
                                            ADDRESS=int.from_bytes(station[4:], "little")))

    async def _set_up_dma(self) -> None:
        registers = self.registers
        await registers.write("DMAC_CMD", bits("DMAC_CMD", "SWR"))
        await registers.wait_for("DMAC_CMD", bits("DMAC_CMD", "SWR"), 0)
        await registers.write("DMAC_CFG", MAP.pack(
            "DMAC_CFG", MAX_DSPACE=DESCRIPTOR_BYTES.index(self.settings.descriptor_bytes), MAX_READ_REQ=6,
            COAL_EN=self.settings.rev != "a0"))
        await registers.write("DMAC_COAL_CFG", MAP.pack(
            "DMAC_COAL_CFG", TIMER_LIMIT=1, TIMER_TX_START=1, FLUSH_INTS=1, INT_EXIT_COAL=1, CSR_EXIT_COAL=1,
            TX_THRES=0x0A, RX_THRES=0x0C))
        await registers.write("DMAC_OBFF_CFG", MAP.pack("DMAC_OBFF_CFG", TX_THRES=0x08, RX_THRES=0x0A))

    # The MAC.

    async def open_mac(self) -> None:
        """Receiver, then transmitter on."""
        await self.registers.update("MAC_RX", set_bits=bits("MAC_RX", "RXEN"))
        await self.registers.update("MAC_TX", set_bits=bits("MAC_TX", "TXEN"))

    async def close_mac(self) -> None:
        """Transmitter, then receiver off, each waited for."""
        for register, enable, disabled in (("MAC_TX", "TXEN", "TXD"), ("MAC_RX", "RXEN", "RXD")):
            await self.registers.update(register, bits(register, enable))
            await self.registers.wait_quiet(register, bits(register, disabled), bits(register, disabled))

    async def set_max_size(self, mtu_bytes: int) -> None:
        """Let frames of that MTU pass; a receiver that is on is off meanwhile."""
        registers = self.registers
        enable, disabled = bits("MAC_RX", "RXEN"), bits("MAC_RX", "RXD")
        value = await registers.read("MAC_RX")
        was_enabled = value & enable
        if was_enabled:
            if value & disabled:
                await registers.write("MAC_RX", value)
                value &= ~disabled
            value &= ~enable
            await registers.write("MAC_RX", value)
            await registers.wait_quiet("MAC_RX", disabled, disabled)
            await registers.write("MAC_RX", value | disabled)
        value = MAP.pack("MAC_RX", base=value, MAX_SIZE=mtu_bytes + ETH_OVERHEAD_BYTES)
        await registers.write("MAC_RX", value)
        if was_enabled:
            await registers.write("MAC_RX", value | enable)

    # PHY and PTP clock.

    async def start_phy(self) -> None:
        """Read the link, tell the MAC its speed and flow control; OpenFailed without link."""
        if not await self._read_phy(MII_BMSR) & BMSR_LINK:
            raise OpenFailed(f"PHY {self.settings.phy_address}: no link")
        gigabit = await self._read_phy(MII_STAT1000) & STAT1000_FULL
        partner = await self._read_phy(MII_LPA)
        fast = partner & (LPA_100_FULL | LPA_100_HALF)
        speed = SPEED_1000 if gigabit else SPEED_100 if fast else SPEED_10
        value = await self.registers.read("MAC_CR")
        full_duplex = bool(gigabit or partner & LPA_100_FULL or not fast)
        await self.registers.write("MAC_CR",
                                   MAP.pack("MAC_CR", base=value, MII_EN=1, SPEED=speed, DPX=full_duplex))
        pause = bool(partner & LPA_PAUSE) or self.settings.pause
        await self.registers.write("MAC_FLOW",
                                   MAP.pack("MAC_FLOW", FCPT=PAUSE_TIME, TX_FCEN=pause, RX_FCEN=pause))
        await self.registers.write("PTP_LATENCY", PTP_LATENCY_1000)

    async def _read_phy(self, register: int) -> int:
        registers, busy = self.registers, bits("MAC_MII_ACC", "MII_BUSY")
        every = max(1, MII_POLL_NS * self.host.world.clock_hz // NS_PER_S)
        await registers.wait_for("MAC_MII_ACC", busy, 0, every=every)
        await registers.write("MAC_MII_ACC", MAP.pack("MAC_MII_ACC", PHY_ADDR=self.settings.phy_address,
                                                      MIIRINDA=register, MII_BUSY=1))
        await registers.wait_for("MAC_MII_ACC", busy, 0, every=every)
        return await registers.read("MAC_MII_DATA") & 0xFFFF

    async def open_ptp(self) -> None:
        """Reset the clock, set it to the machine's time, let it run."""
        registers = self.registers
        if await registers.read("PTP_CMD_CTL") & bits("PTP_CMD_CTL", "ENABLE"):
            await self._stop_clock()
        await registers.write("PTP_CMD_CTL", bits("PTP_CMD_CTL", "RESET"))
        await registers.wait_for("PTP_CMD_CTL", bits("PTP_CMD_CTL", "RESET"), 0)
        seconds, cycles = divmod(self.host.now, self.host.world.clock_hz)
        await registers.write("PTP_CLOCK_SEC", seconds)
        await registers.write("PTP_CLOCK_NS", cycles * NS_PER_S // self.host.world.clock_hz)
        await registers.write("PTP_CLOCK_SUBNS", 0)
        await registers.write("PTP_CMD_CTL", bits("PTP_CMD_CTL", "CLOCK_LOAD"))
        await registers.write("INT_EN_SET", bits("INT_EN_SET", "PTP"))
        await registers.write("PTP_INT_EN_SET", PTP_INTERRUPTS)
        await registers.write("PTP_CMD_CTL", bits("PTP_CMD_CTL", "ENABLE"))

    async def close_ptp(self) -> None:
        """Mask its interrupts, stop the clock."""
        await self.registers.write("PTP_INT_EN_CLR", PTP_INTERRUPTS)
        await self.registers.write("INT_EN_CLR", bits("INT_EN_CLR", "PTP"))
        await self._stop_clock()

    async def _stop_clock(self) -> None:
        await self.registers.write("PTP_CMD_CTL", bits("PTP_CMD_CTL", "DISABLE"))
        await self.registers.wait_quiet("PTP_CMD_CTL", bits("PTP_CMD_CTL", "ENABLE"), 0)
