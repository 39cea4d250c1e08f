"""When a frame may start, and in half duplex what CRS and COL do to it (docs/engines/at91ether.md, section
3.4).

CRS is up while either side sends, COL while both do. The wire's program is known, so the first tick in
which the far side's carrier meets a frame is a formula too.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from model.events import TX

from .events import Kind
from .part import GAP_CYCLES, PREAMBLE_CYCLES, SFD_CYCLES, TICK, bits

if TYPE_CHECKING:
    from .outgoing import Frame
    from .transmitter import Transmitter

(FD,) = bits("CFG", "FD")
JAM_CYCLES = 16
LATE_CYCLES = 256
SLOT_CYCLES = 256
ATTEMPTS, BACKOFF_LIMIT = 16, 10
SEED, STEPS, STAGES = 0xACE1, 16, (16, 15, 13, 4)
COL, RLE = bits("TSR", "COL", "RLE")


def shifted(state: int) -> int:
    """The backoff's shift register after the steps of one collision."""
    for _ in range(STEPS):
        feedback = 0
        for stage in STAGES:
            feedback ^= state >> stage - 1 & 1
        state = (state << 1 | feedback) & 0xFFFF
    return state


class HalfDuplex:
    """Starts of frames; in full duplex only the gap counts."""

    def __init__(self, transmitter: Transmitter) -> None:
        self.tx = transmitter
        self.collisions = 0
        self.deferred = False
        self._random = SEED
        self._backoff_over = 0
        self._carrier: list[int] = []
        self._last: list[int] = []
        self._ready = 0
        self._half_since = 0
        self._carrier_gap = 0

    @property
    def half(self) -> bool:
        """Whether CFG says half duplex."""
        return not self.tx.engine.cfg & FD

    def wire(self, carrier: list[int], end: list[int]) -> None:
        """The player has been started: first tick of each frame's carrier and first tick after it."""
        self._carrier = carrier
        self._last = [tick - TICK for tick in end]
        frame = self.tx.frame
        if frame is not None and frame.start is not None:
            self.began(frame)

    def duplex_set(self, cycle: int, was_half: bool) -> None:
        """CFG is written in `cycle`. A gap that the carrier restarted while the link was half duplex runs
        to its end all the same."""
        if was_half and not self.half:
            k = bisect_left(self._carrier, cycle + 1) - 1
            if k >= 0:
                seen = min(self._last[k], (cycle + 1) // TICK * TICK - 1)
                if seen >= max(self._half_since, self.tx.gap_over - GAP_CYCLES + 1):
                    self._carrier_gap = seen + GAP_CYCLES
        elif not was_half and self.half:
            self._half_since = cycle + 1

    def arrange(self, frame: Frame, ready: int) -> None:
        """The frame is ready from cycle `ready` on: it starts at the first tick at which gap, backoff and
        carrier allow it."""
        self._ready = ready
        self._arrange(frame, max(ready, self.tx.gap_over, self._backoff_over) | 1)

    def _arrange(self, frame: Frame, tick: int) -> None:
        tick = self._free_from(tick)
        self.tx.engine.kernel.call_at(4 * tick, self._start, frame, tick)

    def _free_from(self, tick: int) -> int:
        """The first tick >= `tick` with a whole gap since the last carrier."""
        tick = max(tick, self._carrier_gap)
        if not self.half:
            return tick
        own_end = self.tx.gap_over - GAP_CYCLES
        k = bisect_left(self._last, max(own_end + 1, tick - GAP_CYCLES + 1, self._half_since))
        while k < len(self._last) and self._carrier[k] <= tick:
            tick = max(tick, self._last[k] + GAP_CYCLES)
            k += 1
        return tick

    def _start(self, frame: Frame, tick: int) -> None:
        if frame is not self.tx.frame or frame.failed:
            return
        later = self._free_from(tick)  # the player may have been started meanwhile
        if later != tick:
            self._arrange(frame, later)
            return
        self.deferred |= self._carrier_gap > (self._ready | 1)
        if self.half:
            own_end = self.tx.gap_over - GAP_CYCLES
            since = max(own_end + 1, (self._ready | 1) - GAP_CYCLES + TICK, self._half_since)
            k = bisect_left(self._last, since)
            self.deferred |= k < len(self._last) and self._carrier[k] < tick
        self.tx.begin(frame, tick)

    def began(self, frame: Frame) -> None:
        """The frame is on the wire: find out when the far side's carrier meets it. COL comes of a shared
        medium alone."""
        if not self.half or not self.tx.engine.phy.half_duplex:
            return
        k = bisect_left(self._last, frame.start + TICK)
        if k < len(self._last):
            tick = max(frame.start + TICK, self._carrier[k])
            call = self.tx.engine.kernel.call_at
            if tick <= frame.end:
                call(4 * tick, self._hit, frame, tick)
            for later in range(tick + TICK, min(self._last[k], frame.start + SFD_CYCLES) + 1, TICK):
                call(4 * later, self._still_hit, frame, later)

    def _hit(self, frame: Frame, tick: int) -> None:
        tx = self.tx
        ending = frame.end < tick or (frame.abandoned and frame.end == tick)
        if frame is not tx.frame or ending or frame.collided or not tx.engine.transmit_enabled:
            return
        frame.collided = True
        frame.late = tick >= frame.start + LATE_CYCLES
        tx.engine.tsr.set(COL, tick)
        jam = tick if tick > frame.start + SFD_CYCLES else frame.start + PREAMBLE_CYCLES
        if not frame.starved:
            frame.sent_until = jam
        tx.end_in(frame, jam + JAM_CYCLES)
        tx.engine.kernel.call_at(4 * jam, self._jam, frame, jam)

    def _still_hit(self, frame: Frame, tick: int) -> None:
        """In preamble and SFD, which are completed, every tick of a collision shows in TSR."""
        if frame is self.tx.frame and self.tx.engine.transmit_enabled and frame.end > tick:
            self.tx.engine.tsr.set(COL, tick)

    def _jam(self, frame: Frame, tick: int) -> None:
        if frame is self.tx.frame:
            self.tx.stop_reader(frame, tick)

    def gives_up(self, frame: Frame) -> bool:
        """Whether the collision under way is the frame's last."""
        return frame.late or self.collisions + 1 == ATTEMPTS

    def ended(self, frame: Frame, tick: int) -> bool:
        """A collided frame is off the wire in `tick` (J): True if it is given up and so released, False if
        it will be tried again."""
        engine = self.tx.engine
        self.collisions += 1
        self._random = shifted(self._random)
        engine.log.add((tick, Kind.TX_COLLISION, TX, frame.number, self.collisions))
        excess = self.collisions == ATTEMPTS
        if frame.late:
            engine.statistics.add("LCOL", tick)
        if excess:
            engine.statistics.add("ECOL", tick)
            engine.tsr.set(RLE, tick)
            engine.cause(engine.RTRY, tick)
        slots = self._random & (1 << min(self.collisions, BACKOFF_LIMIT)) - 1
        self._backoff_over = tick + SLOT_CYCLES * slots
        return frame.late or excess

    def forget(self) -> None:
        """The frame is released or dropped."""
        self.collisions = 0
        self.deferred = False
        self._backoff_over = 0

    def count_sent(self, frame: Frame, tick: int) -> None:
        """A frame went out whole in `tick`."""
        statistics = self.tx.engine.statistics
        if self.collisions:
            statistics.add("SCOL" if self.collisions == 1 else "MCOL", tick)
        if self.deferred:
            statistics.add("DTE", tick)

    def deaf(self, cycle: int) -> bool:
        """Whether TX_EN masks RX_DV in the tick `cycle`."""
        frame = self.tx.on_wire
        return frame is not None and self.half and frame.start < cycle <= frame.end
