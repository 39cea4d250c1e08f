"""What the tests of whole runs share: a scenario with changes, run once in a folder of the test's own."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from model.scenario import Scenario, select
from tb.job import ARRAYS_FILE
from tb.runner import run_one
from tb.runspec import RunResult, RunSpec

SIMULATORS = ("verilator", "icarus")


def scenario(name: str, variant: str, mac: str = "at91ether", **changes) -> Scenario:
    """A variant of a scenario of `mac`, with members replaced."""
    chosen, = select((mac,), (name,), (variant,))
    return replace(chosen, **changes)


def run(folder: Path, chosen: Scenario, simulator: str = "verilator", tx: int | None = None,
        rx: int | None = None, waves: bool = False) -> tuple[RunResult, Path]:
    """The result of so many frames, and the folder with what the run left."""
    spec = RunSpec(chosen, simulator, tx if chosen.tx else None, rx if chosen.rx else None, waves, folder)
    return run_one(spec), spec.folder


def sent_frames(folder: Path) -> np.ndarray:
    """The wire checker's records of a run."""
    with np.load(folder / ARRAYS_FILE) as arrays:
        return arrays["frames"]
