"""One simulation as data: what the simulator's process is told, and what it hands back.

The job goes in as JSON beside an optional npz file with the traffic; logs and counts come back as an npz file
and a JSON file. Both sides of the process boundary use the two classes here.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from model.errors import BenchError
from model.events import EVENT
from tb.native import DEFAULT_MEMORY_BYTES
from tb.native.layout import BURST, FRAME

JOB_FILE, PROGRAM_FILE, RESULT_FILE, ARRAYS_FILE = "job.json", "program.npz", "result.json", "arrays.npz"
JOB_VARIABLE = "RINGBENCH_JOB"
"""Environment variable: path of the job file."""


@dataclass
class Program:
    """Traffic for the player.

    Members: `data` uint8, all frames with FCS; `lengths` in bytes; `gaps` idle symbols before each (at least
    1); `flags` or None, as in `Native.set_program`.
    """

    data: np.ndarray
    lengths: np.ndarray
    gaps: np.ndarray
    flags: np.ndarray | None = None


@dataclass
class Job:
    """What to run.

    Members
    -------
    entry: "module:function", a coroutine function called as function(world, **arguments); what it returns
    must be
        plain data and comes back as `Outcome.result`. Its first action is on the falling edge of FIRST_CYCLE.
    arguments: plain data for `entry` (and `prepare`).
    prepare: "module:function" or None, called as function(native, **arguments) at time 0, when memory, straps
    and
        bus are set up as below; the place for what is not plain data.
    memory_bytes: size of host memory.
    straps: the engine's options as one number (sidecar "straps" has the fields).
    bus: parameters of `Native.set_bus`: read_latency, write_latency, beat_interval, jitter, seed,
    outstanding,
        errors as [[requester, is_write, ordinal], ...], log_bursts.
    csr_write_latency_cycles, csr_read_latency_cycles: of register accesses.
    link: numbers of the link between bus and memory (`model.link.LinkTiming.numbers`), None: the ideal bus.
    phy_link: whether the PHY has link.
    half_duplex: whether its partner can half duplex only.
    max_cycles: the run must end before this cycle.
    keep_memory: [first, end) ranges of host memory that come back, as [[first, end], ...].
    paths: folders to put in front of Python's module path.
    """

    entry: str
    arguments: dict[str, Any] = field(default_factory=dict)
    prepare: str | None = None
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    straps: int = 0
    bus: dict[str, Any] = field(default_factory=dict)
    csr_write_latency_cycles: int = 0
    csr_read_latency_cycles: int = 0
    link: dict[str, int] | None = None
    phy_link: bool = True
    half_duplex: bool = False
    max_cycles: int = 1 << 40
    keep_memory: list[list[int]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def write(self, folder: Path, clock_hz: int, program: Program | None) -> Path:
        """Store the job in `folder`; returns the job file."""
        if program is not None:
            arrays = {"data": program.data, "lengths": program.lengths, "gaps": program.gaps}
            if program.flags is not None:
                arrays["flags"] = program.flags
            np.savez(folder / PROGRAM_FILE, **arrays)
        path = folder / JOB_FILE
        path.write_text(json.dumps(asdict(self) | {"clock_hz": clock_hz, "has_program": program is not None,
                                                   "started": time.time()}))
        return path


def function_of(text: str) -> Any:
    """The function that "module:function" names. Raises BenchError if there is none."""
    module, colon, name = text.partition(":")
    try:
        if not colon:
            raise AttributeError
        return getattr(import_module(module), name)
    except (AttributeError, ModuleNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and not module.startswith(error.name or "?"):
            raise   # something that the module itself imports is missing: that is another mistake
        raise BenchError.of("job", "entry", text, "module:function of an importable module") from error


@dataclass
class Outcome:
    """What a simulation left.

    Members
    -------
    result: what the entry returned, None if it raised.
    failure: what was raised, with traceback, or None; failure_type its class name, failure_text its text.
    end_cycle: cycle in which the entry ended.
    wall_s: seconds from the first driver action to the end; start_s: from the start of the process to there.
    wakes: how often Python was woken.
    errors: see `Native.errors`; empty after a sound run.
    events, frames, frame_bytes, bursts: logs, see `Native`.
    memory: the ranges asked for, by first address.
    bus_bursts, bus_beats: counts of shape (16, 2), [requester, is_write].
    link_busy_units: how long packets occupied the link, [up, down], in units of `model.link.UNITS` a cycle.
    log: the simulator's output.
    """

    result: Any = None
    failure: str | None = None
    failure_type: str | None = None
    failure_text: str | None = None
    end_cycle: int = 0
    wall_s: float = 0.0
    start_s: float = 0.0
    wakes: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    link_busy_units: list[int] = field(default_factory=lambda: [0, 0])
    events: np.ndarray = field(default_factory=lambda: np.empty(0, EVENT))
    frames: np.ndarray = field(default_factory=lambda: np.empty(0, FRAME))
    frame_bytes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))
    bursts: np.ndarray = field(default_factory=lambda: np.empty(0, BURST))
    memory: dict[int, np.ndarray] = field(default_factory=dict)
    bus_bursts: np.ndarray = field(default_factory=lambda: np.zeros((16, 2), np.uint64))
    bus_beats: np.ndarray = field(default_factory=lambda: np.zeros((16, 2), np.uint64))
    log: Path | None = None

    @property
    def cycles_per_s(self) -> float:
        """Simulated cycles a second of wall time, start-up left out."""
        return self.end_cycle / self.wall_s if self.wall_s else 0.0

    @classmethod
    def read(cls, folder: Path, log: Path) -> Outcome:
        """Load what `tb.sim_main` wrote into `folder`."""
        outcome = cls(**json.loads((folder / RESULT_FILE).read_text()), log=log)
        if not (folder / ARRAYS_FILE).exists():   # it failed before the first cycle
            return outcome
        with np.load(folder / ARRAYS_FILE) as arrays:
            for name in ("events", "frames", "frame_bytes", "bursts", "bus_bursts", "bus_beats"):
                setattr(outcome, name, arrays[name])
            outcome.memory = {int(name.removeprefix("memory_")): arrays[name] for name in arrays.files
                              if name.startswith("memory_")}
        return outcome
