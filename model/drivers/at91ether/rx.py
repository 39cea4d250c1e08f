"""The receive list: nine coherent buffers that never move, each handed back by clearing one bit.

Ref: sheet sections 4 and 6.
"""

from __future__ import annotations

from model.drivers.at91ether.registers import RX_DESCRIPTOR, Registers, bits
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.skb import NET_IP_ALIGN

RX_ENTRIES = 9
RX_BUFFER_BYTES = 0x600


def next_index(index: int, entries: int) -> int:
    """The entry after `index` in a ring of `entries`."""
    return index + 1 if index < entries - 1 else 0


class ReceiveRing:
    """List, buffers and the driver's place in them. Members: `tail` the entry looked at next."""

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers) -> None:
        self._host = host
        self._netdev = netdev
        self._registers = registers
        self.tail = 0
        self._list_address = 0
        self._buffers_address = 0
        self._entries = None
        self._owned = RX_DESCRIPTOR.field("WORD0", "OWNERSHIP").mask
        self._length = RX_DESCRIPTOR.field("WORD1", "LENGTH")
        self._multicast = RX_DESCRIPTOR.field("WORD1", "MULTICAST").mask

    async def open(self) -> None:
        """Allocate, give all entries to the engine, tell it where they are."""
        host, size = self._host, RX_ENTRIES * RX_DESCRIPTOR.size_bytes
        self._list_address = host.dma.allocate_coherent(size)
        self._buffers_address = host.dma.allocate_coherent(RX_ENTRIES * RX_BUFFER_BYTES)
        memory = host.memory.mem[self._list_address:self._list_address + size]
        self._entries = memory.view(RX_DESCRIPTOR.dtype)
        for index in range(RX_ENTRIES):
            await host.spend("descriptor")
            self._entries[index]["WORD0"] = self._buffer(index)
        self._entries[RX_ENTRIES - 1]["WORD0"] |= RX_DESCRIPTOR.field("WORD0", "WRAP").mask
        self.tail = 0
        await self._registers.write("RBQP", self._list_address)

    async def close(self) -> None:
        """Free list and buffers."""
        self._entries = None
        for address, size in ((self._list_address, RX_ENTRIES * RX_DESCRIPTOR.size_bytes),
                              (self._buffers_address, RX_ENTRIES * RX_BUFFER_BYTES)):
            await self._host.spend("dma_free")
            self._host.dma.free_coherent(address, size)

    async def receive(self) -> None:
        """Take every filled entry: copy its frame, hand it up, give the entry back (at91ether_rx)."""
        if self._entries is None:
            return   # a write to IDR is posted: an interrupt can still be taken just after stop
        host = self._host
        while True:
            await host.spend("descriptor")
            if not int(self._entries[self.tail]["WORD0"]) & self._owned:
                return
            await host.spend("descriptor")   # word 1 is valid only once word 0 has been seen to be ours
            word1 = int(self._entries[self.tail]["WORD1"])
            await self._copy_up(self._length.extract(word1))
            if word1 & self._multicast:
                self._netdev.stats["multicast"] += 1
            await host.spend("descriptor")
            self._entries[self.tail]["WORD0"] &= 0xFFFFFFFF ^ self._owned
            self.tail = next_index(self.tail, RX_ENTRIES)

    async def _copy_up(self, length_bytes: int) -> None:
        """The frame at `tail`, with its FCS as the engine stored it, to the stack; dropped if there is no
        skb."""
        netdev = self._netdev
        skb = netdev.rx_skbs.allocate(length_bytes + NET_IP_ALIGN)
        if skb is None:
            netdev.stats["rx_dropped"] += 1
            return
        skb.reserve(NET_IP_ALIGN)
        await self._host.spend("memcpy", count=length_bytes)
        frame = self._host.cpu_read(self._buffer(self.tail), length_bytes)
        self._host.cpu_write(skb.put(length_bytes), frame)
        netdev.stats["rx_packets"] += 1
        netdev.stats["rx_bytes"] += length_bytes
        await netdev.rx(skb)

    async def restart(self) -> None:
        """After RBNA: RE off and on, the work-around of the part's erratum (sheet section 9, 7)."""
        control = await self._registers.read("NCR")
        receive_enable = bits("NCR", "RE")
        await self._registers.write("NCR", control & ~receive_enable)
        await self._registers.write("NCR", control | receive_enable)

    def _buffer(self, index: int) -> int:
        return self._buffers_address + index * RX_BUFFER_BYTES
