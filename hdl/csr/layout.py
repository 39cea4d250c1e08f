"""Amaranth layouts of registers and descriptor words: the RTL reads fields by the names of the map."""

from amaranth.lib import data

from hdl.registers import Descriptor, Register

__all__ = ["descriptor_layouts", "register_layout"]


def register_layout(register: Register) -> data.FlexibleLayout:
    """The fields of a register (or descriptor word) in place: `register_layout(map["TCR"])(word).LEN`."""
    return data.FlexibleLayout(register.width, {
        field.name: data.Field(field.width, field.lsb) for field in register.fields})


def descriptor_layouts(descriptor: Descriptor) -> dict[str, data.FlexibleLayout]:
    """The layout of each word of a descriptor, by the word's name."""
    return {word.name: register_layout(word) for word in descriptor}
