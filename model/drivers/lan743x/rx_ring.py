"""The receive ring: descriptors and buffers of one channel, how an entry is posted and taken back.

Ref: lan743x_rx_ring_init, lan743x_rx_init_ring_element, lan743x_rx_reuse_ring_element,
lan743x_rx_release_ring_element; sheet sections 4, 6 and 7.
"""

from __future__ import annotations

from model.drivers.lan743x.registers import RX_DESCRIPTOR, Registers
from model.drivers.lan743x.settings import Settings
from model.host.cache import LineCache
from model.host.dma import Direction
from model.host.host import Host
from model.host.memory import PAGE_BYTES, OutOfMemory, align_up
from model.host.netdev import NetDevice, OpenFailed
from model.host.skb import Skb

MAX_FRAME_BYTES, HEADER_BYTES, FCS_BYTES, PAD_BYTES = 9216, 14, 4, 2
FROM = Direction.FROM_DEVICE
DESCRIPTOR_WORDS = 4


def _field(name: str) -> int:
    return RX_DESCRIPTOR.field("DATA0", name).mask


OWN, FS, LS, EXT = _field("OWN"), _field("FS"), _field("LS"), _field("EXT")
LENGTH_LSB = RX_DESCRIPTOR.field("DATA0", "FRAME_LENGTH").lsb
LENGTH_MAX = RX_DESCRIPTOR.field("DATA0", "FRAME_LENGTH").max
BUF_LENGTH = _field("BUF_LENGTH")


class ReceiveRing:
    """Members: `size` entries; `words` of the ring in memory, `stride` of them an entry; `skbs`, `lengths` of
    the buffers by entry; `alloc_failed` buffers that could not be replaced; `tail_writes`."""

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers, settings: Settings,
                 channel: int) -> None:
        self.host = host
        self.netdev = netdev
        self.registers = registers
        self.settings = settings
        self.channel = channel
        self.size = settings.rx_ring
        self.stride = settings.descriptor_bytes // 4
        self.alloc_failed = 0
        self.tail_writes = 0
        self.tail_register = f"RX{channel}_TAIL"
        self.skbs: list[Skb | None] = []
        self.lengths: list[int] = []
        self.words: memoryview | None = None
        self.head: memoryview | None = None
        self.ring_address = self.head_address = 0
        self._open_mtu_bytes = netdev.mtu_bytes
        self._skip_map = settings.sync in ("b", "c")
        self._fixed_length = MAX_FRAME_BYTES + HEADER_BYTES + FCS_BYTES + PAD_BYTES
        if self._skip_map and not host.platform.coherent and host.dma.cache is None:
            host.dma.cache = LineCache(host.memory.mem, host.platform.cache_line_bytes)

    @property
    def ring_bytes(self) -> int:
        """What the ring's allocation takes: whole pages."""
        return align_up(self.size * self.settings.descriptor_bytes, PAGE_BYTES)

    def buffer_bytes(self) -> int:
        """Length of a buffer posted now."""
        if self.settings.buffers == "9k":
            return self._fixed_length
        mtu = self.netdev.mtu_bytes if self.settings.mtu_change == "lazy" else self._open_mtu_bytes
        return mtu + HEADER_BYTES + FCS_BYTES + PAD_BYTES

    async def open(self) -> None:
        """Allocate ring, head word and a buffer for every entry; OpenFailed if there is no memory."""
        dma = self.host.dma
        self._open_mtu_bytes = self.netdev.mtu_bytes
        self.ring_address = dma.allocate_coherent(self.ring_bytes)
        self.head_address = dma.allocate_coherent(4)
        self.words = self._words_at(self.ring_address, self.ring_bytes)
        self.head = self._words_at(self.head_address, 4)
        self.skbs, self.lengths = [None] * self.size, [0] * self.size
        for index in range(self.size):
            length = self.buffer_bytes()
            skb = self.allocate(length)
            if skb is None:
                await self.close()
                raise OpenFailed(f"no memory for buffer {index} of receive channel {self.channel}")
            await self.post(index, skb, length)

    async def close(self) -> None:
        """Take every buffer back, free them, the ring and the head word (lan743x_rx_ring_cleanup)."""
        host = self.host
        for index, skb in enumerate(self.skbs):
            self.words[index * self.stride:index * self.stride + DESCRIPTOR_WORDS] = _ZEROS
            if skb is not None:
                host.dma.unmap_single(skb.block + host.platform.cache_line_bytes, self.lengths[index], FROM)
                self.netdev.rx_skbs.release(skb)
        await host.settle()
        self.skbs, self.lengths = [], []
        self.words = self.head = None
        for address, size in ((self.head_address, 4), (self.ring_address, self.ring_bytes)):
            await host.spend("dma_free")
            host.dma.free_coherent(address, size)

    def allocate(self, length: int) -> Skb | None:
        """A buffer that takes `length` bytes; None, counted, if there is no memory."""
        try:
            skb = self.netdev.rx_skbs.allocate(length)
        except OutOfMemory:
            skb = None
        if skb is None:
            self.alloc_failed += 1
        return skb

    async def map(self, skb: Skb, length: int) -> int:
        """Map a new buffer, which begins at its data, as the setting `sync` has it; returns its address."""
        dma = self.host.dma
        address = await dma.map_single(skb.data, length, FROM, self._skip_map)
        if self.settings.sync == "c":
            dma.sync_single_for_device(address, length, FROM)
            await self.host.settle()
        return address

    async def post(self, index: int, skb: Skb, length: int) -> None:
        """Map a buffer and give entry and buffer to the engine."""
        await self.store(index, skb, await self.map(skb, length), length)

    async def store(self, index: int, skb: Skb, address: int, length: int) -> None:
        """Make a mapped buffer that of entry `index`."""
        self.skbs[index] = skb
        self.lengths[index] = length
        skb.data = address + PAD_BYTES
        await self._store_words(index, address, length)

    async def reuse(self, index: int) -> None:
        """Give an entry to the engine again with the buffer it has."""
        await self._store_words(index, self.skbs[index].block + self.host.platform.cache_line_bytes,
                                self.lengths[index])

    async def _store_words(self, index: int, address: int, length: int) -> None:
        words, place = self.words, index * self.stride
        data0 = OWN | length & BUF_LENGTH
        if self.settings.own_first:
            words[place] = data0
            for offset, value in ((1, address), (2, 0), (3, 0)):
                await self.host.spend("descriptor")
                words[place + offset] = value
        else:
            words[place + 1] = address
            words[place + 2] = words[place + 3] = 0
            words[place] = data0
        self.host.charge("descriptor", DESCRIPTOR_WORDS)
        every = self.settings.tail_every
        if every and (index + 1) % every == 0:
            await self.write_tail(index)

    async def write_tail(self, value: int) -> None:
        """Write RX_TAIL: an index, with re-arm flags or without."""
        self.tail_writes += 1
        await self.registers.write(self.tail_register, value)

    def take_back(self, index: int, data0: int) -> Skb:
        """Unmap the buffer of an entry that the engine has written back with `data0`; synchronised as the
        setting `sync` has it."""
        skb, length = self.skbs[index], self.lengths[index]
        self.skbs[index] = None
        dma, address = self.host.dma, skb.data - PAD_BYTES
        if self.settings.sync == "full":
            dma.unmap_single(address, length, FROM)
            return skb
        used = min(data0 >> LENGTH_LSB & LENGTH_MAX, length) if data0 & LS else length
        dma.sync_single_for_cpu(address, used, FROM)
        dma.unmap_single(address, length, FROM, skip_sync=True)
        return skb

    def _words_at(self, address: int, size_bytes: int) -> memoryview:
        return memoryview(self.host.memory.mem[address:address + size_bytes]).cast("I")


_ZEROS = memoryview(bytes(4 * DESCRIPTOR_WORDS)).cast("I")
