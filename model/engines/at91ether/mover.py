"""The receiver's memory side: ownership, moving words, write-back (docs/engines/at91ether.md, section
4.3)."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from model.events import RX

from .events import Kind, Reason
from .incoming import Frame
from .part import BURST_WORDS, MAP, NEVER, PAGE, WORD

if TYPE_CHECKING:
    from .engine import Engine

RX_WRITE = int(Kind.RX_WRITE)
ENTRY_WORDS = MAP.descriptor("rx_descriptor")
OWNERSHIP, WRAP, ADDRESS = (ENTRY_WORDS.field("WORD0", name).mask
                            for name in ("OWNERSHIP", "WRAP", "ADDRESS"))
LONGEST_LIST = 1024
ENTRY = ENTRY_WORDS.size_bytes


class State(Enum):
    """As in the specification; WRITE is a granted burst of MOVE."""

    IDLE = auto()
    OWN = auto()
    MOVE = auto()
    WB1 = auto()
    WB0 = auto()
    DROP = auto()


Access = tuple[int, bytes | None]
"""A granted access: address, and what is written; None for the read of one word."""


class Mover:
    """One frame at a time from the FIFO to the ring. `pointer` is the ring entry in use, `base` the ring's
    first."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.state = State.IDLE
        self.since = 0
        self.head: Frame | None = None
        self.base = self.pointer = 0
        self.entry = 0
        self.word0 = self.word1 = 0
        self.stalled = False
        self._in_access = False
        self._longest = min(BURST_WORDS, engine.fifo_words)
        self._list_set_in = -1
        self._entry_before = 0
        self.drop_reason = Reason.GOOD

    def set_list(self, cycle: int, base: int) -> None:
        """RBQP is written in `cycle`."""
        self._list_set_in, self._entry_before = cycle, self.entry
        self.base = self.pointer = base & ADDRESS
        self.entry = 0

    def next_request(self, first: int) -> int:
        """The first cycle >= `first` (when the port is idle) in which the port is requested, as far as is
        known; NEVER if none is.

        Takes on the way the steps that need no port.
        """
        while not self._in_access:
            state, head = self.state, self.head
            if state is State.IDLE:
                for head in self.engine.deframer.frames:
                    if head.closed_in == NEVER:
                        break
                else:
                    return NEVER
                self.head = head
                self._enter(State.OWN, max(self.since, head.sfd + 1) + 1)
            elif state is State.MOVE:
                request = self._move_request(head, first)
                if request is not None:
                    return request
            elif state is State.DROP:
                if head.ended_in is None:
                    return NEVER
                self._give_up(max(self.since, head.ended_in + 1), self.drop_reason)
            else:
                return max(self.since, first)
        return NEVER

    def _move_request(self, head: Frame, first: int) -> int | None:
        """In MOVE: the cycle of the next request, NEVER if none is known, or None if a step without the
        port was taken."""
        request = NEVER
        if head.accepted:
            word = head.moved + self._whole_burst() - 1
            if word < head.words:
                request = max(self.since, first, head.push_cycle(word) + 1)
                # A push that the frame's end brings along is only certain once the end is there.
                if head.ended_in is None and WORD * word + WORD > len(head.data):
                    request = NEVER
        if head.ended_in is None:
            return request
        seen = max(self.since, head.ended_in + 1)
        if request < seen:
            return request
        if head.reason is not Reason.GOOD:
            self._give_up(seen, head.reason)
        elif head.moved == head.words:
            self.word1 = head.length & 0x7FF | head.flags
            self._enter(State.WB1, seen + 1)
        else:
            return max(seen, first)
        return None

    def _whole_burst(self) -> int:
        """Words of the next burst if the frame does not end before."""
        to_page_end = PAGE - self._target() % PAGE
        return self._longest if to_page_end >= WORD * self._longest else to_page_end // WORD

    def _target(self) -> int:
        return (self.word0 & ADDRESS) + WORD * self.head.moved

    def _enter(self, state: State, since: int) -> None:
        self.state, self.since = state, since

    def _give_up(self, cycle: int, reason: Reason) -> None:
        head = self.head
        head.gone_in = min(head.gone_in, cycle)
        self.engine.log.add((cycle, Kind.RX_DROP, RX, head.number, reason))
        self._close(cycle)

    def _close(self, cycle: int) -> None:
        self.head.closed_in = cycle
        self.head = None
        self._enter(State.IDLE, cycle + 1)

    def granted(self, a: int, beat_interval: int) -> Access:
        """The access that was requested; its address is taken in cycle `a`."""
        log, head, pointer = self.engine.log, self.head, self.pointer
        self._in_access = True
        if self.state is State.OWN:
            log.add((a, Kind.RX_FETCH, RX, head.number, pointer))
            return pointer, None
        if self.state is State.WB1:
            self._log_entry(a, Kind.RX_WB1, self.word1)
            return pointer + WORD, self.word1.to_bytes(WORD, "little")
        if self.state is State.WB0:
            word = self.word0 | OWNERSHIP
            self._log_entry(a, Kind.RX_WB0, word)
            return pointer, word.to_bytes(WORD, "little")
        address = self._target()
        words = self._whole_burst()
        if head.ended_in is not None and head.ended_in < a - 1:
            words = min(words, head.words - head.moved)
        start = WORD * head.moved
        data = head.data[start:start + WORD * words]
        if len(data) != WORD * words:
            data = data.ljust(WORD * words, b"\0")
        log.add((a, RX_WRITE, RX, head.number, address | words << 32))
        head.pops.extend(range(a + 1, a + 1 + words * beat_interval, beat_interval))
        head.moved += words
        self.engine.deframer.drained(head)
        return address, data

    def _log_entry(self, a: int, kind: Kind, word: int) -> None:
        """Log a write-back in the cycle of its address, with the ring index as it is then: RBQP may be
        written in between."""
        self.engine.kernel.call_at(4 * a, lambda: self.engine.log.add((a, kind, RX, self.entry, word)))

    def done(self, cycle: int, failed: bool, word: int) -> None:
        """The access ended in `cycle`; `word` is what a read brought."""
        engine, head = self.engine, self.head
        self._in_access = False
        # A list set in this very cycle shows in the next.
        entry = self._entry_before if self._list_set_in == cycle else self.entry
        if failed:
            engine.cause(engine.ABT, cycle)
            engine.log.add((cycle, Kind.RX_ABORT, RX, head.number, 0))
            self._drop(cycle, Reason.BUS)
        elif self.state is State.OWN:
            self.word0 = word
            if word & OWNERSHIP:
                engine.cause(engine.RBNA, cycle)
                engine.rsr.set(engine.RSR_BNA, cycle)
                engine.statistics.add("DRFC", cycle)
                engine.log.add((cycle, Kind.RX_BNA, RX, entry, word))
                self.stalled = engine.straps.get("rbna_restart", 0) == 1
                self._drop(cycle, Reason.BNA)
            else:
                engine.log.add((cycle, Kind.RX_OWN, RX, entry, word))
                self._enter(State.MOVE, cycle + 1)
        elif self.state is State.WB1:
            self._enter(State.WB0, cycle + 1)
        elif self.state is State.WB0:
            engine.cause(engine.RCOM, cycle)
            engine.rsr.set(engine.RSR_REC, cycle)
            engine.statistics.add("OK", cycle)
            engine.log.add((cycle, Kind.RX_DONE, RX, entry, self.word1))
            if self._list_set_in != cycle:
                self._advance()
            self._close(cycle)
        else:
            self._enter(State.MOVE, cycle + 1)

    def _drop(self, cycle: int, reason: Reason) -> None:
        self.drop_reason = reason
        self.head.gone_in = cycle + 1
        self._enter(State.DROP, cycle + 1)

    def _advance(self) -> None:
        self.entry += 1
        self.pointer += ENTRY
        if self.word0 & WRAP or self.entry == LONGEST_LIST:
            self.pointer, self.entry = self.base, 0
