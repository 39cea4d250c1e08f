"""The write-back unit: heads and messages, in order (docs/engines/lan743x.md, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.kernel import STATE, Alarms
from model.link import INTX_MESSAGE, MESSAGE_BASE

from .channel import Channel
from .events import Kind
from .part import NEVER, WRITE_BACK_ID

if TYPE_CHECKING:
    from .engine import Engine

SCAN, HEAD, MESSAGE, INTX, WRITING = range(5)
NO_RING = 2


class WriteBack:
    """`level`, of INTx, as last sent."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.late = bool(engine.straps.get("head_wb_late"))
        self.level = 0
        self._state = SCAN
        self._scan_from = 0
        self._scans = Alarms(engine.kernel, STATE, self._scan)
        self._request_from = NEVER
        self._channel: Channel | None = None
        self._vector = 0
        self._intx = (0, 0)
        self._wrote = engine.write_port.replying(self._written)

    def look(self, cycle: int) -> None:
        """Something may be due from `cycle` on, or no longer."""
        if self._state == SCAN:
            if cycle >= self._scan_from:
                self._scan(cycle)
            else:
                self._scans.ask(self._scan_from)
        elif self._state == MESSAGE and self._request_from <= cycle and not self._still_ready(cycle):
            self._state, self._request_from = SCAN, NEVER
            self._scan_from = cycle + 1
            self._scans.ask(cycle + 1)

    def _still_ready(self, cycle: int) -> bool:
        """Whether the message may go: its vector is ready, and no head has to be written before."""
        interrupts = self.engine.interrupts
        wanted, ready = 0, False
        for v, firing in interrupts.ready_vectors(cycle):
            wanted |= firing
            ready = ready or v == self._vector
        return ready and not any(channel.pending and channel.wb_enable and channel.source & wanted
                                 for channel in interrupts.channels)

    def _scan(self, x: int) -> None:
        if self._state != SCAN or x < self._scan_from:
            return
        interrupts = self.engine.interrupts
        wanted, first = 0, -1
        for v, firing in interrupts.ready_vectors(x):
            wanted |= firing
            if first < 0:
                first = v
        level = self.level
        if self.engine.rev_a0:
            active = interrupts.active(x)
            level = int(bool(active))
            if level and not self.level:
                wanted |= active
        for channel in interrupts.channels:
            if channel.pending and channel.wb_enable and (
                    channel.flag_from <= x or channel.source & wanted
                    or (channel.pending >= channel.wb_thres and not self.late)):
                self._choose(HEAD, x)
                self._channel = channel
                return
        if first >= 0:
            self._vector = first
            self._choose(MESSAGE, x)
        elif level != self.level:
            self._intx = (level, active)
            self._choose(INTX, x)

    def _choose(self, state: int, x: int) -> None:
        self._state = state
        self._request_from = x + 1
        self.engine.write_port.kick(x + 1)
        if state == MESSAGE:
            # it is taken back if the vector is not ready in one of the cycles of the wait
            self.engine.interrupts.look(x + 1)

    def wants(self, w: int) -> bool:
        """Whether it requests in *w*."""
        return self._request_from <= w

    def granted(self, w: int, a: int) -> None:
        """Granted in *w*, handshake in *a*."""
        state, engine = self._state, self.engine
        self._request_from = NEVER
        self._state = WRITING
        log, bus = engine.log, engine.bus
        if state == HEAD:
            channel = self._channel
            head = channel.head
            engine.kernel.call_at(4 * w + 2, self._head_taken, channel, w)
            log.add((a, Kind.TX_HEAD if channel is engine.tx else Kind.RX_HEAD, channel.ring, 0, head))
            bus.write(WRITE_BACK_ID, a, channel.wb_address, head.to_bytes(4, "little"), self._wrote)
        elif state == MESSAGE:
            vector = self._vector
            firing = next(firing for v, firing in engine.interrupts.ready_vectors(w) if v == vector)
            engine.kernel.call_at(4 * w + 3, engine.interrupts.sent, vector, firing, w)
            log.add((a, Kind.INT_MESSAGE, NO_RING, vector, firing))
            bus.write(WRITE_BACK_ID, a, MESSAGE_BASE + 4 * vector, vector.to_bytes(4, "little"), self._wrote)
        else:
            self.level, active = self._intx
            log.add((a, Kind.INTX, NO_RING, self.level, active))
            bus.write(WRITE_BACK_ID, a, MESSAGE_BASE + 4 * INTX_MESSAGE, self.level.to_bytes(4, "little"),
                      self._wrote)

    def _head_taken(self, channel: Channel, w: int) -> None:
        channel.pending = 0
        channel.head_taken_in = w
        channel.flag_from = w + 1 if channel.flag_set_in == w else NEVER
        self.engine.interrupts.look(w + 1)

    def _written(self, d: int, failed: bool) -> None:
        self._state = SCAN
        self._scan_from = d + 1
        self._scans.ask(d + 1)
