"""The random regression's use of the engine, on the planted engine."""

from __future__ import annotations

import shutil

import numpy as np

from tb.job import Job
from tb.simulate import simulate
from tests.hdl.engines.lan743x.random_traffic import CLOCK_HZ, MEMORY_BYTES, setup
from tests.hdl.engines.lan743x.test_against_golden import wire_of
from tests.tb.planted.bench import FOLDER
from tests.tb.planted.lan743x.bench import BENCH
from tests.tb.planted.lan743x.script import RX_CHANNELS


def rtl_events(seed: int, transition: str | None = None, cycles: int = 0) -> np.ndarray:
    """What the RTL logs, with `transition` `cycles` late if one is given. `seed`: one with as many receive
    channels as the planted engine has."""
    given, built = setup(seed), BENCH.built
    if given.rx_channels != RX_CHANNELS:
        raise ValueError(f"seed {seed} is for {given.rx_channels} channels, not for {RX_CHANNELS}")
    straps = dict(given.straps)
    if transition is not None:
        straps |= {"plant_select": built.sidecar["plants"][transition], "plant_cycles": cycles}
    pins = sum(value << built.sidecar["straps"][name]["offset"] for name, value in straps.items())
    folder = FOLDER / "runs" / BENCH.mac / f"random-{seed}-{straps.get('plant_select', 0)}"
    outcome = simulate(
        built,
        Job("tests.hdl.engines.lan743x.random_traffic:act", {"seed": seed}, memory_bytes=MEMORY_BYTES,
            straps=pins,
            bus=given.bus | {"errors": [list(error) for error in given.errors]},
            link=given.link.numbers(CLOCK_HZ) if given.link else None,
            csr_write_latency_cycles=given.csr_latency_cycles,
            csr_read_latency_cycles=given.csr_latency_cycles),
        wire_of(given), folder=folder)
    shutil.rmtree(folder)
    return outcome.events
