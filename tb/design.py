"""What is simulated: the Verilog of an engine, what its ports mean, the numbers of its events and its
clock."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from model.errors import BenchError
from tb import cache

ROOT = Path(__file__).resolve().parent.parent
LAST_PHY_ADDRESS = 31


@dataclass(frozen=True)
class Design:
    """An engine ready to be put into a top.

    Members
    -------
    name: folder and report name (the MAC, and what it is built with if that is not the usual).
    verilog: text whose top module is `sidecar["name"]`.
    sidecar: as `hdl.emit` describes it.
    kinds: event number by tap lane.
    clock_hz: engine clock.
    phy: parameters of the PHY behind MDIO, see tb/top/rb_mdio_phy.sv.
    """

    name: str
    verilog: str
    sidecar: dict[str, Any]
    kinds: dict[str, int]
    clock_hz: int
    phy: dict[str, int] = field(default_factory=dict)


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


def _part(mac: str) -> dict[str, Any]:
    return tomllib.loads(_part_file(mac).read_text())


def clock_hz(mac: str) -> int:
    """Engine clock, from model/scenarios/<mac>/part.toml."""
    value = _part(mac).get("clock_hz")
    if not isinstance(value, int) or value <= 0:
        raise BenchError.of(_part_file(mac), "clock_hz", value, "a number of Hz above 0")
    return value


def phy_parameters(mac: str) -> dict[str, int]:
    """ADDRESS and GIGABIT of the PHY: `phy_address` and `phy_gigabit` of the part file, 0 and false if it
    says nothing of them."""
    part = _part(mac)
    address, gigabit = part.get("phy_address", 0), part.get("phy_gigabit", False)
    if type(address) is not int or not 0 <= address <= LAST_PHY_ADDRESS:
        raise BenchError.of(_part_file(mac), "phy_address", address, f"a number, 0 to {LAST_PHY_ADDRESS}")
    if type(gigabit) is not bool:
        raise BenchError.of(_part_file(mac), "phy_gigabit", gigabit, "true or false")
    return {"ADDRESS": address, "GIGABIT": int(gigabit)}


def build_name(mac: str, parameters: Mapping[str, int]) -> str:
    """What a build of this MAC with these constructor arguments is called, e.g. lan743x-rx_channels4. Those
    that are as the part file has them anyway are left out."""
    usual = {key: row.get("default") for key, row in _part(mac).get("parameters", {}).items()}
    unusual = sorted((key, value) for key, value in parameters.items() if usual.get(key) != value)
    return "-".join([mac, *(f"{key}{value}" for key, value in unusual)])


def _emitted(mac: str, parameters: Mapping[str, int]) -> Design:
    # Imported here: Amaranth and Yosys are slow to load, and are not needed if the simulator is already
    # built.
    from hdl.emit import emit

    package = import_module(f"hdl.engines.{mac}")
    try:
        engine = package.Engine(**parameters)
    except (TypeError, ValueError) as error:
        raise BenchError.of(f"hdl.engines.{mac}", "parameters", dict(parameters), str(error)) from error
    emitted = emit(engine, f"{mac}_engine")
    return Design(build_name(mac, parameters), emitted.verilog, emitted.sidecar, event_kinds(mac),
                  clock_hz(mac), phy_parameters(mac))


def engine_recipe(mac: str, parameters: Mapping[str, int] | None = None) -> Recipe:
    """The recipe of an engine of hdl/engines, its class called with `parameters`.

    Raises BenchError if there is none of that name; making it raises BenchError for parameters that the
    engine does not take.
    """
    parameters = parameters or {}
    engines = ROOT / "hdl" / "engines"
    known = sorted({path.stem for path in engines.iterdir() if path.stem[0] not in "_."})
    if mac not in known or not _event_file(mac).exists():
        raise BenchError.of(engines, "MAC", mac, "one of " + ", ".join(known))
    files = cache.tree(ROOT / "hdl", (".py", ".rdl", ".inc"))
    return Recipe(build_name(mac, parameters), [*files, _event_file(mac), _part_file(mac)],
                  lambda: _emitted(mac, parameters))
