"""The frames between loader and sender, in their order: what is known of each, and whether the oldest is all
there.

The entries of a frame can be through long before its last burst is. A frame is loaded when as many bursts
have come in as had been granted when its last entry was through: bursts come in in their order.

Ref: docs/engines/lan743x.md, section 5.1.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .events import ENTRY_WIDTH, NUMBER_WIDTH
from .tx_fifo import FIFO_WORDS

__all__ = ["BURSTS_WIDTH", "MOST_FRAMES", "SLOT_WIDTH", "Frame", "TxFrames"]

MOST_FRAMES = 1024
"""Begun and not yet sent (A)."""
SLOT_WIDTH = (MOST_FRAMES - 1).bit_length()
BURSTS_WIDTH = FIFO_WORDS.bit_length() + 1
"""Of a count of bursts that wraps: a FIFO holds one a word at most, so the sign of a difference is right."""

Frame = data.StructLayout({
    "entries": ENTRY_WIDTH,
    "words": range(FIFO_WORDS + 1),
    "bursts": BURSTS_WIDTH,
    "fcs": 1,
    "ioc": 1,
})
"""Ring entries and FIFO words of a frame, bursts granted up to its end, whether it gets its FCS from the MAC,
and whether an entry of it asks for an interrupt."""


class TxFrames(wiring.Component):
    """Records of the open frames. The slot of a frame is its number modulo `MOST_FRAMES`.

    Members
    -------
    begin: a frame is begun; its number is `next_number`.
    close, frame: all entries of the frame begun last are through.
    filled, failed, slot: the last beat of a burst of the frame in that slot; with it, whether the burst
        failed.
    leave: the oldest frame has been sent or dropped.
    flush: no frame is open from the next cycle on. The numbers are used up.
    room: another frame may be begun.
    waiting: a frame is closed and has not left.
    loaded: the oldest frame is closed and all its bursts are in.
    oldest, number, broken: with `loaded`: that frame, its number, and whether it is not fit to be sent
        because a burst of it failed or it has no bytes.
    next_number: frames begun so far.
    """

    begin: In(1)
    close: In(1)
    frame: In(Frame)
    filled: In(1)
    failed: In(1)
    slot: In(SLOT_WIDTH)
    leave: In(1)
    flush: In(1)
    room: Out(1)
    waiting: Out(1)
    loaded: Out(1)
    oldest: Out(Frame)
    number: Out(NUMBER_WIDTH)
    broken: Out(1)
    next_number: Out(NUMBER_WIDTH)

    def elaborate(self, platform):
        m = Module()
        m.submodules.records = records = Memory(shape=Frame, depth=MOST_FRAMES, init=[])
        m.submodules.faults = faults = Memory(shape=1, depth=MOST_FRAMES, init=[])
        record_in, record_out = records.write_port(), records.read_port(domain="comb")
        fault_in, fault_out = faults.write_port(), faults.read_port(domain="comb")
        opened, closed = Signal(range(MOST_FRAMES + 1)), Signal(range(MOST_FRAMES + 1))
        bursts, ahead = Signal(BURSTS_WIDTH), Signal(BURSTS_WIDTH)
        # Of the frame that the last burst belonged to: its slot, and whether a burst of it had failed.
        recent, faulty = Signal(SLOT_WIDTH), Signal()
        fault = Signal()
        m.d.comb += [
            record_in.addr.eq(self.next_number - 1), record_in.data.eq(self.frame),
            record_in.en.eq(self.close),
            record_out.addr.eq(self.number), self.oldest.eq(record_out.data),
            fault.eq(self.failed | (faulty & (recent == self.slot))),
            fault_in.addr.eq(self.slot), fault_in.data.eq(fault), fault_in.en.eq(self.filled),
            fault_out.addr.eq(self.number),
            self.broken.eq(fault_out.data | (self.oldest.words == 0)),
            self.room.eq(opened != MOST_FRAMES), self.waiting.eq(closed != 0),
            ahead.eq(bursts - self.oldest.bursts),
            self.loaded.eq(self.waiting & ~ahead[-1]),
        ]
        with m.If(self.filled):
            m.d.sync += [bursts.eq(bursts + 1), recent.eq(self.slot), faulty.eq(fault)]
        with m.Elif(self.leave & (recent == self.number[:SLOT_WIDTH])):
            m.d.sync += faulty.eq(0)  # the slot will be another frame's
        with m.If(self.begin):
            m.d.sync += self.next_number.eq(self.next_number + 1)
        with m.If(self.leave):
            m.d.sync += self.number.eq(self.number + 1)
        with m.If(self.begin | self.close | self.leave):
            m.d.sync += [
                opened.eq(opened + self.begin - self.leave), closed.eq(closed + self.close - self.leave),
            ]
        with m.If(self.flush):
            m.d.sync += [opened.eq(0), closed.eq(0), self.number.eq(self.next_number), faulty.eq(0)]
        return m
