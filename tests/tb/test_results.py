"""Results on disk."""

import json

import pytest

from model.errors import BenchError
from model.scenario import Expect
from tb import results
from tb.runspec import RunResult


def result(**changes) -> RunResult:
    return RunResult(**{"mac": "m", "scenario": "s", "variant": "v", "simulator": "verilator", "cycles": 10,
                        "clock_hz": 50, "frames": 1, "bytes": 64} | changes)


def test_there_and_back(tmp_path):
    data = results.as_json(result(found=["rx_bna"], cycle_account={"wire": 10}, cpu_account={"stack": 1.5},
                                  thread={"reported": 50, "unit": "%"}), Expect(frozenset({"rx_bna"})))
    path = results.write_result(tmp_path, data)
    assert path == tmp_path / "results" / "m" / "s.v.verilator.json"
    assert results.read_results(tmp_path) == [data]
    assert data["verdict"] == "pass" and data["expect"] == ["rx_bna"]
    assert results.judge(data).passed
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no scratch file is left"


def test_every_key_of_the_design_is_there():
    keys = {"mac", "scenario", "variant", "simulator", "expect", "verdict", "cycles", "clock_hz",
            "frames", "bytes", "goodput_mbps", "pps", "cycles_per_frame", "golden_cycles_per_frame",
            "events_compared", "events_off", "worst_offset_cycles", "first_divergence",
            "wire_utilisation", "bus_utilisation", "cycle_account", "cpu_account", "irqs", "mmio_reads",
            "mmio_writes", "drops", "frames_checked", "frames_bad", "thread", "wall_s",
            "sim_cycles_per_s"}
    assert results.as_json(result(), Expect()).keys() >= keys


@pytest.mark.parametrize(("changes", "words"), [
    ({"cycles": "10"}, "cycles = '10': wrong type"),
    ({"cycles": True}, "cycles = True: wrong type"),
    ({"cycle_account": {"wire": 9}}, "cycle_account: sums to 9, not to cycles = 10"),
    ({"cycle_account": {"wire": 1.5}}, "cycle_account = .*wrong type"),
    ({"events_compared": 1, "events_off": 2}, "events_off = 2: more than events_compared = 1"),
    ({"frames_checked": 1, "frames_bad": 2}, "frames_bad = 2: more than frames_checked = 1"),
])
def test_results_that_contradict_themselves(changes, words):
    with pytest.raises(ValueError, match=words):
        results.as_json(result(**changes), Expect())


def test_a_name_that_is_no_finding():
    with pytest.raises(ValueError, match="no such finding: nonsense"):
        results.as_json(result(found=["nonsense"]), Expect())


@pytest.mark.parametrize(("text", "words"), [
    ("{", "cannot be read as JSON"),
    ("[]", "expected an object"),
    ("{}", "missing"),
])
def test_files_that_are_no_results(tmp_path, text, words):
    path = tmp_path / "results" / "m" / "s.v.verilator.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(BenchError, match=words) as caught:
        results.read_results(tmp_path)
    assert str(path) in str(caught.value)


def test_writing_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.json"
    results.write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="Out of range float"):
        results.write_json(path, {"a": float("nan")})
    with pytest.raises(TypeError):
        results.write_json(path, {"a": object()})
    assert json.loads(path.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_the_summary(tmp_path):
    runs = [results.as_json(result(found=found), Expect()) for found in ([], ["hang"])]
    summary = json.loads(results.write_summary(tmp_path, runs).read_text())
    assert (summary["passed"], summary["failed"], len(summary["runs"])) == (1, 1, 2)
    assert results.read_results(tmp_path) == [], "the summary is no run"
