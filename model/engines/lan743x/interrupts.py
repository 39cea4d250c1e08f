"""Causes, masks and moderation timers: which sources are active and which vectors are ready
(docs/engines/lan743x.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from model.engines.latch import Latch
from model.kernel import STATE, Alarms

from .channel import Channel
from .part import MAP, RX_BIT, RXFRM_BIT, TX_BIT, US_CYCLES

if TYPE_CHECKING:
    from .engine import Engine

VECTORS = TIMERS = 8
MAS, SW_GP = (MAP.field("INT_STS", name).mask for name in ("MAS", "SW_GP"))
RXFRM, TX_IOC = (MAP.field("DMAC_INT_STS", name).mask for name in ("RXFRM", "TX_IOC"))


class Interrupts:
    """Members: `sts` DMAC_INT_STS, `dmac_en`, `sw_gp`, `int_en`, `vec_en`: latches; `vector_sources`,
    `timer_sources`: the sources (INT_STS bits) mapped to each; `expired_from`: from which cycle a timer is
    expired; `intervals_us` as configured; `auto_vectors`, INT_VEC_EN_AUTO_CLR."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.edge = bool(engine.straps.get("edge_irq"))
        self.sts, self.dmac_en, self.sw_gp, self.int_en, self.vec_en = (Latch() for _ in range(5))
        self.vector_sources = [0] * VECTORS
        self.timer_sources = [0] * TIMERS
        self.expired_from = [0] * TIMERS
        self.intervals_us = [0] * TIMERS
        self.auto_vectors = 0
        self._running: list[int] = []   # timers that may not have expired yet
        self.channels: tuple[Channel, ...] = ()
        self._masks_in = -1
        self._masks: tuple[int, int, int, tuple[int, ...]] = (0, 0, 0, ())
        self.look = Alarms(engine.kernel, STATE, self._look).ask
        """Look again: something that flags or the write-back unit hang on has another value from a cycle
        on."""

    # What arrives.

    def cause(self, cause: int, source: int, cycle: int) -> None:
        """A cause in DMAC_INT_STS arrives at the edge that ends `cycle`."""
        if not self.edge or self._unmasked(cause, source, cycle):
            self.sts.set(cause, cycle)
            self.look(cycle + 1)

    def keep_masks(self, cycle: int) -> tuple[int, int, int, tuple[int, ...]]:
        """The masks and the map as seen in `cycle`; to be called before what changes them in it, where that
        matters later in the cycle (strap `edge_irq`)."""
        if self._masks_in != cycle:
            self._masks_in = cycle
            self._masks = (self.int_en.value(cycle), self.vec_en.value(cycle), self.dmac_en.value(cycle),
                           tuple(self.vector_sources))
        return self._masks

    def _unmasked(self, cause: int, source: int, cycle: int) -> bool:
        enables, vectors, dmac, map_of_vectors = self.keep_masks(cycle)
        through = any(mapped & source and vectors >> v & 1 for v, mapped in enumerate(map_of_vectors))
        return bool((not cause or dmac & cause) and enables & source and enables & MAS and through)

    def software(self, cycle: int) -> None:
        """INT_SET.SW_GP is written in `cycle`."""
        if not self.edge or self._unmasked(0, SW_GP, cycle):
            self.sw_gp.set(SW_GP, cycle)
            self.look(cycle + 1)

    # What is seen in a cycle.

    def status(self, cycle: int) -> int:
        """The sources that have a cause, as INT_STS bits, without MAS."""
        causes = self.sts.value(cycle) & self.dmac_en.value(cycle)
        return ((causes & RXFRM) >> RXFRM_BIT << RX_BIT | (causes & TX_IOC) << TX_BIT
                | self.sw_gp.value(cycle))

    def int_sts(self, cycle: int) -> int:
        """INT_STS as read."""
        status = self.status(cycle)
        return status | (MAS if status & self.int_en.value(cycle) else 0)

    def active(self, cycle: int) -> int:
        """The active sources."""
        enables = self.int_en.value(cycle)
        return self.status(cycle) & enables if enables & MAS else 0

    def held_back(self, cycle: int) -> int:
        """The sources whose timer has not expired."""
        if not self._running:
            return 0
        self._running = [k for k in self._running if self.expired_from[k] > cycle]
        held = 0
        for k in self._running:
            held |= self.timer_sources[k]
        return held

    def ready_vectors(self, cycle: int) -> Iterator[tuple[int, int]]:
        """(vector, its active sources with expired timers), the lowest vector first."""
        firing = self.active(cycle)
        if firing and not self.engine.rev_a0:
            firing &= ~self.held_back(cycle)
            enabled = self.vec_en.value(cycle)
            for v, mapped in enumerate(self.vector_sources):
                if mapped & firing and enabled >> v & 1:
                    yield v, mapped & firing

    # What a message does, in its grant's cycle; called in that cycle's last phase.

    def sent(self, vector: int, firing: int, w: int) -> None:
        """The message of `vector` for the sources `firing` was granted in *w*."""
        if self.edge:
            self.keep_masks(w)
        for k, mapped in enumerate(self.timer_sources):
            if mapped & firing:
                self.expired_from[k] = w + 1 + US_CYCLES * self.intervals_us[k]
                if self.intervals_us[k]:
                    if k not in self._running:
                        self._running.append(k)
                    self.look(self.expired_from[k])
        for channel in self.channels:
            if channel.source & firing:
                auto = channel.auto
                if auto["DMA_INT_STS_AUTO_CLR"]:
                    self.sts.clear(channel.cause, w)
                if auto["TOP_INT_EN_AUTO_CLR"]:
                    self.int_en.clear(channel.source, w)
                if auto["DMA_INT_EN_AUTO_CLR"]:
                    self.dmac_en.clear(channel.cause, w)
        if self.auto_vectors >> vector & 1:
            self.vec_en.clear(1 << vector, w)
        self.look(w + 1)

    def read_and_clear(self, cycle: int) -> int:
        """INT_STS_R2C is read in `cycle`."""
        if self.edge:
            self.keep_masks(cycle)
        shown = self.int_sts(cycle)
        for channel in self.channels:
            if channel.source & shown:
                if channel.auto["INT_STS_R2C_MODE"] and not channel.owes(cycle):
                    self.sts.clear(channel.cause, cycle)
                if channel.auto["INT_EN_R2C"]:
                    self.int_en.clear(channel.source, cycle)
        self.look(cycle + 1)
        return shown

    # Timer flags.

    def _look(self, cycle: int) -> None:
        causes = self.sts.value(cycle)
        held = self.held_back(cycle)
        for channel in self.channels:
            condition = not channel.source & held and (
                bool(causes & channel.cause) if channel.select_ioc else channel.pending > 0)
            if condition and not channel.condition and channel.wb_on_timer:
                channel.flag_set_in = cycle
                channel.flag_from = min(channel.flag_from, cycle + 1)
                self.look(cycle + 1)
            channel.condition = condition
        self.engine.write_back.look(cycle)
