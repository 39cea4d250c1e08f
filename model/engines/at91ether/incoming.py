"""A frame on its way from the wire to memory: when its bytes and words come.

Ref: docs/engines/at91ether.md, section 4.1.
"""

from __future__ import annotations

from .events import Reason
from .part import CYCLES_PER_BYTE, NEVER, WORD

DECISION_BYTE = 5
OPEN_FOR_EVER = NEVER


class Frame:
    """A frame on its way from the wire to memory.

    `sfd`: cycle of the SFD's tick; `end`: tick of the first idle nibble; `data`: its complete bytes;
    `odd`, `code`: spare nibble, RX_ER seen. `ended_in`: cycle in which its end was recorded, None before;
    `pops`: cycles in which its words left the FIFO; `closed_in`: last cycle in which it is open;
    `gone_in`: last cycle in which given-up words are still in the FIFO.
    """


    def __init__(self, number: int, sfd: int, end: int, data: bytes, odd: bool, code: bool) -> None:
        self.number, self.sfd, self.end, self.data, self.odd, self.code = number, sfd, end, data, odd, code
        self.flags = 0
        self.accepted = False
        self.ended_in: int | None = None
        self.reason = Reason.GOOD
        self.length = 0
        self.words = -(-len(data) // WORD)
        self.pops: list[int] = []
        self.moved = 0
        self.closed_in = OPEN_FOR_EVER
        self.gone_in = OPEN_FOR_EVER

    def byte_cycle(self, i: int) -> int:
        """Tick in which byte i is complete."""
        return self.sfd + 4 + CYCLES_PER_BYTE * i

    def push_cycle(self, word: int) -> int:
        """Cycle in which `word` is pushed, if the frame lives so long."""
        if word == 0:
            return self.byte_cycle(DECISION_BYTE) + 1
        last = WORD * word + WORD - 1
        return self.byte_cycle(last) + 1 if last < len(self.data) else self.end + 1

    def bytes_before(self, cycle: int) -> int:
        """Bytes complete in ticks before `cycle`."""
        return min(len(self.data), max(0, (cycle - 1 - self.sfd) // CYCLES_PER_BYTE))
