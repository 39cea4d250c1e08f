"""Register accesses: what each write does and what each read gives, beyond keeping a value
(docs/engines/lan743x.md, sections 4 to 8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from .csr_dma import DmaRegisters
from .csr_mac import MacRegisters
from .events import Kind
from .part import MAP, SELF_CLEAR_CYCLES
from .rfe import HASH_BASE, HASH_WORDS

if TYPE_CHECKING:
    from .engine import Engine

CSR_WRITE, CSR_READ = int(Kind.CSR_WRITE), int(Kind.CSR_READ)
NO_RING = 2
RESET_BITS = {"HW_CFG": "LRST", "PMT_CTL": "ETH_PHY_RST", "MAC_CR": "RST"}
"""Commands that read 1 for a while and reset nothing here."""
STROBED = tuple(sum(0xFF << 8 * k for k in range(4) if strobe >> k & 1) for strobe in range(16))
"""Bits of a word that a byte strobe lets through."""
CONTROL = re.compile(r"([RT]X)(\d)_(.*)")


_field = MAP.field


class Registers(MacRegisters, DmaRegisters):
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
        self._ptp_mask = 0
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
        self._ptp_mask |= strobed

    def _write__PTP_INT_EN_CLR(self, c: int, value: int, strobed: int) -> None:
        self._ptp_mask &= ~strobed

    def _read__PTP_INT_EN_SET(self, c: int) -> int:
        return self._ptp_mask

    def _read__PTP_INT_EN_CLR(self, c: int) -> int:
        return 0
