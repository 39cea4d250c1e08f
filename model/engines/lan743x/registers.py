"""Register accesses: what each write does and what each read gives, beyond keeping a value
(docs/engines/lan743x.md, sections 4 to 8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from .events import Kind
from .part import MAP, SELF_CLEAR_CYCLES, mask
from .rfe import HASH_BASE, HASH_WORDS

if TYPE_CHECKING:
    from .engine import Engine

CSR_WRITE, CSR_READ = int(Kind.CSR_WRITE), int(Kind.CSR_READ)
NO_RING = 2
RESET_BITS = {"HW_CFG": "LRST", "PMT_CTL": "ETH_PHY_RST", "MAC_CR": "RST"}
"""Commands that read 1 for a while and reset nothing here."""
STROBED = tuple(sum(0xFF << 8 * k for k in range(4) if strobe >> k & 1) for strobe in range(16))
"""Bits of a word that a byte strobe lets through."""
TAIL_INDEX, SET_TOP, SET_VECTOR, SET_DMAC = mask("TX0_TAIL", "INDEX", "SET_TOP_INT_EN", "SET_TOP_INT_VEC_EN",
                                                 "SET_DMAC_INT_EN")
"""The RX channels' are the same, without the last."""
CONTROL = re.compile(r"([RT]X)(\d)_(.*)")


def _field(register: str, name: str):
    return MAP.field(register, name)


class Registers:
    """Accesses come in the third phase of their cycle: what they change is seen from the next cycle on.

    Members: `value`, what each register keeps, by name. Byte strobes are honoured.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.value = {register.name: register.reset for register in MAP}
        self._names = {register.offset: register.name for register in MAP}
        self._write_masks = {register.name: register.write_mask for register in MAP}
        self._until: dict[str, int] = {}
        self._cleared_in = -1   # MAC_CR.CNTR_RST reads 1 in that cycle
        self._rxd = self._txd = False
        self._on_write: dict[str, Callable[[int, int, int], None]] = {}
        self._on_read: dict[str, Callable[[int], int]] = {}

    def connect(self) -> None:
        """Once all machines are there."""
        write, read = self._on_write, self._on_read
        for name in MAP:
            name = name.name
            match = CONTROL.fullmatch(name)
            if match:
                self._connect_channel(name, *match.groups())
            elif name.startswith("RFE_ADDR") or name == "RFE_CTL":
                write[name] = lambda c, value, strobed: self.engine.rfe.changed()
            elif name.startswith("INT_MOD_CFG"):
                write[name] = partial(self._moderation, int(name[-1]))
            elif name.startswith("STAT_"):
                read[name] = partial(self.engine.statistics.read, name.removeprefix("STAT_"))
        for name in ("INT_VEC_MAP0", "INT_VEC_MAP1", "INT_VEC_MAP2",
                     "INT_MOD_MAP0", "INT_MOD_MAP1", "INT_MOD_MAP2"):
            write[name] = self._map_sources
        for name in RESET_BITS:
            write[name] = partial(self._reset_bit, name)
            read[name] = partial(self._read_reset_bit, name)
        for name in dir(self):
            kind, _, register = name.partition("__")
            if kind == "_write" and register:
                write[register] = getattr(self, name)
            elif kind == "_read" and register:
                read[register] = getattr(self, name)
        self.engine.stride = 16
        self._map_sources(0, 0, 0)

    def _connect_channel(self, name: str, side: str, number: str, rest: str) -> None:
        channels = self.engine.rx if side == "RX" else (self.engine.tx,)
        if int(number) >= len(channels):
            if rest == "HEAD":
                self._on_read[name] = lambda c: 0
            return
        channel = channels[int(number)]
        if rest == "TAIL":
            self._on_write[name] = partial(self._tail, channel)
        elif rest == "HEAD":
            self._on_read[name] = lambda c: channel.head
        else:
            self._on_write[name] = lambda c, value, strobed: channel.configure(rest, value, c)

    # The two accesses.

    def write(self, cycle: int, offset: int, value: int, strobe: int) -> None:
        """A write taken in `cycle`."""
        self.engine.log.add((cycle, CSR_WRITE, NO_RING, offset, value | strobe << 32))
        name = self._names.get(offset & ~3)
        if name is None or not strobe:
            return
        strobed = STROBED[strobe] & self._write_masks[name]
        kept = self.value[name] & ~strobed | value & strobed
        self.value[name] = kept
        if name in self._on_write:
            self._on_write[name](cycle, kept, value & strobed)

    def read(self, cycle: int, offset: int) -> int:
        """A read taken in `cycle`."""
        name = self._names.get(offset & ~3)
        if name is None:
            value = 0
        elif name in self._on_read:
            value = self._on_read[name](cycle)
        else:
            value = self.value[name]
        self.engine.log.add((cycle, CSR_READ, NO_RING, offset, value))
        return value

    # Chip.

    def _read__ID_REV(self, c: int) -> int:
        reset = MAP["ID_REV"].reset
        return reset & 0xFFFF_0000 if self.engine.rev_a0 else reset

    def _reset_bit(self, name: str, c: int, value: int, strobed: int) -> None:
        mask = _field(name, RESET_BITS[name]).mask
        self.value[name] &= ~mask
        if strobed & mask:
            self._until[name] = c + SELF_CLEAR_CYCLES
        if name == "MAC_CR":
            clear = _field("MAC_CR", "CNTR_RST").mask
            self.value[name] &= ~clear
            if strobed & clear:
                self._cleared_in = c + 1
                self.engine.kernel.call_at(4 * (c + 2), self.engine.statistics.clear)

    def _read_reset_bit(self, name: str, c: int) -> int:
        value = self.value[name]
        if c <= self._until.get(name, -1):
            value |= _field(name, RESET_BITS[name]).mask
        if name == "PMT_CTL":
            value |= _field(name, "READY").mask
        if name == "MAC_CR" and c == self._cleared_in:
            value |= _field(name, "CNTR_RST").mask
        return value

    # Data port.

    def _read__DP_SEL(self, c: int) -> int:
        return self.value["DP_SEL"] | _field("DP_SEL", "DPRDY").mask

    def _write__DP_CMD(self, c: int, value: int, strobed: int) -> None:
        word = self.value["DP_ADDR"] - HASH_BASE
        if _field("DP_SEL", "SELECT").extract(self.value["DP_SEL"]) != 1:
            return
        inside = 0 <= word < HASH_WORDS
        ram = self.engine.rfe.hash_ram
        if value & _field("DP_CMD", "WRITE").mask:
            if inside:
                ram[word] = self.value["DP_DATA_0"]
                self.engine.rfe.changed()
        else:
            self.value["DP_DATA_0"] = ram[word] if inside else 0

    # FIFO controllers.

    def _write__FCT_RX_CTL(self, c: int, value: int, strobed: int) -> None:
        self.value["FCT_RX_CTL"] = 0
        enable, disable, reset = (_field("FCT_RX_CTL", name).extract(strobed)
                                  for name in ("EN", "DIS", "RESET"))
        for channel in self.engine.rx:
            n = channel.number
            if disable >> n & 1:
                channel.enabled = False
            elif enable >> n & 1:
                channel.enabled = True
            if reset >> n & 1:
                channel.reset_fifo(c)

    def _read__FCT_RX_CTL(self, c: int) -> int:
        value = 0
        for channel in self.engine.rx:
            value |= (_field("FCT_RX_CTL", "EN").place(channel.enabled << channel.number)
                      | _field("FCT_RX_CTL", "RESET").place(channel.fct_reset << channel.number))
        return value

    def _write__FCT_TX_CTL(self, c: int, value: int, strobed: int) -> None:
        self.value["FCT_TX_CTL"] = 0
        tx = self.engine.tx
        enable, disable, reset = (_field("FCT_TX_CTL", name).extract(strobed)
                                  for name in ("EN", "DIS", "RESET"))
        if disable:
            tx.enabled = False
        elif enable:
            tx.enabled = True
            self.engine.sender.kick(c + 1)
        if reset:
            tx.reset_fifo(c)

    def _read__FCT_TX_CTL(self, c: int) -> int:
        tx = self.engine.tx
        return (_field("FCT_TX_CTL", "EN").place(int(tx.enabled))
                | _field("FCT_TX_CTL", "RESET").place(int(tx.fct_reset)))

    # MAC.

    def _write__MAC_RX(self, c: int, value: int, strobed: int) -> None:
        mac = self.engine.mac
        done = _field("MAC_RX", "RXD").mask
        if strobed & done:
            self._rxd = False
        self.value["MAC_RX"] &= ~done
        mac.max_size = _field("MAC_RX", "MAX_SIZE").extract(value)
        enabled = bool(value & _field("MAC_RX", "RXEN").mask)
        if mac.enabled and not enabled and mac.busy_until <= c:
            self.engine.kernel.call_at(4 * (c + 1) + 3, self._set_rxd)
        mac.enabled = enabled

    def receiver_disabled(self, decided: int) -> None:
        """RXEN is down and the last frame was decided in `decided`."""
        self.engine.kernel.call_at(4 * decided + 3, self._set_rxd)

    def _set_rxd(self) -> None:
        self._rxd = True

    def _read__MAC_RX(self, c: int) -> int:
        return self.value["MAC_RX"] | _field("MAC_RX", "RXD").place(int(self._rxd))

    def _write__MAC_TX(self, c: int, value: int, strobed: int) -> None:
        sender = self.engine.sender
        done = _field("MAC_TX", "TXD").mask
        if strobed & done:
            self._txd = False
        self.value["MAC_TX"] &= ~done
        enabled = bool(value & _field("MAC_TX", "TXEN").mask)
        if sender.enabled and not enabled and not sender.sending(c + 1):
            self.engine.kernel.call_at(4 * (c + 1) + 3, self._set_txd)
        if sender.enabled != enabled:
            sender.moved_in = c
        sender.enabled = enabled
        if enabled:
            sender.kick(c + 1)

    def transmitter_disabled(self, f: int) -> None:
        """TXEN is down and the last frame ended in *F* = `f` (called in its last phase)."""
        self._set_txd()

    def _set_txd(self) -> None:
        self._txd = True

    def _read__MAC_TX(self, c: int) -> int:
        return self.value["MAC_TX"] | _field("MAC_TX", "TXD").place(int(self._txd))

    def _write__MAC_FLOW(self, c: int, value: int, strobed: int) -> None:
        self.engine.obeys_pause = bool(value & _field("MAC_FLOW", "RX_FCEN").mask)

    def _write__MAC_MII_ACC(self, c: int, value: int, strobed: int) -> None:
        self.engine.mdio.access_written(c, strobed)

    def _read__MAC_MII_ACC(self, c: int) -> int:
        return self.value["MAC_MII_ACC"] & ~1 | self.engine.mdio.busy(c)

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

    # PTP.

    def _write__PTP_CMD_CTL(self, c: int, value: int, strobed: int) -> None:
        clock = self.engine.clock
        commands = {name: _field("PTP_CMD_CTL", name).extract(strobed)
                    for name in ("RESET", "DISABLE", "ENABLE", "CLOCK_READ", "CLOCK_LOAD")}
        self.value["PTP_CMD_CTL"] = 0
        if commands["CLOCK_READ"]:
            read = clock.read(c)
        if commands["DISABLE"] or commands["RESET"]:
            clock.enable(False, c + 1)
        elif commands["ENABLE"]:
            clock.enable(True, c + 1)
        if commands["RESET"]:
            clock.load(0, 0, c + 1)
        elif commands["CLOCK_LOAD"]:
            clock.load(self.value["PTP_CLOCK_SEC"], self.value["PTP_CLOCK_NS"], c + 1)
        if commands["CLOCK_READ"]:
            self.value["PTP_CLOCK_SEC"], self.value["PTP_CLOCK_NS"] = read

    def _read__PTP_CMD_CTL(self, c: int) -> int:
        return _field("PTP_CMD_CTL", "ENABLE").place(int(self.engine.clock.enabled))

    def _write__PTP_INT_EN_SET(self, c: int, value: int, strobed: int) -> None:
        self._ptp_mask(strobed, 0)

    def _write__PTP_INT_EN_CLR(self, c: int, value: int, strobed: int) -> None:
        self._ptp_mask(0, strobed)

    def _ptp_mask(self, setting: int, clearing: int) -> None:
        self._ptp = (getattr(self, "_ptp", 0) | setting) & ~clearing

    def _read__PTP_INT_EN_SET(self, c: int) -> int:
        return getattr(self, "_ptp", 0)

    def _read__PTP_INT_EN_CLR(self, c: int) -> int:
        return 0



