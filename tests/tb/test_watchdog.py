"""Runs that stand still: the watchdog says where, `make sim` ends with status 1, and no simulator stays."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tb import runner
from tb.plan import request_from
from tb.sim import guarded, simulate
from tb.simulate import SimulationError, SimulationTimeout
from tests.tb import broken_runner
from tests.tb.runs import run, scenario
from tests.tb.support import console

ROOT = Path(__file__).resolve().parents[2]
NO_ICARUS = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
STANDING = """
mac = "at91ether"
title = "Nothing comes back"
why = "For the watchdog."
platform = "free"
variants = ["depth1"]
expect = "clean"
deadline = "20000 cycles"
seed = {seed}
bus = {{ read_latency = "{latency} cycles" }}

[traffic.tx]
frames = 3
size = "64 B"
"""
PATIENT = """
mac = "at91ether"
title = "One frame, much later than anybody waits"
why = "To be broken off."
platform = "free"
variants = ["depth2"]
expect = "clean"
deadline = "1000 s"

[traffic.rx]
frames = 1
size = "64 B"
start = "100 s"
"""


def simulators_of(folder: Path) -> list[str]:
    """Command lines of the processes that work in `folder`: a simulator works in the folder of its run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(entry / "cwd")).is_relative_to(folder):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def make_sim(folder: Path, seed: int, which, simulator: str = "icarus", latency: int = 0) -> tuple[int, str]:
    """Status and output of `make sim` on a scenario that comes to no end."""
    path = folder / "standing.toml"
    path.write_text(STANDING.format(seed=seed, latency=latency))
    out = console()
    request = request_from({"SCENARIO": str(path), "SIM": simulator}, folder / "build")
    return guarded(lambda: simulate(request, lambda: which, out), out), out.file.getvalue()


def line(text: str, start: str) -> str:
    """What follows `start` on its line."""
    return re.search(rf"^ *{start}(.*)$", text, re.MULTILINE)[1]


@pytest.mark.parametrize("simulator", ["verilator", pytest.param("icarus", marks=NO_ICARUS)])
def test_a_memory_that_does_not_answer(tmp_path, simulator):
    status, text = make_sim(tmp_path, 1, runner, simulator, latency=1_000_000)
    assert status == 1 and "FAIL found hang" in text
    assert "not done 20000 cycles after bring-up" in line(text, "hang: cycle ")
    states = line(text, "states: ")
    assert re.search(r"reader DATA since cycle \d+ \(TX_FETCH 0\)", states)
    assert re.search(r"pair frame held since cycle \d+ \(TX_QUEUE 0\)", states)
    assert line(text, "pending interrupts: ") == "none, the line is low"
    assert "TX_FETCH 0 0x4001" in line(text, "last events: "), "its address and its four beats"
    registers = line(text, "registers then: ")
    assert "TAR 0x" in registers and re.search(r"CTL 0x\w+ \(.*TE=1", registers), "before the driver's stop"
    assert simulators_of(tmp_path) == []


@NO_ICARUS
def test_an_interrupt_line_that_is_not_connected(tmp_path):
    status, text = make_sim(tmp_path, 203, broken_runner)
    assert status == 1 and re.search("FAIL found .*golden_differs.*hang", text)
    assert re.search(r"golden has CSR_READ index 36 .* RTL .*States before it: .*irq: high since",
                     line(text, "first divergence: ")), "the first read of ISR never comes"
    assert re.search(r"the line is high since cycle \d+, ISR 0x\w+ \(.*TCOM.*\)",
                     line(text, "pending interrupts: "))
    assert re.search(r"framer GAP since cycle \d+ \(TX_DONE 0\)", line(text, "states: "))
    assert re.search(r"ISR 0x\w+ \(.*TCOM=1", line(text, "registers then: "))
    assert simulators_of(tmp_path) == []


@NO_ICARUS
def test_a_bus_on_which_nothing_is_asked(tmp_path):
    status, text = make_sim(tmp_path, 201, broken_runner)
    assert status == 1 and re.search("FAIL found .*golden_differs.*hang", text)
    assert "golden has TX_FILL index 0" in line(text, "first divergence: ")
    assert re.search(r"reader DATA since cycle \d+ \(TX_FETCH 0\)", line(text, "states: "))
    assert simulators_of(tmp_path) == []


@NO_ICARUS
def test_registers_that_do_not_answer(tmp_path):
    status, text = make_sim(tmp_path, 202, broken_runner)
    assert status == 1 and "FAIL found hang" in text
    assert re.search(r"EngineError: cycle \d+: the read of offset 0x\w+ taken in cycle \d+ was not answered",
                     text)
    assert line(text, "states: ") == "as after reset"
    assert "CSR_READ" in line(text, "last events: ")
    assert simulators_of(tmp_path) == []


@pytest.mark.parametrize(("error", "found"), [(SimulationTimeout("not ended after 1 s"), "hang"),
                                             (SimulationError("left no result"), "crashed")])
def test_a_simulator_that_ends_without_a_word(tmp_path, monkeypatch, error, found):
    def ends(*_, **__):
        raise error
    monkeypatch.setattr(runner, "simulate", ends)
    result, _ = run(tmp_path, scenario("wire_tx_64", "depth2"), tx=2)
    assert result.found == [found] and result.detail == [str(error)]


def test_ctrl_c_while_a_simulator_runs(tmp_path):
    path = tmp_path / "patient.toml"
    path.write_text(PATIENT)
    code = ("import pathlib, sys\n"
            "from tb import cli, plan\n"
            f"build = pathlib.Path({str(tmp_path / 'build')!r})\n"
            "cli.request_from = lambda values: plan.request_from(values, build)\n"
            f"sys.argv[1:] = ['sim', '--scenario', {str(path)!r}]\n"
            "cli.main()\n")
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
    end = time.monotonic() + 120   # it may have to be built first
    while not simulators_of(tmp_path) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert len(simulators_of(tmp_path)) == 1, process.poll()
    time.sleep(0.5)
    process.send_signal(2)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "broken off" in errors.decode()
    assert simulators_of(tmp_path) == []
