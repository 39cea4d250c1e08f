"""The receiver's wire side: which frames open, when their words reach the FIFO, how and when they end
(docs/engines/at91ether.md, sections 4.1 and 4.2).

The wire's program is known, so a frame's cycles are formulas of its SFD; only what depends on the mover
(overrun) or on registers is decided when its cycle comes.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from model.events import RX
from model.frames import FCS_BYTES
from model.traffic import RxProgram, rx_schedule

from .events import Kind, Reason
from .incoming import DECISION_BYTE, Frame
from .part import NEVER, TICK, bits

if TYPE_CHECKING:
    from .engine import Engine

MIN_BYTES, MAX_BYTES, MAX_BYTES_BIG = 64, 1518, 1536
OPEN_AT_MOST = 2
PREAMBLE, SFD = 0x5, 0xD
(BIG,) = bits("CFG", "BIG")


class Deframer:
    """Plays the receive program into the FIFO. `engine` is the owner; `frames` are the open frames, the
    head first; `due`: kernel time at which an overrun could show, the port calls `check_due` then."""

    def __init__(self, engine: Engine, program: RxProgram | None) -> None:
        self.engine = engine
        self.program = program
        self.frames: deque[Frame] = deque()
        self.seen = 0
        self._sfd: list[int] = []
        self._end: list[int] = []
        self.current: Frame | None = None
        self.due = NEVER
        self._pushed: tuple[Frame, int] | None = None

    def start(self, cycle: int) -> None:
        """The player starts on the falling edge of `cycle`."""
        if self.program is None or not len(self.program.frames):
            return
        schedule = rx_schedule(self.program, cycle)
        self._sfd = schedule.sfd.tolist()
        self._end = schedule.end.tolist()
        self.engine.tx.half.wire(schedule.carrier.tolist(), self._end)
        self.engine.kernel.call_at(4 * self._sfd[0], self._on_sfd, 0)

    def _open(self, cycle: int) -> int:
        while self.frames and self.frames[0].closed_in < cycle:
            self.frames.popleft()
        return sum(frame.closed_in >= cycle for frame in self.frames)

    def _on_sfd(self, k: int) -> None:
        engine, s = self.engine, self._sfd[k]
        if k + 1 < len(self._sfd):
            engine.kernel.call_at(4 * self._sfd[k + 1], self._on_sfd, k + 1)
        # An SFD without a visible nibble of preamble before it is not one.
        if not engine.tx.drives(s) and not engine.tx.drives(s - TICK):
            program = self.program
            self._begin(s, self._end[k], program.frames.bytes(k), bool(program.odd[k]),
                        program.rx_er_at[k] >= 0)

    def uncovered(self, tick: int) -> None:
        """Half duplex: the engine's own frame left the wire in `tick`; a frame in the midst of which that
        happens is looked at from there on.

        Its bytes may look like a preamble and an SFD: then what follows is taken for a frame.
        """
        k = bisect_left(self._end, tick + TICK + 1)
        if k >= len(self._end) or self._sfd[k] > tick:
            return
        body = self.program.frames[k]
        nibbles = np.stack((body & 15, body >> 4), axis=1).ravel().tolist() + [0] * int(self.program.odd[k])
        place = first = (tick - self._sfd[k]) // TICK
        while place < len(nibbles) and nibbles[place] == PREAMBLE:
            place += 1
        if place == first or place == len(nibbles) or nibbles[place] != SFD:
            return
        rest = nibbles[place + 1:]
        data = bytes(low | high << 4 for low, high in zip(rest[::2], rest[1::2], strict=False))
        s = self._sfd[k] + TICK * (place + 1)
        code = self.program.rx_er_at[k] * 2 + 1 > place
        self.engine.kernel.call_at(4 * s, self._begin, s, self._end[k], data, bool(len(rest) % 2), bool(code))

    def _begin(self, s: int, end: int, data: bytes, odd: bool, code: bool) -> None:
        """An SFD is seen in tick `s`; the frame has `data` and ends in tick `end`."""
        engine = self.engine
        if not engine.receive_enabled:
            return
        number = self.seen
        self.seen += 1
        if engine.rx.stalled:
            engine.log.add((s, Kind.RX_MISS, RX, number, Reason.STALLED))
            engine.statistics.add("DRFC", s)
            return
        if self._open(s) >= OPEN_AT_MOST:
            engine.log.add((s, Kind.RX_MISS, RX, number, Reason.OVERRUN))
            self._overrun(s)
            return
        frame = Frame(number, s, end, data, odd, code)
        engine.log.add((s, Kind.RX_SFD, RX, number, 0))
        self.frames.append(frame)
        self.current = frame
        call = engine.kernel.call_at
        if len(frame.data) > DECISION_BYTE:
            call(4 * frame.push_cycle(0), self._decide, frame)
        for limit in (MAX_BYTES, MAX_BYTES_BIG):
            if len(frame.data) > limit:
                call(4 * (frame.byte_cycle(limit) + 1), self._too_long, frame, limit)
        call(4 * (frame.end + 1), self._finish, frame)
        engine.port.kick()

    def _longest(self) -> int:
        return MAX_BYTES_BIG if self.engine.cfg & BIG else MAX_BYTES

    def _decide(self, frame: Frame) -> None:
        cycle = frame.push_cycle(0)
        if frame.ended_in is not None:
            return
        flags = self.engine.filter.match(frame.data[:6], self.engine.cfg)
        if flags is None:
            self._record(frame, cycle, Reason.FILTER)
            return
        frame.flags = flags
        frame.accepted = True
        self._watch(frame, 0)
        self.engine.port.kick()

    def _watch(self, frame: Frame, word: int) -> None:
        """Find the first push from `word` on that could find the FIFO full: `due` is when that shows.

        Only pops that have happened count: the later ones of a burst under way may come too late for a push
        before them.
        """
        now = self.engine.kernel.now // 4
        used = 0
        if len(self.frames) > 1:
            used = sum(f.words - bisect_left(f.pops, now) for f in self.frames
                       if f is not frame and f.gone_in >= now)
        word = max(word, self.engine.fifo_words + bisect_left(frame.pops, now) - used)
        self._pushed = (frame, word)
        self.due = 4 * frame.push_cycle(word) if word < frame.words and frame.ended_in is None else NEVER

    def drained(self, frame: Frame) -> None:
        """A burst of `frame` has been granted. If its words leave before the push that is watched, that push
        finds room, and so do the next."""
        if self.due != NEVER and self._pushed[0] is frame and len(self.frames) == 1 \
                and 4 * frame.pops[-1] < self.due:
            word = self.engine.fifo_words + len(frame.pops)
            self._pushed = (frame, word)
            self.due = 4 * frame.push_cycle(word) if word < frame.words else NEVER

    def check_due(self) -> bool:
        """A word is pushed, at the time `due`: is there room? False: there is none, or nobody cares any
        more."""
        frame, word = self._pushed
        cycle, self.due = self.due // 4, NEVER
        if frame.ended_in is not None:
            return False
        level = word - bisect_left(frame.pops, cycle)
        if frame.gone_in < cycle:
            level = 0
        for other in self.frames:
            if other is not frame and other.gone_in >= cycle:
                level += other.words - bisect_left(other.pops, cycle)
        if level >= self.engine.fifo_words:
            self._overrun(cycle)
            frame.words = word
            self._record(frame, cycle, Reason.OVERRUN)
            return False
        self._watch(frame, word + 1)
        return True

    def _overrun(self, cycle: int) -> None:
        engine = self.engine
        engine.cause(engine.ROVR, cycle)
        engine.rsr.set(engine.RSR_OVR, cycle)
        engine.statistics.add("ROV", cycle)

    def limit_set(self, cycle: int) -> None:
        """CFG is written in `cycle`: a frame that is beyond a lowered limit already is too long with its
        next byte."""
        frame = self.current
        if frame is not None and frame.ended_in is None and self._longest() == MAX_BYTES:
            byte = max(frame.bytes_before(cycle), MAX_BYTES)
            if byte > MAX_BYTES and byte < len(frame.data):
                self.engine.kernel.call_at(4 * (frame.byte_cycle(byte) + 1), self._over, frame, byte)

    def _over(self, frame: Frame, byte: int) -> None:
        if frame.ended_in is None and self._longest() == MAX_BYTES:
            self._record(frame, frame.byte_cycle(byte) + 1, Reason.LONG)

    def _too_long(self, frame: Frame, limit: int) -> None:
        """The first byte beyond `limit` is complete: too long if CFG has this limit now."""
        if frame.ended_in is None and limit == self._longest():
            self._record(frame, frame.byte_cycle(limit) + 1, Reason.LONG)

    def _finish(self, frame: Frame) -> None:
        """RX_DV fell in the tick before."""
        cycle = frame.end + 1
        if self.due == 4 * cycle:  # the push of the last part word comes first
            self.check_due()
        statistics = self.engine.statistics
        body = frame.data[:-FCS_BYTES]
        fcs = zlib.crc32(body).to_bytes(FCS_BYTES, "little")
        right = len(frame.data) > FCS_BYTES and fcs == frame.data[-FCS_BYTES:]
        if frame.ended_in is not None:
            if frame.reason == Reason.LONG:
                statistics.add("ELR" if right else "RJB", cycle)
            return
        if frame.code:
            reason = Reason.CODE
            statistics.add("CDE", cycle)
        elif len(frame.data) < MIN_BYTES:
            reason = Reason.SHORT
            statistics.add("USF", cycle)
        elif right:
            reason = Reason.GOOD
        elif frame.odd:
            reason = Reason.ALIGN
            statistics.add("ALE", cycle)
        else:
            reason = Reason.CRC
            statistics.add("SEQE", cycle)
        self._record(frame, cycle, reason)

    def receive_disabled(self, cycle: int) -> None:
        """RE is seen to be 0 in `cycle`: a frame in reception ends there unless something else ended it."""
        frame = self.current
        if frame is not None and frame.ended_in is None:
            self._record(frame, cycle, Reason.RE_OFF)

    def _record(self, frame: Frame, cycle: int, reason: Reason) -> None:
        frame.ended_in = cycle
        frame.reason = reason
        self.due = NEVER
        early = reason in (Reason.OVERRUN, Reason.LONG, Reason.FILTER, Reason.RE_OFF)
        frame.length = frame.bytes_before(cycle) if early else len(frame.data)
        if not frame.accepted:
            frame.words = 0
        elif reason in (Reason.LONG, Reason.RE_OFF):
            frame.words = sum(frame.push_cycle(word) <= cycle for word in range(frame.words))
        self.engine.log.add((cycle, Kind.RX_END, RX, frame.number, frame.length | reason << 32))
        self.engine.port.kick()
