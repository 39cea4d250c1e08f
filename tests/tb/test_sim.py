"""`make sim` as a whole, over the fake runner."""

import errno
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from model.errors import BenchError
from model.scenario import select
from tb import plan as planning
from tb import sim
from tb.plan import Request
from tb.results import read_results
from tb.runspec import RunSpec
from tb.show import show_waves
from tests.tb import fake_runner
from tests.tb.support import alive, call_sim, console, scenario_with_seed


@pytest.fixture(autouse=True)
def _all_simulators(monkeypatch):
    monkeypatch.setattr(planning, "has_simulator", lambda simulator: True)
    monkeypatch.setattr(sim, "has_simulator", lambda simulator: True)


def test_one_line_a_run_and_its_results(tmp_path):
    status, out, err = call_sim(tmp_path, SCENARIO="tx_600,mstar", VARIANT="depth1,depth2")
    assert status == 0 and err == ""
    lines = out.splitlines()
    assert lines[0].split()[:4] == ["mac", "scenario", "variant", "simulator"]
    assert [line.split()[:4] for line in lines[1:-1]] == [
        ["at91ether", "mstar", "depth2", "verilator"], ["at91ether", "mstar", "depth1", "verilator"],
        ["at91ether", "tx_600", "depth1", "verilator"], ["at91ether", "tx_600", "depth2", "verilator"]]
    assert "PASS shows dma_unmapped, early_release, tx_overrun, tx_stopped" in lines[1]
    assert "95.00 Mb/s" in lines[3] and "PASS clean" in lines[3]
    assert lines[-1] == "4 runs, 4 as expected, 0 not"
    assert len(read_results(tmp_path)) == 4
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    assert summary["passed"] == 4 and [run["scenario"] for run in summary["runs"]] == ["mstar", "mstar",
                                                                                       "tx_600", "tx_600"]


def test_the_model_is_built_once_for_each_simulator(tmp_path):
    fake_runner.prepared.clear()
    assert call_sim(tmp_path, MAC="at91ether", SCENARIO="tx_600", SIM="both")[0] == 0
    assert fake_runner.prepared == [("at91ether", "verilator", False, {}), ("at91ether", "icarus", False, {})]


def test_each_build_that_the_runs_need_is_named_once():
    def spec(simulator, **parameters):
        chosen, = select(("at91ether",), ("tx_64",), ("depth2",))
        return RunSpec(replace(chosen, parameters=parameters), simulator)
    needed = sim.builds([spec("verilator"), spec("verilator", ways=4), spec("icarus"),
                         spec("verilator", ways=4)])
    assert needed == [("at91ether", "verilator", {}), ("at91ether", "verilator", {"ways": 4}),
                      ("at91ether", "icarus", {})]


def test_a_verdict_that_differs(tmp_path):
    path = scenario_with_seed(tmp_path, 103)
    status, out, _ = call_sim(tmp_path, SCENARIO=str(path))
    assert status == 1
    assert "FAIL found golden_differs" in out and "    first divergence: tx_sfd 3: rtl 412, golden 411" in out
    assert out.splitlines()[-1] == "1 runs, 0 as expected, 1 not"


def test_a_run_that_falls_over_does_not_stop_the_others(tmp_path):
    paths = [scenario_with_seed(tmp_path, seed, f"s{seed}") for seed in (102, 107, 104, 1)]
    status, out, _ = call_sim(tmp_path, SCENARIO=",".join(map(str, paths)))
    assert status == 1
    assert out.count("FAIL found crashed") == 3 and out.count("PASS clean") == 1
    assert "RuntimeError: a fault of the bench itself" in out
    assert "ended without a result, exit status 3" in out
    assert "cycle_account: sums to 1, not to cycles = 9000" in out


def test_simulators_that_differ(tmp_path):
    status, out, _ = call_sim(tmp_path, SCENARIO=str(scenario_with_seed(tmp_path, 105)), SIM="both")
    assert status == 1
    assert "FAIL found simulators_differ" in out
    assert "event 2 differs: verilator (6, 0), icarus (7, 0)" in out


@pytest.mark.parametrize(("variables", "words"), [
    ({"MAC": "at91"}, "error: no such MAC: 'at91'"),
    ({"MAC": "at91ether", "SCENARIO": "tx_63"},
     "error: no such scenario of at91ether: 'tx_63': did you mean 'tx_64'"),
    ({"SCENARIO": "tx_64", "VARIANT": "dept"}, "error: no such variant of tx_64: 'dept'"),
    ({"SIM": "vcs"}, "error: SIM = 'vcs'"),
    ({"FRAMES": "-1"}, "error: FRAMES = '-1'"),
    ({"PCAP": "/nowhere.pcap"}, "error: PCAP = '/nowhere.pcap': no such file"),
    ({"SCENARIO": "/nowhere.toml"}, "error: /nowhere.toml: cannot be read"),
])
def test_bad_input_is_status_2_and_leaves_nothing(tmp_path, variables, words):
    status, out, err = call_sim(tmp_path, **variables)
    assert status == 2 and out == "" and words in err
    assert list(tmp_path.iterdir()) == []


def test_bad_input_that_only_the_run_finds(tmp_path):
    status, out, err = call_sim(tmp_path, SCENARIO=str(scenario_with_seed(tmp_path, 101)))
    assert status == 2 and "seed = 101: the fake runner refuses it" in err
    assert "PASS" not in out and read_results(tmp_path) == []


def test_without_icarus_it_says_so_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sim, "has_simulator", lambda simulator: simulator == "verilator")
    status, out, _ = call_sim(tmp_path, SCENARIO="tx_64")
    assert status == 0 and out.startswith("Icarus Verilog is not installed (Debian: iverilog)")


def test_waves(tmp_path):
    out = console()
    request = Request(macs=("at91ether",), scenarios=("tx_600",), build=tmp_path)
    assert show_waves(request, lambda: fake_runner, out, display=False) == 0
    text = out.file.getvalue()
    assert "4 runs fit; taking the first, at91ether/tx_600.depth1.verilator" in text
    assert "dump.fst" in text and "dump.gtkw" in text
    with pytest.raises(BenchError, match="SCENARIO: waves are of one run"):
        show_waves(Request(build=tmp_path), lambda: fake_runner, out, display=False)


def test_waves_with_a_display(tmp_path, monkeypatch):
    viewer = tmp_path / "gtkwave"
    viewer.write_text("#!/bin/sh\necho cannot open display >&2\n")
    viewer.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    opened, popen = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: opened.append(popen(*a, **k)))
    out = console()
    request = Request(macs=("at91ether",), scenarios=("tx_600",), build=tmp_path / "build")
    assert show_waves(request, lambda: fake_runner, out, display=True) == 0
    assert "gtkwave " in out.file.getvalue() and "dump.fst" in out.file.getvalue()
    log = tmp_path / "build" / "gtkwave.log"
    assert str(log) in out.file.getvalue()
    assert opened[-1].wait(5) == 0
    assert "cannot open display" in log.read_text()


@pytest.mark.parametrize("number", [2, 15], ids=["SIGINT", "SIGTERM"])
def test_breaking_off_leaves_no_process(tmp_path, number):
    path = scenario_with_seed(tmp_path, 106)
    code = ("import sys, pathlib\n"
            "from tb import cli, runspec, sim, plan\n"
            "from tests.tb import fake_runner\n"
            f"build = pathlib.Path({str(tmp_path)!r})\n"
            "cli.the_runner = lambda: fake_runner\n"
            "cli.request_from = lambda values: plan.request_from(values, build)\n"
            f"sys.argv[1:] = ['sim', '--scenario', {str(path)!r}]\n"
            "cli.main()\n")
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": str(root)})
    note = tmp_path / "sleeper.json"
    end = time.monotonic() + 20
    while not (note.is_file() and note.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    sleeper = json.loads(note.read_text())
    assert alive(sleeper)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err.decode()
    assert "broken off" in err.decode()
    assert not alive(sleeper)


@pytest.mark.parametrize("reason", ["EROFS", "ENOSPC", "EACCES"])
def test_a_place_that_cannot_be_written_is_one_line(reason):
    said = console()

    def write():
        raise OSError(getattr(errno, reason), os.strerror(getattr(errno, reason)), "build/results/x.json")

    assert sim.guarded(write, said) == 2
    text = said.file.getvalue()
    assert text.startswith("error: build/results/x.json: ") and text.count("\n") == 1
