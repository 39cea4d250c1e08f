"""What a scenario may say of one MAC: its clock, wire, limits, drivers, flags and straps, from
`model/scenarios/<mac>/part.toml`.

The part's names live in one data file of its own folder, so a new MAC edits no list here.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from model.errors import BenchError
from model.link import LinkTiming
from model.scenario.link_keys import read_link
from model.scenario.reader import TableReader, nearest, read_toml
from model.scenario.schema import DUPLEX

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
PART_FILE = "part.toml"

SYMBOL_BITS = (4, 8)
"""Of MII and of GMII."""

Value = bool | str | int


@dataclass(frozen=True)
class Option:
    """A flag or strap. Members: `name`, `default`, `choices` (the values it takes, or None and then `low` to
    `high`)."""

    name: str
    default: Value
    choices: tuple[Value, ...] | None
    low: int = 0
    high: int = 0

    def accepts(self, value: Value) -> bool:
        """True if `value` is of the option's type and among its values."""
        if type(value) is not type(self.default):
            return False
        return value in self.choices if self.choices is not None else self.low <= value <= self.high

    def right(self) -> str:
        """What would be accepted, in words."""
        if self.choices is None:
            return f"a whole number, {self.low} to {self.high}"
        return "one of " + ", ".join("true" if c is True else "false" if c is False else repr(c)
                                     for c in self.choices)


@dataclass(frozen=True)
class Part:
    """What the part file says.

    Members: `mac`, `title`, `clock_hz`; `tick_cycles` from one symbol on the wire to the next, `symbol_bits`
    4 on MII and 8 on GMII; `mtu_max_bytes` and `mtu_bytes`, the largest MTU and the usual one;
    `frame_min_bytes` and `frame_max_bytes` with FCS; `receive_max_bytes` the longest frame with FCS that the
    receiver does not count as too long, None: what the MTU allows; `duplex` what it can; `drivers` (variant
    -> flags it presets), `flags` and `straps` by name; `parameters` of another build of the engine;
    `requesters` name -> ID on the bus; `outstanding` reads that host memory takes without a link; `link` the
    part's own, None: it has none; `phy_address`, `phy_gigabit` of its PHY; `rx_grace_cycles` allowed after
    the wire's last frame for interrupts and the stack, `rx_settle_cycles` how long the run goes on once all
    has arrived, None: for the whole grace; `golden_floor`, how many times faster than Verilator the golden
    engine has to be a frame.
    """

    mac: str
    title: str
    clock_hz: int
    tick_cycles: int
    mtu_max_bytes: int
    frame_min_bytes: int
    frame_max_bytes: int
    receive_max_bytes: int | None
    drivers: dict[str, dict[str, Value]]
    flags: dict[str, Option]
    straps: dict[str, Option]
    mtu_bytes: int
    symbol_bits: int = 4
    duplex: tuple[str, ...] = DUPLEX
    parameters: dict[str, Option] = field(default_factory=dict)
    requesters: dict[str, int] = field(default_factory=dict)
    outstanding: int = 1
    link: LinkTiming | None = None
    phy_address: int = 0
    phy_gigabit: bool = False
    rx_grace_cycles: int = 0
    rx_settle_cycles: int | None = None
    golden_floor: int = 3


def macs(root: Path = SCENARIOS) -> list[str]:
    """Names of the MACs that have scenarios: the folders under `root` with a part file."""
    return sorted(file.parent.name for file in root.glob(f"*/{PART_FILE}"))


@cache
def load_part(mac: str, root: Path = SCENARIOS) -> Part:
    """The part of `mac`; BenchError for an unknown MAC (with the nearest known) or a faulty part file."""
    path = root / mac / PART_FILE
    if not mac or not path.is_file():
        raise BenchError(f"no such MAC: {mac!r}: {nearest(mac, macs(root))}")
    top = TableReader(read_toml(path), path)
    flags = _options(top.table("flags"))
    clock_hz = top.integer("clock_hz", 1, 10**10)
    mtu_max_bytes = top.size("mtu_max", 46, 65535)
    part = Part(
        mac=mac, title=top.text("title"), clock_hz=clock_hz, tick_cycles=top.integer("tick_cycles", 1, 1000),
        mtu_max_bytes=mtu_max_bytes, frame_min_bytes=top.size("frame_min", 18, 65535),
        frame_max_bytes=top.size("frame_max", 64, 65535),
        receive_max_bytes=None if top.raw("receive_max") == "mtu" else top.size("receive_max", 64, 65535),
        drivers=_drivers(top.table("drivers"), flags), flags=flags, straps=_options(top.table("straps")),
        mtu_bytes=top.size("mtu", 46, mtu_max_bytes, mtu_max_bytes), symbol_bits=_symbol_bits(top),
        duplex=top.words("duplex", DUPLEX, list(DUPLEX)), parameters=_options(top.table("parameters")),
        requesters=_requesters(top.table("requesters")), outstanding=top.integer("outstanding", 1, 256, 1),
        link=read_link(top.table("link"), clock_hz) if top.has("link") else None,
        phy_address=top.integer("phy_address", 0, 31, 0), phy_gigabit=top.typed("phy_gigabit", bool, False),
        rx_grace_cycles=top.cycles("rx_grace", clock_hz, 1, 2**40),
        rx_settle_cycles=top.cycles("rx_settle", clock_hz, 1, 2**40, None),
        golden_floor=top.integer("golden_floor", 1, 1000, 3))
    top.done()
    return part


def _symbol_bits(top: TableReader) -> int:
    bits = top.integer("symbol_bits", 4, 8, 4)
    if bits not in SYMBOL_BITS:
        raise top.fault("symbol_bits", bits, "4 on MII, 8 on GMII")
    return bits


def _requesters(table: TableReader) -> dict[str, int]:
    return {name: table.integer(name, 0, 15) for name in table.keys()}


def _options(table: TableReader) -> dict[str, Option]:
    options = {}
    for name in table.keys():
        row = table.table(name)
        row.text("why")
        default = row.raw("default")
        if type(default) is bool:
            option = Option(name, default, (False, True))
        elif row.has("choices"):
            option = Option(name, default, tuple(row.typed("choices", list)))
        else:
            low = row.integer("min", -2**31, 2**31)
            option = Option(name, default, None, low, row.integer("max", low, 2**31))
        if not option.accepts(default):
            raise row.fault("default", default, option.right())
        row.done()
        options[name] = option
    return options


def _drivers(table: TableReader, flags: dict[str, Option]) -> dict[str, dict[str, Value]]:
    drivers = {}
    for name in table.keys():
        row = table.table(name)
        row.text("why")
        drivers[name] = read_options(row.table("flags"), flags, {})
        row.done()
    return drivers


def read_options(table: TableReader, known: dict[str, Option], preset: dict[str, Value]) -> dict[str, Value]:
    """The values that `table` gives over `preset`; BenchError for an unknown name or a value the option does
    not take."""
    values = dict(preset)
    for name in table.keys():
        if name not in known:
            raise table.fault(name, table.raw(name), f"no such option; {nearest(name, known)}")
        value = table.raw(name)
        if not known[name].accepts(value):
            raise table.fault(name, value, f"expected {known[name].right()}")
        values[name] = value
    return values
