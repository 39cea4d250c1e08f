"""Verilog text of a component, and a sidecar that says what the text does not.

The sidecar is plain data (ready for JSON): ports, offsets of the strap fields, lanes of the event tap, and
for every state machine the Verilog path of its state register with the names of its states, which no
simulator's waves carry.
"""

import dataclasses
import re

from amaranth.back import rtlil, verilog
from amaranth.hdl import Format, Fragment, Signal, ValueCastable
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring

from .tap import TapSignature

__all__ = ["Emitted", "emit"]

# Amaranth's Verilog comes from Yosys, which puts a read of a flag register of its own into every `always @*`
# block, for older simulators' sake, and never changes the flag after giving it its initial 0. Simulators wait
# for a change before they first run such a block: Icarus 11 leaves its outputs X until an input moves, while
# Verilator and Amaranth's own simulator know them from the start. An assignment at time 0 is that change.
# `-sv` (always_comb) would have the same effect, but can livelock Icarus 11 in zero time on combinational
# arbiters, so plain Verilog it is.
_FLAG = re.compile(r"^(?P<indent>\s*)reg (?P<flag>\\\$auto\$verilog_backend\S* ) = 0;$", re.MULTILINE)

# A block of one statement comes without a flag (Yosys writes it for a slice of a signal whose other slices
# have blocks of their own). It gets one of ours.
_BARE = re.compile(r"^(?P<indent>\s*)always @\*\n\s*(?P<statement>\S[^\n]*;)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Emitted:
    """What `emit` returns.

    Attributes
    ----------
    verilog: the text; its top module has the name given.
    sidecar: a dictionary of plain data:

        - "name": the top module;
        - "ports": {port: {"direction": "input" | "output", "width": bits}}, clk and rst included;
        - "straps": {field: {"offset": bits, "width": bits}}, empty if there is no `straps` with a layout;
        - "lanes": {lane: {"ring": number, "valid": port, "index": port or None, "index_width": bits,
          "data": port or None, "data_width": bits}};
        - "fsms": [{"path": hierarchical name below the top, "signal": name, "scope": [instances],
          "width": bits, "states": {encoding (as text): name}}], by scope: Amaranth's FSMs, and signals of an
          enumeration that are named `state` or `..._state`;
        - "watched": {group: {hierarchical name below the top: bits}}, what the component's `watched` lists
          for whoever looks at waves.
    """

    verilog: str
    sidecar: dict


def _ports(component: wiring.Component) -> dict:
    ports = {}
    for path, member, value in component.signature.flatten(component):
        direction = PortDirection.Input if member.flow == wiring.In else PortDirection.Output
        value = value.as_value() if isinstance(value, ValueCastable) else value
        ports["__".join(map(str, path))] = (value, direction)
    return ports


def _straps(component: wiring.Component) -> dict:
    layout = getattr(getattr(component, "straps", None), "shape", lambda: None)()
    if layout is None or not hasattr(layout, "size"):
        return {}
    return {str(name): {"offset": field.offset, "width": field.width} for name, field in layout}


def _lanes(component: wiring.Component) -> dict:
    lanes = {}
    for member_name, member in component.signature.members.items():
        if not (member.is_port is False and isinstance(member.signature, TapSignature)):
            continue
        for name, lane in member.signature.lanes.items():
            prefix = f"{member_name}__{name}"
            lanes[name] = {
                "ring": int(lane.ring), "valid": f"{prefix}__valid",
                "index": f"{prefix}__index" if lane.index_width else None, "index_width": lane.index_width,
                "data": f"{prefix}__data" if lane.data_width else None, "data_width": lane.data_width,
            }
    return lanes


def _states(signal: Signal) -> dict[int, str]:
    """Names of a state register's codes, or {} if it is none.

    An FSM below a ResetInserter or the like is no longer in its fragment's record of what was generated; the
    register itself still knows how to say its state: "NAME/code", and KeyError for a code that is not used.
    """
    if signal.name != "state" and not signal.name.endswith("_state"):
        return {}
    if isinstance(signal._format, Format.Enum):
        return {int(code): str(name) for code, name in signal._format._variants.items()}
    states = {}
    for code in range(1 << len(signal)) if callable(signal._decoder) else ():
        try:
            states[code] = signal._decoder(code).rpartition("/")[0]
        except KeyError:
            continue
    return states


def _fsms(name_map) -> list[dict]:
    found = []
    for signal, (_, *scope, name) in sorted(name_map.items(),
                                              key=lambda item: (item[1][:-1], item[1][-1])):
        if states := _states(signal):
            found.append({
                "path": ".".join([*scope, name]), "signal": name, "scope": list(scope), "width": len(signal),
                "states": {str(code): state for code, state in states.items()},
            })
    return found


def _watched(component: wiring.Component, name_map) -> dict:
    widths = {".".join(path[1:]): len(signal) for signal, path in name_map.items()}
    watched = {}
    for group, paths in getattr(component, "watched", {}).items():
        if missing := [path for path in paths if path not in widths]:
            raise ValueError(f"{type(component).__module__}: watched, {group}: {', '.join(missing)}: "
                             f"no signal of that name in the Verilog")
        watched[group] = {path: widths[path] for path in paths}
    return watched


def _with_flag(block: re.Match) -> str:
    """The block of one statement, reading a flag that changes at time 0."""
    indent, flag = block["indent"], f"\\wake${block.start()} "
    return "\n".join(indent + line for line in (
        f"reg {flag} = 0;", f"initial {flag} <= 1;", "always @* begin", f"  if ({flag}) begin end",
        f"  {block['statement']}", "end"))


def emit(component: wiring.Component, name: str) -> Emitted:
    """Verilog on which Icarus, Verilator and Amaranth's simulator agree from time 0.

    Parameters
    ----------
    component: not yet elaborated.
    name: of the top module.

    Raises
    ------
    ValueError
        The text has a combinational block that the wake-up at time 0 would miss (another version of Yosys?),
        or `watched` names a signal that there is not.
    """
    ports = _ports(component)
    fragment = Fragment.get(component, None)
    rtlil_text, name_map = rtlil.convert_fragment(fragment, ports=dict(ports), name=name, emit_src=False)
    text = verilog._convert_rtlil_text(rtlil_text, strip_internal_attrs=True)
    text, woken = _FLAG.subn(r"\g<indent>reg \g<flag> = 0;\n\g<indent>initial \g<flag> <= 1;", text)
    modules = sum("always @* begin" in module for module in text.split("\nendmodule"))
    if woken != modules:
        raise ValueError(
            f"{name}: {modules} modules have combinational blocks, but {woken} wake-up flags were found in "
            f"the Verilog; the pattern in hdl/emit.py does not fit this version of Yosys")
    text = _BARE.sub(_with_flag, text)
    directions = {PortDirection.Input: "input", PortDirection.Output: "output"}
    widths = {port: {"direction": directions[direction], "width": len(value)}
              for port, (value, direction) in ports.items()}
    for clock in ("clk", "rst"):
        if re.search(rf"^\s*input {clock} ?;", text, re.MULTILINE):
            widths[clock] = {"direction": "input", "width": 1}
    return Emitted(text, {
        "name": name, "ports": widths, "straps": _straps(component), "lanes": _lanes(component),
        "fsms": _fsms(name_map), "watched": _watched(component, name_map),
    })
