"""`make waves`: an FST file of each simulator, and a save file whose every name is in it, with states by
name, lines by number and what the engine wants watched."""

import re
import shutil
import subprocess
from math import log2
from pathlib import Path

import numpy as np
import pytest

from model.engines.at91ether import Kind
from model.engines.lan743x import Kind as RingKind
from model.events import EVENT
from tb import waves
from tests.tb import broken_runner
from tests.tb.runs import SIMULATORS, run, scenario

INSTALLED = SIMULATORS if shutil.which("iverilog") else SIMULATORS[:1]
CLOCK_HZ = 50_000_000
PERIOD_PS = 20_000
DECIMAL, BINARY, CLOSED, GROUP_BEGIN, GROUP_END = 0x4, 0x8, 0x400000, 0x800000, 0x1000000
"""GTKWave's flags of a row, as its save files have them."""
TRACE = re.compile(r"^(?:\+\{(?P<alias>.*)\} )?(?P<name>top\.[\w.]+)(?:\[(?P<high>\d+):0\])?$")

SIDECAR = {
    "ports": {"irq": {"width": 1}, "phy__txd": {"width": 4}, "csr__awaddr": {"width": 12},
              "bus__arvalid": {"width": 1}, "tap__tx_sfd__index": {"width": 32}, "mdio__o": {"width": 1}},
    "fsms": [{"path": "sender.reader.fsm_state", "signal": "fsm_state", "scope": ["sender", "reader"],
              "width": 5, "states": {"0": "IDLE", "1": "WAIT", "17": "DATA"}},
             {"path": "own_state", "signal": "own_state", "scope": [], "width": 1,
              "states": {"0": "OFF", "1": "ON"}}],
    "watched": {"rx0": {"rx0.prefetch.tail": 16, "rx0._open": 1}, "interrupts": {"sources.cause": 3}},
}


def saved(folder, marks, sidecar=SIDECAR):
    """Text of the save file of a made-up engine."""
    path = folder / "waves.gtkw"
    assert waves.write_save_file(path, folder / "waves.fst", sidecar, CLOCK_HZ, marks) == path
    return path.read_text()


def traces(text):
    """(alias or None, name, width) of each signal that a save file shows."""
    found = [match for match in map(TRACE.match, text.splitlines()) if match]
    return [(m["alias"], m["name"], 1 if m["high"] is None else int(m["high"]) + 1) for m in found]


def groups(text):
    """Names of the groups in order."""
    lines = [line[1:] for line in text.splitlines() if re.fullmatch(r"-[a-z0-9]+", line)]
    assert lines[::2] == lines[1::2], "each is opened and closed"
    return lines[::2]


def view(text):
    """(first time, units of time a pixel at 200 pixels, primary marker, named markers)."""
    start = int(re.search(r"^\[timestart\] (\d+)$", text, re.MULTILINE)[1])
    zoom, *times = re.search(r"^\*(\S+) (.*)$", text, re.MULTILINE)[0][1:].split()
    named = dict(re.findall(r"^\[markername\] ([A-Z])(.*)$", text, re.MULTILINE))
    at = {name: int(times[1 + ord(letter) - ord("A")]) for letter, name in named.items()}
    return start, 2 ** -float(zoom) / 200, int(times[0]), at


def test_what_is_shown_and_under_which_name(tmp_path):
    text = saved(tmp_path, {})
    assert groups(text) == ["states", "rx0", "interrupts", "wire", "registers", "bus", "management", "events"]
    assert traces(text) == [
        (None, "top.cyc", 64), (None, "top.engine.irq", 1),
        ("sender/reader", "top.engine.sender.reader.fsm_state", 5), ("own_state", "top.engine.own_state", 1),
        ("tail", "top.engine.rx0.prefetch.tail", 16), ("open", "top.engine.rx0._open", 1),
        ("cause", "top.engine.sources.cause", 3),
        (None, "top.engine.phy__txd", 4), (None, "top.engine.csr__awaddr", 12),
        (None, "top.engine.bus__arvalid", 1), (None, "top.engine.mdio__o", 1),
        (None, "top.engine.tap__tx_sfd__index", 32)]
    assert f'[dumpfile] "{tmp_path / "waves.fst"}"' in text


def flags(text):
    """Row -> GTKWave's flags of it; a line of flags holds until the next one."""
    found, now = {}, 0
    for line in text.splitlines():
        if re.fullmatch(r"@[0-9a-f]+", line):
            now = int(line[1:], 16)
        elif not line.startswith(("[", "*", "^")):
            found[line] = now
    return found


def test_indices_are_decimal_and_what_has_a_bit_a_source_is_binary(tmp_path):
    found = flags(saved(tmp_path, {}))
    assert found["+{tail} top.engine.rx0.prefetch.tail[15:0]"] & (DECIMAL | BINARY) == DECIMAL
    assert found["+{cause} top.engine.sources.cause[2:0]"] & (DECIMAL | BINARY) == BINARY


def test_lines_that_messages_set_are_the_tops_and_open_one_by_one(tmp_path):
    ports = {name: about for name, about in SIDECAR["ports"].items() if name != "irq"}
    text = saved(tmp_path, {}, SIDECAR | {"ports": ports})
    assert traces(text)[1] == ("irq", "top.irq", 17)
    found = re.findall(r"^\+\{(.*)\} \((\d+)\)top\.irq\[16:0\]$", text, re.MULTILINE)
    # GTKWave counts from the left: bit 16 is its number 0
    assert {name: 16 - int(place) for name, place in found} == {
        **{f"vector {n}": n for n in range(16)}, "INTx": 16}
    opened, closed = flags(text)["+{irq} top.irq[16:0]"], flags(text)["-group_end"]
    assert opened & (GROUP_BEGIN | CLOSED) == GROUP_BEGIN | CLOSED
    assert closed & (GROUP_END | CLOSED) == GROUP_END | CLOSED
    assert not flags(text)["+{vector 0} (16)top.irq[16:0]"] & (GROUP_BEGIN | GROUP_END)


def test_filter_files_have_a_line_for_each_state(tmp_path):
    text = saved(tmp_path, {})
    filters = re.findall(r"^\^\d+ (.*)$", text, re.MULTILINE)
    assert [Path(path).read_text() for path in filters] == ["00 IDLE\n01 WAIT\n11 DATA\n", "0 OFF\n1 ON\n"]


def test_the_first_mark_is_in_view_and_each_is_named(tmp_path):
    marks = {"divergence": 5000, "handed over": 100, "SFD out": 5000}
    start, units_per_pixel, primary, named = view(saved(tmp_path, marks))
    assert start < primary == 5000 * PERIOD_PS and primary - start < 100 * PERIOD_PS
    assert named == {"divergence, SFD out": 5000 * PERIOD_PS, "handed over": 100 * PERIOD_PS}
    # the smallest frame with preamble and gap, 84 byte times of four cycles, on a thousand pixels
    assert 336 * PERIOD_PS < 1100 * units_per_pixel < 3 * 336 * PERIOD_PS
    assert log2(units_per_pixel) == pytest.approx(log2(400 * PERIOD_PS / 1120), abs=0.1)


@pytest.mark.parametrize("marks", [{}, {"handed over": 3}])
def test_the_view_does_not_begin_before_time_0(tmp_path, marks):
    assert view(saved(tmp_path, marks))[0] == 0


def test_the_first_of_each_kind_is_marked():
    events = np.array([(7, Kind.TX_QUEUE, 0, 0, 0), (9, Kind.RX_SFD, 1, 0, 0), (9, Kind.TX_QUEUE, 0, 1, 0),
                       (50, Kind.TX_SFD, 0, 0, 0)], EVENT)
    assert waves.first_marks(events, Kind) == {"handed over": 7, "SFD out": 50, "SFD in": 9}
    assert waves.first_marks(events[:0], Kind) == {}


def declared(vcd):
    """Full name -> (identifier, width) of a VCD file's text."""
    scope, found = [], {}
    for line in vcd.partition("$enddefinitions")[0].splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            found[".".join([*scope, words[4]])] = words[3], int(words[2])
    return found


def values(vcd, identifier):
    """(time, value) at each change of a vector."""
    time, changes = 0, []
    for line in vcd.partition("$enddefinitions $end")[2].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line.endswith(f" {identifier}") and line.startswith("b"):
            bits = line[1:].split()[0]
            changes.append((time, int(bits, 2) if set(bits) <= {"0", "1"} else None))
    return changes


def at(changes, time):
    return [value for when, value in changes if when <= time][-1]


def state_names(text):
    """Alias of each FSM in a save file -> {code: name} as its filter file says."""
    found = {}
    for path, alias in re.findall(r"^\^\d+ (.*)\n\+\{(.*)\} ", text, re.MULTILINE):
        with open(path) as file:
            found[alias] = {int(code, 16): name for code, name in (line.split() for line in file)}
    return found


@pytest.mark.parametrize("simulator", INSTALLED)
def test_waves_of_a_run(tmp_path, simulator):
    result, folder = run(tmp_path, scenario("wire_both_64", "depth2"), simulator, 2, 2, waves=True)
    assert (result.found, result.events_off) == ([], 0)
    assert result.waves_file == str(folder / "waves.fst") and (folder / "waves.fst").stat().st_size > 10_000
    text = (folder / "waves.gtkw").read_text()
    assert result.save_file == str(folder / "waves.gtkw")
    events = np.load(result.events_file)
    first = int(events["cycle"][events["kind"] == Kind.TX_QUEUE][0])
    start, _, primary, named = view(text)
    assert primary == named["handed over"] == first * PERIOD_PS and start < primary
    names = state_names(text)
    assert names.keys() == {"sender/reader", "sender/framer", "receiver/deframer", "mover"}
    assert set(names["mover"].values()) == {"IDLE", "OWN", "MOVE", "WRITE", "WB1", "WB0", "DROP"}
    if shutil.which("fst2vcd"):
        signals_and_states(folder, text, names, events, STATE_IN, PERIOD_PS)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
def test_waves_of_an_engine_with_rings_and_messages(tmp_path):
    chosen = scenario("wire_both_64", "merged", "lan743x", wire_limit_ppm={})
    result, folder = run(tmp_path, chosen, "icarus", 2, 2, waves=True)
    assert (result.found, result.events_off) == ([], 0)
    text = (folder / "waves.gtkw").read_text()
    assert groups(text) == ["states", "rx0", "tx", "interrupts", "wire", "registers", "bus", "management",
                            "events"]
    assert set(view(text)[3]) == {"descriptor wanted", "SFD out", "sent", "SFD in", "in the ring"}
    names = state_names(text)
    assert names.keys() == {"mac/deframer", "rx0/mover", "rx0/mover/buffer", "tx/loader", "tx/sender/framer",
                            "write_back"}
    assert {"IDLE", "CHECK", "MOVE", "WB", "NEXT", "EXT"} < set(names["rx0/mover"].values())
    if not shutil.which("fst2vcd"):
        return
    events = np.load(result.events_file)
    vcd, signals = signals_and_states(folder, text, names, events, RING_STATE_IN, RING_PERIOD_PS)
    # the transmitter's head and the line of its vector follow the events
    head, lines = (values(vcd, signals[name][0]) for name in ("top.engine.tx.head", "top.irq"))
    done = events["cycle"][events["kind"] == RingKind.TX_DONE].tolist()
    assert [at(head, (cycle + 1) * RING_PERIOD_PS) for cycle in done] == [1, 2]
    assert {1 << int(vector) for vector in events["index"][events["kind"] == RingKind.INT_MESSAGE]} == \
        {value for _, value in lines} - {0, None}


STATE_IN = {Kind.TX_FETCH: ("sender/reader", "ADDR"), Kind.TX_FILL: ("sender/reader", "DATA"),
            Kind.TX_SFD: ("sender/framer", "PREAMBLE"), Kind.RX_SFD: ("receiver/deframer", "PREAMBLE"),
            Kind.RX_FETCH: ("mover", "OWN"), Kind.RX_WRITE: ("mover", "WRITE"),
            Kind.RX_WB1: ("mover", "WB1"), Kind.RX_DONE: ("mover", "WB0")}
RING_PERIOD_PS = 8_000
RING_STATE_IN = {RingKind.RX_SFD: ("mac/deframer", "PREAMBLE"), RingKind.RX_OWN: ("rx0/mover", "CHECK"),
                 RingKind.RX_WB: ("rx0/mover", "WRITE"), RingKind.TX_SFD: ("tx/sender/framer", "PREAMBLE"),
                 RingKind.TX_HEAD: ("write_back", "HEAD"), RingKind.INT_MESSAGE: ("write_back", "MESSAGE")}
"""The state of a machine in the cycle of an event."""


def signals_and_states(folder, text, names, events, state_in, period_ps):
    """Every signal is there; at some events the machines are in the timing specification's states. Returns
    the waves as VCD and the signals that it declares."""
    command = ["fst2vcd", str(folder / "waves.fst")]
    vcd = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "1ps" in "".join(vcd.partition("$enddefinitions")[0].split())
    signals = declared(vcd)
    shown = traces(text)
    assert len(shown) > 100
    for _, name, width in shown:
        assert name in signals and signals[name][1] == width, name
    codes = {alias: values(vcd, signals[name][0]) for alias, name, _ in shown if alias in names}
    for alias, changes in codes.items():
        assert {code for _, code in changes} - {None} <= names[alias].keys()
    for kind, (alias, state) in state_in.items():
        cycles = events["cycle"][events["kind"] == kind]
        assert len(cycles) >= 1
        for cycle in cycles.tolist():
            assert names[alias][at(codes[alias], cycle * period_ps)] == state, (kind.name, cycle)
    counter = values(vcd, signals["top.cyc"][0])
    assert at(counter, 1234 * period_ps) == 1234
    return vcd, signals


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
def test_waves_of_a_run_that_fails_open_at_the_divergence(tmp_path):
    chosen = scenario("wire_tx_64", "depth1", seed=203, deadline_cycles=5000, wire_limit_ppm={})
    spec = broken_runner.RunSpec(chosen, "icarus", 2, None, True, tmp_path)
    result = broken_runner.run_one(spec)
    assert {"golden_differs", "hang"} <= set(result.found)
    start, _, primary, named = view((spec.folder / "waves.gtkw").read_text())
    assert primary == named["divergence"] and 0 < primary - start < 100 * PERIOD_PS
    told = int(re.search(r" in cycle (\d+)", result.first_divergence)[1])
    assert primary == told * PERIOD_PS
