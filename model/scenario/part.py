"""What a scenario may say of one MAC: its clock, limits, drivers, flags and straps, from
`model/scenarios/<mac>/part.toml`.

The part's names live in one data file of its own folder, so a new MAC edits no list here.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from model.errors import BenchError
from model.scenario.reader import TableReader, nearest, read_toml

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
PART_FILE = "part.toml"

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
    """Members: `mac`, `title`, `clock_hz`, `tick_cycles`, `mtu_max_bytes`, `frame_min_bytes` and
    `frame_max_bytes` with FCS, `receive_max_bytes` the longest frame with FCS that the receiver does not
    count as too long, `drivers` (variant -> flags it presets), `flags` and `straps` by name."""

    mac: str
    title: str
    clock_hz: int
    tick_cycles: int
    mtu_max_bytes: int
    frame_min_bytes: int
    frame_max_bytes: int
    receive_max_bytes: int
    drivers: dict[str, dict[str, Value]]
    flags: dict[str, Option]
    straps: dict[str, Option]


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
    part = Part(mac, top.text("title"), top.integer("clock_hz", 1, 10**10),
                top.integer("tick_cycles", 1, 1000),
                top.size("mtu_max", 46, 65535), top.size("frame_min", 18, 65535),
                top.size("frame_max", 64, 65535),
                top.size("receive_max", 64, 65535),
                _drivers(top.table("drivers"), flags), flags, _options(top.table("straps")))
    top.done()
    return part


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
            option = Option(name, default, None, row.integer("min", 0, 2**31), row.integer("max", 0, 2**31))
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
