"""The register side of the engine: what a read returns and a write does (reference sheet, sections 2 and
3; timing specification, sections 5 and 6). Offsets, masks and reset values come from the register map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from model.events import NO_RING

from .events import Kind
from .part import MAP

if TYPE_CHECKING:
    from .engine import Engine

ALL_BYTES = 0xF
STATISTICS = {register.name: register.fields[0].max for register in MAP
              if len(register.fields) == 1 and register.fields[0].counter}
TE, RE, MPE = (MAP.field("CTL", name).mask for name in ("TE", "RE", "MPE"))
CSR, INCSTAT = (MAP.field("CTL", name).mask for name in ("CSR", "INCSTAT"))
LEN, NCRC = (MAP.field("TCR", name).mask for name in ("LEN", "NCRC"))
HALVES = (0b0011, 0b1100)
COMMIT_BYTE = (0b0001, 0b0100)
"""Strobe that commits TCR, by strap `split_commit`."""


def _plain(name: str) -> int:
    """Bits of a register that a write stores and a read returns."""
    return sum(field.mask for field in MAP[name].fields if field.sw == "rw" and not field.onwrite)


STORED = {name: _plain(name) for name in ("CTL", "CFG", "TAR", "TCR", "MAN", "HSL", "HSH",
                                          *(f"SA{k}{half}" for k in (1, 2, 3, 4) for half in "LH"))}


class Registers:
    """Values that writes store, and the dispatch by offset."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.value = {name: MAP[name].reset & mask for name, mask in STORED.items()}
        self.imr = MAP["IMR"].reset
        self._latch = 0
        straps = engine.straps
        self._commit = COMMIT_BYTE[straps.get("split_commit", 0)]
        self._shared_latch = bool(straps.get("split_latch", 0))
        self._reads: dict[int, Callable[[int], int]] = {}
        self._writes: dict[int, Callable[[int, int, int], None]] = {}
        for register in MAP:
            self._reads[register.offset] = self._reader(register.name)
            self._writes[register.offset] = self._writer(register.name)

    def _reader(self, name: str) -> Callable[[int], int]:
        engine = self.engine
        if name in STATISTICS:
            return lambda cycle: engine.statistics.read(name, cycle)
        if name in self.value:
            return lambda cycle: self.value[name]
        special = {
            "SR": lambda cycle: engine.mdio.status(cycle),
            "TSR": lambda cycle: engine.tsr.value(cycle) | engine.tx.places.status(),
            "RBQP": lambda cycle: engine.rx.pointer,
            "RSR": lambda cycle: engine.rsr.value(cycle),
            "ISR": self._read_isr,
            "IMR": lambda cycle: self.imr,
        }
        return special.get(name, lambda cycle: 0)

    def _read_isr(self, cycle: int) -> int:
        value = self.engine.isr.value(cycle)
        self.engine.isr.clear(ALL_CAUSES, cycle)
        self.engine.line_moves(cycle)
        return value

    def _writer(self, name: str) -> Callable[[int, int, int], None]:
        special = {
            "CTL": self._write_ctl, "TCR": self._write_tcr, "MAN": self._write_man, "RBQP": self._write_rbqp,
            "TSR": lambda cycle, value, strobe: self.engine.tsr.clear(value & TSR_FLAGS, cycle),
            "RSR": lambda cycle, value, strobe: self.engine.rsr.clear(value & RSR_FLAGS, cycle),
            "IER": self._write_ier, "IDR": self._write_idr,
        }
        if name in special:
            return special[name]
        if name in self.value:
            return lambda cycle, value, strobe: self._store(cycle, name, value, strobe)
        return lambda cycle, value, strobe: None

    def write(self, cycle: int, offset: int, value: int, strobe: int) -> None:
        """A write taken in `cycle`."""
        self.engine.log.add((cycle, Kind.CSR_WRITE, NO_RING, offset, value | strobe << 32))
        if self._shared_latch and strobe in HALVES:
            if not strobe & self._commit:
                self._latch = value & _bits(strobe)
                return
            value, strobe = value & _bits(strobe) | self._latch & ~_bits(strobe), ALL_BYTES
        action = self._writes.get(offset & ~3)
        if action is not None:
            action(cycle, value & _bits(strobe), strobe)

    def read(self, cycle: int, offset: int) -> int:
        """A read taken in `cycle`: the state during it; clears what reading clears."""
        action = self._reads.get(offset & ~3)
        value = action(cycle) if action is not None else 0
        self.engine.log.add((cycle, Kind.CSR_READ, NO_RING, offset, value))
        return value

    def _store(self, cycle: int, name: str, value: int, strobe: int) -> None:
        was_half = name == "CFG" and self.engine.tx.half.half
        kept = self.value[name] & ~_bits(strobe)
        self.value[name] = (kept | value) & STORED[name]
        if name == "CFG":
            self.engine.tx.half.duplex_set(cycle, was_half)
            self.engine.deframer.limit_set(cycle)
            return
        if name.startswith("SA"):
            self.engine.filter.station(int(name[2]) - 1, name[3] == "H", self.value[name])
        elif name in ("HSL", "HSH"):
            self.engine.filter.hash_bits = self.value["HSL"] | self.value["HSH"] << 32

    def _write_ctl(self, cycle: int, value: int, strobe: int) -> None:
        self._store(cycle, "CTL", value, strobe)
        engine = self.engine
        for bit, act in ((CSR, engine.statistics.clear), (INCSTAT, engine.statistics.add_all)):
            if value & bit:  # the pulse is up in the next cycle
                engine.kernel.call_at(4 * (cycle + 1) + 1, act, cycle + 1)
        engine.set_enables(cycle, bool(self.value["CTL"] & RE), bool(self.value["CTL"] & TE))

    def _write_tcr(self, cycle: int, value: int, strobe: int) -> None:
        self._store(cycle, "TCR", value, strobe)
        if strobe & self._commit:
            tcr = self.value["TCR"]
            self.engine.tx.hand_over(cycle, self.value["TAR"], tcr & LEN, bool(tcr & NCRC))

    def _write_man(self, cycle: int, value: int, strobe: int) -> None:
        mdio = self.engine.mdio
        if not mdio.busy(cycle) and self.value["CTL"] & MPE:
            self._store(cycle, "MAN", value, strobe)
            if strobe & self._commit:
                mdio.start(cycle, self.value["MAN"], self.value["CFG"])

    def _write_rbqp(self, cycle: int, value: int, strobe: int) -> None:
        self.engine.rx.set_list(cycle, self.engine.rx.base & ~_bits(strobe) | value)

    def _write_ier(self, cycle: int, value: int, strobe: int) -> None:
        self.imr &= ~value
        self.engine.line_moves(cycle)

    def _write_idr(self, cycle: int, value: int, strobe: int) -> None:
        self.imr |= value & ALL_CAUSES
        self.engine.line_moves(cycle)


ALL_CAUSES = sum(field.mask for field in MAP["ISR"].fields)
TSR_FLAGS = sum(field.mask for field in MAP["TSR"].fields if field.onwrite)
RSR_FLAGS = sum(field.mask for field in MAP["RSR"].fields if field.onwrite)


def _bits(strobe: int) -> int:
    """Bits of the bytes that a strobe names."""
    return sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
