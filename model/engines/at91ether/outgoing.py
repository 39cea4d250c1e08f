"""One attempt to send a frame, as formulas of its start tick.

Ref: docs/engines/at91ether.md, sections 3.2 and 3.3.
"""

from __future__ import annotations

from .pair import HandOver
from .part import CYCLES_PER_BYTE, NEVER, PAGE, PREAMBLE_CYCLES, WORD

CYCLES_PER_WORD = CYCLES_PER_BYTE * WORD
MIN_BYTES = 60


class Frame:
    """One attempt to send a frame. `start`: tick *t*, None before; `end`: tick in which it will end as
    things stand; `bursts`: those not yet asked for, the next one last, as (words, cycles from the
    start to the first in which there is room, None: at once); `arrivals`: cycle of each word's beat;
    `in_time`: so many words are known to come before they are due; `stopped`: first cycle without
    requests."""

    def __init__(self, place: HandOver, given_in: int, longest: int, fifo_words: int) -> None:
        self.place = place
        self.number = place.number
        self.skip = place.address % WORD
        self.address = place.address - self.skip
        self.words = -(-(self.skip + place.length) // WORD)
        self.bursts = self._plan(longest, fifo_words)
        self.since = given_in + 1
        self.arrivals: list[int] = []
        self.in_time = 0
        self.data = bytearray()
        self.stopped = NEVER
        self.start: int | None = None
        self.end = NEVER
        self.sent_until = NEVER
        self.filled = False
        self.starved = self.failed = self.abandoned = self.collided = self.late = False

    def _plan(self, longest: int, fifo_words: int) -> list[tuple[int, int | None]]:
        bursts = []
        asked, address = 0, self.address
        while asked < self.words:
            words = min(longest, self.words - asked, (PAGE - address % PAGE) // WORD)
            must_go = asked + words - fifo_words
            room = None
            if must_go > 0:  # room comes in the cycle after the tick that takes this word's last used byte
                last_byte = min(WORD * must_go - self.skip, self.place.length) - 1
                room = PREAMBLE_CYCLES + CYCLES_PER_BYTE * last_byte + 1
            bursts.append((words, room))
            asked += words
            address += WORD * words
        bursts.reverse()
        return bursts

    def first_byte(self, word: int) -> int:
        """Index of the first frame byte in `word`."""
        return max(0, WORD * word - self.skip)

    def first_due(self, word: int) -> int:
        """Tick in which the first byte of `word` (not the first word) is due."""
        return self.start + PREAMBLE_CYCLES + CYCLES_PER_WORD * word - CYCLES_PER_BYTE * self.skip

    def taken_in(self, byte: int) -> int:
        """Tick *T_i* of frame byte i."""
        return self.start + PREAMBLE_CYCLES + CYCLES_PER_BYTE * byte

    def body(self) -> bytes:
        """The frame's bytes as they go out before the FCS, pad included."""
        data = bytes(self.data[self.skip:self.skip + self.place.length])
        return data if self.place.no_crc else data.ljust(MIN_BYTES, b"\0")

    def sent_before(self, tick: int) -> int:
        """Bytes of frame and pad taken in ticks before `tick`."""
        if self.start is None:
            return 0
        whole = self.place.length if self.place.no_crc else max(self.place.length, MIN_BYTES)
        since = tick - self.start - PREAMBLE_CYCLES
        return min(whole, max(0, -(-since // CYCLES_PER_BYTE)))
