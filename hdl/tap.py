"""The event tap: lanes on which an engine says, in the cycle in which it happens, what it does.

The bench records what the lanes say and compares it with the prediction; nothing else is connected to them,
and synthesis without the bench removes them. A lane is named like the event it reports and belongs to a ring;
ring and widths are constants that Python (and the sidecar of the emitted Verilog) can read.
"""

import dataclasses
import enum

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

__all__ = ["Lane", "LaneSignature", "Ring", "TapSignature", "report"]


class Ring(enum.IntEnum):
    """Which ring an event belongs to. RX is the first receive ring, RX1 to RX3 are those of further
    channels."""

    TX = 0
    RX = 1
    NONE = 2
    RX1 = 3
    RX2 = 4
    RX3 = 5


@dataclasses.dataclass(frozen=True)
class Lane:
    """What a lane carries.

    Parameters
    ----------
    ring: the ring that its events belong to.
    index_width: bits of the index (entry, frame, slot); 0 for events that need none. At most 32.
    data_width: bits of the data; 0 for events that need none. At most 64.
    """

    ring: Ring
    index_width: int = 0
    data_width: int = 0

    def __post_init__(self):
        object.__setattr__(self, "ring", Ring(self.ring))
        for name, width, most in (("index_width", self.index_width, 32), ("data_width", self.data_width, 64)):
            if not isinstance(width, int) or not 0 <= width <= most:
                raise ValueError(f"Lane: {name} must be an integer in 0..{most}, not {width!r}")


class LaneSignature(wiring.Signature):
    """One lane.

    Members
    -------
    valid: 1 in the cycle in which the event happens.
    index: entry, frame or slot; absent if the lane has no index.
    data: the event's data; absent if the lane has none.
    """

    def __init__(self, lane: Lane):
        self.lane = lane
        members = {"valid": Out(1)}
        if lane.index_width:
            members["index"] = Out(lane.index_width)
        if lane.data_width:
            members["data"] = Out(lane.data_width)
        super().__init__(members)

    def __eq__(self, other):
        return isinstance(other, LaneSignature) and self.lane == other.lane

    def __repr__(self):
        return f"LaneSignature({self.lane!r})"


class TapSignature(wiring.Signature):
    """All lanes of an engine, e.g. `tap: Out(TapSignature({"tx_sent": Lane(Ring.TX, 16, 11)}))`.

    Parameters
    ----------
    lanes: lane by event name, in lower case as in the MAC's list of event kinds.

    Members
    -------
    <name>: a `LaneSignature` for each lane; its Verilog ports are `tap__<name>__valid`, `__index` and
        `__data`.
    """

    def __init__(self, lanes: dict[str, Lane]):
        for name in lanes:
            if not name.isidentifier() or name != name.lower() or name.startswith("_"):
                raise ValueError(f"TapSignature: a lane is named like its event, in lower case; not {name!r}")
        self.lanes = dict(lanes)
        super().__init__({name: Out(LaneSignature(lane)) for name, lane in lanes.items()})

    def __eq__(self, other):
        return isinstance(other, TapSignature) and self.lanes == other.lanes

    def __repr__(self):
        return f"TapSignature({self.lanes!r})"


def report(m: Module, lane, *, index=None, data=None) -> None:
    """Put an event on a lane, in the cycle in which the surrounding conditions hold.

    Parameters
    ----------
    m: module being elaborated; the call belongs inside the `m.If` or `m.State` that decides that the event
        happens.
    lane: a lane of the tap, e.g. `self.tap.tx_sent`.
    index, data: values; to be given exactly if the lane has them.

    Raises
    ------
    ValueError
        A value is missing, or given to a lane that does not carry it.
    """
    for name, value in (("index", index), ("data", data)):
        if hasattr(lane, name) != (value is not None):
            raise ValueError(f"this lane {'needs' if hasattr(lane, name) else 'carries no'} {name}: "
                             f"{lane.signature!r}")
        if value is not None:
            m.d.comb += getattr(lane, name).eq(value)
    m.d.comb += lane.valid.eq(1)
