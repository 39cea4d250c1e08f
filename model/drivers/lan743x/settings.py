"""The variants of the driver, the flags in which they differ, and the smallest ring each can live with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from model.drivers.base import Variant, checked_flags
from model.errors import BenchError

MAC = "lan743x"
RX_RING_ENTRIES, TX_RING_ENTRIES = 65, 50
"""RX_RING_SIZE and TX_RING_SIZE of the kernels of the thread (v4.19 to v5.15; still so around a8db76d40e4d);
later kernels have 128 and 128."""
L1_CACHE_BYTES = 64
"""Of the ARMv7 kernels that the i.MX6 runs: DEFAULT_DMA_DESCRIPTOR_SPACING until a patch posted 2023-11-16
made it 16. (The caches' own lines are shorter.)"""
RING_LEN_MAX = 0xFFFF
BUFFERS = ("9k", "mtu", "multi")
SYNCS = ("full", "used", "a", "b", "c")
MTU_CHANGES = ("live", "busy", "lazy")
REVISIONS = ("b0", "a0")
REARMS = ("clear_first", "clear_last")
DESCRIPTOR_BYTES = (16, 32, 64, 128)
FCS_TRIMS = (4, 6)
RX_CHANNELS_MAX = 4

VARIANTS = {
    "before": Variant("v5.9: weight ring - 1, RX_TAIL only when a poll completes", {"tail_every": 0}),
    "posted": Variant("patch 1/2 as posted: weight (ring - 1) / 2, RX_TAIL at every exit of the poll",
                      {"tail_every": 0}),
    "merged": Variant("57030a0b620f: weight 64, RX_TAIL every 8 entries, dropped frames count",
                      {"tail_every": 8}),
}
"""Each variant's name is also its receive poll in `rx`."""


@dataclass(frozen=True)
class Settings:
    """What a variant does.

    Members: `poll` the receive poll; `buffers` of 9236 bytes, of the MTU + 20, or the same with frames over
    several of them; `sync` what is done for the caches when a buffer is mapped and taken back (sheet section
    7: "full" both ways; "used" only what the frame filled; the thread's experiments "a", "b", "c");
    `mtu_change` while the interface is up: "live" buffers keep the length they had at open, "busy" it is
    refused, "lazy" new buffers have the new length; `timestamps` of every frame, each in an entry of its own;
    `rev` of the part; `msix` a vector for each channel, else all share one (rev b0); `rx_ring`, `tx_ring`
    entries; `rx_channels`; `tail_every` that many entries RX_TAIL is written (0: only as the poll ends);
    `own_first` the word with OWN is stored before the address; `check_own` false: only the head in memory is
    believed; `rearm` the cause is cleared before the ring is looked at or (wrong) after; `trim_fcs` bytes
    taken off a frame over several buffers; `descriptor_bytes` from one entry to the next; `phy_address`;
    `pause` flow control even if the partner has none.
    """

    poll: str
    tail_every: int = 0
    buffers: str = "9k"
    sync: str = "full"
    mtu_change: str = "live"
    timestamps: bool = True
    rev: str = "b0"
    msix: bool = True
    rx_ring: int = RX_RING_ENTRIES
    tx_ring: int = TX_RING_ENTRIES
    rx_channels: int = 1
    own_first: bool = False
    check_own: bool = True
    rearm: str = "clear_first"
    trim_fcs: int = 4
    descriptor_bytes: int = L1_CACHE_BYTES
    phy_address: int = 1
    pause: bool = False

    @property
    def automatic(self) -> bool:
        """Whether masks and causes are handled by the part itself (rev B0, a vector for each channel)."""
        return self.rev == "b0" and self.msix

    @property
    def tail_lag_entries(self) -> int:
        """How many entries at most are the driver's, though it has posted them, when it has nothing to do."""
        if self.poll != "merged" or self.automatic:
            return 0     # the end of a poll writes RX_TAIL
        if not self.tail_every or self.rx_ring // self.tail_every < 2:
            return self.rx_ring - 1    # always the same index, which never comes to its turn again
        return self.tail_every + self.rx_ring % self.tail_every - 1

    @property
    def frame_entries(self) -> int:
        """Entries that a frame of one buffer takes."""
        return 2 if self.timestamps else 1


def _one_of(*choices: object) -> Callable[[Any], bool]:
    return lambda value: any(type(value) is type(choice) and value == choice for choice in choices)


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


FLAGS: dict[str, Callable[[Any], bool]] = {field.name: _one_of(False, True) for field in fields(Settings)
                                           if field.type == "bool"} | {
    "tail_every": _whole(0, RING_LEN_MAX),
    "buffers": _one_of(*BUFFERS),
    "sync": _one_of(*SYNCS),
    "mtu_change": _one_of(*MTU_CHANGES),
    "rev": _one_of(*REVISIONS),
    "rx_ring": _whole(2, RING_LEN_MAX),
    "tx_ring": _whole(2, RING_LEN_MAX),
    "rx_channels": _whole(1, RX_CHANNELS_MAX),
    "rearm": _one_of(*REARMS),
    "trim_fcs": _one_of(*FCS_TRIMS),
    "descriptor_bytes": _one_of(*DESCRIPTOR_BYTES),
    "phy_address": _whole(0, 31),
}
"""Flag -> whether a value is right for it."""


def make_settings(variant: str, flags: Mapping[str, Any]) -> Settings:
    """The settings of `variant` with `flags` over its presets.

    BenchError for an unknown name or value, and for a receive ring in which a frame could not end: the engine
    has the entries up to RX_TAIL, itself excluded, so of a ring of R entries R - 1 less those whose return it
    was not told of.
    """
    settings = Settings(poll=variant, **checked_flags(MAC, variant, VARIANTS, FLAGS, flags))
    usable = settings.rx_ring - 1 - settings.tail_lag_entries
    if usable < settings.frame_entries:
        raise BenchError(f"driver {MAC}.{variant}: flag rx_ring = {settings.rx_ring}: the engine would be "
                         f"left with {usable} entries, a frame takes {settings.frame_entries}; expected at "
                         f"least {_smallest_ring(variant, flags)}")
    return settings


def _smallest_ring(variant: str, flags: Mapping[str, Any]) -> int:
    for entries in range(2, RING_LEN_MAX + 1):
        settings = Settings(poll=variant,
                            **checked_flags(MAC, variant, VARIANTS, FLAGS, {**flags, "rx_ring": entries}))
        if entries - 1 - settings.tail_lag_entries >= settings.frame_entries:
            return entries
    raise BenchError(f"driver {MAC}.{variant}: no ring is large enough for "
                     f"tail_every = {flags['tail_every']}")
