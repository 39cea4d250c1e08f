"""A receive channel: bring-up, the poll of single-buffer drivers, and what the three variants do as it ends.

Ref: lan743x_rx_open, lan743x_rx_process_packet, lan743x_rx_napi_poll, lan743x_rx_close; sheet section 6.
"""

from __future__ import annotations

from model.drivers.lan743x.interrupts import Interrupts
from model.drivers.lan743x.registers import MAP, Registers, bits, channel_bit
from model.drivers.lan743x.rx_ring import (
    EXT,
    FCS_BYTES,
    FS,
    LENGTH_LSB,
    LENGTH_MAX,
    LS,
    OWN,
    PAD_BYTES,
    ReceiveRing,
)
from model.drivers.lan743x.settings import Settings
from model.drivers.lan743x.vectors import Does, Source
from model.host.host import Host
from model.host.napi import NAPI_POLL_WEIGHT, Napi
from model.host.netdev import NetDevice, OpenFailed

NOTHING, DROPPED, RECEIVED = range(3)
FCT_ON, FCT_OFF = 0x2A, 0x0A
WB_THRES, PF_THRES, PF_PRI_THRES = 7, 16, 4


class ReceiveChannel:
    """Members: `ring`; `source` of its interrupts; `napi` while open; `next_entry` that the driver looks at
    next; `timestamps`, `multi_buffer_frames` seen, `polls`, `frames`, `full_polls` in all."""

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers, settings: Settings,
                 channel: int) -> None:
        self.host = host
        self.netdev = netdev
        self.registers = registers
        self.settings = settings
        self.channel = channel
        self.ring = ReceiveRing(host, netdev, registers, settings, channel)
        self.source = Source(registers, "RX", channel)
        self.does = Does(0)
        self.next_entry = 0
        self.timestamps = 0
        self.multi_buffer_frames = 0
        self._last_tail = 0
        self._re_arm = 0
        self.napi = self.source.napi = Napi(host, self.poll, self._weight())

    def _weight(self) -> int:
        if self.settings.poll == "merged":
            return NAPI_POLL_WEIGHT
        usable = self.settings.rx_ring - 1
        return max(1, usable // 2) if self.settings.poll == "posted" else usable

    # Bring-up.

    def _register(self, name: str) -> str:
        return f"RX{self.channel}_{name}"

    async def open(self, interrupts: Interrupts) -> None:
        """Ring, channel, FIFO; OpenFailed if there is no memory or the part's head is not 0."""
        registers, settings, channel, ring = self.registers, self.settings, self.channel, self.ring
        await ring.open()
        reset = channel_bit("DMAC_CMD", "RX_SWR", channel)
        await registers.write("DMAC_CMD", reset)
        await registers.wait_for("DMAC_CMD", reset, 0)
        await registers.write(self._register("BASE_H"), 0)
        await registers.write(self._register("BASE_L"), ring.ring_address)
        await registers.write(self._register("HEAD_WB_H"), 0)
        await registers.write(self._register("HEAD_WB_L"), ring.head_address)
        await registers.write(self._register("CFG_A"), self._cfg_a())
        cfg_b = self._register("CFG_B")
        await registers.write(cfg_b, MAP.pack(
            cfg_b, base=await registers.read(cfg_b), PAD=PAD_BYTES, RING_LEN=ring.size,
            TS_ALL_RX=settings.timestamps, RDMABL_512=settings.rev != "a0"))
        self.does = interrupts.does(self.source)
        await registers.write(self._register("CFG_C"), cfg_c(self._register("CFG_C"), self.does))
        self._last_tail = ring.size - 1
        await registers.write(ring.tail_register, self._last_tail)
        self.next_entry = await registers.read(self._register("HEAD"))
        if self.next_entry:
            await ring.close()
            raise OpenFailed(f"{self._register('HEAD')} reads {self.next_entry} after the channel's reset")
        self._re_arm = 0
        if self.does & Does.VECTOR_ENABLE_AUTO_SET:
            self._re_arm |= bits(ring.tail_register, "SET_TOP_INT_VEC_EN")
        if self.does & Does.SOURCE_ENABLE_AUTO_SET:
            self._re_arm |= bits(ring.tail_register, "SET_TOP_INT_EN")
        self.napi.enable()
        await registers.write("INT_EN_SET", self.source.status)
        await registers.write("DMAC_INT_STS", self.source.cause)
        await registers.write("DMAC_INT_EN_SET", self.source.cause)
        await registers.write("DMAC_CMD", channel_bit("DMAC_CMD", "START_R", channel))
        reset = channel_bit("FCT_RX_CTL", "RESET", channel)
        await registers.write("FCT_RX_CTL", reset)
        await registers.wait_for("FCT_RX_CTL", reset, 0)
        flow = f"FCT_FLOW{channel}"
        await registers.write(flow, MAP.pack(flow, REQ_EN=1, ON_THRESHOLD=FCT_ON, OFF_THRESHOLD=FCT_OFF))
        await registers.write("FCT_RX_CTL", channel_bit("FCT_RX_CTL", "EN", channel))

    def _cfg_a(self) -> int:
        name = self._register("CFG_A")
        if self.settings.rev == "a0":
            return MAP.pack(name, HP_WB_EN=1)
        return MAP.pack(name, HP_WB_EN=1, WB_ON_INT_TMR=1, WB_THRES=WB_THRES, PF_THRES=PF_THRES,
                        PF_PRI_THRES=PF_PRI_THRES)

    async def close(self) -> None:
        """FIFO off, channel stopped, interrupts masked, polls over, memory back."""
        registers, channel = self.registers, self.channel
        await registers.write("FCT_RX_CTL", channel_bit("FCT_RX_CTL", "DIS", channel))
        await registers.wait_quiet("FCT_RX_CTL", channel_bit("FCT_RX_CTL", "EN", channel), 0)
        await registers.write("DMAC_CMD", channel_bit("DMAC_CMD", "STOP_R", channel))
        await wait_stopped(registers, "R", channel)
        await registers.write("DMAC_INT_EN_CLR", self.source.cause)
        await registers.write("INT_EN_CLR", self.source.status)
        await self.napi.disable()
        await self.ring.close()

    # The poll.

    async def poll(self, weight: int) -> int:
        """Take up to `weight` frames; returns `weight` to be polled again."""
        settings, registers, ring = self.settings, self.registers, self.ring
        if self.does & Does.SOURCE_STATUS_W1C and settings.rearm == "clear_first":
            await registers.write("DMAC_INT_STS", self.source.cause)
        count = 0
        while count < weight:
            result = await self.take()
            if result == NOTHING:
                break
            if result == RECEIVED or settings.poll == "merged":
                count += 1
        if count == weight:
            if settings.poll == "posted":
                await ring.write_tail(self._last_tail)
            return weight
        if settings.rearm == "clear_last":
            await registers.write("DMAC_INT_STS", self.source.cause)
        if not self.napi.complete_done():
            if settings.poll == "posted":
                await ring.write_tail(self._last_tail)
            return count
        if not self.does & Does.SOURCE_ENABLE_AUTO_SET:
            await registers.write("INT_EN_SET", self.source.status)
        if self._re_arm or settings.poll != "merged":
            await ring.write_tail(self._re_arm | self._last_tail)
        return count

    async def take(self) -> int:
        """Take the next frame, if there is one: NOTHING, RECEIVED or DROPPED."""
        found = self._find_frame()
        if found is None:
            return NOTHING
        first, last, extension, data0 = found
        host, ring = self.host, self.ring
        skb = None
        if first == last:
            length = ring.buffer_bytes()
            new = ring.allocate(length)
            if new is None:
                self.netdev.stats["rx_dropped"] += 1
                await ring.reuse(first)
            elif (frame_bytes := data0 >> LENGTH_LSB & LENGTH_MAX) < FCS_BYTES:
                # only a driver that does not check OWN gets here: this entry was never written back
                self.netdev.stats["rx_errors"] += 1
                self.netdev.rx_skbs.release(new)
                await ring.reuse(first)
            else:
                skb = ring.take_back(first, data0)
                skb.length = frame_bytes - FCS_BYTES
                await ring.post(first, new, length)
        else:
            self.multi_buffer_frames += 1
            self.netdev.stats["rx_dropped"] += 1
            index = first
            await ring.reuse(index)
            while index != last:
                index = index + 1 if index + 1 < ring.size else 0
                await ring.reuse(index)
        if extension >= 0:
            self.timestamps += 1
            host.charge("descriptor", 2)
            await ring.reuse(extension)
            last = extension
        if skb is not None:
            await self.hand_up(skb)
        self.advance(last)
        return RECEIVED if skb is not None else DROPPED

    def _find_frame(self) -> tuple[int, int, int, int] | None:
        """First and last entry, that of the extension or -1, and DATA0 of the last, of a frame that is there
        as a whole."""
        ring = self.ring
        head, index = ring.head[0], self.next_entry
        self.host.charge("descriptor", 2)
        if head == index or head >= ring.size:
            return None
        words, stride, owned = ring.words, ring.stride, OWN
        data0 = words[index * stride]
        if not self.settings.check_own:
            owned = 0
            data0 |= FS | LS if data0 & OWN else 0
        if data0 & owned or not data0 & FS:
            return None
        last = index
        while not data0 & LS:
            last = last + 1 if last + 1 < ring.size else 0
            if last == head:
                return None
            data0 = words[last * stride]
            self.host.charge("descriptor")
            if data0 & owned:
                return None
        if not data0 & EXT:
            return index, last, -1, data0
        extension = last + 1 if last + 1 < ring.size else 0
        if extension == head:
            return None
        self.host.charge("descriptor")
        following = words[extension * stride]
        if following & owned or (self.settings.check_own and not following & EXT):
            return None
        return index, last, extension, data0

    async def hand_up(self, skb: object) -> None:
        """Give a frame to the stack."""
        stats = self.netdev.stats
        stats["rx_packets"] += 1
        stats["rx_bytes"] += skb.length
        await self.netdev.receive(skb)

    def advance(self, last: int) -> None:
        """Entry `last` and those before it are done with."""
        self._last_tail = last
        self.next_entry = last + 1 if last + 1 < self.ring.size else 0


def cfg_c(register: str, does: Does) -> int:
    """RX_CFG_C or TX_CFG_C for a vector's flags."""
    return MAP.pack(register, TOP_INT_EN_AUTO_CLR=bool(does & Does.SOURCE_ENABLE_AUTO_CLEAR),
                    DMA_INT_STS_AUTO_CLR=bool(does & Does.SOURCE_STATUS_AUTO_CLEAR),
                    INT_STS_R2C_MODE=7 if does & Does.SOURCE_STATUS_R2C else 0,
                    INT_EN_R2C=bool(does & Does.SOURCE_ENABLE_R2C))


async def wait_stopped(registers: Registers, kind: str, channel: int) -> None:
    """Until the channel is not in "stop pending" (START and STOP both read 1) any more."""
    start, stop = (channel_bit("DMAC_CMD", f"{name}_{kind}", channel) for name in ("START", "STOP"))
    pending = start | stop
    value = await registers.read("DMAC_CMD")
    if value & pending == pending:
        await registers.wait_quiet("DMAC_CMD", start, 0)
