"""The sender: frames of the FIFO and pause frames on the wire (docs/engines/lan743x.md, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from model.kernel import STATE, Alarms

from .events import Kind
from .part import FCS_BYTES, GAP_CYCLES, MIN_BYTES, PREAMBLE_CYCLES, QUANTUM_CYCLES, SFD_CYCLES
from .tx_channel import TxFrame

if TYPE_CHECKING:
    from .engine import Engine

TX_SFD, TX_DONE = int(Kind.TX_SFD), int(Kind.TX_DONE)


class Sender:
    """Members: `enabled`, TXEN; `wanted_pause`, the time of the pause frame to send, None for none;
    `free_from`, the first cycle in which a frame may start; `paused_until`, no data frame before that
    cycle."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.enabled = False
        self.moved_in = -1   # the cycle of the last write that changed TXEN
        self.wanted_pause: int | None = None
        self.free_from = 0
        self.paused_until = 0
        self._wants = 0           # how often a pause frame was wanted
        self._end = -1            # F of the frame being sent
        self._data_until = -1     # F if it is a data frame
        self._alarms = Alarms(engine.kernel, STATE, self._ask)

    def kick(self, cycle: int) -> None:
        """A frame may be able to start from `cycle` on."""
        self._alarms.ask(max(cycle, self.free_from))

    def _ask(self, t: int) -> None:
        if t < self.free_from:
            self.kick(t)
        elif self.enabled and self.engine.tx.enabled:
            if self.wanted_pause is not None:
                self._send_pause(t)
            elif self.engine.tx.loaded and not self.engine.tx.swr:
                if t < self.paused_until:
                    self.kick(self.paused_until)
                else:
                    self._send(t)

    def _send(self, t: int) -> None:
        engine = self.engine
        frame = engine.tx.frames.popleft()
        if frame.failed:
            engine.log.add((t, Kind.TX_DROP, 0, frame.number, 0))
            self.free_from = t + 1
            self._data_until = t   # it counts as loaded in this cycle still
            engine.kernel.call_at(4 * t + 3, engine.tx.completed, frame, False, t)
        else:
            data = b"".join(frame.pieces)
            count = len(data)
            wire_bytes = count
            if frame.insert_fcs:
                if count < MIN_BYTES:
                    data = data.ljust(MIN_BYTES, b"\0")
                    count = MIN_BYTES
                wire_bytes = count + FCS_BYTES
            f = t + PREAMBLE_CYCLES + wire_bytes
            self._occupy(f)
            self._data_until = f
            engine.log.add((t + SFD_CYCLES, TX_SFD, 0, frame.number, 0))
            engine.log.add((f, TX_DONE, 0, frame.number, crc32(data) | count << 32))
            engine.kernel.call_at(4 * f + 3, self._done, frame, data, wire_bytes, f)
        if engine.tx.loaded:
            self.kick(self.free_from)

    def _occupy(self, f: int) -> None:
        self._end = f
        self.free_from = f + GAP_CYCLES

    def _done(self, frame: TxFrame, data: bytes, wire_bytes: int, f: int) -> None:
        self.engine.statistics.sent(data, wire_bytes, f)
        self.engine.tx.completed(frame, frame.ioc, f)
        self._ended(f)

    def _send_pause(self, t: int) -> None:
        engine = self.engine
        f = t + PREAMBLE_CYCLES + MIN_BYTES + FCS_BYTES
        self._occupy(f)
        engine.log.add((t + SFD_CYCLES, Kind.TX_PAUSE, 0, 0, self.wanted_pause))
        engine.kernel.call_at(4 * t + 3, self._pause_begun, self._wants)
        engine.kernel.call_at(4 * f + 3, self._pause_done, f)
        if engine.tx.loaded:
            self.kick(self.free_from)

    def _pause_begun(self, want: int) -> None:
        if self._wants == want:   # none has come in the very cycle of the start
            self.wanted_pause = None

    def _pause_done(self, f: int) -> None:
        self.engine.statistics.sent_pause(f)
        self._ended(f)

    def _ended(self, f: int) -> None:
        if self.enabled == (self.moved_in == f):   # TXEN is down in F, whatever is written in it
            self.engine.registers.transmitter_disabled()

    def sending_data(self, x: int) -> bool:
        """Whether something of a data frame is being sent in *x*."""
        return x <= self._data_until

    def sending(self, x: int) -> bool:
        """Whether anything is being sent in *x*."""
        return x <= self._end

    def want_pause(self, time: int, cycle: int) -> None:
        """A pause frame is wanted, as of the edge that ends `cycle`."""
        self.wanted_pause = time
        self._wants += 1
        self.kick(cycle + 1)

    def pause(self, quanta: int, decided: int) -> None:
        """A pause frame was received and decided in `decided`."""
        self.paused_until = decided + 1 + QUANTUM_CYCLES * quanta
        self.kick(decided + 1)
