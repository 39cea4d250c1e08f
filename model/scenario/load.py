"""One scenario file into its variants: strict, every fault named by file, key and value before anything runs.

A variant's table `[variant.<name>]` is laid over the file's own values and the whole is then checked, so a
variant can change anything of how the scenario runs, but not what it is called or what it is for.
"""

import re
from pathlib import Path
from typing import Any

from model import drivers, platforms
from model.errors import BenchError
from model.scenario.actions import read_actions
from model.scenario.findings import BREACHES, FINDINGS, Expect
from model.scenario.link_keys import scenario_link
from model.scenario.part import Part, load_part, macs, read_options
from model.scenario.reader import TableReader, nearest, read_toml
from model.scenario.schema import (
    SIMULATORS,
    STATION,
    BusError,
    BusOptions,
    CsrOptions,
    Scenario,
    ScenarioFile,
)
from model.scenario.traffic_keys import FRAME_OVERHEAD_BYTES, read_rx, read_tx

FILE_KEYS = ("mac", "title", "why", "variants", "variant", "expect")
VARIANT_KEYS = ("platform", "driver", "flags", "straps", "parameters", "host", "bus", "link", "csr",
                "traffic", "actions", "failing_allocations", "limits", "seed", "deadline", "simulators",
                "mtu", "station", "duplex")
_DEFAULT_DEADLINE_CYCLES = 10_000_000
_MAX_CYCLES = 2**40
_MAX_LATENCY_CYCLES = 1_000_000
_MAX_COST_NS = 1e9
_NAME = re.compile(r"[A-Za-z0-9_]+")
_ADDRESS = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def load_scenario(path: Path) -> ScenarioFile:
    """Read and check a scenario file with all its variants. BenchError names file, key, value and what would
    be right."""
    table = read_toml(path)
    top = TableReader(table, path)
    mac = top.text("mac")
    if mac not in macs():
        raise top.fault("mac", mac, f"no such MAC; {nearest(mac, macs())}")
    part = load_part(mac)
    title, why = top.text("title"), top.text("why")
    names = top.words("variants", None)
    if not names:
        raise top.fault("variants", [],
                        f"expected at least one; a driver of {part.mac} such as {sorted(part.drivers)[0]!r}")
    overlays = top.typed("variant", dict, {})
    for name in names:
        if not _NAME.fullmatch(name) or name in ("default", "allow"):
            raise top.fault("variants", name,
                            "a variant's name is letters, digits and _, and not default or allow")
    for name, overlay in overlays.items():
        _check_overlay(top, name, names, overlay)
    expects = _read_expect(top, names)
    base = {key: value for key, value in table.items() if key not in FILE_KEYS}
    for key in base:
        if key not in VARIANT_KEYS:
            raise BenchError(f"{path}: unknown key {key!r}: {nearest(key, FILE_KEYS + VARIANT_KEYS)}")
    variants = {}
    for name in names:
        overlay = overlays.get(name, {})
        merged = _merge(base, overlay)
        reader = TableReader(merged, path, rename=_renamer(name, overlay))
        variants[name] = _read_variant(reader, part, path, name, title, why, expects[name])
    return ScenarioFile(part.mac, path.stem, title, why, path, variants)


def _check_overlay(top: TableReader, name: str, names: tuple[str, ...], overlay: object) -> None:
    if name not in names:
        raise top.fault(f"variant.{name}", "...", f"not in `variants`; {nearest(name, names)}")
    if not isinstance(overlay, dict):
        raise top.fault(f"variant.{name}", overlay, "expected a table")
    for key in overlay:
        if key not in VARIANT_KEYS:
            raise top.fault(f"variant.{name}.{key}", overlay[key],
                            f"unknown key; {nearest(key, VARIANT_KEYS)}")


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _renamer(variant: str, overlay: dict[str, Any]):
    """Dotted key -> the key as the user wrote it: in the variant's table if the value came from there."""
    def rename(dotted: str) -> str:
        node: object = overlay
        for step in dotted.split("."):
            bare = step.partition("[")[0]
            if not isinstance(node, dict) or bare not in node:
                return dotted
            node = node[bare]
            if isinstance(node, list):
                break
        return f"variant.{variant}.{dotted}"
    return rename


def _read_expect(top: TableReader, names: tuple[str, ...]) -> dict[str, Expect]:
    value = top.raw("expect")
    if not isinstance(value, dict):
        return dict.fromkeys(names, Expect(_findings(top, "expect", value)))
    table = top.table("expect")
    may = _findings(table, "allow", table.raw("allow")) if table.has("allow") else frozenset()
    default = _findings(table, "default", table.raw("default")) if table.has("default") else None
    expects = {}
    for name in names:
        if not table.has(name) and default is None:
            raise top.fault("expect", sorted(value), f"says nothing of variant {name!r} and has no default")
        must = _findings(table, name, table.raw(name)) if table.has(name) else default
        expects[name] = Expect(must, may - must)
    table.done()
    return expects


def _findings(table: TableReader, key: str, value: object) -> frozenset[str]:
    if value == "clean":
        return frozenset()
    for word in value if isinstance(value, list) else [value]:
        if isinstance(word, str) and word in BREACHES:
            raise table.fault(key, word, f"can never be expected: {BREACHES[word]}")
    if not isinstance(value, list):
        meant = f'["{value}"]' if isinstance(value, str) and value in FINDINGS else "a list of findings"
        raise table.fault(key, value, f'expected "clean" or {meant}')
    return frozenset(table.words(key, FINDINGS))


def _read_variant(top: TableReader, part: Part, path: Path, name: str, title: str, why: str,
                  expect: Expect) -> Scenario:
    clock_hz = part.clock_hz
    platform = top.choice("platform", platforms.names())
    if top.has("driver"):
        driver = top.choice("driver", part.drivers)
    elif name in part.drivers:
        driver = name
    else:
        raise BenchError(f"{path}: variant.{name}.driver is missing: {name!r} is no driver of "
                         f"{part.mac} itself; {nearest(name, part.drivers)}")
    mtu_bytes = top.size("mtu", 46, part.mtu_max_bytes, part.mtu_bytes)
    actions = read_actions(top, part)
    mtus = [mtu_bytes, *(action.mtu_bytes for action in actions if action.do == "mtu")]
    station = top.text("station", STATION)
    if not _ADDRESS.fullmatch(station) or int(station[:2], 16) & 1:
        raise top.fault("station", station, f"expected a unicast Ethernet address such as {STATION!r}")
    simulators = top.words("simulators", SIMULATORS, list(SIMULATORS))
    if not simulators:
        raise top.fault("simulators", [], f"expected at least one; {nearest('', SIMULATORS)}")
    traffic, limits = top.table("traffic"), top.table("limits")
    # the stack sends what always fits; the peer may be ahead of a change, or behind it
    tx = read_tx(traffic.table("tx"), part, min(mtus)) if traffic.has("tx") else None
    rx = read_rx(traffic.table("rx"), part, max(mtus)) if traffic.has("rx") else None
    traffic.done()
    if tx is None and rx is None:
        raise BenchError(f"{path}: traffic is missing: expected a table traffic.tx or traffic.rx, or both")
    receive_max_bytes = part.receive_max_bytes or mtu_bytes + FRAME_OVERHEAD_BYTES
    scenario = Scenario(
        mac=part.mac, name=path.stem, variant=name, title=title, why=why, path=path, clock_hz=clock_hz,
        tick_cycles=part.tick_cycles, symbol_bits=part.symbol_bits, platform=platform,
        seed=top.integer("seed", 0, 2**32 - 1, 1), mtu_bytes=mtu_bytes,
        duplex=top.choice("duplex", part.duplex, part.duplex[0]),
        frame_min_bytes=part.frame_min_bytes, frame_max_bytes=part.frame_max_bytes,
        receive_max_bytes=receive_max_bytes, station=station.lower(), simulators=simulators, driver=driver,
        deadline_cycles=top.cycles("deadline", clock_hz, 1, _MAX_CYCLES, _DEFAULT_DEADLINE_CYCLES),
        flags=read_options(top.table("flags"), part.flags,
                           {o.name: o.default for o in part.flags.values()} | part.drivers[driver]),
        straps=read_options(top.table("straps"), part.straps,
                            {o.name: o.default for o in part.straps.values()}),
        parameters=read_options(top.table("parameters"), part.parameters,
                                {o.name: o.default for o in part.parameters.values()}),
        host=_read_host(top.table("host"), clock_hz), tx=tx, rx=rx,
        bus=_read_bus(top.table("bus"), part), csr=_read_csr(top.table("csr"), clock_hz),
        link=scenario_link(top, clock_hz, part.link, part.mac),
        failing_allocations=_read_ordinals(top, "failing_allocations"), actions=actions, expect=expect,
        wire_limit_ppm=_read_limits(limits, tx, rx), phy_address=part.phy_address,
        phy_gigabit=part.phy_gigabit, rx_grace_cycles=part.rx_grace_cycles,
        rx_settle_cycles=part.rx_settle_cycles)
    top.done()
    _check_driver(scenario, mtus)
    return scenario


def _check_driver(scenario: Scenario, mtus: list[int]) -> None:
    """What the driver itself refuses, before anything runs; BenchError names file and variant."""
    check = getattr(drivers.load(scenario.mac), "check", None)
    if check is None:
        return
    try:
        check(scenario.driver, scenario.flags, scenario.parameters, mtus)
    except BenchError as error:
        raise BenchError(f"{scenario.path}: variant {scenario.variant}: {error}") from None


def _read_host(table: TableReader, clock_hz: int) -> dict[str, float]:
    costs = {}
    for label in table.keys():
        if label not in platforms.LABELS:
            raise table.fault(label, table.raw(label), f"no such label; {nearest(label, platforms.LABELS)}")
        costs[label] = table.nanoseconds(label, clock_hz, 0, _MAX_COST_NS)
    return costs


def _read_ordinals(top: TableReader, key: str) -> tuple[int, ...]:
    ordinals = top.typed(key, list, [])
    for ordinal in ordinals:
        if type(ordinal) is not int or ordinal < 0:
            raise top.fault(key, ordinal, "expected a list of whole numbers, counted from 0")
    return tuple(ordinals)


def _read_bus(table: TableReader, part: Part) -> BusOptions:
    errors, clock_hz = [], part.clock_hz
    for row in table.tables("errors"):
        requester = part.requesters[row.choice("requester", part.requesters)]
        write = row.choice("direction", ("read", "write")) == "write"
        errors.append(BusError(requester, write, row.integer("ordinal", 0, 2**31)))
        row.done()
    options = BusOptions(table.cycles("read_latency", clock_hz, 0, _MAX_LATENCY_CYCLES, 0),
                         table.cycles("write_latency", clock_hz, 0, _MAX_LATENCY_CYCLES, 0),
                         table.cycles("beat_interval", clock_hz, 1, 1000, 1),
                         table.cycles("jitter", clock_hz, 0, _MAX_LATENCY_CYCLES, 0), tuple(errors),
                         table.integer("outstanding", 1, 256, part.outstanding))
    table.done()
    return options


def _read_csr(table: TableReader, clock_hz: int) -> CsrOptions:
    options = CsrOptions(table.cycles("write_latency", clock_hz, 0, _MAX_LATENCY_CYCLES, 0),
                         table.cycles("read_latency", clock_hz, 0, _MAX_LATENCY_CYCLES, 0))
    table.done()
    return options


def _read_limits(table: TableReader, tx: object, rx: object) -> dict[str, float]:
    limits = table.table("wire_limit_ppm")
    sides = {"tx": tx, "rx": rx}
    ppm = {}
    for side in limits.keys():
        if side not in sides:
            raise limits.fault(side, limits.raw(side), f"no such side; {nearest(side, sides)}")
        if sides[side] is None:
            raise limits.fault(side, limits.raw(side), f"the scenario has no traffic.{side}")
        ppm[side] = float(limits.integer(side, 1, 1_000_000))
    table.done()
    return ppm
