"""Framers and deframers in Icarus, judged by cocotbext-eth, whose MII and GMII ends know nothing of this
project."""

import shutil
from pathlib import Path

import pytest
from amaranth.lib import wiring
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from hdl.emit import emit
from tests.hdl.mac.echo import Echo
from tests.hdl.mac.gmii_echo import GmiiEcho

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("station", "name", "module", "tests"), [
    (Echo, "echo", "cocotb_echo", 3),
    (GmiiEcho, "gmii_echo", "cocotb_gmii_echo", 6),
])
def test_cocotbext_eth(station: type[wiring.Component], name: str, module: str, tests: int) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("no iverilog on PATH: this test runs in Icarus")
    folder = ROOT / "build" / "tests" / f"mac_{name}"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.v"
    source.write_text(emit(station(), name).verilog)
    runner = get_runner("icarus")
    runner.build(sources=[source], hdl_toplevel=name, build_dir=folder, always=True,
                 timescale=("1ns", "1ps"))
    results = runner.test(
        hdl_toplevel=name, test_module=f"tests.hdl.mac.{module}", build_dir=folder, test_dir=folder,
        extra_env={"PYTHONPATH": str(ROOT), "COCOTB_TRUST_INERTIAL_WRITES": "1"}, timescale=("1ns", "1ps"))
    assert get_results(results) == (tests, 0)
