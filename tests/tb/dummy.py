"""The dummy engine as a design of the bench: its Verilog and the sidecar that hdl.emit would have written.

The part on a link is the same engine with another PHY and without the interrupt pin: GMII, IDs of 4 bits, one
for each of 16 reads in turn, its MDIO pins towards a gigabit PHY at address 1.
"""

from __future__ import annotations

import re
from pathlib import Path

from tb.design import Design, Recipe

HERE = Path(__file__).resolve().parent
VERILOG = HERE / "dummy_engine.v"
CLOCK_HZ, LINK_CLOCK_HZ = 50_000_000, 125_000_000

KINDS = {name: number for number, name in enumerate(
    ("ar", "r", "aw", "w", "b", "csr_write", "csr_read", "irq_rise", "rx_nibble"), start=1)}
TX, RX, NO_RING = 0, 1, 2
RINGS = {"ar": RX, "r": RX, "aw": TX, "w": TX, "b": TX}

_PORT = re.compile(r"\b(input|output)\s+(?:reg\s+)?(?:\[([^\]]+):0\]\s*)?(\w+)((?:\s*,\s*\w+)*?)"
                   r"(?=\s*(?:,\s*(?:input|output)|\n\)))")


ON_LINK = [
    ("input              phy__tick, output reg [3:0] phy__txd,", "output reg [7:0] phy__txd,"),
    ("input      [3:0]   phy__rxd,", "input      [7:0]   phy__rxd,"),
    ("output [3:0] tap__rx_nibble__data", "output [7:0] tap__rx_nibble__data"),
    ("    output     [1:0]   irq,\n", ""),
    ("reg [39:0] options = 0;", "wire [1:0] irq;\n  wire phy__tick = 1;\n  reg [39:0] options = 0;"),
    *((f"[0:0]   bus__{name}", f"[3:0]   bus__{name}") for name in ("awid", "bid", "arid", "rid")),
    ("arid = reads[0]", "arid = reads[3:0]"), ("awid = writes[0]", "awid = writes[3:0]"),
    ("reads_back[0]", "reads_back[3:0]"),
]
"""What is replaced by what in the dummy's text for a part on a link."""


def _width(high: str | None, data_width: int) -> int:
    if high is None:
        return 1
    return {"DATA_W-1": data_width, "DATA_W/8-1": data_width // 8}.get(high) or int(high) + 1


def make(data_width: int = 32, on_link: bool = False) -> Design:
    """The dummy with a bus of this many bits, or the one on a link."""
    text = re.sub(r"parameter DATA_W = \d+", f"parameter DATA_W = {data_width}", VERILOG.read_text())
    for old, new in ON_LINK if on_link else ():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    header = text[text.index("module dummy_engine"):text.index(");\n") + 1]
    ports = {}
    for direction, high, name, more in _PORT.findall(header):
        for each in (name, *re.findall(r"\w+", more)):
            ports[each] = {"direction": direction, "width": _width(high or None, data_width)}
    lanes = {}
    for name in KINDS:
        lane = {"ring": RINGS.get(name, NO_RING), "valid": f"tap__{name}__valid"}
        for part in ("index", "data"):
            port = f"tap__{name}__{part}"
            lane[part] = port if port in ports else None
            lane[f"{part}_width"] = ports[port]["width"] if port in ports else 0
        lanes[name] = lane
    sidecar = {"name": "dummy_engine", "ports": ports, "straps": {}, "lanes": lanes, "fsms": [],
               "watched": {}}
    if on_link:
        return Design(_name(data_width, on_link), text, sidecar, KINDS, LINK_CLOCK_HZ,
                      {"ADDRESS": 1, "GIGABIT": 1})
    return Design(_name(data_width, on_link), text, sidecar, KINDS, CLOCK_HZ)


def _name(data_width: int, on_link: bool) -> str:
    return f"dummy{data_width}" + ("link" if on_link else "")


def recipe(data_width: int = 32, on_link: bool = False) -> Recipe:
    """How `tb.build` gets the dummy."""
    return Recipe(_name(data_width, on_link), [VERILOG, Path(__file__)], lambda: make(data_width, on_link))
