"""Framer and deframer in Icarus, judged by cocotbext-eth, whose MII ends know nothing of this project."""

import shutil
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from hdl.emit import emit
from tests.hdl.mac.echo import Echo

ROOT = Path(__file__).resolve().parents[3]


def test_cocotbext_eth() -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("no iverilog on PATH: this test runs in Icarus")
    folder = ROOT / "build" / "tests" / "mac_echo"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "echo.v"
    source.write_text(emit(Echo(), "echo").verilog)
    runner = get_runner("icarus")
    runner.build(sources=[source], hdl_toplevel="echo", build_dir=folder, always=True,
                 timescale=("1ns", "1ps"))
    results = runner.test(
        hdl_toplevel="echo", test_module="tests.hdl.mac.cocotb_echo", build_dir=folder, test_dir=folder,
        extra_env={"PYTHONPATH": str(ROOT), "COCOTB_TRUST_INERTIAL_WRITES": "1"}, timescale=("1ns", "1ps"))
    assert get_results(results) == (3, 0)
