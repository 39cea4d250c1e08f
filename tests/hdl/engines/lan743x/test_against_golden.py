"""RTL and golden engine under random use: the same events in the same cycles, the same memory at the end.

The two were written apart, from one page, so a difference is an error in one of them or in the page.
"""

import functools
import shutil

import numpy as np
import pytest

from model.bus import BusTiming
from model.engines import lan743x as golden_engine
from model.engines.lan743x.events import Kind
from model.events import EventLog
from model.frames import FrameSet
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.link import Link
from model.phy import Phy
from model.traffic import RxProgram
from tb.build import build_engine
from tb.job import Job, Program
from tb.native.layout import PLAY_ERROR
from tb.scoreboard import compare
from tb.simulate import simulate
from tests.hdl.engines.lan743x.random_traffic import CLOCK_HZ, MEMORY_BYTES, Setup, act, setup
from tests.hdl.engines.seeds import seeds

SEEDS = seeds("1-8")
"""Seeds and ranges of them. `RINGBENCH_RANDOM_SEEDS=1-2000` for a night."""


@functools.cache
def golden(seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Events, memory and end cycle that the golden engine predicts."""
    given = setup(seed)
    kernel, memory, log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
    frames = FrameSet.of(given.frames)
    count = len(frames)
    wire = RxProgram(
        frames=frames, gap_symbols=np.array(given.gap_symbols, np.int64), odd=np.zeros(count, bool),
        rx_er_at=np.array(given.error_at, np.int64), addressed=np.ones(count, bool),
        intact=np.ones(count, bool), start_cycles=0, symbol_bits=8)
    link = Link(given.link, CLOCK_HZ) if given.link else None
    engine = golden_engine.Engine(
        kernel, memory, given.straps, BusTiming(**given.bus, errors=frozenset(given.errors)), wire, log,
        Phy(address=1, gigabit=True), link=link, rx_channels=given.rx_channels)
    world = GoldenWorld(engine, CLOCK_HZ, kernel=kernel, mem=memory,
                        csr_write_latency_cycles=given.csr_latency_cycles,
                        csr_read_latency_cycles=given.csr_latency_cycles, link=link)
    world.run(act(world, seed))
    return log.array(kernel.cycle), memory, kernel.cycle


def wire_of(given: Setup) -> Program:
    frames = FrameSet.of(given.frames)
    flags = [PLAY_ERROR | at << 8 if at >= 0 else 0 for at in given.error_at]
    return Program(frames.data, frames.length, np.array(given.gap_symbols), np.array(flags, np.uint32))


def differences(seed: int, simulator: str) -> str:
    """What differs between golden engine and RTL, "" if nothing does."""
    given = setup(seed)
    built = build_engine("lan743x", simulator, parameters={"rx_channels": given.rx_channels})
    straps = sum(value << built.sidecar["straps"][name]["offset"] for name, value in given.straps.items())
    events, memory, end = golden(seed)
    outcome = simulate(
        built,
        Job("tests.hdl.engines.lan743x.random_traffic:act", {"seed": seed}, memory_bytes=MEMORY_BYTES,
            straps=straps, bus=given.bus | {"errors": [list(error) for error in given.errors]},
            link=given.link.numbers(CLOCK_HZ) if given.link else None,
            csr_write_latency_cycles=given.csr_latency_cycles,
            csr_read_latency_cycles=given.csr_latency_cycles,
            keep_memory=[[0, MEMORY_BYTES]]),
        wire_of(given))
    rtl = outcome.events[outcome.events["cycle"] < end]
    assert len(events) > 500
    comparison = compare(events, rtl, Kind, {})
    if comparison.off:
        return f"{comparison.off} events off; {comparison.first}"
    if bytes(outcome.memory[0]) != memory.tobytes():
        return "memory differs"
    return ""


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_same_events_in_the_same_cycles(seed):
    found = differences(seed, "icarus" if seed % 4 == 0 else "verilator")
    assert not found, f"seed {seed}, {setup(seed)}: {found}"
