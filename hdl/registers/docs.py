"""Register pages of the documentation, in Markdown, written from the map."""

import pathlib

from .fields import Field, Register
from .loader import known_macs, load
from .maps import Descriptor, RegisterMap

__all__ = ["markdown", "write_pages"]

BASES = {"GK": "general knowledge of the data sheet", "A": "assumption", "I": "inference"}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _bits(field: Field) -> str:
    return str(field.lsb) if field.width == 1 else f"{field.msb}:{field.lsb}"


def _remarks(field: Field) -> str:
    """What the short access form does not say."""
    said = [field.desc] if field.desc else []
    if field.counter:
        said.append("counter, stops at its largest value" if field.saturate else "counter, wraps")
    for verb, what in (("set", field.hwset), ("cleared", field.hwclr)):
        if isinstance(what, str):
            said.append(f"{verb} by {what}")
    if field.masked_by:
        said.append(f"masked by {field.masked_by}")
    if field.enabled_by:
        said.append(f"enabled by {field.enabled_by}")
    if field.only_on:
        said.append(f"only on {field.only_on}, else 0")
    if field.basis:
        said.append(f"({field.basis})")
    return "; ".join(said)


def _register(register: Register) -> list[str]:
    names = f"{register.name} ({register.kernel_name})" if register.kernel_name else register.name
    lines = [f"### {names} at {register.offset:#04x}", ""]
    said = [register.desc] if register.desc else []
    if register.alias_of:
        said.append(f"another address of {register.alias_of}")
    if register.basis:
        said.append(f"({register.basis})")
    if said:
        said = "; ".join(said)
        lines += [f"{said[0].upper()}{said[1:]}.", ""]
    lines += ["| bits | field | access | reset | |", "|---|---|---|---|---|"]
    lines += [
        f"| {_bits(field)} | {field.name} | {field.access} | {field.reset:#x} | {_cell(_remarks(field))} |"
        for field in reversed(register.fields)]
    return [*lines, ""]


def _descriptor(descriptor: Descriptor) -> list[str]:
    lines = [f"## Descriptor `{descriptor.name}`: {descriptor.title}, {descriptor.size_bytes} bytes", ""]
    for word in descriptor:
        lines += [f"### {word.name} at byte {word.offset}" + (f": {word.desc}" if word.desc else ""), "",
                  "| bits | field | driver | engine | |", "|---|---|---|---|---|"]
        lines += [f"| {_bits(field)} | {field.name} | {field.sw} | {field.hw} | {_cell(_remarks(field))} |"
                  for field in reversed(word.fields)]
        lines.append("")
    return lines


def markdown(registers: RegisterMap) -> str:
    """The page of a map: a table of the registers, and one of fields for each register and word."""
    marks = ", ".join(f"({short}) {long}" for short, long in BASES.items())
    lines = [f"# Registers of {registers.title or registers.name}", "",
             f"Written from `hdl/registers/{registers.name}.rdl`. {marks}; unmarked: the sheet.", "",
             "| offset | register | reset | |", "|---|---|---|---|"]
    lines += [f"| {register.offset:#04x} | {register.name} | {register.reset:#x} | {_cell(register.desc)} |"
              for register in registers]
    lines.append("")
    for register in registers:
        lines += _register(register)
    for descriptor in registers.descriptors.values():
        lines += _descriptor(descriptor)
    return "\n".join(lines)


def write_pages(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write `<mac>.md` of every MAC into a folder, which is made if need be; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for mac in known_macs():
        pages.append(folder / f"{mac}.md")
        pages[-1].write_text(markdown(load(mac)), encoding="utf-8")
    return pages
