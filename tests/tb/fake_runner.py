"""Stands in for tb.runner: results by the scenario's name, without any simulator. Importable by worker
processes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from model.errors import BenchError
from tb.runspec import RunResult, RunSpec

prepared: list[tuple[str, str, bool, dict[str, int]]] = []


def prepare(mac: str, simulator: str, waves: bool, parameters: dict[str, int]) -> None:
    """Only remembers that it was called."""
    prepared.append((mac, simulator, waves, parameters))


def run_one(spec: RunSpec) -> RunResult:
    """A plausible result. The scenario's seed chooses a fault: see the branches."""
    s = spec.scenario
    frames = (spec.tx_frames or 0) + (spec.rx_frames or 0)
    result = RunResult(s.mac, s.name, s.variant, spec.simulator, 1000 * frames, s.clock_hz, frames,
                       1518 * frames, s.seed,
                       found=sorted(s.expect.must), goodput_mbps=95.0, pps=8000.0,
                       side_goodput_mbps={"tx": 95.0}, side_pps={"tx": 8000.0}, cycles_per_frame=1000.0,
                       golden_cycles_per_frame=1000.0, events_compared=9 * frames, events_digest="a",
                       cycle_account={"wire": 900 * frames, "idle": 100 * frames}, sim_cycles_per_s=1e6,
                       golden_wall_s=0.1)
    if s.seed == 101:
        raise BenchError(f"{s.path}: seed = 101: the fake runner refuses it")
    if s.seed == 102:
        raise RuntimeError("a fault of the bench itself")
    if s.seed == 103:
        result.found, result.events_off, result.worst_offset_cycles = ["golden_differs"], 1, 1
        result.first_divergence = "tx_sfd 3: rtl 412, golden 411"
    if s.seed == 104:
        result.cycle_account = {"wire": 1}
    if s.seed == 105:
        result.events_digest = spec.simulator
        spec.folder.mkdir(parents=True, exist_ok=True)
        log = spec.folder / "events.npy"
        log_data = np.zeros(4, [("cycle", "<u8"), ("kind", "<u2")])
        log_data["cycle"][2] = 7 if spec.simulator == "icarus" else 6
        np.save(log, log_data)
        result.events_file = str(log)
    if s.seed == 106:
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                                   start_new_session=True)
        (spec.build / "sleeper.json").write_text(json.dumps(sleeper.pid))
        time.sleep(60)
    if s.seed == 107:
        os._exit(3)
    if spec.waves:
        spec.folder.mkdir(parents=True, exist_ok=True)
        waves = spec.folder / "dump.fst"
        waves.write_bytes(b"")
        result.waves_file, result.save_file = str(waves), str(Path(waves).with_suffix(".gtkw"))
    return result
