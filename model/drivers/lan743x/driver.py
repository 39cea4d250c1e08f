"""Probe, open, stop and MTU change: the parts of the driver put together in its order.

Ref: lan743x_pcidev_probe, lan743x_netdev_open, lan743x_netdev_close, lan743x_netdev_change_mtu; sheet
sections 3, 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from model.drivers.base import Driver
from model.drivers.lan743x.bringup import Part, check_mtu
from model.drivers.lan743x.filtering import open_rss, set_rx_mode
from model.drivers.lan743x.interrupts import Interrupts
from model.drivers.lan743x.registers import Registers
from model.drivers.lan743x.rx import ReceiveChannel
from model.drivers.lan743x.rx_multi import MultiBufferChannel
from model.drivers.lan743x.settings import MAC, Settings
from model.drivers.lan743x.tx import TransmitChannel
from model.host.host import Host
from model.host.netdev import NetDevice, OpenFailed
from model.host.skb import Skb

Close = Callable[[], Coroutine[Any, Any, None]]


class Lan743xDriver(Driver):
    """The driver on one device. Members: `receive` channels by number, `transmit`, `interrupts`, `part`."""

    mac = MAC
    hands_up_fcs = False

    def __init__(self, host: Host, netdev: NetDevice, settings: Settings) -> None:
        super().__init__(host, netdev)
        check_mtu(netdev.mtu_bytes)
        self.settings = settings
        self.registers = Registers(host)
        self.part = Part(host, netdev, self.registers, settings)
        kind = MultiBufferChannel if settings.buffers == "multi" else ReceiveChannel
        self.receive = [kind(host, netdev, self.registers, settings, channel)
                        for channel in range(settings.rx_channels)]
        self.transmit = TransmitChannel(host, netdev, self.registers, settings)
        self.interrupts = Interrupts(host, self.registers, settings,
                                     [channel.source for channel in self.receive], self.transmit.source)
        self._opened: list[Close] = []

    async def probe(self) -> None:
        await self.part.reset()

    async def open(self) -> None:
        part, interrupts = self.part, self.interrupts
        try:
            await self._open_one(interrupts.open, interrupts.close)
            await self._open_one(part.open_mac, part.close_mac)
            await part.start_phy()
            await self._open_one(part.open_ptp, part.close_ptp)
            await open_rss(self.registers, self.settings.rx_channels)
            for channel in self.receive:
                await self._open_one(lambda channel=channel: channel.open(interrupts), channel.close)
            await self._open_one(lambda: self.transmit.open(interrupts), self.transmit.close)
        except OpenFailed:
            await self._close_all()
            raise
        await set_rx_mode(self.registers)
        self.netdev.start_queue()
        self.netdev.running = True

    async def _open_one(self, opening: Close, closing: Close) -> None:
        await opening()
        self._opened.append(closing)

    async def _close_all(self) -> None:
        while self._opened:
            await self._opened.pop()()

    async def stop(self) -> None:
        self.netdev.running = False
        self.netdev.stop_queue()
        # the receive channels in the order of their numbers, everything else the other way round than opened
        receiving = slice(-1 - len(self.receive), -1)
        self._opened[receiving] = reversed(self._opened[receiving])
        await self._close_all()

    async def remove(self) -> None:
        await self.registers.write("INT_EN_CLR", 0xFFFF_FFFF)

    async def xmit(self, skb: Skb) -> bool:
        return await self.transmit.xmit(skb)

    def set_mtu(self, mtu_bytes: int) -> None:
        """The MTU before probe; BenchError for one that the driver does not take."""
        check_mtu(mtu_bytes)
        self.netdev.mtu_bytes = mtu_bytes

    async def change_mtu(self, mtu_bytes: int) -> bool:
        check_mtu(mtu_bytes)
        if self.settings.mtu_change == "busy" and self.netdev.running:
            return False
        await self.part.set_max_size(mtu_bytes)
        self.netdev.mtu_bytes = mtu_bytes
        return True

    @property
    def tx_pending(self) -> int:
        return self.transmit.pending

    def counters(self) -> dict[str, int]:
        """Interrupts by vector, polls and frames by channel, writes of the tails, and what is rare."""
        counts = {f"irqs_vector{number}": count for number, count in sorted(self.interrupts.taken().items())}
        for number, channel in enumerate(self.receive):
            napi = channel.napi
            counts |= {f"polls_rx{number}": napi.polls, f"frames_rx{number}": napi.frames,
                       f"full_polls_rx{number}": napi.full_polls}
        rings = [channel.ring for channel in self.receive]
        return counts | {
            "polls_tx": self.transmit.napi.polls,
            "softnet_squeezed": sum(cpu.softirqs.squeezed for cpu in self.host.cpus),
            "rx_tail_writes": sum(ring.tail_writes for ring in rings),
            "tx_tail_writes": self.transmit.tail_writes,
            "rx_alloc_failed": sum(ring.alloc_failed for ring in rings),
            "timestamps_seen": sum(channel.timestamps for channel in self.receive),
            "multi_buffer_frames": sum(channel.multi_buffer_frames for channel in self.receive),
            "tx_overflows": self.transmit.overflows,
            "self_test_cycles": self.interrupts.self_test_cycles}
