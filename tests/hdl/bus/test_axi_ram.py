"""Reader, writer and port against cocotbext-axi's memory under Icarus: a witness that shares no line with
this project."""

import pathlib
import shutil

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from hdl.emit import emit
from tests.hdl.bus.copier import Copier

ROOT = pathlib.Path(__file__).parents[3]
BUILD = ROOT / "build" / "tests" / "axi_ram"


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("data_width", [32, 128])
def test_against_foreign_memory(data_width, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    # cocotbext-axi writes on rising edges, which Icarus must not let the design see before it has taken that
    # edge
    monkeypatch.delenv("COCOTB_TRUST_INERTIAL_WRITES", raising=False)
    folder = BUILD / str(data_width)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "copier.v"
    source.write_text(emit(Copier(data_width), "copier").verilog)
    runner = get_runner("icarus")
    runner.build(
        sources=[source],
        hdl_toplevel="copier",
        build_dir=folder,
        timescale=("1ns", "1ps"),
        always=True,
        log_file=folder / "build.log",
    )
    results = runner.test(hdl_toplevel="copier", test_module="tests.hdl.bus.axi_ram_cocotb", build_dir=folder,
                          test_dir=folder, timescale=("1ns", "1ps"), log_file=folder / "test.log")
    tests, failed = get_results(results)
    assert (tests, failed) == (2, 0), (folder / "test.log").read_text()[-3000:]
