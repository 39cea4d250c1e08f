"""Registers and descriptors of the MACs: SystemRDL files, and a loader that turns them into plain data.

The one source of offsets, fields, access and reset values for the RTL, the drivers, the tests and the pages
of the documentation. Nothing here needs Amaranth.
"""

from .errors import RegisterMapError
from .fields import Field, Register
from .loader import known_macs, load
from .maps import Descriptor, RegisterMap

__all__ = ["Descriptor", "Field", "Register", "RegisterMap", "RegisterMapError", "known_macs", "load"]
