"""Writes a part of a frame to a buffer: bursts, and bytes moved to where the buffer wants them.

A frame lies in the FIFO from byte 0 of a word on, a buffer begins at any byte, and a frame's second buffer
begins with any of its bytes; so a word of memory takes its bytes from two neighbouring words of the FIFO.

Ref: docs/engines/lan743x.md, section 4.2, item 3; m, w, a and d are those of that page.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.port import Requester

from .events import BYTES_WIDTH, LENGTH_WIDTH

__all__ = ["BufferWriter"]

SHORT_BURST_BYTES, LONG_BURST_BYTES = 128, 512
WORD_BYTES = 4
FIRST_READS = 2
"""Words of the FIFO that are read before the first beat: the one whose bytes go out, and the one before."""


class BufferWriter(wiring.Component):
    """Bursts of one buffer.

    Timing, for `start` in m: `nothing` or the first request (in every cycle until granted, unless `hold`)
    from m+2 on; `written` in the d of each burst; the next request from d+1 on.

    Parameters
    ----------
    words: size of the FIFO.

    Members
    -------
    start: in m, with the next four. Only while idle, that is, after `nothing`, `finished` or `failed`.
    addr: where the buffer's first byte goes.
    offset: the frame's byte that goes there.
    count: bytes of the frame to write.
    length: bytes of the buffer to write, at least `count`; those behind the frame's are zeros.
    front: place of the frame's word 0 in the FIFO.
    burst_512: bursts of 512 bytes, else of 128.
    hold: request nothing.
    nothing: in m+1: `length` was 0.
    addressed: in a, with the next two.
    burst_addr, burst_bytes: of the burst: first byte and number of bytes.
    finished: in d of the last burst.
    failed: in d of a burst with a bus error, which is the last one then.
    fetch, place, word: read port of the FIFO.
    lane: requester's lane of the DMA port.
    """

    def __init__(self, words: int):
        self.words = words
        super().__init__({
            "start": In(1), "addr": In(32), "offset": In(LENGTH_WIDTH), "count": In(LENGTH_WIDTH),
            "length": In(LENGTH_WIDTH), "front": In(range(words)), "burst_512": In(1), "hold": In(1),
            "nothing": Out(1), "addressed": Out(1), "burst_addr": Out(32), "burst_bytes": Out(BYTES_WIDTH),
            "finished": Out(1), "failed": Out(1),
            "fetch": Out(1), "place": Out(range(words)), "word": In(32),
            "lane": Out(Requester(32, 32)),
        })

    def elaborate(self, platform):
        m = Module()
        lane = self.lane
        target = Signal(32)  # where the next byte goes
        left = Signal(LENGTH_WIDTH)  # bytes of the buffer
        offset = Signal(LENGTH_WIDTH)
        shift = Signal(2)  # lane of memory of a word's first byte
        taken = Signal(LENGTH_WIDTH + 1)  # bytes of the frame from the current word of memory on
        carry = Signal(32)  # the word of the FIFO before `word`
        reads = Signal(range(FIRST_READS + 1))
        beats_left = Signal(range(LONG_BURST_BYTES // WORD_BYTES))
        low, high = Signal(2), Signal(2)  # first and last byte lane of the burst's first and last word
        first = Signal()

        both, moved = Signal(64), Signal(32)
        m.d.comb += [
            lane.write.eq(1), lane.addr.eq(Cat(C(0, 2), target[2:])),
            self.fetch.eq((reads != 0) | lane.beat),
            both.eq(Cat(carry, self.word) << Cat(C(0, 3), shift)), moved.eq(both[32:]),
            lane.wdata.eq(moved),
            lane.wstrb.eq((0b1111 << Mux(first, low, 0)) & ((0b10 << Mux(beats_left == 0, high, 3)) - 1)),
        ]
        with m.If(self.fetch):
            m.d.sync += [carry.eq(self.word), self.place.eq(self.place + 1)]
        with m.If(reads != 0):
            m.d.sync += reads.eq(reads - 1)
        with m.If(taken < WORD_BYTES):  # only if more than the frame is to be written: zeros behind it
            for byte in range(WORD_BYTES):
                with m.If(taken <= byte):
                    m.d.comb += lane.wdata.word_select(byte, 8).eq(0)

        with m.FSM(name="buffer"):
            with m.State("IDLE"), m.If(self.start):
                m.d.sync += [
                    target.eq(self.addr), left.eq(self.length), offset.eq(self.offset),
                    shift.eq(self.addr[:2] - self.offset[:2]), taken.eq(self.count + self.addr[:2]),
                ]
                m.next = "AIM"
            with m.State("AIM"):
                # Memory's first word ends with this byte of the frame, or is not written so far:
                reach = offset + (WORD_BYTES - 1) - target[:2]
                m.d.sync += [
                    self.place.eq(self.front + (reach >> 2) - 1), reads.eq(FIRST_READS),
                ]
                with m.If(left == 0):
                    m.d.comb += self.nothing.eq(1)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "ASK"
            with m.State("ASK"):
                room, wanted = Signal(BYTES_WIDTH), Signal(BYTES_WIDTH)
                m.d.comb += [
                    room.eq(SHORT_BURST_BYTES - target[:7]), lane.request.eq(~self.hold),
                    lane.beats.eq((target[:2] + wanted + (WORD_BYTES - 1)) >> 2),
                ]
                with m.If(self.burst_512):
                    m.d.comb += room.eq(LONG_BURST_BYTES - target[:9])
                m.d.comb += wanted.eq(Mux(left < room, left, room))
                with m.If(lane.granted):
                    m.d.sync += [
                        self.burst_addr.eq(target), self.burst_bytes.eq(wanted),
                        target.eq(target + wanted), left.eq(left - wanted),
                        low.eq(target), high.eq(target + wanted - 1), first.eq(1),
                        beats_left.eq(lane.beats - 1),
                    ]
                    m.next = "BURST"
            with m.State("BURST"):
                m.d.comb += self.addressed.eq(lane.addressed)
                with m.If(lane.beat):
                    m.d.sync += [
                        beats_left.eq(beats_left - 1), first.eq(0),
                        taken.eq(Mux(taken < WORD_BYTES, 0, taken - WORD_BYTES)),
                    ]
                with m.If(lane.done):
                    with m.If(lane.error):
                        m.d.comb += self.failed.eq(1)
                        m.next = "IDLE"
                    with m.Elif(left == 0):
                        m.d.comb += self.finished.eq(1)
                        m.next = "IDLE"
                    with m.Else():
                        m.next = "ASK"
        return m
