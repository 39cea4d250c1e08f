"""A GTKWave save file for a run's waves: interrupt lines, states by name, what the engine wants watched
(ring indices, fill levels), the faces of the engine, all in groups, the first frame in view.

Names of states do not reach an FST file. The sidecar of `hdl.emit` has them; GTKWave takes them as filter
files, one a state machine.
"""

from __future__ import annotations

from enum import IntEnum
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
from vcd.gtkw import GTKWFlag, GTKWSave

from tb.top.generate import MESSAGE_LINES

ENGINE = "top.engine"
NAME_FILTERS = "waves.filters"
FACES = (
    ("registers", ("csr__awvalid", "csr__awaddr", "csr__wdata", "csr__wstrb", "csr__arvalid", "csr__araddr",
                   "csr__rvalid", "csr__rdata")),
    ("bus", ("bus__arvalid", "bus__arready", "bus__arid", "bus__araddr", "bus__arlen", "bus__rvalid",
             "bus__rdata", "bus__rlast", "bus__rresp", "bus__awvalid", "bus__awready", "bus__awid",
             "bus__awaddr", "bus__awlen", "bus__wvalid", "bus__wready", "bus__wdata", "bus__wlast",
             "bus__bvalid", "bus__bresp")),
)
"""Group and ports, as far as the engine has them."""
BITS = "interrupts"
"""The group of watched signals whose values are bits, one a source or vector; the others' are numbers."""
LINES = "top.irq"
"""The lines of an engine that interrupts by messages; the last one is the level of the legacy line."""
FIRST = {"TX_QUEUE": "handed over", "TX_PREFETCH": "descriptor wanted", "TX_SFD": "SFD out",
         "TX_DONE": "sent", "RX_SFD": "SFD in", "RX_DONE": "in the ring"}
"""Event kinds whose first is marked, and what the marker says."""

PICOSECONDS = 10**12
"""A second, in the unit of the waves' time (the top's timescale has a precision of 1 ps)."""
WINDOW_PIXELS = (1600, 1000)
NAMES_PIXELS, TREE_PIXELS = 240, 240
VIEW_CYCLES, BEFORE_CYCLES = 400, 40
"""Cycles in view, those in front of the first mark among them: the smallest frame and its gap fit."""
PIXELS_OF_ZOOM_0 = 200
"""So many pixels are one unit of time at GTKWave's zoom 0; each zoom step is a factor of two."""


def first_marks(events: np.ndarray, kinds: type[IntEnum]) -> dict[str, int]:
    """What the first frames' marks say, and their cycles. `events`: EVENT, sorted; `kinds` of the MAC."""
    found = {}
    for name, text in FIRST.items():
        if name in kinds.__members__:
            cycles = events["cycle"][events["kind"] == kinds[name]]
            if len(cycles):
                found[text] = int(cycles[0])
    return found


def write_save_file(path: Path, waves: Path, sidecar: dict[str, Any], clock_hz: int,
                    marks: dict[str, int]) -> Path:
    """Write the save file at `path` for the FST file `waves`; the filter files go beside it. Returns `path`.

    Parameters: `sidecar` of the engine; `clock_hz`; `marks` text -> cycle, of which the first is in view.
    """
    filters = path.with_name(NAME_FILTERS)
    filters.mkdir(exist_ok=True)
    widths = {port: about["width"] for port, about in sidecar["ports"].items()}
    with open(path, "w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.comment("FSM states by name: each filter file lists the codes of one FSM.")
        save.dumpfile(str(waves.resolve()))
        _window(save, PICOSECONDS // clock_hz, marks)
        save.trace(_name("top.cyc", 64), datafmt="dec")
        # Without a pin of its own the engine interrupts by messages; the top shows the lines that they set.
        if "irq" in widths:
            save.trace(_name(f"{ENGINE}.irq", widths["irq"]))
        else:
            _message_lines(save)
        with save.group("states"):
            for fsm in sidecar["fsms"]:
                table = _filter_file(filters, fsm)
                # Of a name with dots GTKWave shows the last part alone.
                save.trace(_name(".".join([ENGINE, *fsm["scope"], fsm["signal"]]), fsm["width"]),
                           alias="/".join(fsm["scope"]) or fsm["signal"], translate_filter_file=str(table))
        # Engine and waves agree on the groups: a signal's last name says enough within one.
        for title, watched in sidecar["watched"].items():
            with save.group(title):
                for name, width in watched.items():
                    save.trace(_name(f"{ENGINE}.{name}", width), alias=name.rpartition(".")[2].lstrip("_"),
                               datafmt="bin" if title == BITS else "dec")
        _group(save, "wire", _starting(widths, "phy__"), widths)
        for title, names in FACES:
            _group(save, title, [name for name in names if name in widths], widths)
        _group(save, "management", _starting(widths, "mdio__"), widths, closed=True)
        _group(save, "events", _starting(widths, "tap__"), widths, closed=True)
    return path


def _message_lines(save: GTKWSave) -> None:
    """All lines as one vector that opens into one row a line.

    Written as GTKWave itself does it: pyvcd leaves the vector out of the group that its rows end.
    """
    lines = _name(LINES, MESSAGE_LINES)
    save.trace(lines, alias="irq", extraflags=GTKWFlag.grp_begin | GTKWFlag.closed)
    print(f"@{(GTKWFlag.rjustify | GTKWFlag.bin).value:x}", file=save.file)
    for line in range(MESSAGE_LINES):
        text = "INTx" if line == MESSAGE_LINES - 1 else f"vector {line}"
        # GTKWave counts the bits of a vector from its left end
        print(f"+{{{text}}} ({MESSAGE_LINES - 1 - line}){lines}", file=save.file)
    end = GTKWFlag.grp_end | GTKWFlag.closed | GTKWFlag.blank | GTKWFlag.collapsed
    print(f"@{end.value:x}\n-group_end", file=save.file)


def _window(save: GTKWSave, period: int, marks: dict[str, int]) -> None:
    """Size and position of the window, markers, and the stretch of time in view. `period` of the clock."""
    start = max(0, next(iter(marks.values()), 0) - BEFORE_CYCLES)
    pixels = WINDOW_PIXELS[0] - NAMES_PIXELS - TREE_PIXELS
    # A cycle's falling edge is its number times the period after time 0: a marker there is within it.
    times = list(dict.fromkeys(cycle * period for cycle in marks.values()))
    letters = [chr(ord("a") + n) for n in range(len(times))]
    save.timestart(start * period)
    save.size(*WINDOW_PIXELS)
    save.zoom_markers(-log2(VIEW_CYCLES * period / pixels * PIXELS_OF_ZOOM_0), times[0] if times else -1,
                      **dict(zip(letters, times, strict=True)))
    for letter, time in zip(letters, times, strict=True):
        text = ", ".join(text for text, cycle in marks.items() if cycle * period == time)
        print(f"[markername] {letter.upper()}{text}", file=save.file)
    save.treeopen("top.")
    save.treeopen(f"{ENGINE}.")
    save.sst_expanded(True)
    print(f"[sst_width] {TREE_PIXELS}", file=save.file)
    save.signals_width(NAMES_PIXELS)


def _group(save: GTKWSave, title: str, names: list[str], widths: dict[str, int],
           closed: bool = False) -> None:
    if names:
        with save.group(title, closed=closed):
            for name in names:
                save.trace(_name(f"{ENGINE}.{name}", widths[name]))


def _starting(widths: dict[str, int], prefix: str) -> list[str]:
    return [name for name in widths if name.startswith(prefix)]


def _name(signal: str, width: int) -> str:
    return signal if width == 1 else f"{signal}[{width - 1}:0]"


def _filter_file(folder: Path, fsm: dict[str, Any]) -> Path:
    """Codes in hexadecimal, as GTKWave looks them up, and names."""
    digits = -(-fsm["width"] // 4)
    path = folder / f"{fsm['path']}.txt"
    lines = [f"{int(code):0{digits}x} {name}" for code, name in fsm["states"].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
