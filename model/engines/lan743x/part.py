"""Numbers of the part that more than one of the golden engine's machines needs.

Times are those of docs/engines/lan743x.md; positions of bits come from the register map.
"""

from __future__ import annotations

from hdl.registers import load

NEVER = 1 << 62
"""A cycle, or kernel time, that does not come."""

MAP = load("lan743x")
WORD, PAGE, ENTRY = 4, 4096, 16
"""Bytes of a bus word, of the stretch whose end no burst of descriptors crosses, of a descriptor."""
LONG_BURST, SHORT_BURST = 512, 128
CACHE_ENTRIES, PREFETCH_ENTRIES = 32, 16
TX_FIFO_WORDS = 8192
KIB = 1024

PREAMBLE_CYCLES, SFD_CYCLES, GAP_CYCLES, FCS_BYTES, MIN_BYTES = 8, 7, 12, 4, 60
US_CYCLES = 125
SELF_CLEAR_CYCLES = 125
QUANTUM_CYCLES = 64
FLOW_UNIT_BYTES = 512
EARLY_CYCLES = 64

TX_DATA_ID, TX_DESC_ID, WRITE_BACK_ID = 4, 5, 6
MOST_CHANNELS = 4

RX_BIT, TX_BIT = 24, 16
"""Of a channel's source in INT_STS: this plus the channel."""
RXFRM_BIT, TX_IOC_BIT = 16, 0
"""Of a channel's cause in DMAC_INT_STS."""


def mask(register: str, *fields: str) -> tuple[int, ...]:
    """Masks of fields of a register."""
    return tuple(MAP.field(register, field).mask for field in fields)
