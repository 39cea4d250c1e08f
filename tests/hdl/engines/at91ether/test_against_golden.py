"""RTL and golden engine under random use: the same events in the same cycles, the same memory at the end.

The two were written apart, from one page, so a difference is an error in one of them or in the
page.
"""

import functools
import shutil

import numpy as np
import pytest

from model.bus import BusTiming
from model.engines import at91ether as golden_engine
from model.engines.at91ether.events import Kind
from model.events import EventLog
from model.frames import FrameSet
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.phy import Phy
from model.traffic import RxProgram
from tb.build import build_engine
from tb.job import Job, Program
from tb.native.layout import PLAY_ERROR, PLAY_ODD
from tb.scoreboard import compare
from tb.simulate import simulate
from tests.hdl.engines.at91ether.random_traffic import MEMORY_BYTES, Setup, act, setup
from tests.hdl.engines.seeds import seeds

SEEDS = seeds("1-6,25,75,163,165,185,295")
"""Seeds and ranges of them; the single ones once found something. `RINGBENCH_RANDOM_SEEDS=1-2000` for a
night."""


@functools.cache
def golden(seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Events, memory and end cycle that the golden engine predicts."""
    given = setup(seed)
    kernel, memory, log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
    frames = FrameSet.of(given.frames)
    everyone = np.ones(len(frames), bool)
    wire = RxProgram(
        frames=frames, gap_symbols=np.array(given.gap_symbols, np.int64), odd=np.array(given.odd),
        rx_er_at=np.array(given.error_at, np.int64), addressed=everyone, intact=everyone, start_cycles=0)
    engine = golden_engine.Engine(
        kernel, memory, given.straps, BusTiming(**given.bus, errors=frozenset(given.errors)), wire, log,
        Phy(half_duplex=given.half_duplex))
    world = GoldenWorld(engine, 50_000_000, kernel=kernel, mem=memory,
                        csr_write_latency_cycles=given.csr_latency_cycles,
                        csr_read_latency_cycles=given.csr_latency_cycles)
    world.run(act(world, seed))
    return log.array(kernel.cycle), memory, kernel.cycle


def wire_of(given: Setup) -> Program:
    frames = FrameSet.of(given.frames)
    flags = [PLAY_ODD * odd | (PLAY_ERROR | at << 8 if at >= 0 else 0)
             for odd, at in zip(given.odd, given.error_at, strict=True)]
    return Program(frames.data, frames.length, np.array(given.gap_symbols), np.array(flags, np.uint32))


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_same_events_in_the_same_cycles(seed):
    given = setup(seed)
    built = build_engine("at91ether", "icarus")
    straps = sum(value << built.sidecar["straps"][name]["offset"] for name, value in given.straps.items())
    events, memory, end = golden(seed)
    outcome = simulate(
        built,
        Job(
            "tests.hdl.engines.at91ether.random_traffic:act",
            {"seed": seed},
            memory_bytes=MEMORY_BYTES,
            straps=straps,
            half_duplex=given.half_duplex,
            bus=given.bus | {"errors": [list(error) for error in given.errors]},
            csr_write_latency_cycles=given.csr_latency_cycles,
            csr_read_latency_cycles=given.csr_latency_cycles,
            keep_memory=[[0, MEMORY_BYTES]],
        ),
        wire_of(given),
    )
    rtl = outcome.events[outcome.events["cycle"] < end]
    assert len(events) > 500
    comparison = compare(events, rtl, Kind, {})
    assert comparison.off == 0, f"seed {seed}, {given.straps}, {given.bus}: {comparison.first}"
    assert bytes(outcome.memory[0]) == memory.tobytes(), f"seed {seed}: memory differs"
