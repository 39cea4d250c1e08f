"""The command line: exit status and messages, called as make calls it."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tb import bench, cli, plan, sim
from tests.tb import fake_runner

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("MAC", "SCENARIO", "VARIANT", "SIM", "WAVES", "PCAP", "FRAMES")


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch, tmp_path):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for module in (plan, sim, bench):
        monkeypatch.setattr(module, "has_simulator", lambda simulator: True)
    monkeypatch.setattr(cli, "the_runner", lambda: fake_runner)
    monkeypatch.setattr(cli, "request_from", lambda values: plan.request_from(values, tmp_path))


def call(*arguments, **variables):
    return CliRunner().invoke(cli.app, list(arguments), env=variables)


def test_options_and_variables_are_the_same():
    for outcome in (call("sim", "--scenario", "tx_64", "--variant", "depth2"),
                    call("sim", SCENARIO="tx_64", VARIANT="depth2")):
        assert outcome.exit_code == 0, outcome.output
        assert "1 runs, 1 as expected, 0 not" in outcome.output


def test_empty_variables_mean_the_default():
    # make exports them empty
    outcome = call("sim", **dict.fromkeys(VARIABLES, "") | {"SCENARIO": "tx_64"})
    assert outcome.exit_code == 0, outcome.output


def test_bad_input():
    outcome = call("sim", MAC="at91ehter")
    assert outcome.exit_code == 2
    assert "error: no such MAC: 'at91ehter': did you mean 'at91ether'" in outcome.output
    assert call("sim", "--no-such-option").exit_code == 2
    assert call("smi").exit_code == 2


def test_list():
    outcome = call("list")
    assert outcome.exit_code == 0
    assert "at91ether: AT91RM9200" in outcome.output and "  tx_64: " in outcome.output
    assert "free_count (clean)" in outcome.output
    assert call("list", MAC="nonesuch").exit_code == 2


def test_bench():
    outcome = call("bench", MAC="at91ether")
    assert outcome.exit_code == 0, outcome.output
    assert "1,000,000.0 cycles/s  floor 500,000, aim 1,000,000: reaches the aim" in outcome.output
    assert "golden" in outcome.output and "ratio" in outcome.output


def test_waves():
    outcome = call("waves", SCENARIO="tx_64", DISPLAY="", WAYLAND_DISPLAY="")
    assert outcome.exit_code == 0, outcome.output
    assert call("waves").exit_code == 2


def test_report(monkeypatch, tmp_path):
    from tb import runspec
    monkeypatch.setattr(runspec, "BUILD", tmp_path)
    assert call("report").exit_code == 2
    assert call("sim", SCENARIO="tx_64").exit_code == 0
    outcome = call("report")
    assert outcome.exit_code == 0 and outcome.output.strip() == str(tmp_path / "report" / "index.html")


def test_it_ends_with_the_make_that_started_it(tmp_path):
    """Also when that is killed outright, and can hand on no signal."""
    said = tmp_path / "said"
    code = (f"import time, pathlib; from tb import cli; said = pathlib.Path({str(said)!r})\n"
            "def app():\n said.write_text('up')\n"
            " try: time.sleep(60)\n except KeyboardInterrupt: said.write_text('broken off')\n"
            "cli.app = app; cli.main()")
    make = subprocess.Popen(["/bin/sh", "-c", 'RINGBENCH_MAKE=$$ "$@" & wait', "make", sys.executable,
                             "-c", code], cwd=ROOT)

    def comes(text):
        until = time.monotonic() + 10
        while not (said.exists() and said.read_text() == text) and time.monotonic() < until:
            time.sleep(0.02)
        return said.read_text() == text
    assert comes("up")
    make.kill()
    make.wait()
    assert comes("broken off")


def test_it_starts_quickly():
    """Half of the two seconds that a second `make sim` may take before it does something, in CPU time: what
    else the machine does is not ours."""
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-m", "tb.cli", "sim"], cwd=ROOT,
                              env=environment | {"MAC": "none"},
                              capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.returncode == 2 and "no such MAC" in done.stderr
    assert min(spent) < 1.0
