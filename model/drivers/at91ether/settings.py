"""The variants of the driver and the flags in which they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from model.drivers.base import Variant, checked_flags

MAC = "at91ether"
SPLIT16_ORDERS = ("off", "low_first", "high_first")

VARIANTS = {
    "depth1": Variant("before the series: one frame, the queue stopped from hand-over to TCOM",
                      {"tbre": False}),
    "depth2": Variant("the series as posted: two frames, released by what IDLE and BNQ say on TCOM or TBRE"),
    "depth2_bnq": Variant("two frames, BNQ read before each hand-over, released on TCOM (FreeBSD's way)",
                          {"tbre": False, "stop_releases": True}),
    "free_count": Variant("up to four frames, handed over and released by the MStar part's free count",
                          {"tbre": False, "stop_releases": True}),
}
"""Each variant's name is also the name of its transmit strategy in `tx`."""


@dataclass(frozen=True)
class Settings:
    """What a variant does.

    Members: `transmit` strategy; `pair_locked` depth2 writes TAR and TCR under the lock of its bookkeeping;
    `split16` each register write is two of 16 bits in that order, or "off"; `split16_irqsafe` with interrupts
    off around the two; `tbre` the interrupt TBRE is enabled and served; `stop_releases` stop gives back what
    is still with the engine (Linux's driver does not: it leaks the frame, and the posted series keeps its
    count as well); `phy_address`; `tcom_counts` depth2_bnq takes each TCOM for one frame, as FreeBSD's driver
    does, instead of looking at TSR each time.
    """

    transmit: str
    pair_locked: bool = False
    split16: str = "off"
    split16_irqsafe: bool = False
    tbre: bool = True
    stop_releases: bool = False
    phy_address: int = 0
    tcom_counts: bool = False


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


FLAGS: dict[str, Callable[[Any], bool]] = {field.name: _is_bool for field in fields(Settings)
                                           if field.type == "bool"} | {
    "split16": lambda value: value in SPLIT16_ORDERS,
    "phy_address": lambda value: type(value) is int and 0 <= value < 32,
}
"""Flag -> whether a value is right for it."""


def make_settings(variant: str, flags: Mapping[str, Any]) -> Settings:
    """The settings of `variant` with `flags` over its presets; BenchError for an unknown name or value."""
    return Settings(transmit=variant, **checked_flags(MAC, variant, VARIANTS, FLAGS, flags))
