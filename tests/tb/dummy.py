"""The dummy engine as a design of the bench: its Verilog and the sidecar that hdl.emit would have written."""

from __future__ import annotations

import re
from pathlib import Path

from tb.design import Design, Recipe

HERE = Path(__file__).resolve().parent
VERILOG = HERE / "dummy_engine.v"
CLOCK_HZ = 50_000_000

KINDS = {name: number for number, name in enumerate(
    ("ar", "r", "aw", "w", "b", "csr_write", "csr_read", "irq_rise", "rx_nibble"), start=1)}
TX, RX, NO_RING = 0, 1, 2
RINGS = {"ar": RX, "r": RX, "aw": TX, "w": TX, "b": TX}

_PORT = re.compile(r"\b(input|output)\s+(?:reg\s+)?(?:\[([^\]]+):0\]\s*)?(\w+)((?:\s*,\s*\w+)*?)"
                   r"(?=\s*(?:,\s*(?:input|output)|\n\)))")


def _width(high: str | None, data_width: int) -> int:
    if high is None:
        return 1
    return {"DATA_W-1": data_width, "DATA_W/8-1": data_width // 8}.get(high) or int(high) + 1


def make(data_width: int = 32) -> Design:
    """The dummy with a bus of this many bits."""
    text = re.sub(r"parameter DATA_W = \d+", f"parameter DATA_W = {data_width}", VERILOG.read_text())
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
    sidecar = {"name": "dummy_engine", "ports": ports, "straps": {}, "lanes": lanes, "fsms": []}
    return Design(f"dummy{data_width}", text, sidecar, KINDS, CLOCK_HZ)


def recipe(data_width: int = 32) -> Recipe:
    """How `tb.build` gets the dummy."""
    return Recipe(f"dummy{data_width}", [VERILOG, Path(__file__)], lambda: make(data_width))
