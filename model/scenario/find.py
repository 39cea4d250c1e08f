"""Scenarios by name: every `*.toml` beside a MAC's part file is one, and a path to a file from anywhere is
one too."""

from collections.abc import Iterable
from pathlib import Path

from model.errors import BenchError
from model.scenario.load import load_scenario
from model.scenario.part import PART_FILE, SCENARIOS, load_part, macs
from model.scenario.reader import nearest
from model.scenario.schema import Scenario, ScenarioFile


def scenario_names(mac: str) -> list[str]:
    """Names of the scenarios of `mac`, sorted; BenchError for an unknown MAC."""
    load_part(mac)
    return sorted(file.stem for file in (SCENARIOS / mac).glob("*.toml") if file.name != PART_FILE)


def find_scenario(mac: str, name: str) -> ScenarioFile:
    """The scenario `name` of `mac`; BenchError for an unknown MAC or scenario, proposing the nearest."""
    names = scenario_names(mac)
    if name not in names:
        raise BenchError(f"no such scenario of {mac}: {name!r}: {nearest(name, names)}")
    return load_scenario(SCENARIOS / mac / f"{name}.toml")


def is_path(name: str) -> bool:
    """True if a scenario given on the command line is a path, not a name."""
    return "/" in name or name.endswith(".toml")


def select(mac_names: Iterable[str] = (), scenarios: Iterable[str] = (),
           variants: Iterable[str] = ()) -> list[Scenario]:
    """Every variant that fits; an empty selection means all.

    Parameters: names of MACs; names or paths of scenarios (a path stands for itself, whatever its MAC);
    variants. A scenario or a variant has to exist in at least one of the files chosen. BenchError if it does
    not.
    """
    mac_names, scenarios, variants = list(mac_names), list(scenarios), list(variants)
    for mac in mac_names:
        load_part(mac)
    paths = [name for name in scenarios if is_path(name)]
    names = [name for name in scenarios if not is_path(name)]
    files = [load_scenario(Path(path)) for path in paths]
    for file in files:
        if mac_names and file.mac not in mac_names:
            raise BenchError(f"{file.path}: mac = {file.mac!r}: MAC asks for {', '.join(mac_names)}")
    if names or not paths:
        files += _by_name(mac_names or macs(), names)
    known = {variant for file in files for variant in file.variants}
    for variant in variants:
        if variant not in known:
            of = list(dict.fromkeys(file.name for file in files))
            raise BenchError(f"no such variant of {', '.join(of[:3])}{' ...' if len(of) > 3 else ''}: "
                             f"{variant!r}: {nearest(variant, known)}")
    return [scenario for file in files for scenario in file.variants.values()
            if not variants or scenario.variant in variants]


def _by_name(mac_names: list[str], names: list[str]) -> list[ScenarioFile]:
    available = {mac: scenario_names(mac) for mac in mac_names}
    everywhere = {name for found in available.values() for name in found}
    for name in names:
        if name not in everywhere:
            raise BenchError(f"no such scenario of {', '.join(mac_names)}: {name!r}: "
                             f"{nearest(name, everywhere)}")
    return [find_scenario(mac, name) for mac, found in available.items() for name in found if not names
            or name in names]
