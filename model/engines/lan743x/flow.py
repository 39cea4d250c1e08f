"""Pause frames by the fill level of the receive FIFOs (docs/engines/lan743x.md, section 4.1, item 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .part import FLOW_UNIT_BYTES, MAP, WORD
from .rx_channel import RxChannel

if TYPE_CHECKING:
    from .engine import Engine

REQ_EN, ON, OFF = (MAP.field("FCT_FLOW0", name) for name in ("REQ_EN", "ON_THRESHOLD", "OFF_THRESHOLD"))
REQ_EN_MASK = REQ_EN.mask
TX_FCEN, TIME = (MAP.field("MAC_FLOW", name) for name in ("TX_FCEN", "FCPT"))


class Flow:
    """`xoff`: the channels that have asked for a pause."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._value = engine.registers.value
        self.xoff: set[int] = set()

    def used_changed(self, channel: RxChannel, shown: int) -> None:
        """`used` of a channel has changed and shows in cycle `shown` for the first time (called in the last
        phase of the cycle before, when the registers of `shown` stand)."""
        number, level = channel.number, channel.used * WORD
        flow = self._value[f"FCT_FLOW{number}"]
        if not flow & REQ_EN_MASK:
            return
        over = number in self.xoff
        if (level <= OFF.extract(flow) * FLOW_UNIT_BYTES if over
                else level >= ON.extract(flow) * FLOW_UNIT_BYTES):
            self.engine.kernel.call_at(4 * shown, self._compare, channel, shown)

    def _compare(self, channel: RxChannel, shown: int) -> None:
        value = self._value
        flow = value[f"FCT_FLOW{channel.number}"]
        level, number = channel.used * WORD, channel.number
        if level >= ON.extract(flow) * FLOW_UNIT_BYTES and number not in self.xoff:
            self.xoff.add(number)
            time = TIME.extract(value["MAC_FLOW"])
        elif level <= OFF.extract(flow) * FLOW_UNIT_BYTES and number in self.xoff:
            self.xoff.discard(number)
            time = 0
        else:
            return
        if value["MAC_FLOW"] & TX_FCEN.mask:
            self.engine.kernel.call_at(4 * shown + 3, self.engine.sender.want_pause, time, shown)

    def forget(self, channel: RxChannel) -> None:
        """The channel's FIFO was reset."""
        self.xoff.discard(channel.number)
