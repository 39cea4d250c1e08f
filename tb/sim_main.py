"""The one cocotb test: runs a job inside the simulator's process and writes what came of it.

cocotb loads this module by name; the job is in the file that RINGBENCH_JOB names. It begins at time 0, before
the first clock edge, so what the top reads once (straps, bus timing) is in place when it looks.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import cocotb
import numpy as np

from tb import lean
from tb.job import ARRAYS_FILE, JOB_VARIABLE, PROGRAM_FILE, RESULT_FILE, function_of
from tb.native import Native
from tb.world import CocotbWorld

lean.restore()

PR_SET_PDEATHSIG = 1
"""Linux prctl: the signal that this process gets when its parent dies."""


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _prepare(job: dict[str, Any], folder: Path) -> Native:
    native = Native(job["memory_bytes"])
    native.control.link = job["phy_link"] | job["half_duplex"] << 1
    native.set_straps(job["straps"])
    native.set_bus(**job["bus"])
    native.set_link(job["link"])
    if job["has_program"]:
        with np.load(folder / PROGRAM_FILE) as program:
            native.set_program(**program)
    if job["prepare"]:
        function_of(job["prepare"])(native, **job["arguments"])
    return native


def _write_arrays(folder: Path, native: Native, job: dict[str, Any]) -> None:
    counts = native.bus_counts()
    memory = {f"memory_{first}": native.mem[first:end] for first, end in job["keep_memory"]}
    np.savez(folder / ARRAYS_FILE, events=native.events(), frames=native.frames(),
             frame_bytes=native.frame_bytes(), bursts=native.bursts(), bus_bursts=counts["bursts"],
             bus_beats=counts["beats"], **memory)


async def _perform(top: Any, job: dict[str, Any], folder: Path, about: dict[str, Any]) -> None:
    sys.path[:0] = job["paths"]
    native = _prepare(job, folder)
    world = CocotbWorld(top, native, job["clock_hz"], max_cycles=job["max_cycles"],
                        csr_write_latency_cycles=job["csr_write_latency_cycles"],
                        csr_read_latency_cycles=job["csr_read_latency_cycles"],
                        behind_link=job["link"] is not None)
    main = function_of(job["entry"])(world, **job["arguments"])
    about["start_s"] = time.time() - job["started"]
    began = time.perf_counter()
    try:
        about["result"] = await world.run(main)
    finally:
        about |= {"end_cycle": world.now(), "wall_s": time.perf_counter() - began,
                  "wakes": native.control.wakes, "errors": native.errors(),
                  "link_busy_units": native.link_busy_units()}
        _write_arrays(folder, native, job)


@cocotb.test()
async def run_job(top: Any) -> None:
    """Run the job; a failure of its coroutine is part of the outcome, not of the cocotb test."""
    _die_with_parent()
    path = Path(os.environ[JOB_VARIABLE])
    about: dict[str, Any] = {}
    try:
        await _perform(top, json.loads(path.read_text()), path.parent, about)
        text = json.dumps(about)
    except Exception as error:
        about |= {"failure": traceback.format_exc(), "failure_type": type(error).__name__,
                  "failure_text": str(error)}
        text = json.dumps(about | {"result": None})   # the result itself may be what JSON cannot hold
    path.with_name(RESULT_FILE).write_text(text)
