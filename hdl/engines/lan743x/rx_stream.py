"""What the MAC tells the FIFO of a receive channel about the frame that comes in.

Ref: docs/engines/lan743x.md, section 4.1; s and e are those of that page.
"""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .events import LENGTH_WIDTH

__all__ = ["INDEX_WIDTH", "NANOSECONDS_WIDTH", "SECONDS_WIDTH", "WORD_WIDTH", "RxStream"]

WORD_WIDTH = 32
INDEX_WIDTH = LENGTH_WIDTH - 2
"""Bits of a word's number in its frame."""
SECONDS_WIDTH, NANOSECONDS_WIDTH = 32, 30


class RxStream(wiring.Signature):
    """One channel's view of the frame, seen from the MAC. Every channel gets all words.

    Members
    -------
    sfd: pulse in s: a frame begins.
    word, data, index: pulse with a word of it and the word's number: in s + 5 + 4 index, or, with a part
        word, whose other bytes are 0, in e + 1.
    end, length: pulse in e + 1 with the number of bytes. The words are to be forgotten but for `commit`.
    seconds, nanoseconds: PTP clock in s; until the next s, as `length` is from e + 1 on.
    commit: with `end`: the channel keeps the frame.
    off: looked at in e + 1: the channel's FIFO is disabled, or was reset while the frame came in.
    lost: looked at in e + 1: a word of the frame, that of e + 1 included, found no room.
    """

    def __init__(self):
        super().__init__({
            "sfd": Out(1), "word": Out(1), "data": Out(WORD_WIDTH), "index": Out(INDEX_WIDTH),
            "end": Out(1), "length": Out(LENGTH_WIDTH),
            "seconds": Out(SECONDS_WIDTH), "nanoseconds": Out(NANOSECONDS_WIDTH),
            "commit": Out(1), "off": In(1), "lost": In(1),
        })
