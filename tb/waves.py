"""A GTKWave save file for a run's waves: the faces of the engine in groups, and FSM states by name.

Amaranth's FSM state names do not reach an FST file. The sidecar of `hdl.emit` has them; GTKWave takes them as filter files, one an FSM.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vcd.gtkw import GTKWSave

ENGINE = "top.engine"
NAME_FILTERS = "waves.filters"
FACES = (
    ("time", "top", ("cyc",)),
    ("interrupt", ENGINE, ("irq",)),
    ("registers", ENGINE, ("csr__awaddr", "csr__awvalid", "csr__wdata", "csr__wstrb", "csr__araddr", "csr__arvalid",
                           "csr__rdata", "csr__rvalid")),
    ("bus", ENGINE, ("bus__arid", "bus__araddr", "bus__arlen", "bus__arvalid", "bus__arready", "bus__rdata", "bus__rvalid",
                     "bus__rlast", "bus__awid", "bus__awaddr", "bus__awlen", "bus__awvalid", "bus__awready", "bus__wdata",
                     "bus__wvalid", "bus__wready", "bus__wlast", "bus__bvalid")),
)
"""Group, scope and signals, as far as the engine has them."""


def write_save_file(path: Path, waves: Path, sidecar: dict[str, Any]) -> Path:
    """Write the save file at `path` for the FST file `waves`; the filter files go beside it. Returns `path`."""
    filters = path.with_name(NAME_FILTERS)
    filters.mkdir(exist_ok=True)
    widths = {port: about["width"] for port, about in sidecar["ports"].items()}
    with open(path, "w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.comment("FSM states by name: each filter file lists the codes of one FSM.")
        save.dumpfile(str(waves.resolve()))
        save.treeopen("top")
        save.treeopen(f"{ENGINE}")
        save.sst_expanded(True)
        save.signals_width(260)
        save.zoom_markers(-10.0)
        with save.group("states"):
            for fsm in sidecar["fsms"]:
                table = _filter_file(filters, fsm)
                save.trace(_name(".".join([ENGINE, *fsm["scope"], fsm["signal"]]), fsm["width"]), alias=fsm["path"],
                           datafmt="hex", translate_filter_file=str(table))
        for title, scope, names in FACES:
            with save.group(title):
                for name in names:
                    if scope == "top" or name in widths:
                        save.trace(_name(f"{scope}.{name}", widths.get(name, 64)), datafmt="hex")
        with save.group("wire"):
            for name, width in widths.items():
                if name.startswith(("phy__", "mdio__")):
                    save.trace(_name(f"{ENGINE}.{name}", width), datafmt="hex")
        with save.group("events", closed=True):
            for name, width in widths.items():
                if name.startswith("tap__"):
                    save.trace(_name(f"{ENGINE}.{name}", width), datafmt="hex")
    return path


def _name(signal: str, width: int) -> str:
    return signal if width == 1 else f"{signal}[{width - 1}:0]"


def _filter_file(folder: Path, fsm: dict[str, Any]) -> Path:
    """Codes in hexadecimal, as GTKWave looks them up, and names."""
    digits = -(-fsm["width"] // 4)
    path = folder / f"{fsm['path']}.txt"
    lines = [f"{int(code):0{digits}x} {name}" for code, name in fsm["states"].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
