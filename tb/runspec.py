"""One run: what is asked for (RunSpec) and what came out (RunResult). Both travel between processes and into
JSON.

`tb.runner` has to offer two functions over them:
`prepare(mac, simulator, waves, parameters)` builds the simulation model once, before any run of that MAC with
those parameters of its engine in that simulator, and `run_one(spec) -> RunResult` performs one run. Both
raise BenchError for what the user has to put right.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from model import capture
from model.errors import BenchError
from model.scenario import RxTraffic, Scenario, Span, TxTraffic, scenario_names

PROJECT = Path(__file__).resolve().parent.parent
BUILD = PROJECT / "build"


@dataclass(frozen=True)
class RunSpec:
    """Members: `scenario` one variant; `simulator` "verilator" or "icarus"; `tx_frames`, `rx_frames` how many
    (None: all of the capture, or no traffic on that side); `waves` whether to record them; `build` folder for
    everything made; `pcap`, `frames_asked` what replaced the scenario's own traffic and number of frames, if
    anything did."""

    scenario: Scenario
    simulator: str
    tx_frames: int | None = None
    rx_frames: int | None = None
    waves: bool = False
    build: Path = BUILD
    pcap: Path | None = None
    frames_asked: int | None = None

    @property
    def label(self) -> str:
        """Names the run: mac/scenario.variant.simulator, unique within one call."""
        s = self.scenario
        return f"{s.mac}/{s.name}.{s.variant}.{self.simulator}"

    @property
    def folder(self) -> Path:
        """A folder of this run alone for what it leaves: event logs, waves, simulator output."""
        return self.build / "runs" / self.label

    def result(self) -> "RunResult":
        """A result of this run with nothing measured yet."""
        s = self.scenario
        return RunResult(s.mac, s.name, s.variant, self.simulator, 0, s.clock_hz, 0, 0, s.seed,
                         source=_shown(s.path), pcap=None if self.pcap is None else _shown(self.pcap),
                         frames_asked=self.frames_asked)


def _shown(path: Path) -> str:
    """The path, relative to the project if it is inside: the same on every machine."""
    path = path.resolve()
    return str(path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path)


@dataclass
class RunResult:
    """What one run measured. The names are those of the JSON file; `None` where a figure does not apply.

    Members beyond the obvious: `found` names of findings and breaches (model.scenario.findings); `detail`
    lines that explain them; `frames`, `bytes` delivered in both directions (bytes with FCS); `goodput_mbps`
    of payload above Ethernet and `pps`, both directions added up, by direction ("tx", "rx") in `side_...`,
    each over its own time from first to last whole frame; `reader_goodput_mbps` as the reader of received
    frames sees it, None below two; `cycles_per_frame` from one frame's end to the
    next, of the sending side if it sent; `events_digest` hash of the RTL's event log and
    `events_file` the log itself (.npy), by which two simulators are compared; `golden_cycles_per_frame` as
    `cycles_per_frame`, from the golden log; `cycle_account` sums to `cycles`; `golden_wall_s` time the golden
    world took; `source` the scenario's file and `pcap` the capture that replaced its traffic (both relative
    to the project if inside it), `frames_asked` the number that replaced its own, by which a run is told from
    that of a stock scenario of the same name.
    """

    mac: str
    scenario: str
    variant: str
    simulator: str
    cycles: int
    clock_hz: int
    frames: int
    bytes: int
    seed: int = 0
    found: list[str] = field(default_factory=list)
    detail: list[str] = field(default_factory=list)
    goodput_mbps: float = 0.0
    pps: float = 0.0
    side_goodput_mbps: dict[str, float] = field(default_factory=dict)
    side_pps: dict[str, float] = field(default_factory=dict)
    reader_goodput_mbps: float | None = None
    cycles_per_frame: float | None = None
    golden_cycles_per_frame: float | None = None
    events_compared: int = 0
    events_off: int = 0
    worst_offset_cycles: int = 0
    first_divergence: str | None = None
    events_digest: str = ""
    events_file: str | None = None
    wire_utilisation: dict[str, float] = field(default_factory=dict)
    bus_utilisation: float = 0.0
    link_utilisation: dict[str, float] = field(default_factory=dict)
    cycle_account: dict[str, int] = field(default_factory=dict)
    cpu_account: dict[str, float] = field(default_factory=dict)
    irqs: int = 0
    mmio_reads: int = 0
    mmio_writes: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    frames_checked: int = 0
    frames_bad: int = 0
    thread: dict[str, object] | None = None
    wall_s: float = 0.0
    sim_cycles_per_s: float = 0.0
    golden_wall_s: float = 0.0
    waves_file: str | None = None
    save_file: str | None = None
    source: str = ""
    pcap: str | None = None
    frames_asked: int | None = None


def crashed(spec: RunSpec, text: str) -> RunResult:
    """The result of a run that ended with an error of the bench itself; `text` is its traceback."""
    result = spec.result()
    result.found, result.detail = ["crashed"], text.strip().splitlines()
    return result


def specs_for(scenario: Scenario, simulators: tuple[str, ...], frames: int | None = None, waves: bool = False,
              build: Path = BUILD, pcap: Path | None = None) -> list[RunSpec]:
    """The runs of one variant: one per simulator that it allows.

    Two simulators that are compared run the same number of frames; Verilator alone runs the longer number if
    the scenario has one. `frames` overrides either. `pcap`: the capture that `with_capture` put in place.
    """
    allowed = [simulator for simulator in simulators if simulator in scenario.simulators]
    alone = allowed == ["verilator"]
    return [RunSpec(scenario, simulator, _count(scenario.tx, frames, alone),
                    _count(scenario.rx, frames, alone), waves, build, pcap, frames)
            for simulator in allowed]


def _count(side: TxTraffic | RxTraffic | None, frames: int | None, alone: bool) -> int | None:
    if side is None:
        return None
    if frames is not None:
        return frames
    return side.frames_long if alone and side.frames_long is not None else side.frames


def with_capture(scenario: Scenario, path: Path) -> Scenario:
    """The scenario with its traffic replaced by a capture: the sender of the first packet is the station.

    Gaps, bus, host and everything else stay. It is called pcap_<stem of the file>, so that its results lie
    beside those of the scenario. BenchError if the capture cannot be replayed on this part.
    """
    if not path.is_file():
        wrong = "is a folder, expected a capture file" if path.is_dir() else "no such file"
        raise BenchError(f"PCAP = {str(path)!r}: {wrong}")
    station = capture.first_source(path)
    sent, received = capture.split(path, station, scenario.mtu_bytes)
    any_size = Span(scenario.frame_min_bytes, scenario.frame_max_bytes)
    gap = scenario.rx.gap_bytes if scenario.rx is not None else Span(12, 12)
    tx = TxTraffic(len(sent), None, any_size, path.resolve(), 0) if sent else None
    rx = RxTraffic(len(received), None, any_size, path.resolve(), gap, 0, ("station",),
                   ()) if received else None
    return replace(scenario, name=_capture_name(scenario.mac, path), station=station, tx=tx, rx=rx,
                   wire_limit_ppm={})


def _capture_name(mac: str, path: Path) -> str:
    """pcap_<stem> in letters, digits and _; a further _ if a stock scenario has that name."""
    name = "pcap_" + re.sub(r"[^A-Za-z0-9_]", "_", path.stem)
    return name + "_" if name in scenario_names(mac) else name
