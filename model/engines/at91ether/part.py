"""Numbers of the part that more than one of the golden engine's machines needs.

Times are those of docs/engines/at91ether.md; positions of bits come from the register map.
"""

from __future__ import annotations

from hdl.registers import load

NEVER = 1 << 62
"""A cycle, or kernel time, that does not come."""

WORD, PAGE = 4, 4096
"""Bytes of a bus word, and of the stretch whose end no burst crosses."""
BURST_WORDS = 4

TICK = 2
CYCLES_PER_BYTE = 2 * TICK
SFD_CYCLES = 15 * TICK
"""From the tick that loads the first nibble of preamble to the one that loads the SFD."""
PREAMBLE_CYCLES = 16 * TICK
"""To the one that loads the first nibble of data."""
GAP_CYCLES = 24 * TICK

MAP = load("at91ether")


def bits(register: str, *fields: str) -> tuple[int, ...]:
    """Masks of fields of a register."""
    return tuple(MAP.field(register, field).mask for field in fields)
