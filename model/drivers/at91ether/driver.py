"""Probe, open, stop and the interrupt handler: the order of every register access is the sheet's (section
6)."""

from __future__ import annotations

from model.drivers.at91ether.mdio import read_link
from model.drivers.at91ether.registers import MAP, Registers, bits
from model.drivers.at91ether.rx import ReceiveRing
from model.drivers.at91ether.settings import MAC, Settings
from model.drivers.at91ether.tx import STRATEGIES, Transmit
from model.drivers.base import Driver
from model.errors import BenchError
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.skb import Skb

MTU_MIN_BYTES, MTU_MAX_BYTES = 68, 1500
"""What an Ethernet device takes at least (IPv4), and the largest whose frame fits the buffer of 1536."""
MDC_DIVIDER_32 = 2
CAUSES = ("RCOM", "RBNA", "TUND", "RTRY", "TCOM", "ROVR", "ABT")


class At91EtherDriver(Driver):
    """The driver on one device. Members: `registers`, `ring`, `transmit`, `causes_seen` by name (each reading
    of ISR)."""

    mac = MAC

    def __init__(self, host: Host, netdev: NetDevice, settings: Settings) -> None:
        super().__init__(host, netdev)
        self.settings = settings
        self.registers = Registers(host, settings)
        self.ring = ReceiveRing(host, netdev, self.registers)
        self.transmit: Transmit = STRATEGIES[settings.transmit](host, netdev, self.registers, settings)
        self.causes_seen = {field.name: 0 for field in MAP["ISR"].fields}
        self._cause_masks = [(field.name, field.mask) for field in MAP["ISR"].fields]
        self._enabled = bits("ISR", *CAUSES) | (bits("ISR", "TBRE") if settings.tbre else 0)
        self._rcom, self._rbna = bits("ISR", "RCOM"), bits("ISR", "RBNA")
        self._tx_failed = bits("ISR", "TUND", "RTRY")

    async def probe(self) -> None:
        self.host.request_irq(self.interrupt)
        await self.registers.write("NCR", 0)
        await self.registers.write("NCFGR", MAP.pack("NCFGR", CLK=MDC_DIVIDER_32, BIG=1))
        await self.registers.write("NCR", bits("NCR", "MPE"))   # the MDIO bus is registered before the device

    async def open(self) -> None:
        self._check_mtu(self.netdev.mtu_bytes)
        await self.ring.open()
        await self._set_control("CSR")
        station = self.netdev.station
        await self.registers.write("SA1L", int.from_bytes(station[:4], "little"))
        await self.registers.write("SA1H", int.from_bytes(station[4:], "little"))
        await self._set_control("RE", "TE")
        await self.registers.write("IER", self._enabled)
        await self._start_phy()
        self.netdev.start_queue()
        self.netdev.running = True

    async def stop(self) -> None:
        self.netdev.running = False
        control = await self.registers.read("NCR")
        await self.registers.write("NCR", control & ~bits("NCR", "TE", "RE"))
        await self.registers.write("IDR", self._enabled)
        self.netdev.stop_queue()
        if self.settings.stop_releases:
            self.transmit.give_back_all()
        await self.ring.close()

    async def remove(self) -> None:
        self.host.free_irq()

    async def xmit(self, skb: Skb) -> bool:
        return await self.transmit.xmit(skb)

    async def interrupt(self) -> None:
        """The handler: ISR is read first, which clears it (at91ether_interrupt)."""
        isr = await self.registers.read("ISR")
        for name, mask in self._cause_masks:
            if isr & mask:
                self.causes_seen[name] += 1
        if isr & self._rcom:
            await self.ring.receive()
        if isr & self.transmit.served:
            if isr & self._tx_failed:
                self.netdev.stats["tx_errors"] += 1
            await self.transmit.complete(isr)
        if isr & self._rbna:
            await self.ring.restart()

    def set_mtu(self, mtu_bytes: int) -> None:
        self._check_mtu(mtu_bytes)
        self.netdev.mtu_bytes = mtu_bytes

    @property
    def tx_pending(self) -> int:
        return sum(slot is not None for slot in self.transmit.slots)

    def counters(self) -> dict[str, int]:
        """How often each cause was seen in a reading of ISR."""
        return {f"isr_{name.lower()}": count for name, count in self.causes_seen.items()}

    async def _set_control(self, *names: str) -> None:
        control = await self.registers.read("NCR")
        await self.registers.write("NCR", control | bits("NCR", *names))

    async def _start_phy(self) -> None:
        link_up, speed_and_duplex = await read_link(self.host, self.registers, self.settings.phy_address)
        if not link_up:
            raise RuntimeError(f"PHY {self.settings.phy_address}: no link")
        config = await self.registers.read("NCFGR")
        await self.registers.write("NCFGR", config & ~bits("NCFGR", "SPD", "FD") | speed_and_duplex)

    @staticmethod
    def _check_mtu(mtu_bytes: int) -> None:
        if not MTU_MIN_BYTES <= mtu_bytes <= MTU_MAX_BYTES:
            raise BenchError(f"{MAC}: mtu = {mtu_bytes}: the driver takes {MTU_MIN_BYTES} to {MTU_MAX_BYTES} "
                             "bytes (one buffer of 1536 a frame, no chaining)")
