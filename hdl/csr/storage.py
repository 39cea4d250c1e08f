"""How a stored field changes from cycle to cycle: what software does to it, what hardware does, and who wins.

Everything here is an expression over the present value; `hdl.csr.bank` gives it the strobes and keeps the
result.
"""

import dataclasses

from amaranth.hdl import C, Cat, Mux, Value

from hdl.registers import Field

__all__ = ["HardwareInputs", "SoftwarePort", "hardware_step", "next_value", "software_step",
           "written_value"]


@dataclasses.dataclass
class SoftwarePort:
    """One way for software to reach a field: the register itself, or an alias of it.

    Attributes
    ----------
    field: access properties that hold at this address.
    written, read: strobes of the register at this address; None if it cannot be written or read.
    ones, zeros: the field's bits to which the write that is taken writes 1, and 0; valid with `written`.
    kept: its bits in bytes without a strobe, likewise.
    """

    field: Field
    written: Value | None
    read: Value | None
    ones: Value
    zeros: Value
    kept: Value


@dataclasses.dataclass
class HardwareInputs:
    """What hardware does to a field, None if it cannot; all as wide as it but `increment` and `we`."""

    increment: Value | None = None
    we: Value | None = None
    next: Value | None = None
    set: Value | None = None
    clear: Value | None = None

    @property
    def events(self) -> list[Value]:
        """The inputs that change the field when one of their bits is 1."""
        return [value for value in (self.increment, self.we, self.set, self.clear) if value is not None]


def written_value(port: SoftwarePort, present: Value) -> Value:
    """The value after a write through this port that is being taken."""
    match port.field.onwrite:
        case None:
            return (present & port.kept) | port.ones
        case "woclr":
            return present & ~port.ones
        case "woset":
            return present | port.ones
        case "wot":
            return present ^ port.ones
        case "wzc":
            return present & ~port.zeros
        case "wzs":
            return present | port.zeros
        case "wzt":
            return present ^ port.zeros
        case "wclr":
            return present & port.kept
        case "wset":
            return present | ~port.kept
    raise ValueError(f"field {port.field.name}: onwrite = {port.field.onwrite} is not built")


def software_step(present: Value, ports: list[SoftwarePort]) -> Value:
    """The value after what software does in this cycle."""
    value = present
    for port in ports:
        if port.field.singlepulse:
            value = Mux(port.written, port.ones, 0)
            continue
        if port.written is not None and port.field.writable:
            value = Mux(port.written, written_value(port, value), value)
        if port.read is not None and port.field.onread:
            left = 0 if port.field.onread == "rclr" else port.field.max
            value = Mux(port.read, C(left, port.field.width), value)
    return value


def hardware_step(present: Value, field: Field, inputs: HardwareInputs) -> Value:
    """The value after what hardware does in this cycle: clear, then load, then set and count."""
    value = present
    if inputs.clear is not None:
        value = value & ~inputs.clear
    if inputs.we is not None:
        value = Mux(inputs.we, inputs.next, value)
    if inputs.set is not None:
        value = value | inputs.set
    if inputs.increment is not None:
        full = Cat(value).all() if field.saturate else C(0)
        value = Mux(inputs.increment & ~full, value + 1, value)[:field.width]
    return value


def next_value(present: Value, field: Field, ports: list[SoftwarePort], inputs: HardwareInputs) -> Value:
    """The value in the next cycle: with `precedence` "hw" hardware acts on what software leaves, and wins."""
    if field.precedence == "hw":
        return hardware_step(software_step(present, ports), field, inputs)
    return software_step(hardware_step(present, field, inputs), ports)
