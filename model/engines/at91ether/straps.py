"""What a scenario says of the part, as the numbers that the strap pins carry (docs/engines/at91ether.md,
section 7)."""

from __future__ import annotations

from functools import partial

from model.engines import strap_codes

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

encode = partial(strap_codes.encode, CODES)
