"""How the bank reaches the registers of a map on the engine's side: members, words, and what acts on a field.

Only active registers have a side towards the engine: passive and external ones (`hdl.registers`) have none.
"""

from amaranth.hdl import C, Cat, Value

from hdl.registers import Field, Register, RegisterMap

from .storage import HardwareInputs, SoftwarePort

__all__ = ["Reach"]


class Reach:
    """The registers of a map, and the interface made of them.

    Parameters
    ----------
    registers: the map.
    regs: the interface of signature `bank_signature(registers)`.
    ones, zeros, kept: of the write that is taken, see `SoftwarePort`; as wide as a register.

    Attributes
    ----------
    active: the registers with a side towards the engine.
    """

    def __init__(self, registers: RegisterMap, regs, ones: Value, zeros: Value, kept: Value):
        self.registers = registers
        self.regs = regs
        self.active = [register for register in registers if not (register.passive or register.external)]
        self._ones, self._zeros, self._kept = ones, zeros, kept

    def member(self, register: Register, field: Field):
        """The interface object of a field; of an alias that of the register that holds the storage."""
        return getattr(getattr(self.regs, self.registers.primary(register).name), field.name)

    def present(self, register: Register, field: Field) -> Value:
        """What software would read of a field."""
        member = self.member(register, field)
        return member.value if hasattr(member, "value") else member.status

    def word(self, register: Register, wanted) -> Value:
        """The register as a 32-bit word made of the fields that `wanted` picks; the other bits are 0."""
        parts, position = [], 0
        for field in register.fields:
            if wanted(field):
                parts += [C(0, field.lsb - position), self.present(register, field)]
                position = field.lsb + field.width
        return Cat(*parts, C(0, register.width - position))

    def port(self, register: Register, field: Field) -> SoftwarePort:
        """How software reaches a field at the address of this register or alias."""
        face = getattr(self.regs, register.name)
        span = slice(field.lsb, field.lsb + field.width)
        return SoftwarePort(
            field=field, written=getattr(face, "written", None), read=getattr(face, "read", None),
            ones=self._ones[span], zeros=self._zeros[span], kept=self._kept[span])

    def ports(self, register: Register, field: Field) -> list[SoftwarePort]:
        """Every address at which software reaches a field of a primary register."""
        return [self.port(other, other[field.name]) for other in self.active
                if self.registers.primary(other) is register and field.name in other]

    def referred(self, path, field: Field) -> Value:
        """The bits that the field which `path` names applies to this one: one for all, or bit by bit."""
        if not isinstance(path, str):
            return C(0, field.width)
        value = self.present(*self.registers.referred(path))
        if len(value) not in (1, field.width):
            raise ValueError(
                f"{self.registers.name}: {path} is {len(value)} bits wide and is to act on {field.name} of "
                f"{field.width} bits; it must have 1 bit, or as many")
        return value.replicate(field.width) if len(value) == 1 else value

    def inputs(self, register: Register, field: Field) -> HardwareInputs:
        member = self.member(register, field)
        names = ("increment", "we", "next", "set", "clear")
        inputs = HardwareInputs(**{name: getattr(member, name) for name in names if hasattr(member, name)})
        if isinstance(field.hwset, str):
            inputs.set = self.referred(field.hwset, field)
        if isinstance(field.hwclr, str):
            inputs.clear = self.referred(field.hwclr, field)
        return inputs

    def is_setting(self, register: Register, field: Field) -> bool:
        """Whether nothing but software's writes changes a stored field."""
        by_reading = any(self.registers.primary(other) is register and field.name in other
                         and other[field.name].onread for other in self.active)
        return not (self.inputs(register, field).events or field.singlepulse or field.intr or by_reading)
