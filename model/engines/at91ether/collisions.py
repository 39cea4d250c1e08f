"""When a frame may start, and in half duplex what CRS and COL do to it (docs/engines/at91ether.md, section 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .transmitter import Frame, Transmitter

FD = 1 << 1


class HalfDuplex:
    """Start of frames; in full duplex only the gap counts."""

    def __init__(self, transmitter: Transmitter) -> None:
        self.tx = transmitter

    def arrange(self, frame: Frame, ready: int) -> None:
        """The frame is ready from cycle `ready` on: it starts at the first tick at which the gap is over."""
        tick = max(ready, self.tx.gap_over) | 1
        self.tx.engine.kernel.call_at(4 * tick, self._start, frame, tick)

    def _start(self, frame: Frame, tick: int) -> None:
        if frame is self.tx.frame and not frame.failed:
            self.tx.begin(frame, tick)

    def forget(self) -> None:
        """The frame is released or dropped."""

    def count_sent(self, frame: Frame, tick: int) -> None:
        """A frame went out whole in `tick`."""

    def deaf(self, cycle: int) -> bool:
        """Whether TX_EN masks RX_DV in `cycle`."""
        return False
