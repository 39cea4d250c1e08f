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
from tb import cache, design, tools
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
    dummy = dummy_engine.make()
    with pytest.raises(BenchError, match=r"tap lanes = \['ar'\]"):
        generate.top_text(dummy.sidecar, {name: 1 for name in dummy.kinds if name != "ar"}, dummy.clock_hz)
    ports = dummy.sidecar["ports"] | {"phy__txd": {"direction": "output", "width": 5}}
    with pytest.raises(BenchError, match="phy__txd width = 5"):
        generate.phy_kind(dummy.sidecar | {"ports": ports})
    with pytest.raises(BenchError, match="clock_hz = 7"):
        generate.top_text(dummy.sidecar, dummy.kinds, 7)


def test_lanes_of_further_channels_are_of_the_first_ones_kind(dummy_engine):
    dummy = dummy_engine.make(on_link=True)
    lanes = dummy.sidecar["lanes"] | {"ar_ch3": dummy.sidecar["lanes"]["ar"] | {"ring": 5}}
    text = generate.top_text(dummy.sidecar | {"lanes": lanes}, dummy.kinds, dummy.clock_hz)
    assert f"`rb_event(cyc, {dummy.kinds['ar']}, 5, " in text
    with pytest.raises(BenchError, match=r"tap lanes = \['aw_chx'\]"):
        generate.top_text(dummy.sidecar | {"lanes": lanes | {"aw_chx": lanes["ar"]}}, dummy.kinds,
                          dummy.clock_hz)


def test_a_top_without_interrupt_pins_has_message_lines(dummy_engine):
    on_link, with_pins = dummy_engine.make(on_link=True), dummy_engine.make()
    text = generate.top_text(on_link.sidecar, on_link.kinds, on_link.clock_hz, on_link.phy)
    assert "wire [16:0] irq" in text and ".MESSAGES(1)" in text and "rb_gmii" in text
    assert "#(.ADDRESS(1), .GIGABIT(1)) phy" in text
    text = generate.top_text(with_pins.sidecar, with_pins.kinds, with_pins.clock_hz)
    assert "wire [1:0] irq" in text and "MESSAGES" not in text and "rb_mii" in text


def test_builds_of_other_parameters_have_names_of_their_own(monkeypatch):
    assert engine_recipe("at91ether").name == engine_recipe("at91ether", {}).name == "at91ether"
    assert engine_recipe("at91ether", {"ways": 4, "deep": 1}).name == "at91ether-deep1-ways4"
    part = {"clock_hz": 1, "parameters": {"ways": {"default": 4}}}
    monkeypatch.setattr(design, "_part", lambda mac: part)
    assert engine_recipe("at91ether", {"ways": 4}).name == "at91ether"
    with pytest.raises(BenchError, match=r"parameters = {'ways': 4}: .*ways"):
        engine_recipe("at91ether", {"ways": 4}).make()


@pytest.mark.parametrize(("key", "value"), [("phy_address", 32), ("phy_address", True), ("phy_gigabit", 1)])
def test_a_phy_that_no_part_has_is_refused(monkeypatch, key, value):
    monkeypatch.setattr(design, "_part", lambda mac: {key: value})
    with pytest.raises(BenchError, match=f"{key} = {value}"):
        design.phy_parameters("at91ether")


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
