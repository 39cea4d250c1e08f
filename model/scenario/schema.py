"""A scenario after reading: one variant of it with every value checked, in cycles and bytes, ready to run in
any process."""

from dataclasses import dataclass, field
from pathlib import Path

from model.link import LinkTiming
from model.scenario.findings import Expect

SIMULATORS = ("verilator", "icarus")
DESTINATIONS = ("station", "broadcast", "multicast", "other")
DAMAGES = ("fcs", "rx_er", "odd", "runt", "long")
DUPLEX = ("full", "half")
"""What the link partner can do."""
STATION = "02:00:00:00:00:01"
"""Station address unless the scenario says another (locally administered)."""


@dataclass(frozen=True)
class Span:
    """An inclusive range, drawn from evenly by the seed; `low` == `high` for a fixed value. With `sweep` it
    is gone through from `low` to `high` in steps of one, and from the start again."""

    low: int
    high: int
    sweep: bool = False


@dataclass(frozen=True)
class Damage:
    """Members: `frame` ordinal, `kind`: fcs (wrong FCS), rx_er (error in mid-frame), odd (a nibble too many),
    runt (cut below the minimum), long (stretched past the part's limit); the last two have a right FCS."""

    frame: int
    kind: str


@dataclass(frozen=True)
class Pause:
    """A pause frame of the peer instead of a frame. Members: `frame` ordinal; `quanta` pause time, of 512 bit
    times each."""

    frame: int
    quanta: int


@dataclass(frozen=True)
class Burst:
    """Members: `frames` in a burst; `pause_bytes` before the next one, instead of the gap."""

    frames: int
    pause_bytes: int


@dataclass(frozen=True)
class TxTraffic:
    """What the stack hands to the driver.

    Members: `frames` how many, `frames_long` how many where Verilator runs alone; `size_bytes` with FCS;
    `pcap` file whose frames are sent instead; `interval_cycles` earliest time from one hand-in to the next,
    0: always one waiting.
    """

    frames: int | None
    frames_long: int | None
    size_bytes: Span
    pcap: Path | None
    interval_cycles: int


@dataclass(frozen=True)
class RxTraffic:
    """What the wire plays.

    Members: `frames`, `frames_long`, `size_bytes`, `pcap` as in TxTraffic; `gap_bytes` idle before each
    frame; `start_cycles` from bring-up to the player's start; `destinations` drawn from by the seed; `damage`
    done to frames; `burst` None for an even stream; `flows` how many different addresses and ports the
    frames have in turn, 0: they are no IP frames; `pauses` frames that are pause frames instead.
    """

    frames: int | None
    frames_long: int | None
    size_bytes: Span
    pcap: Path | None
    gap_bytes: Span
    start_cycles: int
    destinations: tuple[str, ...]
    damage: tuple[Damage, ...]
    burst: Burst | None = None
    flows: int = 0
    pauses: tuple[Pause, ...] = ()


@dataclass(frozen=True)
class BusError:
    """Members: `requester` its ID on the bus (the part file names them); `write`; `ordinal` of the burst
    among those of that requester and direction."""

    requester: int
    write: bool
    ordinal: int


@dataclass(frozen=True)
class BusOptions:
    """Host memory's timing, in engine cycles: see BusTiming in docs/engines; `outstanding` reads that it
    takes before it has answered the first."""

    read_latency_cycles: int = 0
    write_latency_cycles: int = 0
    beat_interval_cycles: int = 1
    jitter_cycles: int = 0
    errors: tuple[BusError, ...] = ()
    outstanding: int = 1


@dataclass(frozen=True)
class CsrOptions:
    """Latency of a register access on its way in, and of a read's value on its way back, in engine cycles."""

    write_latency_cycles: int = 0
    read_latency_cycles: int = 0


@dataclass(frozen=True)
class Action:
    """Something done to the machine `at_cycle` cycles after bring-up.

    Members: `do`: down (stop the interface), up (open it again), irqs_off, busy (a process keeps the CPU),
    slow_reader (each frame costs its reader `cost_cycles` more); `for_cycles` how long the last three go on;
    mtu (change the MTU to `mtu_bytes`).
    """

    at_cycle: int
    do: str
    for_cycles: int = 0
    cost_cycles: int = 0
    mtu_bytes: int = 0


@dataclass(frozen=True)
class Scenario:
    """One variant of a scenario.

    Members: `mac`, `name`, `variant`, `title`, `why`, `path` of the file; `clock_hz`, `tick_cycles` (cycles
    between symbols on the wire) and `symbol_bits` of the part; `platform` name; `seed`; `mtu_bytes`;
    `frame_min_bytes`, `frame_max_bytes`, `receive_max_bytes` of the part at that MTU, with FCS; `station`
    address; `simulators` it may run in; `deadline_cycles` after which the watchdog ends it; `driver` variant
    and its `flags`; `straps` of the engine and `parameters` of its build; `host` costs in ns by CPU label
    that replace the platform's; `tx`, `rx` traffic; `bus`, `csr` timing; `link` between bus and memory, None:
    the ideal bus; `failing_allocations` ordinals of receive buffers for which there is no memory; `actions`
    by time; `duplex` of the wire; `expect`; `wire_limit_ppm` by side ("tx", "rx"): how far below the wire's
    limit the rate may be; `phy_address`, `phy_gigabit`, `rx_grace_cycles`, `rx_settle_cycles` as in `Part`.
    """

    mac: str
    name: str
    variant: str
    title: str
    why: str
    path: Path
    clock_hz: int
    tick_cycles: int
    platform: str
    seed: int
    mtu_bytes: int
    frame_min_bytes: int
    frame_max_bytes: int
    receive_max_bytes: int
    station: str
    simulators: tuple[str, ...]
    deadline_cycles: int
    driver: str
    flags: dict[str, bool | str | int] = field(default_factory=dict)
    straps: dict[str, bool | str | int] = field(default_factory=dict)
    host: dict[str, float] = field(default_factory=dict)
    duplex: str = DUPLEX[0]
    tx: TxTraffic | None = None
    rx: RxTraffic | None = None
    bus: BusOptions = BusOptions()
    csr: CsrOptions = CsrOptions()
    actions: tuple[Action, ...] = ()
    expect: Expect = field(default_factory=Expect)
    wire_limit_ppm: dict[str, float] = field(default_factory=dict)
    symbol_bits: int = 4
    parameters: dict[str, bool | str | int] = field(default_factory=dict)
    link: LinkTiming | None = None
    failing_allocations: tuple[int, ...] = ()
    phy_address: int = 0
    phy_gigabit: bool = False
    rx_grace_cycles: int = 0
    rx_settle_cycles: int | None = None


@dataclass(frozen=True)
class ScenarioFile:
    """A scenario with all its variants, in the file's order."""

    mac: str
    name: str
    title: str
    why: str
    path: Path
    variants: dict[str, Scenario]
