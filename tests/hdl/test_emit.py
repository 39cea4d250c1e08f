"""The Verilog that is emitted: its sidecar, and that Icarus knows every output at time 0."""

import json
import re
import shutil
import subprocess

import pytest
from amaranth.back import verilog
from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4Lite
from hdl.csr import RegisterBank
from hdl.emit import emit
from hdl.registers import load
from hdl.tap import Lane, Ring, TapSignature, report


class Walker(wiring.Component):
    """An FSM, and one in a part of it."""

    go: In(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        with m.FSM(name="walk"):
            with m.State("REST"), m.If(self.go):
                m.next = "STEP"
            with m.State("STEP"):
                m.d.comb += self.busy.eq(1)
                m.next = "TURN"
            with m.State("TURN"):
                m.d.comb += self.busy.eq(1)
                m.next = "REST"
        return m


class Toy(wiring.Component):
    """Every face that the sidecar describes."""

    csr: In(AXI4Lite(12))
    straps: In(data.StructLayout({"early": 1, "depth": 3}))
    tap: Out(TapSignature({"walked": Lane(Ring.RX, 4, 8), "rested": Lane(Ring.NONE)}))
    go: In(1)
    quiet: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.walker = walker = Walker()
        m.d.comb += [walker.go.eq(self.go), self.quiet.eq(~walker.busy)]
        count = Signal(4)
        with m.FSM():
            with m.State("IDLE"):
                report(m, self.tap.rested)
                with m.If(self.go & self.straps.early):
                    m.next = "BUSY"
            with m.State("BUSY"):
                m.d.sync += count.eq(count + 1)
                report(m, self.tap.walked, index=count, data=self.straps.depth)
                m.next = "IDLE"
        return m


def test_sidecar():
    sidecar = emit(Toy(), "toy").sidecar
    assert json.loads(json.dumps(sidecar)) == sidecar
    assert sidecar["name"] == "toy"
    assert sidecar["straps"] == {"early": {"offset": 0, "width": 1}, "depth": {"offset": 1, "width": 3}}
    assert sidecar["lanes"] == {
        "walked": {"ring": 1, "valid": "tap__walked__valid", "index": "tap__walked__index", "index_width": 4,
                   "data": "tap__walked__data", "data_width": 8},
        "rested": {"ring": 2, "valid": "tap__rested__valid", "index": None, "index_width": 0, "data": None,
                   "data_width": 0},
    }
    ports = sidecar["ports"]
    assert ports["csr__awaddr"] == {"direction": "input", "width": 12}
    assert ports["csr__rdata"] == {"direction": "output", "width": 32}
    assert ports["straps"] == {"direction": "input", "width": 4}
    assert ports["clk"] == ports["rst"] == {"direction": "input", "width": 1}


def test_fsms_are_named_with_the_path_that_a_simulator_knows():
    toy = emit(Toy(), "toy")
    assert toy.sidecar["fsms"] == [
        {"path": "fsm_state", "signal": "fsm_state", "scope": [], "width": 1,
         "states": {"0": "IDLE", "1": "BUSY"}},
        {"path": "walker.walk_state", "signal": "walk_state", "scope": ["walker"], "width": 2,
         "states": {"0": "REST", "1": "STEP", "2": "TURN"}},
    ]
    assert "reg fsm_state" in toy.verilog and "reg [1:0] walk_state" in toy.verilog


class Mode(enum.Enum, shape=2):
    OFF = 0
    ON = 2


class Shown(wiring.Component):
    """A state that is no FSM's, an FSM below a reset of its own, and signals to be watched."""

    go: In(1)
    mode: Out(1)

    def __init__(self, watched):
        super().__init__()
        self.watched = watched

    def elaborate(self, platform):
        m = Module()
        clear = Signal()
        state = Signal(Mode)
        origin = Signal(Mode)
        m.submodules.walker = ResetInserter(clear)(Walker())
        m.d.comb += [clear.eq(~self.go), self.mode.eq(state == Mode.ON)]
        m.d.sync += [state.eq(Mux(self.go, Mode.ON, Mode.OFF)), origin.eq(state)]
        return m


def test_states_of_an_enumeration_and_of_an_fsm_with_a_reset_of_its_own():
    shown = emit(Shown({"walk": ("walker.busy", "mode")}), "shown")
    assert shown.sidecar["fsms"] == [
        {"path": "state", "signal": "state", "scope": [], "width": 2, "states": {"0": "OFF", "2": "ON"}},
        {"path": "walker.walk_state", "signal": "walk_state", "scope": ["walker"], "width": 2,
         "states": {"0": "REST", "1": "STEP", "2": "TURN"}},
    ]
    assert shown.sidecar["watched"] == {"walk": {"walker.busy": 1, "mode": 1}}
    assert emit(Toy(), "toy").sidecar["watched"] == {}


def test_what_is_watched_has_to_be_there():
    with pytest.raises(ValueError, match=r"watched, walk: walker\.gone: no signal of that name"):
        emit(Shown({"walk": ("walker.busy", "walker.gone")}), "shown")


def test_ports_are_those_of_the_text():
    toy = emit(Toy(), "toy")
    head = re.search(r"module toy\s*\((.*?)\);", toy.verilog, re.DOTALL).group(1)
    assert {name.strip() for name in head.split(",")} == set(toy.sidecar["ports"])
    assert "src" not in toy.verilog and "always_comb" not in toy.verilog


def test_component_without_a_clock_has_none():
    class Wire(wiring.Component):
        a: In(2)
        b: Out(2)

        def elaborate(self, platform):
            m = Module()
            m.d.comb += self.b.eq(self.a)
            return m

    assert set(emit(Wire(), "wire_only").sidecar["ports"]) == {"a", "b"}


def test_text_whose_blocks_would_not_wake_is_refused(monkeypatch):
    text = "module toy;\n always @* begin end\nendmodule\n"
    monkeypatch.setattr(verilog, "_convert_rtlil_text", lambda _, **__: text)
    with pytest.raises(ValueError, match="toy: 1 modules have combinational blocks, but 0 wake-up"):
        emit(Toy(), "toy")


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus Verilog (iverilog) is not installed")
def test_icarus_knows_every_output_at_time_0(tmp_path):
    """No clock edge and no change of an input: outputs must be right all the same."""
    bank = emit(RegisterBank(load("at91ether")), "bank")
    toy = emit(Toy(), "toy")
    top = ["module top;"]
    for module in (bank.sidecar, toy.sidecar):
        links, prints = [], []
        for port, what in module["ports"].items():
            name = f"{module['name']}_{port}"
            if what["direction"] == "input":
                links.append(f".{port}({what['width']}'d0)")
            else:
                top.append(f"wire [{what['width'] - 1}:0] {name};")
                links.append(f".{port}({name})")
                prints.append(f'if (^{name} === 1\'bx) $display("unknown {name}");')
        top.append(f"{module['name']} {module['name']} ({', '.join(links)});")
        top.append(f"initial begin #1 {' '.join(prints)} end")
    top.append('initial begin #2 $display("%b %b %h", toy_tap__rested__valid, toy_quiet, '
               "bank_regs__IMR__ABT__value); $finish; end")
    top.append("endmodule")
    (tmp_path / "all.v").write_text("\n".join([bank.verilog, toy.verilog, *top]))
    subprocess.run(["iverilog", "-g2012", "-o", "all.vvp", "all.v"], cwd=tmp_path, check=True)
    run = subprocess.run(["vvp", "-n", "all.vvp"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert [line for line in run.stdout.splitlines() if "$finish" not in line] == ["1 1 1"]


class Sliced(wiring.Component):
    """A slice of `status` is chosen, the other is not, which Yosys writes as a block of one statement."""

    plain: In(1)
    held: In(3)
    status: Out(3)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.status[0].eq(self.held == 0)
        with m.If(self.plain):
            m.d.comb += self.status[1:].eq(self.held)
        return m


def test_blocks_of_one_statement_are_woken_too():
    verilog_text = emit(Sliced(), "sliced").verilog
    assert re.search(r"initial \\wake\$\d+  <= 1;", verilog_text)
    assert not re.search(r"always @\*\n", verilog_text)
