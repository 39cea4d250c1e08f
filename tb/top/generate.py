"""Writes the simulated top of one engine: clock and reset, the blocks of this folder around the engine, the
event tap.

Everything is read off the engine's ports (the sidecar of `hdl.emit`), so a new MAC needs no edit here and a
new kind of PHY only a file: `rb_<kind>.sv` with the port names of the engine's `phy`, and `refresh`. An
engine without an `irq` port interrupts by messages on its bus.
"""

from __future__ import annotations

import re
from pathlib import Path

from model.errors import BenchError

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "native" / "table.h"

RESET_CYCLES = 8
"""rst is 1 while cyc is less."""

SETTINGS_CYCLE = 4
"""In this cycle, in reset, the blocks read what Python has set at time 0 (the same number in the .sv
files)."""

STRAP_WORDS = 4
MESSAGE_LINES = 17
"""Interrupt lines of a top with messages: 16 vectors and the level of the legacy line."""
PHY_KINDS = {4: "mii", 8: "gmii", 64: "xgmii"}
"""Kind of PHY by the width of txd."""

_CHANNEL = re.compile(r"_ch[0-9]+$")
"""Ends the lanes of a further channel: they are of the same kind as the first one's."""
_ENTRY = re.compile(r"^(TASK|FUNCTION)\((\w+), (\d)\)$", re.MULTILINE)


def native_header(table: str | None = None) -> str:
    """Text of rb_native.svh: DPI imports for Verilator, system calls for Icarus, one macro a function for
    both.

    Parameters: `table`, the text of native/table.h (read from there if not given).
    """
    entries = _ENTRY.findall(table if table is not None else TABLE.read_text())
    imports, under_dpi, under_vpi = [], [], []
    for kind, name, count in entries:
        result = "void" if kind == "TASK" else "longint unsigned"
        arguments = ", ".join(f"input longint unsigned a{k}" for k in range(int(count)))
        imports.append(f'import "DPI-C" function {result} {name}({arguments});')
        under_dpi.append(f"`define {name} {name}")
        under_vpi.append(f"`define {name} ${name}")
    lines = ["`ifndef RB_NATIVE", "`define RB_NATIVE", "`ifdef VERILATOR", *imports, *under_dpi,
             "`else", *under_vpi, "`endif", "`endif"]
    return "\n".join(lines) + "\n"


def phy_kind(sidecar: dict) -> str:
    """Which wire block an engine needs. Raises BenchError if its `phy` is of no known kind."""
    port = sidecar["ports"].get("phy__txd")
    kind = PHY_KINDS.get(port["width"]) if port else None
    if kind is None or not (HERE / f"rb_{kind}.sv").exists():
        raise BenchError.of(sidecar["name"], "phy__txd width", port and port["width"],
                            f"one for which tb/top has a file rb_<kind>.sv; known kinds: {PHY_KINDS}")
    return kind


def sources(sidecar: dict) -> list[Path]:
    """The .sv files that the top of this engine instantiates."""
    names = ["rb_axi_mem", "rb_csr_host", "rb_driver", f"rb_{phy_kind(sidecar)}"]
    if "mdio__mdc" in sidecar["ports"]:
        names.append("rb_mdio_phy")
    return [HERE / f"{name}.sv" for name in names]


def _instance(module: str, name: str, connections: dict[str, str],
              parameters: dict[str, int] | None = None) -> list[str]:
    given = ", ".join(f".{key}({value})" for key, value in (parameters or {}).items())
    ports = ",\n".join(f"    .{port}({wire})" for port, wire in connections.items())
    return [f"  {module} {f'#({given}) ' if given else ''}{name} (", ports, "  );"]


def _clock(clock_hz: int) -> list[str]:
    half_ps, rest = divmod(10**12, 2 * clock_hz)
    if rest:
        raise BenchError.of("top", "clock_hz", clock_hz, "a clock whose half period is a whole number of ps")
    return [
        "  // Rising edge c begins cycle c, so cycle c's falling edge is at c periods: there Python acts.",
        "  reg clk = 0;",
        f"  always #({half_ps / 1000:g}) clk = ~clk;",
        "  reg [63:0] cyc /* verilator public_flat_rd */ = 0;",
        "  reg rst = 1;",
        "  always @(posedge clk) begin",
        "    cyc <= cyc + 1;",
        f"    if (cyc == {RESET_CYCLES - 1}) rst <= 0;",
        "  end",
    ]


def _kind(lane: str) -> str:
    return _CHANNEL.sub("", lane)


def _taps(sidecar: dict, kinds: dict[str, int]) -> list[str]:
    missing = sorted(set(map(_kind, sidecar["lanes"])) - set(kinds))
    if missing:
        raise BenchError.of(sidecar["name"], "tap lanes", missing,
                            "lanes named like a member of the engine's Kind, in lower case")
    lines = []
    for name, lane in sidecar["lanes"].items():
        index, data = lane["index"] or "1'b0", lane["data"] or "1'b0"
        lines.append(f"      if ({lane['valid']}) `rb_event(cyc, {kinds[_kind(name)]}, {lane['ring']}, "
                     f"{index}, {data});")
    if not lines:
        return []
    any_valid = " || ".join(lane["valid"] for lane in sidecar["lanes"].values())
    return ["  always @(posedge clk)", f"    if (!rst && ({any_valid})) begin", *lines, "    end"]


def _straps(ports: dict) -> list[str]:
    if "straps" not in ports:
        return []
    width = ports["straps"]["width"]
    if width > 64 * STRAP_WORDS:
        raise BenchError.of("top", "straps width", width, f"at most {64 * STRAP_WORDS} bits")
    words = range((width + 63) // 64)
    lines = [f"  reg [{64 * len(words) - 1}:0] strap_words = 0;",
             f"  assign straps = strap_words[{width - 1}:0];",
             f"  always @(posedge clk) if (cyc == {SETTINGS_CYCLE}) begin"]
    lines += [f"    strap_words[{64 * word} +: 64] <= `rb_strap({word});" for word in words]
    return [*lines, "  end"]


def _interrupts(ports: dict) -> tuple[int, list[str], dict[str, str], dict[str, int]]:
    """Lines towards Python, what declares them, and ports and parameters of the memory that have to do with
    them."""
    if "irq" in ports:
        return ports["irq"]["width"], [], {"refresh": "1'b0", "lines": ""}, {}
    declared = [f"  wire [{MESSAGE_LINES - 1}:0] irq /* verilator public_flat_rd */;"]
    return MESSAGE_LINES, declared, {"refresh": "refresh", "lines": "irq"}, {"MESSAGES": 1}


def top_text(sidecar: dict, kinds: dict[str, int], clock_hz: int,
             phy_parameters: dict[str, int] | None = None) -> str:
    """The text of top.sv.

    Parameters
    ----------
    sidecar: of `hdl.emit.emit`: "name", "ports", "lanes".
    kinds: event number by lane name (the engine's `Kind`, names in lower case); the lanes of channel n,
        `<kind>_ch<n>`, have the kind's number.
    clock_hz: of the engine; half a period must be a whole number of ps.
    phy_parameters: of `rb_mdio_phy`: ADDRESS, GIGABIT.

    Raises
    ------
    BenchError
        A lane without a number, an unknown kind of PHY, a clock that cannot be made.
    """
    ports = sidecar["ports"]

    def group(prefix: str) -> dict[str, str]:
        return {port[len(prefix):]: port for port in ports if port.startswith(prefix)}

    lines = ["`timescale 1ns/1ps", '`include "rb_native.svh"', "module top;", *_clock(clock_hz)]
    for port, about in ports.items():
        if port not in ("clk", "rst"):
            visible = " /* verilator public_flat_rd */" if port == "irq" else ""
            lines.append(f"  wire [{max(about['width'], 1) - 1}:0] {port}{visible};")
    irq_lines, declared, interrupt_ports, interrupt_parameters = _interrupts(ports)
    lines += [*declared, "  wire wake /* verilator public_flat_rd */;", "  wire refresh;"]
    lines += _instance(sidecar["name"], "engine", {port: port for port in ports})
    lines += _instance("rb_driver", "driver", {"clk": "clk", "cyc": "cyc", "irq": "irq", "wake": "wake",
                                               "refresh": "refresh"}, {"LINES": irq_lines})
    lines += _instance("rb_csr_host", "csr_host",
                       {"clk": "clk", "cyc": "cyc", "refresh": "refresh"} | group("csr__"),
                       {"ADDR_W": ports["csr__awaddr"]["width"]})
    lines += _instance("rb_axi_mem", "memory",
                       {"clk": "clk", "cyc": "cyc"} | interrupt_ports | group("bus__"),
                       {"DATA_W": ports["bus__wdata"]["width"], "ADDR_W": ports["bus__awaddr"]["width"],
                        "ID_W": ports["bus__awid"]["width"]} | interrupt_parameters)
    lines += _instance(f"rb_{phy_kind(sidecar)}", "wire_side",
                       {"clk": "clk", "cyc": "cyc", "refresh": "refresh"} | group("phy__"))
    if "mdio__mdc" in ports:
        lines += _instance("rb_mdio_phy", "phy", {"clk": "clk", "link": "phy__link"} | group("mdio__"),
                           phy_parameters)
    lines += _straps(ports) + _taps(sidecar, kinds)
    lines += ["`ifdef RB_DUMP", "  reg [8*1024-1:0] waves;",
              '  initial if ($value$plusargs("waves=%s", waves)) begin', "    $dumpfile(waves);",
              "    $dumpvars(0, top);", "  end", "`endif", "endmodule"]
    return "\n".join(lines) + "\n"
