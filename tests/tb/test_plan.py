"""What is asked for, and the runs that follow from it."""

import shutil

import pytest

from model import capture
from model.errors import BenchError
from tb import plan as planning
from tb.plan import Request, chosen, plan, request_from
from tb.runspec import specs_for, with_capture
from tests.model.scenario.support import SMALL, changed, loaded, write
from tests.model.test_capture import FRAME, PCAP, pcap


@pytest.fixture(autouse=True)
def _all_simulators(monkeypatch):
    monkeypatch.setattr(planning, "has_simulator", lambda simulator: True)


def test_nothing_asked_for_means_everything_in_verilator():
    for values in ({}, dict.fromkeys(("MAC", "SCENARIO", "VARIANT", "SIM", "FRAMES", "PCAP", "WAVES"), "")):
        request = request_from(values)
        assert request == Request()
        assert request.simulators == ("verilator",)


def test_words_and_numbers(tmp_path):
    request = request_from({"MAC": "a, b", "SCENARIO": "x", "VARIANT": "v,", "SIM": "both", "FRAMES": "12",
                            "WAVES": "1",
                            "PCAP": "p.pcap"}, tmp_path)
    assert request.macs == ("a", "b") and request.scenarios == ("x",) and request.variants == ("v",)
    assert request.simulators == ("verilator", "icarus") and request.frames == 12 and request.waves
    assert request.pcap.name == "p.pcap" and request.build == tmp_path


@pytest.mark.parametrize(("values", "words"), [
    ({"SIM": "verliator"}, "SIM = 'verliator': did you mean 'verilator'"),
    ({"FRAMES": "ten"}, "FRAMES = 'ten': expected a whole number"),
    ({"FRAMES": "0"}, "FRAMES = '0': out of range, 1 to"),
    ({"WAVES": "maybe"}, "WAVES = 'maybe': expected 1 or 0"),
])
def test_values_that_are_wrong(values, words):
    with pytest.raises(BenchError, match=words):
        request_from(values)


def test_frames_in_one_simulator_and_in_two(tmp_path):
    scenario = loaded(tmp_path, changed("frames = 4", "frames = 4\nframes_long = 400"))
    [alone] = specs_for(scenario, ("verilator",))
    assert (alone.tx_frames, alone.rx_frames) == (400, 5)
    both = specs_for(scenario, ("verilator", "icarus"))
    assert [(spec.simulator, spec.tx_frames, spec.rx_frames) for spec in both] == [("verilator", 4, 5),
                                                                                   ("icarus", 4, 5)]
    [icarus] = specs_for(scenario, ("icarus",))
    assert icarus.tx_frames == 4
    assert [spec.tx_frames for spec in specs_for(scenario, ("verilator",), frames=7)] == [7]
    assert specs_for(scenario, ("verilator",))[0].label == "at91ether/mine.depth1.verilator"


def test_a_scenario_that_one_simulator_cannot_run(tmp_path):
    path = write(tmp_path, changed('platform = "free"', 'platform = "free"\nsimulators = ["verilator"]'))
    assert len(plan(Request(scenarios=(str(path),), simulators=("verilator", "icarus")))) == 2
    long = changed('platform = "free"', 'platform = "free"\nsimulators = ["verilator"]').replace(
        "frames = 4", "frames = 4\nframes_long = 400")
    [alone] = specs_for(loaded(tmp_path, long), ("verilator", "icarus"))
    assert alone.tx_frames == 400, "nothing to compare with: the longer number"
    with pytest.raises(BenchError, match="none of the chosen scenarios runs in icarus"):
        plan(Request(scenarios=(str(path),), simulators=("icarus",)))


def test_every_scenario_of_the_tree_can_be_planned():
    specs = plan(Request(simulators=("verilator", "icarus")))
    assert len({spec.label for spec in specs}) == len(specs) > 100
    assert all(spec.folder.is_relative_to(spec.build) for spec in specs)


@pytest.mark.parametrize(("missing", "words"), [
    ("icarus", "the simulator icarus is not installed: install Debian's package iverilog"),
    ("verilator", "the simulator verilator is not installed: it comes with the pinned packages"),
])
def test_a_simulator_that_is_missing(monkeypatch, missing, words):
    monkeypatch.setattr(planning, "has_simulator", lambda simulator: simulator != missing)
    with pytest.raises(BenchError, match=words):
        plan(Request(simulators=("verilator", "icarus")))


def test_two_scenarios_of_one_name(tmp_path):
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    paths = tuple(str(write(tmp_path / folder)) for folder in "ab")
    with pytest.raises(BenchError, match="another chosen scenario is called 'mine' too"):
        plan(Request(scenarios=paths))


def test_a_capture_replaces_the_traffic(tmp_path):
    [scenario] = chosen(Request(pcap=PCAP, variants=("depth2",)))
    assert scenario.name == "pcap_tcp_iperf3"
    assert scenario.tx.frames + scenario.rx.frames == len(capture.read(PCAP))
    scenario = with_capture(loaded(tmp_path), PCAP)
    assert scenario.station == "02:00:00:00:00:01" and scenario.tx.frames > 50 and scenario.rx.frames > 50
    one_side = with_capture(loaded(tmp_path), pcap(tmp_path / "one.pcap", [FRAME]))
    assert one_side.tx.frames == 1 and one_side.rx is None
    assert with_capture(loaded(tmp_path), pcap(tmp_path / "my tcp-1.pcap", [FRAME])).name == "pcap_my_tcp_1"
    assert with_capture(loaded(tmp_path), pcap(tmp_path / "tcp.pcap", [FRAME])).name == "pcap_tcp_"


def test_a_result_says_what_it_is_of(tmp_path):
    [stock] = [spec.result() for spec in plan(Request(scenarios=("tx_600",), variants=("depth1",)))]
    assert stock.source == "model/scenarios/at91ether/tx_600.toml"
    assert stock.pcap is None and stock.frames_asked is None
    path = write(tmp_path, name="tx_600")
    [mine] = [spec.result() for spec in plan(Request(scenarios=(str(path),), variants=("depth1",), frames=3))]
    assert (mine.scenario, mine.source, mine.frames_asked) == ("tx_600", str(path), 3)
    replayed = plan(Request(variants=("depth2",), pcap=PCAP))[0].result()
    assert replayed.pcap == "tests/data/tcp_iperf3.pcap" and replayed.source.endswith("/pcap_tcp.toml")


def test_a_capture_on_the_machines_of_two_scenarios():
    with pytest.raises(BenchError, match=r"PCAP = .*several scenarios are chosen"):
        plan(Request(scenarios=("tx_64", "tx_600"), variants=("depth2",), pcap=PCAP))


@pytest.mark.parametrize(("make", "words"), [
    (lambda p: None, "PCAP = .*no such file"),
    (lambda p: p.mkdir(), "PCAP = .*is a folder"),
    (lambda p: shutil.copy(PCAP, p) and p.write_bytes(p.read_bytes()[:-7]), "truncated: packet 169 at byte"),
    (lambda p: pcap(p, [bytes(1515)]), "packet 1 has 1515 bytes: the limit is 1514"),
])
def test_a_capture_that_cannot_be_replayed(tmp_path, make, words):
    make(tmp_path / "x.pcap")
    with pytest.raises(BenchError, match=words):
        plan(Request(pcap=tmp_path / "x.pcap"))


def test_a_scenario_whose_capture_has_only_one_side(tmp_path):
    pcap(tmp_path / "x.pcap", [FRAME])
    text = changed('size = "64 B"', 'pcap = "x.pcap"')
    with pytest.raises(BenchError, match="no packet in it was sent by the station 02:00:00:00:00:01"):
        plan(Request(scenarios=(str(write(tmp_path, text)),)))
    text = SMALL.replace('size = "600 B"', 'pcap = "x.pcap"').replace('platform = "free"',
                                                                      'platform = "free"\nstation = '
                                                                      '"06:07:08:09:0a:0b"')
    with pytest.raises(BenchError, match="every packet in it was sent by the station 06:07:08:09:0a:0b"):
        plan(Request(scenarios=(str(write(tmp_path, text)),)))
