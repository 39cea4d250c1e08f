"""The trace of TSR that D. Palmer took on the real part (reference sheet, section 8), value by value.

A witness that neither the RTL nor the golden engine wrote.
"""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from model.bus import BusTiming
from model.engines import at91ether
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from tb.build import build_engine
from tb.job import Job
from tb.simulate import simulate
from tests.tb.tsr_trace import HAND_OVERS, seven_hand_overs

SHEET = Path(__file__).resolve().parents[2] / "docs" / "reference" / "at91ether.md"
TRACE = [(int(before, 16), int(after, 16)) for before, after in
         re.findall(r"^\| [1-7] \| (0x[0-9a-f]{8}) → (0x[0-9a-f]{8}) \|", SHEET.read_text(), re.MULTILINE)]
STRAPS = at91ether.encode({"mstar": True, "depth": 4})
MEMORY_BYTES = 1 << 16


def hexadecimal(pairs):
    return [(f"{before:#010x}", f"{after:#010x}") for before, after in pairs]


def test_the_sheet_has_the_trace():
    assert len(TRACE) == HAND_OVERS
    assert hexadecimal(TRACE)[0] == ("0x41001fb8", "0x30001fb0"), "COMP of a frame before, then none idle"


def test_golden():
    kernel, memory = Kernel(), np.zeros(MEMORY_BYTES, np.uint8)
    engine = at91ether.Engine(kernel, memory, STRAPS, BusTiming(), None, EventLog())
    world = GoldenWorld(engine, 50_000_000, kernel=kernel, mem=memory)
    assert hexadecimal(world.run(seven_hand_overs(world))) == hexadecimal(TRACE)


@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_rtl(simulator, tmp_path):
    if simulator == "icarus" and shutil.which("iverilog") is None:
        pytest.skip("Icarus is not installed")
    built = build_engine("at91ether", simulator)
    pins = sum(code << built.sidecar["straps"][name]["offset"] for name, code in STRAPS.items())
    job = Job("tests.tb.tsr_trace:seven_hand_overs", memory_bytes=MEMORY_BYTES, straps=pins)
    outcome = simulate(built, job, folder=tmp_path)
    assert hexadecimal(outcome.result) == hexadecimal(TRACE)
    assert outcome.errors == {}
