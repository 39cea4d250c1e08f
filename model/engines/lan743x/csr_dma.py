"""Register accesses of interrupts, DMA controller and tails (docs/engines/lan743x.md, sections 6 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .part import MAP, mask

if TYPE_CHECKING:
    from .engine import Engine

TAIL_INDEX, SET_TOP, SET_VECTOR, SET_DMAC = mask("TX0_TAIL", "INDEX", "SET_TOP_INT_EN", "SET_TOP_INT_VEC_EN",
                                                 "SET_DMAC_INT_EN")
"""The RX channels' are the same, without the last."""
_field = MAP.field


class DmaRegisters:
    """The part of `Registers` that speaks of them; members are its."""

    engine: Engine
    value: dict[str, int]

    # Interrupts.

    def _write__INT_STS(self, c: int, value: int, strobed: int) -> None:
        interrupts = self.engine.interrupts
        interrupts.sw_gp.clear(strobed & _field("INT_STS", "SW_GP").mask, c)
        interrupts.look(c + 1)

    def _read__INT_STS(self, c: int) -> int:
        return self.engine.interrupts.int_sts(c)

    def _write__INT_SET(self, c: int, value: int, strobed: int) -> None:
        if strobed & _field("INT_SET", "SW_GP").mask:
            self.engine.interrupts.software(c)

    def _read__INT_SET(self, c: int) -> int:
        return 0

    def _read__INT_STS_R2C(self, c: int) -> int:
        return self.engine.interrupts.read_and_clear(c)

    def _latch(self, name: str, c: int, setting: bool, bits: int) -> None:
        interrupts = self.engine.interrupts
        if interrupts.edge:
            interrupts.keep_masks(c)
        latch = getattr(interrupts, name)
        (latch.set if setting else latch.clear)(bits, c)
        interrupts.look(c + 1)

    def _write__INT_EN_SET(self, c: int, value: int, strobed: int) -> None:
        self._latch("int_en", c, True, strobed)

    def _write__INT_EN_CLR(self, c: int, value: int, strobed: int) -> None:
        self._latch("int_en", c, False, strobed)

    def _read__INT_EN_SET(self, c: int) -> int:
        return self.engine.interrupts.int_en.value(c)

    def _read__INT_EN_CLR(self, c: int) -> int:
        return 0

    def _write__INT_VEC_EN_SET(self, c: int, value: int, strobed: int) -> None:
        self._latch("vec_en", c, True, strobed)

    def _write__INT_VEC_EN_CLR(self, c: int, value: int, strobed: int) -> None:
        self._latch("vec_en", c, False, strobed)

    def _read__INT_VEC_EN_SET(self, c: int) -> int:
        return self.engine.interrupts.vec_en.value(c)

    def _read__INT_VEC_EN_CLR(self, c: int) -> int:
        return 0

    def _write__INT_VEC_EN_AUTO_CLR(self, c: int, value: int, strobed: int) -> None:
        self.engine.interrupts.auto_vectors = 0 if self.engine.rev_a0 else value

    def _map_sources(self, c: int, value: int, strobed: int) -> None:
        """Which vector and which timer each source has."""
        interrupts = self.engine.interrupts
        interrupts.keep_masks(c)
        sources = [(channel.source, 0, channel.number) for channel in self.engine.rx]
        sources += [(self.engine.tx.source, 1, 0), (_field("INT_STS", "SW_GP").mask, 2, 0)]
        for table, register in ((interrupts.vector_sources, "INT_VEC_MAP"),
                                (interrupts.timer_sources, "INT_MOD_MAP")):
            table[:] = [0] * len(table)
            for source, which, nibble in sources:
                number = self.value[f"{register}{which}"] >> 4 * nibble & 0xF
                if number < len(table):
                    table[number] |= source
        interrupts.look(c + 1)

    def _moderation(self, timer: int, c: int, value: int, strobed: int) -> None:
        self.engine.interrupts.intervals_us[timer] = 0 if self.engine.rev_a0 else value

    # DMA controller.

    def _write__DMAC_CFG(self, c: int, value: int, strobed: int) -> None:
        self.engine.stride = 16 << _field("DMAC_CFG", "MAX_DSPACE").extract(value)

    def _write__DMAC_CMD(self, c: int, value: int, strobed: int) -> None:
        self.value["DMAC_CMD"] = 0
        whole = bool(strobed & _field("DMAC_CMD", "SWR").mask)
        for channel in self.engine.channels:
            side = "T" if channel is self.engine.tx else "R"
            n = channel.number
            start, stop, reset = (_field("DMAC_CMD", name).extract(strobed) >> n & 1
                                  for name in (f"START_{side}", f"STOP_{side}", f"{side}X_SWR"))
            if stop:
                channel.stop(c)
            elif start:
                channel.start(c)
            if reset or whole:
                channel.software_reset(c)

    def _read__DMAC_CMD(self, c: int) -> int:
        value = 0
        for channel in self.engine.channels:
            side = "T" if channel is self.engine.tx else "R"
            n = channel.number
            value |= (_field("DMAC_CMD", f"START_{side}").place((channel.state >> 1) << n)
                      | _field("DMAC_CMD", f"STOP_{side}").place((channel.state & 1) << n)
                      | _field("DMAC_CMD", f"{side}X_SWR").place(int(channel.swr) << n)
                      | _field("DMAC_CMD", "SWR").place(int(channel.swr)))
        return value

    def _write__DMAC_INT_STS(self, c: int, value: int, strobed: int) -> None:
        self._latch("sts", c, False, strobed)

    def _read__DMAC_INT_STS(self, c: int) -> int:
        return self.engine.interrupts.sts.value(c)

    def _write__DMAC_INT_EN_SET(self, c: int, value: int, strobed: int) -> None:
        self._latch("dmac_en", c, True, strobed)

    def _write__DMAC_INT_EN_CLR(self, c: int, value: int, strobed: int) -> None:
        self._latch("dmac_en", c, False, strobed)

    def _read__DMAC_INT_EN_SET(self, c: int) -> int:
        return self.engine.interrupts.dmac_en.value(c)

    def _read__DMAC_INT_EN_CLR(self, c: int) -> int:
        return 0

    def _tail(self, channel, c: int, value: int, strobed: int) -> None:
        index = value & TAIL_INDEX
        self.value[channel.prefix + "TAIL"] = index
        channel.prefetcher.write_tail(index, c)
        if channel.prefetcher.starves():
            channel.kick(c + 1)
        if self.engine.rev_a0:
            return
        if strobed & SET_TOP:
            self._latch("int_en", c, True, channel.source)
        if strobed & SET_VECTOR:
            for v, mapped in enumerate(self.engine.interrupts.vector_sources):
                if mapped & channel.source:
                    self._latch("vec_en", c, True, 1 << v)
        if strobed & SET_DMAC and channel is self.engine.tx:
            self._latch("dmac_en", c, True, channel.cause)
