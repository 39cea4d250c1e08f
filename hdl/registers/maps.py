"""A register map and the descriptors of a MAC: look-up by name, and a numpy dtype of a descriptor."""

import dataclasses
import fnmatch
import functools
import typing
from collections.abc import Iterator

from .errors import RegisterMapError
from .fields import Field, Register, unknown

if typing.TYPE_CHECKING:
    import numpy

__all__ = ["Descriptor", "RegisterMap"]


_WITHOUT_ENGINE = {
    "hw": "na", "onread": None, "onwrite": None, "we": False, "hwset": False, "hwclr": False,
    "counter": False, "saturate": False, "singlepulse": False, "intr": False, "masked_by": None,
    "enabled_by": None, "swmod": False, "swacc": False, "swwel": False,
}
"""What a field loses when the engine has no part in it."""


@dataclasses.dataclass(frozen=True)
class _Registers:
    """What a map and a descriptor share: registers found by name."""

    name: str
    registers: tuple[Register, ...]
    title: str = ""

    @functools.cached_property
    def _by_name(self) -> dict[str, Register]:
        names = {register.kernel_name: register for register in self.registers if register.kernel_name}
        return names | {register.name: register for register in self.registers}

    def __getitem__(self, name: str) -> Register:
        """The register of that name (or of that name in the driver); `RegisterMapError` if there is none."""
        if name not in self._by_name:
            raise unknown("register", self.name, name, self._by_name)
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Register]:
        return iter(self.registers)

    def field(self, register: str, field: str) -> Field:
        """The field by the names of its register and itself, e.g. `field("TSR", "BNQ").mask`."""
        return self[register][field]

    def pack(self, register: str, *, base: int = 0, **values: int) -> int:
        """A register value from named fields; see `Register.pack`."""
        return self[register].pack(base=base, **values)

    def unpack(self, register: str, word: int) -> dict[str, int]:
        """The readable fields of a register value; see `Register.unpack`."""
        return self[register].unpack(word)


@dataclasses.dataclass(frozen=True)
class Descriptor(_Registers):
    """A descriptor in host memory: its registers are the words, `size_bytes` its length in a ring."""

    size_bytes: int = 0

    @functools.cached_property
    def dtype(self) -> "numpy.dtype":
        """Structured dtype with a little-endian member a word: `mem[base:end].view(d.dtype)["WORD0"]`."""
        import numpy

        return numpy.dtype({
            "names": [word.name for word in self.registers],
            "formats": [f"<u{word.width // 8}" for word in self.registers],
            "offsets": [word.offset for word in self.registers],
            "itemsize": self.size_bytes,
        })

    def get(self, entry, word: str, field: str):
        """The field's value in one entry (or in an array of them) of `dtype`."""
        layout = self.field(word, field)
        return (entry[word] >> layout.lsb) & layout.max

    def put(self, entry, word: str, field: str, value: int) -> None:
        """Change one field of an entry of `dtype`; the word's other bits stay. Range: `RegisterMapError`."""
        layout = self.field(word, field)
        kind = self.dtype[word].type
        entry[word] = entry[word] & ~kind(layout.mask) | kind(layout.place(value))


@dataclasses.dataclass(frozen=True)
class RegisterMap(_Registers):
    """The registers of a MAC, ordered by offset, and its descriptors by name."""

    size_bytes: int = 0
    descriptors: dict[str, Descriptor] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def _by_offset(self) -> dict[int, Register]:
        return {register.offset: register for register in self.registers}

    def offset(self, register: str) -> int:
        """Byte offset of a register."""
        return self[register].offset

    def at(self, offset: int) -> Register | None:
        """The register that the 32-bit word at this byte offset belongs to, or None."""
        return self._by_offset.get(offset & ~3)

    def referred(self, path: str) -> tuple[Register, Field]:
        """The register and field that "REG.FIELD" names (the form of `hwset`, `hwclr`, `masked_by`)."""
        register, _, field = path.partition(".")
        return self[register], self[register][field]

    def primary(self, register: Register) -> Register:
        """The register that holds the storage: itself, or what it is an alias of."""
        return self[register.alias_of] if register.alias_of else register

    def passive(self, *patterns: str) -> "RegisterMap":
        """The same map, but the engine has no part in the registers whose names match.

        For builds that leave something of the part out, say channels 1 to 3 ("RX[123]_*"): software still
        writes the registers there and reads back what it wrote; what the engine would show reads as after
        reset. Shell patterns. Raises `RegisterMapError` for a pattern that matches no register, or matches an
        alias, an external register, or one that others refer to.
        """
        chosen = set()
        for pattern in patterns:
            found = {name for name in self._by_name if fnmatch.fnmatchcase(name, pattern)}
            if not found:
                raise unknown("register", self.name, pattern, self._by_name)
            chosen |= {self._by_name[name].name for name in found}
        for register in self.registers:
            needed = {register.alias_of} | {
                path.partition(".")[0] for field in register.fields
                for path in (field.hwset, field.hwclr, field.masked_by, field.enabled_by)
                if isinstance(path, str)}
            if register.name in chosen and (register.external or register.alias_of):
                raise RegisterMapError(f"{self.name}: {register.name} is an alias or external; it cannot be "
                                       f"made passive")
            if register.name not in chosen and needed & chosen:
                raise RegisterMapError(f"{self.name}: {register.name} refers to "
                                       f"{', '.join(sorted(needed & chosen))}, which cannot be made passive")
        return dataclasses.replace(self, registers=tuple(
            dataclasses.replace(register, fields=tuple(
                dataclasses.replace(field, **_WITHOUT_ENGINE) for field in register.fields))
            if register.name in chosen else register for register in self.registers))

    def descriptor(self, name: str) -> Descriptor:
        """The descriptor of that name, e.g. "rx_descriptor"; `RegisterMapError` if there is none."""
        if name not in self.descriptors:
            raise RegisterMapError(f"{self.name} has no descriptor {name!r}; it has "
                                   f"{', '.join(self.descriptors) or 'none'}")
        return self.descriptors[name]
