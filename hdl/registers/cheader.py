"""A C header of a map: offsets, masks and shifts as macros."""

from .fields import Register
from .maps import RegisterMap

__all__ = ["c_header"]


def _macros(prefix: str, register: Register) -> list[str]:
    lines = [f"#define {prefix} {register.offset:#x}u"]
    for field in register.fields:
        name = f"{prefix}_{field.name.upper()}"
        lines += [f"#define {name}_MASK {field.mask:#x}u", f"#define {name}_SHIFT {field.lsb}"]
    return lines


def c_header(registers: RegisterMap) -> str:
    """The text of a header.

    `<MAC>_<REGISTER>` is an offset, `<MAC>_<REGISTER>_<FIELD>_MASK` and `_SHIFT` describe a field.

    Registers of a descriptor are prefixed `<MAC>_<DESCRIPTOR>_`, and `<MAC>_<DESCRIPTOR>_SIZE` is its size in
    bytes.
    """
    mac = registers.name.upper()
    lines = [f"/* Generated from hdl/registers/{registers.name}.rdl. */", f"#ifndef {mac}_REGISTERS_H",
             f"#define {mac}_REGISTERS_H"]
    for register in registers:
        lines += _macros(f"{mac}_{register.name.upper()}", register)
    for descriptor in registers.descriptors.values():
        prefix = f"{mac}_{descriptor.name.upper()}"
        lines.append(f"#define {prefix}_SIZE {descriptor.size_bytes}u")
        for word in descriptor:
            lines += _macros(f"{prefix}_{word.name.upper()}", word)
    return "\n".join([*lines, "#endif", ""])
