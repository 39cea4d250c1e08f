"""The receiving MAC: what becomes of each frame of the wire (docs/engines/lan743x.md, section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from model.frames import fcs
from model.traffic import RxProgram, rx_schedule

from .events import Kind, Reason
from .part import WORD
from .rx_channel import Frame

if TYPE_CHECKING:
    from .engine import Engine

RX_SFD, RX_END = int(Kind.RX_SFD), int(Kind.RX_END)
SHORTEST_BYTES = 64
PAUSE_HEAD = bytes.fromhex("0180c2000001")
PAUSE_TYPE = bytes.fromhex("88080001")
TYPE_AT, QUANTA_AT = 12, 16
SAMPLED_LATER = 1


class RxMac:
    """Members: `enabled`, RXEN; `max_size`; `busy_until`, *e+1* of the frame under way."""

    def __init__(self, engine: Engine, program: RxProgram | None) -> None:
        self.engine, self.program = engine, program
        self.enabled = False
        self.max_size = 1518
        self.busy_until = -1
        self._number = 0
        self._sfd: list[int] = []
        self._end: list[int] = []

    def start(self, cycle: int) -> None:
        """The wire's program starts on the falling edge of `cycle`."""
        schedule = rx_schedule(self.program, cycle, 1)
        self._sfd, self._end = schedule.sfd.tolist(), schedule.end.tolist()
        if self._sfd:
            self.engine.kernel.call_at(4 * self._sfd[0], self._begins, 0)

    def _begins(self, ordinal: int) -> None:
        """The SFD of frame `ordinal` is sampled in this cycle."""
        engine, s = self.engine, self._sfd[ordinal]
        if not self.enabled:
            self._next(ordinal)
            return
        engine.log.add((s, RX_SFD, 1, self._number, 0))
        decided = self._end[ordinal] + SAMPLED_LATER
        self.busy_until = decided
        stamp = engine.clock.read(s)
        frame = self.program.frames.bytes(ordinal)
        hashed = engine.rfe.hash(frame) if len(engine.rx) > 1 else None
        engine.kernel.call_at(4 * decided + 1, self._decide, ordinal, frame, hashed, stamp, s, decided)

    def _next(self, ordinal: int) -> None:
        if ordinal + 1 < len(self._sfd):
            self.engine.kernel.call_at(4 * self._sfd[ordinal + 1], self._begins, ordinal + 1)

    def _decide(self, ordinal: int, frame: bytes, hashed: int | None, stamp: tuple[int, int], s: int,
                decided: int) -> None:
        engine = self.engine
        length = len(frame)
        channel = engine.rx[engine.rfe.channel(hashed) if hashed is not None else 0]
        right = length >= WORD and fcs(frame[:-WORD]) == frame[-WORD:]
        reason = self._reason(frame, right, self.program.rx_er_at[ordinal] >= 0, channel, s, decided)
        engine.log.add((decided, RX_END, 1, self._number, length | reason << 32 | channel.number << 40))
        self._number = self._number + 1 & 0xFFFF_FFFF
        engine.statistics.received(reason, frame, right, decided)
        if reason == Reason.GOOD:
            stored = Frame(frame, -(-length // WORD), *stamp)
            engine.kernel.call_at(4 * decided + 3, channel.commit, stored, decided)
        elif reason == Reason.PAUSE:
            quanta = int.from_bytes(frame[QUANTA_AT:QUANTA_AT + 2], "big")
            engine.kernel.call_at(4 * decided + 3, engine.sender.pause, quanta, decided)
        if not self.enabled:
            engine.registers.receiver_disabled(decided)
        self._next(ordinal)

    def _reason(self, frame: bytes, right: bool, error: bool, channel, s: int, decided: int) -> Reason:
        engine = self.engine
        if error:
            return Reason.CODE
        if len(frame) < SHORTEST_BYTES:
            return Reason.SHORT
        if len(frame) > self.max_size:
            return Reason.LONG
        if not right:
            return Reason.CRC
        if engine.obeys_pause and frame[:6] == PAUSE_HEAD and frame[TYPE_AT:QUANTA_AT] == PAUSE_TYPE:
            return Reason.PAUSE
        if not engine.rfe.accepts(frame[:6]):
            return Reason.FILTER
        if not channel.enabled or channel.emptied_in >= s:
            return Reason.FCT_OFF
        if channel.overflows(s, decided, len(frame)):
            return Reason.OVERFLOW
        return Reason.GOOD


def address_hash(address: bytes) -> int:
    """Bits 31:23 of the kernel's ether_crc of an address: the bit of the multicast hash."""
    reflected = crc32(address) ^ 0xFFFF_FFFF
    return int(f"{reflected:032b}"[::-1], 2) >> 23
