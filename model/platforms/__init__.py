"""What a platform's CPU spends on what: TOML files of ns by label, each number with its origin.

A file has `title`, `cache_line_bytes`, `coherent` (true if the device sees the CPU's caches) and one table
`[cost.<label>]` for every label below, with `ns` and `origin` (what the number rests on).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from model.errors import BenchError
from model.scenario.reader import TableReader, nearest, read_toml

PLATFORMS = Path(__file__).resolve().parent
NS_PER_S = 1_000_000_000

LABELS = {
    "irq_entry": "from the line's rise to the first instruction of the driver's handler",
    "irq_exit": "from the handler's return to the interrupted code",
    "softirq": "entering and leaving softirq processing",
    "sched": "from the wake-up of a process to its first instruction",
    "lock": "taking and giving back an uncontended spinlock",
    "mmio_read": "a register read, without the time on the engine's bus",
    "mmio_write": "a posted register write",
    "napi": "one poll of a device: taking it off the list, calling it, its completion",
    "alloc": "allocating a socket buffer",
    "alloc_order1": "what two contiguous pages for it cost on top",
    "alloc_order2": "what four contiguous pages for it cost on top",
    "free": "freeing a socket buffer",
    "memcpy": "copying one byte from uncached device memory to a socket buffer",
    "fill": "writing one byte of payload",
    "cache_line": "cleaning or invalidating one cache line",
    "descriptor": "loading or storing a word of coherent (uncached) memory",
    "dma_map": "mapping a buffer, without its cache lines",
    "dma_unmap": "unmapping a buffer, without its cache lines",
    "dma_sync": "synchronising part of a mapped buffer, without its cache lines",
    "dma_free": "freeing a coherent allocation",
    "stack": "sending one frame down the stack, without copying, up to the queue discipline",
    "xmit": "from the queue discipline into the driver's transmit function",
    "wake": "waking a stopped transmit queue",
    "netif_rx": "queueing a received frame for the stack",
    "stack_rx": "taking one received frame up the stack to its reader",
}
"""Label -> what it stands for. Costs are per operation, `memcpy` and `fill` per byte, `cache_line` per
line."""


@dataclass(frozen=True)
class Cost:
    """Members: `ns`, exact; `origin` what the number rests on."""

    ns: Fraction
    origin: str


@dataclass(frozen=True)
class Platform:
    """Members: `name`, `title`, `cache_line_bytes`, `coherent`, `costs` by label."""

    name: str
    title: str
    cache_line_bytes: int
    coherent: bool
    costs: dict[str, Cost]

    def with_costs(self, replaced_ns: Mapping[str, float], origin: str) -> Platform:
        """The same with other costs for some labels; BenchError, naming `origin` as the file, for a wrong
        one."""
        costs = dict(self.costs)
        for label, ns in replaced_ns.items():
            if label not in LABELS:
                raise BenchError.of(origin, f"host.{label}", ns, f"no such label; {nearest(label, LABELS)}")
            costs[label] = Cost(_checked_ns(origin, f"host.{label}", ns), origin)
        return Platform(self.name, self.title, self.cache_line_bytes, self.coherent, costs)


def whole_cycles(ns: Fraction | float, clock_hz: int) -> int:
    """`ns` in whole cycles of `clock_hz`: to the nearest, halves up."""
    return math.floor(Fraction(ns) * clock_hz / NS_PER_S + Fraction(1, 2))


def names(root: Path = PLATFORMS) -> list[str]:
    """The platforms there are: the files under `root`."""
    return sorted(file.stem for file in root.glob("*.toml"))


@cache
def load(name: str, root: Path = PLATFORMS) -> Platform:
    """The platform `name`; BenchError for an unknown one or a faulty file."""
    path = root / f"{name}.toml"
    if not path.is_file():
        raise BenchError(f"no such platform: {name!r}: {nearest(name, names(root))}")
    return load_file(path)


def load_file(path: Path) -> Platform:
    """The platform in the file at `path`; BenchError if anything in it is missing, unknown, negative or
    without origin."""
    top = TableReader(read_toml(path), path)
    title = top.text("title")
    line = top.integer("cache_line_bytes", 4, 4096)
    if line & (line - 1):
        raise top.fault("cache_line_bytes", line, "expected a power of 2")
    coherent = top.typed("coherent", bool)
    table = top.table("cost")
    costs = {}
    for label in table.keys():
        if label not in LABELS:
            raise table.fault(label, table.raw(label), f"no such label; {nearest(label, LABELS)}")
        row = table.table(label)
        costs[label] = Cost(_checked_ns(path, row.dotted("ns"), row.raw("ns")), row.text("origin"))
        row.done()
    for label in LABELS:
        if label not in costs:
            raise BenchError(f"{path}: cost.{label} is missing: expected ns and origin ({LABELS[label]})")
    top.done()
    return Platform(path.stem, title, line, coherent, costs)


def _checked_ns(file: object, key: str, value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise BenchError.of(file, key, value, "expected a number of ns, 0 or more")
    return Fraction(str(value))
