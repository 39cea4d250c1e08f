"""SystemRDL text to the plain data of this package, by way of systemrdl-compiler.

The compiler checks syntax and the language's rules and executes nothing; what a property does is up to the
bank. Properties that the bank does not know are refused here, so that none is lost in silence.
"""

import dataclasses
import pathlib
import re

from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.messages import MessagePrinter, Severity
from systemrdl.node import AddrmapNode, FieldNode, RegfileNode, RegNode

from .errors import RegisterMapError
from .fields import Field, Register
from .maps import Descriptor, RegisterMap

__all__ = ["compile_map"]

ONREAD = ("rclr", "rset")
ONWRITE = ("woclr", "woset", "wot", "wzc", "wzs", "wzt", "wclr", "wset")
REFUSED = ("wel", "swwe", "decrsaturate", "overflow", "underflow", "threshold", "sticky", "haltmask",
           "haltenable", "hwmask", "hwenable", "paritycheck")
"""Properties of the language that no MAC has needed so far and the bank does not build."""


class _Collector(MessagePrinter):
    """Keeps the compiler's messages, with file and line, instead of printing them."""

    def __init__(self):
        self.lines: list[str] = []

    def print_message(self, severity, text, src_ref):
        if severity >= Severity.WARNING:
            where = f"{src_ref.filename}:{src_ref.line}: " if src_ref is not None and src_ref.filename else ""
            self.lines.append(f"{where}{severity.name.lower()}: {text}")


def _enum(value) -> str | None:
    return None if value is None else value.name


def _flag_or_path(value, owner: AddrmapNode):
    """A boolean property, or the path below the map of the field it refers to."""
    return value if isinstance(value, bool) else _path(value, owner)


def _path(value, owner: AddrmapNode) -> str | None:
    if value is None:
        return None
    if not isinstance(value, FieldNode):
        raise RegisterMapError(f"{owner.inst_name}: {value!r} is used as a reference; only fields may be")
    return value.get_rel_path(owner)


def _field(node: FieldNode, owner: AddrmapNode) -> Field:
    get = node.get_property
    for name in REFUSED:
        if get(name) not in (None, False):
            raise RegisterMapError(
                f"{node.get_path()}: property {name} is not supported by the register bank")
    for name, known in (("onread", ONREAD), ("onwrite", ONWRITE)):
        if _enum(get(name)) not in (None, *known):
            raise RegisterMapError(f"{node.get_path()}: {name} = {_enum(get(name))} is not supported; "
                                   f"it can be {', '.join(known)}")
    return Field(
        name=node.inst_name, lsb=node.low, width=node.width, reset=get("reset") or 0,
        sw=_enum(get("sw")), hw=_enum(get("hw")), onread=_enum(get("onread")), onwrite=_enum(get("onwrite")),
        we=bool(get("we")),
        hwset=_flag_or_path(get("hwset"), owner), hwclr=_flag_or_path(get("hwclr"), owner),
        counter=get("counter"), saturate=bool(get("incrsaturate")), singlepulse=get("singlepulse"),
        intr=get("intr"), masked_by=_path(get("mask"), owner), enabled_by=_path(get("enable"), owner),
        swmod=get("swmod"), swacc=get("swacc"), swwel=bool(get("swwel")),
        precedence=_enum(get("precedence")), desc=get("desc", default="") or "",
        basis=get("basis", default=None), only_on=get("only_on", default=None))


def _name(node: RegNode, owner: AddrmapNode) -> str:
    """A plain name for a register that may be in register files and arrays: "Q[1].TAIL" is Q1_TAIL.

    In a file with our property index_last it is Q_TAIL1.
    """
    name = node.get_rel_path(owner)
    if isinstance(node.parent, RegfileNode) and node.parent.get_property("index_last", default=False):
        name = re.sub(r"(\[\d+\])\.([^.]*)$", r".\2\1", name)
    return name.replace(".", "_").replace("[", "").replace("]", "")


def _register(node: RegNode, owner: AddrmapNode) -> Register:
    get = node.get_property
    return Register(
        name=_name(node, owner), offset=node.absolute_address - owner.absolute_address,
        width=get("regwidth"), accesswidth=get("accesswidth"),
        fields=tuple(_field(field, owner) for field in node.fields()),
        alias_of=_name(node.alias_primary, owner) if node.is_alias else None,
        kernel_name=get("kernel_name", default=None), desc=get("desc", default="") or "",
        basis=get("basis", default=None), external=node.external)


def _inherit_storage(registers: tuple[Register, ...]) -> tuple[Register, ...]:
    """Aliases may leave out what the primary register says of the reset value; give them the primary's."""
    primaries = {register.name: register for register in registers if not register.alias_of}
    return tuple(
        dataclasses.replace(register, fields=tuple(
            dataclasses.replace(field, reset=primaries[register.alias_of][field.name].reset)
            for field in register.fields)) if register.alias_of else register
        for register in registers)


def _registers(node: AddrmapNode) -> tuple[Register, ...]:
    found = (child for child in node.descendants(unroll=True) if isinstance(child, RegNode))
    return _inherit_storage(tuple(sorted((_register(child, node) for child in found),
                                         key=lambda register: register.offset)))


def compile_map(path: pathlib.Path) -> RegisterMap:
    """The register map in a file.

    The address map named like the file is the register map; others in the file must be named
    `<file>_<descriptor>` and become its descriptors.

    Raises
    ------
    RegisterMapError
        With the compiler's messages (file, line, text), or if the file lacks that map, or uses an unsupported
        property.
    """
    messages = _Collector()
    compiler = RDLCompiler(message_printer=messages)
    try:
        compiler.compile_file(str(path))
        names = [name for name, definition in compiler.root.comp_defs.items()
                 if type(definition).__name__ == "Addrmap"]
        if path.stem not in names:
            raise RegisterMapError(f"{path.name} defines no addrmap {path.stem!r}; "
                                   f"it defines {', '.join(names) or 'none'}")
        tops = {name: compiler.elaborate(name).top for name in names}
    except RDLCompileError as error:
        said = "\n".join(messages.lines or [str(error)])
        raise RegisterMapError(f"{path.name} does not compile:\n{said}") from None
    descriptors = {}
    for name, top in tops.items():
        if name == path.stem:
            continue
        if not name.startswith(f"{path.stem}_"):
            raise RegisterMapError(
                f"{path.name}: addrmap {name!r} should be named {path.stem}_<descriptor>")
        short = name.removeprefix(f"{path.stem}_")
        descriptors[short] = Descriptor(name=short, registers=_registers(top), title=top.get_property("name"),
                                        size_bytes=top.size)
    top = tops[path.stem]
    return RegisterMap(name=path.stem, registers=_registers(top), title=top.get_property("name"),
                       size_bytes=top.size, descriptors=descriptors)
