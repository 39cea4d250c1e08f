"""Runs in parallel, each in a process of its own, and nothing left behind when they are broken off.

A simulator may sit in a process group of its own, so ending a worker means ending everything that descends
from it.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from model.errors import BenchError
from tb.runspec import RunResult, RunSpec, crashed

WORKERS = 2
"""Runs at a time: a run keeps one core busy, and the machines this has to be quick on have two."""
_PATIENCE_S = 2.0
_MAIN_IMPORTS = ("tb.sim", "typer")
"""What tb.cli imports: multiprocessing runs the main module again in every worker."""


def descendants(pid: int) -> list[int]:
    """Process ids below `pid`, from /proc, children before grandchildren."""
    below: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # the command name, in parentheses, may hold blanks
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        below.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += below.get(one, [])
    return found[1:]


def end_tree(pid: int) -> None:
    """Kill what descends from `pid`, then `pid`."""
    for one in [*descendants(pid), pid]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _work(run: Callable[[RunSpec], RunResult], spec: RunSpec,
          answer: multiprocessing.connection.Connection) -> None:
    # Ctrl-C reaches the whole group of the terminal: the parent alone decides what ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        outcome: RunResult | BenchError = run(spec)
    except BenchError as error:
        outcome = error
    except BaseException:
        outcome = crashed(spec, traceback.format_exc())
    try:
        answer.send(outcome)
    except BrokenPipeError:
        pass  # nobody is waiting for it any more


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C must not break off the cleaning up after the first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def run_all(specs: list[RunSpec], run: Callable[[RunSpec], RunResult], workers: int = WORKERS,
            started: Callable[[RunSpec], None] = lambda spec: None) -> Iterator[tuple[RunSpec, RunResult]]:
    """Perform `specs`, at most `workers` at a time, and yield them in order with their results.

    Parameters: `run` performs one run, in a process of its own; `started` is told of each spec that begins.
    Raises what a run raised if that is a BenchError; any other error becomes a result with the finding
    `crashed`. However this ends, by an error, Ctrl-C or the consumer stopping, no process is left.
    """
    # a clean process imports the runner once and then forks: each run starts at once and inherits nothing of
    # another
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([run.__module__, *_MAIN_IMPORTS])
    waiting = list(enumerate(specs))[::-1]
    live: dict[multiprocessing.connection.Connection, tuple[int, multiprocessing.Process]] = {}
    finished: dict[int, RunResult] = {}
    due = 0
    try:
        while due < len(specs):
            while waiting and len(live) < workers:
                number, spec = waiting.pop()
                mine, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(run, spec, theirs), daemon=False)
                process.start()
                theirs.close()
                live[mine] = (number, process)
                started(spec)
            for ready in multiprocessing.connection.wait(list(live)):
                number, process = live.pop(ready)
                finished[number] = _outcome(ready, process, specs[number])
            while due in finished:
                yield specs[due], finished.pop(due)
                due += 1
    finally:
        with _undisturbed():
            for _, process in live.values():
                end_tree(process.pid)
                process.join(_PATIENCE_S)


def _outcome(answer: multiprocessing.connection.Connection, process: multiprocessing.Process,
             spec: RunSpec) -> RunResult:
    try:
        outcome = answer.recv()
    except EOFError:
        process.join(_PATIENCE_S)
        outcome = crashed(spec,
                          f"the process of this run ended without a result, exit status {process.exitcode}")
    except Exception:
        outcome = crashed(spec, traceback.format_exc())
    answer.close()
    process.join(_PATIENCE_S)
    if process.is_alive():
        end_tree(process.pid)
    if isinstance(outcome, BenchError):
        raise outcome
    return outcome
