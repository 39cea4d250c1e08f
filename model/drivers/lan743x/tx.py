"""The transmit channel: ring, hand-over with one tail write a frame, the overflow slot, and its poll.

Ref: lan743x_tx_open, lan743x_tx_xmit_frame, lan743x_tx_frame_*, lan743x_tx_napi_poll, lan743x_tx_close; sheet
sections 4 and 6.
"""

from __future__ import annotations

from model.drivers.lan743x.interrupts import Interrupts
from model.drivers.lan743x.registers import MAP, TX_DESCRIPTOR, Registers, bits, channel_bit
from model.drivers.lan743x.rx import PF_PRI_THRES, PF_THRES, WB_THRES, cfg_c, wait_stopped
from model.drivers.lan743x.rx_ring import DESCRIPTOR_WORDS
from model.drivers.lan743x.settings import Settings
from model.drivers.lan743x.vectors import Does, Source
from model.host.dma import Direction
from model.host.host import Host
from model.host.memory import PAGE_BYTES, align_up
from model.host.napi import Napi
from model.host.netdev import NetDevice
from model.host.skb import Skb

TO = Direction.TO_DEVICE
_DATA0 = {name: TX_DESCRIPTOR.field("DATA0", name).mask for name in ("FS", "LS", "IOC", "FCS")}
FIRST, LAST, FURTHER = _DATA0["FS"] | _DATA0["FCS"], _DATA0["LS"] | _DATA0["IOC"], _DATA0["FCS"]
FRAME_LENGTH_LSB = TX_DESCRIPTOR.field("DATA3", "FRAME_LENGTH_MSS").lsb
_ZEROS = memoryview(bytes(4 * DESCRIPTOR_WORDS)).cast("I")

Part = tuple[int, int, Skb | None]
"""Address and bytes of a mapped part of a frame, and the frame if it is the last part."""


class TransmitChannel:
    """Members: `source` of its interrupts; `napi`; `overflow` the frame that waits for room; `overflows` how
    often one had to; `tail_writes`. The driver owns the entries from `tail` to `reaped`, one of which it
    leaves empty."""

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers, settings: Settings) -> None:
        self.host = host
        self.netdev = netdev
        self.registers = registers
        self.settings = settings
        self.size = settings.tx_ring
        self.stride = settings.descriptor_bytes // 4
        self.source = Source(registers, "TX", 0)
        self.does = Does(0)
        self.napi = self.source.napi = Napi(host, self.poll, self.size - 1)
        self.lock = host.spin_lock("tx ring lock")
        self.tail = self.reaped = 0
        self.overflow: Skb | None = None
        self.overflows = self.tail_writes = 0
        self._frames_held = 0
        self._parts: list[Part | None] = []
        self._words: memoryview | None = None
        self._head: memoryview | None = None
        self._ring_address = self._head_address = 0
        self._re_arm = 0

    @property
    def pending(self) -> int:
        """Frames that the driver has not taken back, the waiting one included."""
        return self._frames_held + (self.overflow is not None)

    async def open(self, interrupts: Interrupts) -> None:
        """FIFO, ring, channel; in the driver's order."""
        registers, size = self.registers, self.size
        self._allocate()
        reset = channel_bit("FCT_TX_CTL", "RESET", 0)
        await registers.write("FCT_TX_CTL", reset)
        await registers.wait_for("FCT_TX_CTL", reset, 0)
        await registers.write("FCT_TX_CTL", channel_bit("FCT_TX_CTL", "EN", 0))
        reset = channel_bit("DMAC_CMD", "TX_SWR", 0)
        await registers.write("DMAC_CMD", reset)
        await registers.wait_for("DMAC_CMD", reset, 0)
        await registers.write("TX0_BASE_H", 0)
        await registers.write("TX0_BASE_L", self._ring_address)
        rev_a0 = self.settings.rev == "a0"
        await registers.write("TX0_CFG_B", MAP.pack("TX0_CFG_B", base=await registers.read("TX0_CFG_B"),
                                                    RING_LEN=size, TDMABL_512=not rev_a0))
        cfg_a = MAP.pack("TX0_CFG_A", TMR_HPWB_SEL_IOC=1, HP_WB_EN=1)
        if not rev_a0:
            cfg_a = MAP.pack("TX0_CFG_A", base=cfg_a, HP_WB_ON_INT_TMR=1, PF_THRES=PF_THRES,
                             PF_PRI_THRES=PF_PRI_THRES, HP_WB_THRES=WB_THRES)
        await registers.write("TX0_CFG_A", cfg_a)
        await registers.write("TX0_HEAD_WB_H", 0)
        await registers.write("TX0_HEAD_WB_L", self._head_address)
        self.reaped = await registers.read("TX0_HEAD")
        self.tail = 0
        await registers.write("TX0_TAIL", 0)
        self.does = interrupts.does(self.source)
        self._re_arm = 0
        if self.does & Does.VECTOR_ENABLE_AUTO_SET:
            self._re_arm |= bits("TX0_TAIL", "SET_TOP_INT_VEC_EN")
        if self.does & Does.SOURCE_ENABLE_AUTO_SET:
            self._re_arm |= bits("TX0_TAIL", "SET_DMAC_INT_EN", "SET_TOP_INT_EN")
        self.napi.enable()
        await registers.write("TX0_CFG_C", cfg_c("TX0_CFG_C", self.does))
        if not self.does & Does.SOURCE_ENABLE_AUTO_SET:
            await registers.write("INT_EN_SET", self.source.status)
        await registers.write("DMAC_INT_EN_SET", self.source.cause)
        await registers.write("DMAC_CMD", channel_bit("DMAC_CMD", "START_T", 0))

    def _allocate(self) -> None:
        dma, memory = self.host.dma, self.host.memory.mem
        size = self._ring_bytes()
        self._ring_address, self._head_address = dma.allocate_coherent(size), dma.allocate_coherent(4)
        self._words = memoryview(memory[self._ring_address:self._ring_address + size]).cast("I")
        self._head = memoryview(memory[self._head_address:self._head_address + 4]).cast("I")
        self._parts = [None] * self.size

    def _ring_bytes(self) -> int:
        return align_up(self.size * self.settings.descriptor_bytes, PAGE_BYTES)

    async def close(self) -> None:
        """Channel stopped, interrupts masked, poll over, FIFO off, all frames and memory back."""
        registers, host = self.registers, self.host
        await registers.write("DMAC_CMD", channel_bit("DMAC_CMD", "STOP_T", 0))
        await wait_stopped(registers, "T", 0)
        await registers.write("DMAC_INT_EN_CLR", self.source.cause)
        await registers.write("INT_EN_CLR", self.source.status)
        await self.napi.disable()
        await registers.write("FCT_TX_CTL", channel_bit("FCT_TX_CTL", "DIS", 0))
        await registers.wait_quiet("FCT_TX_CTL", channel_bit("FCT_TX_CTL", "EN", 0), 0)
        self._release_up_to(self._head[0] % self.size, sent=True)
        self._release_up_to(self.tail, sent=False)
        if self.overflow is not None:
            self._drop(self.overflow)
            self.overflow = None
        await host.settle()
        self._parts, self._words, self._head = [], None, None
        for address, size in ((self._head_address, 4), (self._ring_address, self._ring_bytes())):
            await host.spend("dma_free")
            host.dma.free_coherent(address, size)

    # Sending.

    async def xmit(self, skb: Skb) -> bool:
        """Take a frame: into the ring, or into the overflow slot with the queue stopped."""
        async with self.lock.irqsave():
            needed = 1 + len(skb.pages)
            if needed <= (self.reaped - self.tail - 1) % self.size:
                await self._enqueue(skb)
            elif needed > self.size - 1:
                self._drop(skb)
            else:
                self.overflow = skb
                self.overflows += 1
                self.netdev.stop_queue()
        return True

    async def _enqueue(self, skb: Skb) -> None:
        host, words = self.host, self._words
        pieces = [(skb.data, skb.length), *skb.pages] if skb.pages else ((skb.data, skb.length),)
        data3 = skb.total_bytes << FRAME_LENGTH_LSB
        index, left, flags = self.tail, len(pieces), FIRST
        host.charge("descriptor", DESCRIPTOR_WORDS * left)
        for address, size in pieces:
            left -= 1
            await host.dma.map_single(address, size, TO)
            place = index * self.stride
            words[place + 1], words[place + 2], words[place + 3] = address, 0, data3
            words[place] = size | flags | (0 if left else LAST)
            self._parts[index] = address, size, None if left else skb
            index, flags = index + 1 if index + 1 < self.size else 0, FURTHER
        self.tail = index
        self._frames_held += 1
        self.tail_writes += 1
        await self.registers.write("TX0_TAIL", self._re_arm | index)

    def _drop(self, skb: Skb) -> None:
        self.netdev.stats["tx_dropped"] += 1
        self.netdev.drop_later(skb)

    async def poll(self, weight: int) -> int:
        """Take back what was sent, let the waiting frame or the queue go on; never asks for another poll."""
        registers, netdev = self.registers, self.netdev
        await registers.read("DMAC_INT_STS")
        if self.does & Does.SOURCE_STATUS_W1C:
            await registers.write("DMAC_INT_STS", self.source.cause)
        restart = False
        async with self.lock.irqsave():
            self.host.charge("descriptor")
            self._release_up_to(self._head[0] % self.size, sent=True)
            if netdev.queue_stopped:
                if self.overflow is None:
                    netdev.wake_queue()
                else:
                    restart = 1 + len(self.overflow.pages) <= (self.reaped - self.tail - 1) % self.size
        if restart:
            skb, self.overflow = self.overflow, None
            await self.xmit(skb)
            netdev.wake_queue()
        if self.napi.complete_done():
            await registers.write("INT_EN_SET", self.source.status)
            await registers.read("INT_STS")
        return 0

    def _release_up_to(self, head: int, sent: bool) -> None:
        host, netdev, size = self.host, self.netdev, self.size
        while self.reaped != head:
            part, self._parts[self.reaped] = self._parts[self.reaped], None
            if part is None:
                raise RuntimeError(f"TX head {head} of the part is beyond what it was given: entry "
                                   f"{self.reaped} is empty, the tail is {self.tail}")
            address, length, skb = part
            host.dma.unmap_single(address, length, TO)
            if skb is not None:
                self._frames_held -= 1
                if sent:
                    netdev.sent(skb, skb.total_bytes)
                else:
                    self._drop(skb)
            place = self.reaped * self.stride
            self._words[place:place + DESCRIPTOR_WORDS] = _ZEROS
            host.charge("descriptor", 1 + DESCRIPTOR_WORDS)
            self.reaped = self.reaped + 1 if self.reaped + 1 < size else 0
