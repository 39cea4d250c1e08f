"""Handing frames over by TAR and TCR and taking them back: four strategies over the same register pair.

Ref: sheet section 6 (before, after, FreeBSD), section 8 (MStar). What a strategy may not assume is in section
9.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from model.drivers.at91ether.registers import MAP, Registers, bits
from model.drivers.at91ether.settings import Settings
from model.host.dma import Direction
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.skb import Skb

MSTAR_PLACES = 4
"""Frames that the MStar part holds; its free count reads this when it is idle."""


@dataclass
class Slot:
    """What is kept of a frame with the engine. Members: `skb`, its `size_bytes`, the `mapping` address."""

    skb: Skb
    size_bytes: int
    mapping: int


def oldest_slot(tail: int, held: int, places: int) -> int:
    """The place of the oldest of `held` frames, if the next one goes to `tail`."""
    return (tail - held) % places


class Transmit(ABC):
    """A strategy. Members: `places` frames at most; `held` how many it believes to be with the engine.

    `slots` of `places` entries, filled at `tail`.
    """

    places = 2

    def __init__(self, host: Host, netdev: NetDevice, registers: Registers, settings: Settings) -> None:
        self.host = host
        self.netdev = netdev
        self.registers = registers
        self.settings = settings
        self.lock = host.spin_lock("at91ether lock")
        self.slots: list[Slot | None] = [None] * self.places
        self.tail = 0
        self.held = 0
        self.served = bits("ISR", "TCOM") | (bits("ISR", "TBRE") if settings.tbre else 0)
        self._idle = bits("TSR", "IDLE")
        self._bnq = bits("TSR", "BNQ")

    @abstractmethod
    async def xmit(self, skb: Skb) -> bool:
        """As `Driver.xmit`."""

    @abstractmethod
    async def complete(self, isr: int) -> None:
        """Serve the causes in `served`; from the interrupt handler."""

    def give_back_all(self) -> None:
        """After the transmitter was emptied: unmap and drop what was with it."""
        for slot in self.slots:
            if slot is not None:
                self._unmap(slot)
                self.netdev.drop_later(slot.skb)
                self.netdev.stats["tx_dropped"] += 1
        self.slots = [None] * self.places
        self.tail = self.held = 0

    async def _map(self, skb: Skb) -> Slot:
        mapping = await self.host.dma.map_single(skb.data, skb.length, Direction.TO_DEVICE)
        return Slot(skb, skb.length, mapping)

    def _unmap(self, slot: Slot) -> None:
        self.host.dma.unmap_single(slot.mapping, slot.size_bytes, Direction.TO_DEVICE)

    async def _hand_over(self, slot: Slot) -> None:
        await self.registers.write("TAR", slot.mapping)
        await self.registers.write("TCR", slot.size_bytes)

    def _take_place(self, slot: Slot) -> None:
        self.slots[self.tail] = slot
        self.tail = (self.tail + 1) % self.places
        self.held += 1

    def _release_oldest(self) -> None:
        place = oldest_slot(self.tail, self.held, self.places)
        slot, self.slots[place] = self.slots[place], None
        self.netdev.sent(slot.skb, slot.size_bytes)
        self._unmap(slot)
        self.held -= 1

    async def _release_by_status(self) -> None:
        """The posted formula: with the engine is none if IDLE, one if BNQ, else two. True of the RM9200
        only."""
        tsr = await self.registers.read("TSR")
        with_engine = 0 if tsr & self._idle else 1 if tsr & self._bnq else 2
        while self.held > with_engine:
            self._release_oldest()

    def _wake_if_room(self) -> None:
        if self.held < self.places and self.netdev.queue_stopped:
            self.netdev.wake_queue()


class Depth1(Transmit):
    """Before the series: the queue is stopped with each frame and woken by its TCOM."""

    places = 1

    async def xmit(self, skb: Skb) -> bool:
        if not await self.registers.read("TSR") & self._bnq:
            return False
        self.netdev.stop_queue()
        self.slots[0] = await self._map(skb)   # forgets what was there: after stop and open a frame may be
        self.held = 1
        await self._hand_over(self.slots[0])
        return True

    async def complete(self, isr: int) -> None:
        if self.held:
            self._release_oldest()
        self.netdev.wake_queue()


class Depth2(Transmit):
    """After the series, as posted. With `pair_locked` the register pair is written under the lock."""

    async def xmit(self, skb: Skb) -> bool:
        if self.held >= self.places:
            return False
        slot = await self._map(skb)
        async with self.lock.irqsave():
            self._take_place(slot)
            if self.held >= self.places:
                self.netdev.stop_queue()
            if self.settings.pair_locked:
                await self._hand_over(slot)
        if not self.settings.pair_locked:
            await self._hand_over(slot)
        return True

    async def complete(self, isr: int) -> None:
        async with self.lock.plain():
            await self._release_by_status()
            self._wake_if_room()


class Asking(Transmit):
    """Asks the engine for room before each frame, all under one lock."""

    @abstractmethod
    async def _has_room(self) -> bool:
        """Whether a frame may be handed over now."""

    async def xmit(self, skb: Skb) -> bool:
        async with self.lock.irqsave():
            if not await self._has_room():
                self.netdev.stop_queue()
                return False
            slot = await self._map(skb)
            await self._hand_over(slot)
            self._take_place(slot)
            if self.held >= self.places:
                self.netdev.stop_queue()
        return True


class Depth2Bnq(Asking):
    """Two frames; the engine is asked for room before each, all under one lock. A TCOM gives back one frame,
    or both if the engine is idle, and none if TSR says that all are still held.

    With `tcom_counts` (FreeBSD) every TCOM gives one back. If the second frame ends between the readings of
    ISR and TSR, its own TCOM is still to come (section 9, 4): on one CPU the handler runs again before a
    sender can hand over what that TCOM would be taken for; with a sender on another CPU it cannot count on
    that.
    """

    async def _has_room(self) -> bool:
        return self.held < self.places and bool(await self.registers.read("TSR") & self._bnq)

    async def complete(self, isr: int) -> None:
        async with self.lock.plain():
            if self.settings.tcom_counts:
                await self._release_by_count()
            else:
                await self._release_by_status()
            self._wake_if_room()

    async def _release_by_count(self) -> None:
        if self.held:
            self._release_oldest()
        if self.held and await self.registers.read("TSR") & self._idle:
            self._release_oldest()


class FreeCount(Asking):
    """Up to four frames; TSR's free count is the only thing believed, before a hand-over and at a release."""

    places = MSTAR_PLACES

    async def _has_room(self) -> bool:
        free = self._free_places(await self.registers.read("TSR"))
        return self.held < self.places and free > 0

    async def complete(self, isr: int) -> None:
        async with self.lock.plain():
            with_engine = self.places - self._free_places(await self.registers.read("TSR"))
            while self.held > with_engine:
                self._release_oldest()
            self._wake_if_room()

    @staticmethod
    def _free_places(tsr: int) -> int:
        free = MAP.field("TSR", "FREE").extract(tsr)
        return free if free <= MSTAR_PLACES else 0   # it wraps below 0 after an overrun


STRATEGIES: dict[str, type[Transmit]] = {
    "depth1": Depth1, "depth2": Depth2, "depth2_bnq": Depth2Bnq, "free_count": FreeCount,
}
