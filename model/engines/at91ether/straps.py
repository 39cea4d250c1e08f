"""What a scenario says of the part, as the numbers that the strap pins carry (docs/engines/at91ether.md,
section 7)."""

from __future__ import annotations

CODES: dict[str, tuple[object, ...]] = {
    "depth": (2, 1, 4),
    "mstar": (False, True),
    "ovr_effect": ("lost", "corrupt", "lockup"),
    "split_commit": ("low", "high"),
    "split_latch": (False, True),
    "isr_race": (False, True),
    "rbna_restart": (False, True),
    "fifo_words": (7, 1, 2, 3, 4, 5, 6),
}
"""Values of each strap in the order of their codes."""


def encode(values: dict[str, object]) -> dict[str, int]:
    """Codes of the straps. Raises ValueError for a name or value that the part does not have."""
    codes = {}
    for name, value in values.items():
        if name not in CODES or value not in CODES[name]:
            raise ValueError(f"strap {name} = {value!r}: the part has {CODES.get(name, tuple(CODES))}")
        codes[name] = CODES[name].index(value)
    return codes
