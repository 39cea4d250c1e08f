"""Fields and registers as plain data: where they lie, who may do what to them, and how values are packed.

Ref: SystemRDL 2.0 (Accellera), chapters 9 and 10, for the names of the properties.
"""

import dataclasses
import difflib
import functools
import operator

from .errors import RegisterMapError

__all__ = ["Field", "Register"]


def unknown(kind: str, owner: str, name: str, known) -> RegisterMapError:
    """The error for a name that is not there, with the names that come closest."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or known
    return RegisterMapError(f"{owner} has no {kind} {name!r}; it has {', '.join(near)}")


@dataclasses.dataclass(frozen=True)
class Field:
    """A bit field.

    Attributes
    ----------
    lsb, width: position of the lowest bit and number of bits.
    reset: value after reset, right-aligned; of a wire (see `stored`) what the engine drives after reset.
    sw, hw: "r", "w", "rw" or "na": what software and hardware may do. With hw "na" the engine has no part in
        the field at all.
    onread, onwrite: SystemRDL's side effect ("rclr", "woclr", "woset", ...) or None.
    we, hwset, hwclr: hardware loads a value, sets bits, clears bits. The last two may instead name the field
        of the same map ("REG.FIELD") that does it while it is 1.
    counter, saturate: hardware increments it by pulses; it stops at its largest value or wraps.
    singlepulse: 1 for the one cycle after software wrote 1.
    intr: latches an interrupt cause; masked_by ("REG.FIELD", 1 = off) or enabled_by gate it on its way to the
        line.
    swmod, swacc: the engine wants to know of writes, of any access.
    swwel: hardware can lock it against software.
    precedence: who wins in the same cycle, "hw" or "sw".
    basis: where the statement comes from if not from the sheet's table: "GK", "A" or "I".
    only_on: the one variant of the part that has the field.
    """

    name: str
    lsb: int
    width: int
    reset: int = 0
    sw: str = "rw"
    hw: str = "r"
    onread: str | None = None
    onwrite: str | None = None
    we: bool = False
    hwset: bool | str = False
    hwclr: bool | str = False
    counter: bool = False
    saturate: bool = False
    singlepulse: bool = False
    intr: bool = False
    masked_by: str | None = None
    enabled_by: str | None = None
    swmod: bool = False
    swacc: bool = False
    swwel: bool = False
    precedence: str = "sw"
    desc: str = ""
    basis: str | None = None
    only_on: str | None = None

    @property
    def shift(self) -> int:
        """Position of the lowest bit."""
        return self.lsb

    @property
    def msb(self) -> int:
        """Position of the highest bit."""
        return self.lsb + self.width - 1

    @property
    def max(self) -> int:
        """Largest value, right-aligned."""
        return (1 << self.width) - 1

    @property
    def mask(self) -> int:
        """The field's bits, in place."""
        return self.max << self.lsb

    @property
    def readable(self) -> bool:
        """Whether software sees the field in a read."""
        return "r" in self.sw

    @property
    def writable(self) -> bool:
        """Whether a software write does anything to the field."""
        return "w" in self.sw

    @property
    def stored(self) -> bool:
        """Whether the bank holds the field; if not it is a wire from the engine."""
        by_hardware = self.we or self.hwset or self.hwclr or self.counter or self.intr
        return bool(self.writable or "r" in self.hw or by_hardware)

    @property
    def passive(self) -> bool:
        """Whether the field is plain storage, or a constant, that the engine does not look at."""
        effects = (self.onread, self.onwrite, self.we, self.hwset, self.hwclr, self.counter, self.singlepulse,
                   self.intr, self.swmod, self.swacc, self.swwel)
        return self.hw == "na" and not any(effects)

    @property
    def access(self) -> str:
        """The access in the short form of the sheets: RW, RO, WO, RC, W1C, W1S, SC."""
        if self.singlepulse:
            return "SC"
        short = {"woclr": "W1C", "woset": "W1S"}.get(self.onwrite)
        if short:
            return short
        if self.onread == "rclr":
            return "RC"
        return {"rw": "RW", "r": "RO", "w": "WO"}.get(self.sw, "-")

    def place(self, value: int) -> int:
        """`value` shifted into position.

        Raises `RegisterMapError` if it does not fit.
        """
        if not 0 <= int(value) <= self.max:
            raise RegisterMapError(
                f"field {self.name} is {self.width} bits wide: {value} is not in 0..{self.max}")
        return int(value) << self.lsb

    def extract(self, word: int) -> int:
        """The field's value in a register value, right-aligned."""
        return (int(word) >> self.lsb) & self.max


@dataclasses.dataclass(frozen=True)
class Register:
    """A register, or a word of a descriptor.

    Attributes
    ----------
    offset: byte offset in its map.
    width, accesswidth: bits of the register and of the narrowest access to it.
    fields: ordered by position. Fields may share bits only if one is read-only and the other write-only.
    alias_of: name of the register whose storage it shows at this other offset, or None.
    kernel_name: the driver's name for it where that differs, or None.
    external: the engine answers accesses to it; the bank holds nothing of it.
    """

    name: str
    offset: int
    width: int
    accesswidth: int
    fields: tuple[Field, ...]
    alias_of: str | None = None
    kernel_name: str | None = None
    desc: str = ""
    basis: str | None = None
    external: bool = False

    @functools.cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def __getitem__(self, name: str) -> Field:
        """The field of that name; `RegisterMapError` if there is none."""
        if name not in self._by_name:
            raise unknown("field", f"register {self.name}", name, self._by_name)
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    @property
    def readable(self) -> bool:
        """Whether software can read anything here."""
        return any(field.readable for field in self.fields)

    @property
    def writable(self) -> bool:
        """Whether a software write does anything here."""
        return any(field.writable for field in self.fields)

    @property
    def passive(self) -> bool:
        """Whether the engine has no part in any of its fields: software reads back what it wrote."""
        return not (self.external or self.alias_of) and all(field.passive for field in self.fields)

    @property
    def write_mask(self) -> int:
        """The bits that a software write does anything to."""
        return functools.reduce(operator.or_, (field.mask for field in self.fields if field.writable), 0)

    @property
    def reset(self) -> int:
        """What a read returns after reset."""
        shown = (field for field in self.fields if field.readable and not field.singlepulse)
        return sum(field.place(field.reset) for field in shown)

    def pack(self, *, base: int = 0, **values: int) -> int:
        """A register value from fields, given by name and right-aligned.

        Parameters
        ----------
        base: value of the bits that are not named (for a read-modify-write: what was read).

        Raises
        ------
        RegisterMapError
            A field that does not exist, a value that does not fit, or two fields on the same bits.
        """
        word, taken = int(base), 0
        if not 0 <= word < 1 << self.width:
            raise RegisterMapError(
                f"register {self.name} is {self.width} bits wide: base {base:#x} does not fit")
        for name, value in values.items():
            field = self[name]
            if taken & field.mask:
                raise RegisterMapError(
                    f"register {self.name}: field {name} shares bits with another one given")
            taken |= field.mask
            try:
                word = word & ~field.mask | field.place(value)
            except RegisterMapError as error:
                raise RegisterMapError(f"register {self.name}: {error}") from None
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """The readable fields of a register value by name, right-aligned.

        Raises `RegisterMapError` if the value is wider than the register.
        """
        if not 0 <= int(word) < 1 << self.width:
            raise RegisterMapError(f"register {self.name} is {self.width} bits wide: {word:#x} does not fit")
        return {field.name: field.extract(word) for field in self.fields if field.readable}
