"""Register banks and bit layouts in hardware, built from the maps of `hdl.registers`."""

from .bank import RegisterBank
from .interface import bank_signature
from .layout import descriptor_layouts, register_layout

__all__ = ["RegisterBank", "bank_signature", "descriptor_layouts", "register_layout"]
