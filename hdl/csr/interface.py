"""What an engine sees of its register bank: a signature built from the register map.

Members of a register
---------------------
written: 1 in the very cycle in which a write that reaches one of its bytes is taken; storage changes in the
    next one. Absent if software cannot write it.
read: 1 in the cycle in which a read is taken. Absent if software cannot read it.
merged: with `swmod`: the value its writable bits are about to have, valid with `written` (bytes without
    strobe keep what is stored).
lock: with `swwel`: while 1, writes have no effect and `written` stays 0.
irq, naive: with `intr`: the line made of the latched causes and their mask, and the switch of `hdl.irq`.
<FIELD>: see below. An alias has no fields: its storage is that of the register it is an alias of.

Members of a field
------------------
status: of a wire: what software reads.
value: of a stored field: the stored value. With `singlepulse` it is 1 for the one cycle after the write.
increment: of a counter: add one.
we, next: with `we`: load `next`.
set, clear: with `hwset` and `hwclr` (and `set` of every interrupt cause): the bits to set, to clear.
"""

from amaranth.lib.wiring import In, Out, Signature

from hdl.registers import Field, Register, RegisterMap

__all__ = ["bank_signature", "field_signature", "register_signature"]


def field_signature(field: Field) -> Signature:
    """The members of a field, as seen from the bank."""
    if not field.stored:
        return Signature({"status": In(field.width, init=field.reset)})
    members = {"value": Out(field.width)}
    if field.counter:
        members["increment"] = In(1)
    if field.we:
        members |= {"we": In(1), "next": In(field.width)}
    if field.hwset is True or field.intr:
        members["set"] = In(field.width)
    if field.hwclr is True:
        members["clear"] = In(field.width)
    return Signature(members)


def register_signature(register: Register) -> Signature:
    """The members of a register, as seen from the bank."""
    members = {}
    if register.writable:
        members["written"] = Out(1)
    if register.readable:
        members["read"] = Out(1)
    if any(field.swmod for field in register.fields):
        members["merged"] = Out(register.width)
    if any(field.swwel for field in register.fields):
        members["lock"] = In(1)
    if any(field.intr for field in register.fields) and not register.alias_of:
        members |= {"irq": Out(1), "naive": In(1)}
    if not register.alias_of:
        for field in register.fields:
            if field.name in members:
                raise ValueError(f"register {register.name}: a field may not be named {field.name!r}, "
                                 f"which is a member that every register has")
            members[field.name] = Out(field_signature(field))
    return Signature(members)


def bank_signature(registers: RegisterMap) -> Signature:
    """All registers of a map by name, as seen from the bank, but passive and external ones."""
    return Signature({register.name: Out(register_signature(register)) for register in registers
                      if not (register.passive or register.external)})
