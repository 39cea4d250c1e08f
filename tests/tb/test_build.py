"""Building and running simulators: found again, made once, and gone when they should be."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from model.errors import BenchError
from tb import cache, tools
from tb.build import ROOT, build
from tb.design import engine_recipe
from tb.job import Job
from tb.simulate import SimulationError, simulate
from tb.top import generate

HERE = os.path.dirname(os.path.abspath(__file__))


def test_a_known_fingerprint_needs_no_design(built, dummy_engine):
    def refuse():
        raise AssertionError("the design was made again")
    again = build(replace(dummy_engine.recipe(), make=refuse), built.simulator)
    assert again == built


def test_the_same_verilog_from_other_sources_is_not_built_again(built, dummy_engine, tmp_path):
    stranger = tmp_path / "comment.py"
    stranger.write_text("# changes the fingerprint, not the design")
    recipe = dummy_engine.recipe()
    again = build(replace(recipe, files=[*recipe.files, stranger]), built.simulator)
    assert again.directory == built.directory


def test_a_path_that_the_tools_cannot_take(dummy_engine, tmp_path):
    with pytest.raises(BenchError, match="a b: has a blank in its path"):
        build(dummy_engine.recipe(), "icarus", root=tmp_path / "a b")
    assert not list(tmp_path.iterdir())


def test_a_build_step_broken_off_leaves_no_process(tmp_path):
    code = (f"import signal; signal.signal(15, signal.default_int_handler)\nfrom pathlib import Path\n"
            f"from tb import tools\nhere = Path({str(tmp_path)!r})\n"
            "tools.run(['sh', '-c', 'sleep 61 & echo $! > pid; wait'], here, here / 'build.log')")
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    until = time.monotonic() + 20
    while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.02)
    process.terminate()
    process.wait(10)
    state = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not state.exists() or ") Z " in state.read_text()


def test_a_folder_is_made_once_and_appears_complete(tmp_path):
    made, seen = [], []

    def make(folder):
        made.append(folder)
        (folder / "one").write_text("1")
        seen.append((tmp_path / "thing").exists())
        time.sleep(0.2)
        (folder / "two").write_text("2")

    threads = [threading.Thread(target=cache.made, args=(tmp_path / "thing", make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and seen == [False]
    assert sorted(path.name for path in (tmp_path / "thing").iterdir()) == ["one", "two"]


def test_a_failed_step_leaves_its_log_and_names_the_line(tmp_path):
    def make(folder):
        failing = [sys.executable, "-c", "raise SystemExit('error: no such thing')"]
        tools.run(failing, folder, folder / "build.log")

    with pytest.raises(BenchError, match=r"(?s)failed with status 1 while building.*error: no such thing"):
        cache.made(tmp_path / "thing", make)
    assert not (tmp_path / "thing").exists()
    assert "no such thing" in (tmp_path / "thing.failed" / "build.log").read_text()


def test_missing_programs_are_named_with_their_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BenchError, match="iverilog is missing: install the package iverilog"):
        tools.program("iverilog")
    with pytest.raises(BenchError, match=r"g\+\+ is missing: install the package build-essential"):
        tools.program("g++")


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(BenchError, match="SIM = 'modelsim': one of verilator, icarus"):
        build(engine_recipe("at91ether"), "modelsim")
    with pytest.raises(BenchError, match="MAC = 'e1000': one of at91ether"):
        engine_recipe("e1000")


def test_a_lane_without_a_number_and_an_unknown_phy_are_refused(dummy_engine):
    design = dummy_engine.make()
    with pytest.raises(BenchError, match=r"tap lanes = \['ar'\]"):
        generate.top_text(design.sidecar, {name: 1 for name in design.kinds if name != "ar"}, design.clock_hz)
    ports = design.sidecar["ports"] | {"phy__txd": {"direction": "output", "width": 5}}
    with pytest.raises(BenchError, match="phy__txd width = 5"):
        generate.phy_kind(design.sidecar | {"ports": ports})
    with pytest.raises(BenchError, match="clock_hz = 7"):
        generate.top_text(design.sidecar, design.kinds, 7)


def test_waves_need_a_build_with_waves(built, tmp_path):
    with pytest.raises(BenchError, match="was built without waves"):
        simulate(built, Job("jobs:idle"), waves=tmp_path / "waves.fst")


def test_waves_are_written(dummy_engine, tmp_path):
    built = build(dummy_engine.recipe(), "icarus", waves=True)
    waves = tmp_path / "run.fst"
    simulate(built, Job("jobs:idle", {"cycles": 100}, paths=[HERE]), waves=waves, folder=tmp_path)
    assert waves.stat().st_size > 1000


PARENT = """
import sys
from pathlib import Path
root, simulator, directory, library, here, folder = sys.argv[1:]
sys.path.insert(0, root)
from tb.build import Built
from tb.job import Job
from tb.simulate import simulate
built = Built("dummy", simulator, False, Path(directory), {}, 50_000_000, library)
simulate(built, Job("jobs:stuck", {"marker": folder + "/pid"}, paths=[here]), folder=Path(folder))
"""


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_a_simulator_that_does_not_end_is_stopped(built, tmp_path):
    marker = tmp_path / "pid"
    with pytest.raises(SimulationError, match="has not ended after 3 s"):
        simulate(built, Job("jobs:stuck", {"marker": str(marker)}, paths=[HERE]), timeout_s=3,
                 folder=tmp_path)
    assert not _alive(int(marker.read_text()))


def test_no_simulator_outlives_its_parent(built, tmp_path):
    marker = tmp_path / "pid"
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(script), str(ROOT), built.simulator, str(built.directory),
                               built.library, HERE, str(tmp_path)])
    deadline = time.monotonic() + 20
    while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    simulator = int(marker.read_text())
    parent.kill()
    parent.wait()
    while _alive(simulator) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(simulator)


def test_a_job_that_names_no_function_is_refused(built, tmp_path):
    with pytest.raises(BenchError, match="entry = 'jobs:nothing': module:function of an importable module"):
        simulate(built, Job("jobs:nothing", paths=[HERE]), folder=tmp_path)
