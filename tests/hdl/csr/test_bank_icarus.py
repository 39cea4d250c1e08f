"""The emitted bank in Icarus, driven by cocotbext-axi as a witness from outside. The tests themselves:
`cocotb_bank.py`.
"""

import json
import pathlib
import shutil

import pytest

from hdl.csr import RegisterBank
from hdl.emit import emit
from hdl.registers import load

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus Verilog (iverilog) is not installed")
def test_bank_under_a_foreign_manager():
    runner_module = pytest.importorskip("cocotb_tools.runner", reason="cocotb is not installed")
    pytest.importorskip("cocotbext.axi", reason="cocotbext-axi is not installed")
    folder = ROOT / "build" / "tests" / "bank_icarus"
    folder.mkdir(parents=True, exist_ok=True)
    emitted = emit(RegisterBank(load("at91ether")), "bank")
    (folder / "bank.v").write_text(emitted.verilog)
    (folder / "bank.json").write_text(json.dumps(emitted.sidecar, indent=1))

    runner = runner_module.get_runner("icarus")
    runner.build(sources=[folder / "bank.v"], hdl_toplevel="bank", build_dir=folder, always=True,
                 timescale=("1ns", "1ps"), build_args=["-g2012"], log_file=folder / "build.log")
    results = runner.test(
        hdl_toplevel="bank", test_module="tests.hdl.csr.cocotb_bank", build_dir=folder, test_dir=folder,
        timescale=("1ns", "1ps"), log_file=folder / "test.log", results_xml=str(folder / "results.xml"),
        extra_env={"BANK_SIDECAR": str(folder / "bank.json"), "COCOTB_TRUST_INERTIAL_WRITES": "1"})
    tests, failed = runner_module.get_results(results)
    assert tests == 6 and failed == 0, f"{failed} of {tests} failed: see {folder / 'test.log'}"
