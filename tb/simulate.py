"""Runs a job in a simulator of its own, and sees to it that no simulator outlives it.

The simulator is started directly (its program, or vvp), not through cocotb's runner, in a process group of
its own: what ends a run early ends the group. If this process dies itself, the system ends the simulator (see
tb.sim_main).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import cocotb_tools.config as cocotb_config
import find_libpython

from model.errors import BenchError
from tb import lean
from tb.build import Built
from tb.design import ROOT
from tb.job import ARRAYS_FILE, JOB_VARIABLE, RESULT_FILE, Job, Outcome, Program
from tb.native import LIBRARY_VARIABLE

DEFAULT_TIMEOUT_S = 600.0
LOG_LINES_SHOWN = 15


class SimulationError(RuntimeError):
    """The simulator ended without a result, or did not end in time. The text has the end of its log."""


class SimulationTimeout(SimulationError):
    """The simulator did not end in time."""


class JobError(RuntimeError):
    """The job's coroutine raised. Members: `outcome`, with logs up to there."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"cycle {outcome.end_cycle}: {outcome.failure}")
        self.outcome = outcome


@cache
def _python_library() -> str:
    path = find_libpython.find_libpython()
    if path is None:
        raise BenchError("Python: libpython's shared library, which cocotb loads into the simulator, is "
                         "missing: install the package libpython3-dev")
    return path


def _environment(built: Built, job_file: Path) -> dict[str, str]:
    environment = dict(os.environ)
    environment |= {
        "PATH": f"{environment.get('PATH', '')}{os.pathsep}{cocotb_config.libs_dir}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{_python_library()};{cocotb_config.pygpi_entry_point()}",
        "PYGPI_USERS": ",".join(lean.ENTRY_POINTS),
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "COCOTB_TOPLEVEL": "top",
        "COCOTB_TEST_MODULES": "tb.sim_main",
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_RESULTS_FILE": str(job_file.with_name("cocotb.xml")),
        "COCOTB_RANDOM_SEED": "1",   # nothing here draws from it; a fixed one keeps the log the same
        LIBRARY_VARIABLE: built.library,
        JOB_VARIABLE: str(job_file),
    }
    return environment


def _end_group(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _log_end(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return "".join("\n  " + line for line in lines[-LOG_LINES_SHOWN:])


def simulate(built: Built, job: Job, program: Program | None = None, *, waves: Path | None = None,
             timeout_s: float = DEFAULT_TIMEOUT_S, folder: Path | None = None) -> Outcome:
    """Run `job` on a built simulator.

    Parameters
    ----------
    built: from `tb.build`.
    job, program: what to run, and what the player is to play.
    waves: FST file to write (the build must have waves).
    timeout_s: seconds of wall time after which the simulator is ended.
    folder: where job, log and results go; a new one under build/run if not given, which goes away with
    success.

    Raises
    ------
    JobError: the job's coroutine raised.
    SimulationError: no result, or (SimulationTimeout) not in time.
    BenchError: no libpython, waves from a build without, or what the job raised itself.
    """
    command = built.command(waves.resolve() if waves else None)
    keep = folder is not None
    if folder is None:
        runs = built.directory.parent.parent / "run"
        runs.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{built.name}-{built.simulator}-", dir=runs))
    folder.mkdir(parents=True, exist_ok=True)
    for old in (RESULT_FILE, ARRAYS_FILE):
        (folder / old).unlink(missing_ok=True)
    job_file = job.write(folder, built.clock_hz, program)
    log = folder / "simulator.log"
    _run(command, _environment(built, job_file), folder, log, timeout_s)
    if not (folder / RESULT_FILE).exists():
        raise SimulationError(f"{built.name} on {built.simulator}: the simulator left no result; "
                              f"end of {log}:" + _log_end(log))
    outcome = Outcome.read(folder, log)
    if outcome.failure_type == BenchError.__name__:
        raise BenchError(outcome.failure_text)
    if outcome.failure is not None:
        raise JobError(outcome)
    if not keep:
        shutil.rmtree(folder)
        outcome.log = None
    return outcome


def _run(command: list[str], environment: dict[str, str], folder: Path, log: Path, timeout_s: float) -> None:
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise SimulationTimeout(f"the simulator has not ended after {timeout_s:g} s and was stopped; "
                                    f"end of {log}:" + _log_end(log)) from None
        finally:
            _end_group(process)
