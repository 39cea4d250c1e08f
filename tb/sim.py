"""`make sim`: perform the planned runs, show a line for each, keep the results, judge them."""

import errno
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from rich.console import Console

from model.errors import BenchError
from model.scenario.findings import Expect
from tb.plan import Request, has_simulator, plan
from tb.results import as_json, write_result, write_summary
from tb.runspec import RunResult, RunSpec, crashed
from tb.table import RunTable
from tb.workers import run_all

_WONDER_S = 1.5


class Runner(Protocol):
    """What performs runs: the module tb.runner, or a stand-in in tests."""

    def prepare(self, mac: str, simulator: str, waves: bool, parameters: Mapping[str, int]) -> None:
        """Build the simulation model, the engine's class called with `parameters`."""

    def run_one(self, spec: RunSpec) -> RunResult:
        """Perform one run."""


def the_runner() -> Runner:
    """tb.runner, which takes its time to import."""
    from tb import runner
    return runner


def simulate(request: Request, load: Callable[[], Runner], console: Console) -> int:
    """Perform what is asked for. `load` brings the runner, once the request is known to be right. Exit status
    0 if every verdict is as expected, else 1; BenchError for bad input."""
    specs = plan(request)
    if not has_simulator("icarus"):
        console.print("Icarus Verilog is not installed (Debian: iverilog): running in Verilator alone",
                      highlight=False)
    runner = load()
    results: list[dict[str, Any]] = []
    partner: dict[str, RunResult] = {}
    names = [(spec.scenario.name, spec.scenario.variant) for spec in specs]
    with RunTable(len(specs), console, names) as table:
        for mac, simulator, parameters in builds(specs):
            with building(table, mac, simulator):
                runner.prepare(mac, simulator, request.waves, parameters)
        try:
            for spec, result in run_all(specs, runner.run_one,
                                        started=lambda spec: table.running(spec.label)):
                key = f"{spec.scenario.mac}/{spec.scenario.name}.{spec.scenario.variant}"
                if key in partner:
                    compare_simulators(partner.pop(key), result)
                else:
                    partner[key] = result
                data = checked(spec, result)
                results.append(data)
                write_result(request.build, data)
                table.add(data)
        finally:
            write_summary(request.build, results)
        failed = sum(data["verdict"] != "pass" for data in results)
        table.note(f"{len(results)} runs, {len(results) - failed} as expected, {failed} not")
    return 1 if failed else 0


def builds(specs: Iterable[RunSpec]) -> list[tuple[str, str, dict[str, int]]]:
    """What the runs need, each once: MAC, simulator, parameters of the engine."""
    needed: list[tuple[str, str, dict[str, int]]] = []
    for spec in specs:
        build = spec.scenario.mac, spec.simulator, spec.scenario.parameters
        if build not in needed:
            needed.append(build)
    return needed


@contextmanager
def building(table: RunTable, mac: str, simulator: str) -> Iterator[None]:
    """Say that a model is being built, if it takes long enough for somebody to wonder."""
    table.running(f"building {mac} for {simulator}")
    timer = threading.Timer(_WONDER_S, table.note, [f"building the model of {mac} for {simulator}, once ..."])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def checked(spec: RunSpec, result: RunResult) -> dict[str, Any]:
    """The result as JSON; one that contradicts itself becomes a failure instead of a traceback."""
    expect: Expect = spec.scenario.expect
    try:
        return as_json(result, expect)
    except ValueError:
        return as_json(crashed(spec, traceback.format_exc(limit=0)), expect)


def compare_simulators(first: RunResult, second: RunResult) -> None:
    """Mark the second of two results as `simulators_differ` if their event logs are not identical, and say
    where."""
    if "crashed" in first.found + second.found or first.events_digest == second.events_digest:
        return
    second.found.append("simulators_differ")
    second.detail.append(_difference(first, second))


def _difference(first: RunResult, second: RunResult) -> str:
    if first.events_file is None or second.events_file is None:
        return "event logs differ"
    a, b = np.load(first.events_file), np.load(second.events_file)
    common = min(len(a), len(b))
    unlike = np.flatnonzero(a[:common] != b[:common])
    if not len(unlike):
        return f"event logs differ: {first.simulator} has {len(a)} events, {second.simulator} {len(b)}"
    n = int(unlike[0])
    return f"event {n} differs: {first.simulator} {a[n]}, {second.simulator} {b[n]} {a.dtype.names}"


def guarded(action: Callable[[], int], console: Console) -> int:
    """Run a command: its exit status, 2 with one line for bad input, 130 for Ctrl-C."""
    try:
        return action()
    except BenchError as error:
        console.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 2
    except PermissionError as error:
        return _refused(error, console)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOSPC, errno.ENOTDIR):
            raise
        return _refused(error, console)
    except KeyboardInterrupt:
        console.print("broken off", highlight=False)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _refused(error: OSError, console: Console) -> int:
    """A folder in which nothing can be written is the user's to put right."""
    console.print(f"error: {error.filename}: {error.strerror}; expected a place that can be written",
                  style="red", markup=False, highlight=False, soft_wrap=True)
    return 2
