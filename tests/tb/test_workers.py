"""Runs in processes of their own."""

import os
import subprocess
import sys
import time

import pytest

from model.errors import BenchError
from tb.runspec import RunSpec
from tb.workers import descendants, end_tree, run_all
from tests.model.scenario.support import loaded
from tests.tb import fake_runner
from tests.tb.support import alive, scenario_with_seed


def specs(folder, count, seed=1):
    from model.scenario import load_scenario
    scenario = load_scenario(scenario_with_seed(folder, seed)).variants["depth1"]
    return [RunSpec(scenario, "verilator", n + 1, None, build=folder) for n in range(count)]


def test_results_come_in_order_and_all_start(tmp_path):
    started = []
    wanted = specs(tmp_path, 5)
    done = list(run_all(wanted, fake_runner.run_one, started=started.append))
    assert [spec for spec, _ in done] == wanted == started
    assert [result.frames for _, result in done] == [1, 2, 3, 4, 5]


def test_no_runs():
    assert list(run_all([], fake_runner.run_one)) == []


def test_an_error_of_the_users_ends_it(tmp_path):
    with pytest.raises(BenchError, match="seed = 101"):
        list(run_all(specs(tmp_path, 3, seed=101), fake_runner.run_one))


def test_a_consumer_that_stops_leaves_nothing(tmp_path):
    wanted = [*specs(tmp_path, 1), *specs(tmp_path, 1, seed=106)]
    runs = run_all(wanted, fake_runner.run_one)
    next(runs)
    deadline = time.monotonic() + 20
    note = tmp_path / "sleeper.json"
    while not (note.is_file() and note.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    sleeper = int(note.read_text())
    assert sleeper in descendants(os.getpid())
    runs.close()
    time.sleep(0.1)
    assert not alive(sleeper)


def test_a_whole_tree_ends():
    nap = "import time; time.sleep(60)"
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {nap!r}]); {nap}"
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 20
    while not descendants(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    [child] = descendants(process.pid)
    end_tree(process.pid)
    assert process.wait(timeout=10) == -9
    time.sleep(0.1)
    assert not alive(child)
    end_tree(process.pid)


def test_scenarios_travel_unchanged(tmp_path):
    [(spec, result)] = run_all([RunSpec(loaded(tmp_path), "icarus", 3, 4, build=tmp_path)],
                               fake_runner.run_one)
    assert result.simulator == "icarus" and result.frames == 7 and spec.scenario.name == "mine"
