"""What is simulated: the Verilog of an engine, what its ports mean, the numbers of its events and its
clock."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from model.errors import BenchError
from tb import cache

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Design:
    """An engine ready to be put into a top.

    Members
    -------
    name: folder and report name (the MAC).
    verilog: text whose top module is `sidecar["name"]`.
    sidecar: as `hdl.emit` describes it.
    kinds: event number by tap lane.
    clock_hz: engine clock.
    """

    name: str
    verilog: str
    sidecar: dict[str, Any]
    kinds: dict[str, int]
    clock_hz: int


@dataclass(frozen=True)
class Recipe:
    """How to get a `Design`, and how to tell without making it whether it has changed.

    Members: `name`; `files` whose contents decide what `make` returns; `make`.
    """

    name: str
    files: list[Path]
    make: Callable[[], Design]


def _event_file(mac: str) -> Path:
    return ROOT / "model" / "engines" / mac / "events.py"


def _part_file(mac: str) -> Path:
    return ROOT / "model" / "scenarios" / mac / "part.toml"


def event_kinds(mac: str) -> dict[str, int]:
    """Event number by lane name, from the `Kind` of model/engines/<mac>/events.py."""
    kinds = import_module(f"model.engines.{mac}.events").Kind
    return {kind.name.lower(): int(kind) for kind in kinds}


def clock_hz(mac: str) -> int:
    """Engine clock, from model/scenarios/<mac>/part.toml."""
    path = _part_file(mac)
    value = tomllib.loads(path.read_text()).get("clock_hz")
    if not isinstance(value, int) or value <= 0:
        raise BenchError.of(path, "clock_hz", value, "a number of Hz above 0")
    return value


def _emitted(mac: str) -> Design:
    # Imported here: Amaranth and Yosys are slow to load, and are not needed if the simulator is already
    # built.
    from hdl.emit import emit

    engine = import_module(f"hdl.engines.{mac}").Engine
    emitted = emit(engine(), f"{mac}_engine")
    return Design(mac, emitted.verilog, emitted.sidecar, event_kinds(mac), clock_hz(mac))


def engine_recipe(mac: str) -> Recipe:
    """The recipe of an engine of hdl/engines. Raises BenchError if there is none of that name."""
    engines = ROOT / "hdl" / "engines"
    known = sorted({path.stem for path in engines.iterdir() if path.stem[0] not in "_."})
    if mac not in known or not _event_file(mac).exists():
        raise BenchError.of(engines, "MAC", mac, "one of " + ", ".join(known))
    files = cache.tree(ROOT / "hdl", (".py", ".rdl", ".inc"))
    return Recipe(mac, [*files, _event_file(mac), _part_file(mac)], lambda: _emitted(mac))
