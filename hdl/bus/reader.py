"""Burst reader: fetches a run of bytes of any alignment and length as bus words.

Timing, for a command taken in cycle x (states as in the engines' timing specifications):
    `WAIT` from x+1: a burst is requested in every cycle in which the consumer has room for all of it;
    granted in w: `ADDR` from w+1; address handshake in a: `DATA` from a+1; last beat in d;
    d+1: `WAIT` if words are left, else `IDLE`, in which the next command can be taken.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.burst import burst_beats
from hdl.bus.port import MOST_BEATS, Requester

__all__ = ["BurstReader", "run_layout"]


def run_layout(addr_width: int, length_width: int) -> data.StructLayout:
    """A run of bytes in memory: `addr` of its first byte, `length_bytes` (at least 1)."""
    return data.StructLayout({"addr": addr_width, "length_bytes": length_width})


class BurstReader(wiring.Component):
    """Reads what a command names, in bursts that cross no 4 KiB boundary.

    Parameters
    ----------
    addr_width, data_width: of the bus.
    length_width: bits of a command's length in bytes.
    room_width: bits of `room`.

    Members
    -------
    command: the run of bytes to fetch; taken while `IDLE`.
    limit: the longest burst of the part, in beats (1 .. 256); constant while a command is at work.
    room: words that the consumer can still take. A burst is requested only if all of it fits, so `word` is
        never refused.
    stop: give up the command. In `WAIT` nothing is requested in that cycle, and `IDLE` is next; from the
        grant on the burst is completed.
    lane: the requester's lane of the DMA port.
    word.valid, word.data: a bus word has arrived.
    word.first, word.last: it is the command's first or last.
    word.low, word.high: the first and the last byte lane in it that belong to the run.
    filled: the last beat of a burst is being taken, in this cycle.
    failed: with `filled`: the burst had an error; the command ends here.
    """

    def __init__(self, addr_width: int, data_width: int, length_width: int, room_width: int):
        self.addr_width = addr_width
        self.data_width = data_width
        self.length_width = length_width
        lane_bits = (data_width // 8 - 1).bit_length()
        super().__init__({
            "command": In(stream.Signature(run_layout(addr_width, length_width))),
            "limit": In(range(MOST_BEATS + 1)), "room": In(room_width), "stop": In(1),
            "lane": Out(Requester(addr_width, data_width)),
            "word": Out(wiring.Signature({
                "valid": Out(1), "data": Out(data_width), "first": Out(1), "last": Out(1),
                "low": Out(lane_bits), "high": Out(lane_bits),
            })),
            "filled": Out(1), "failed": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        lane, command, word = self.lane, self.command, self.word
        lane_bits = len(word.low)
        word_addr = Signal(self.addr_width - lane_bits)
        words_left = Signal(self.length_width + 1)
        first_lane, last_lane = Signal(lane_bits), Signal(lane_bits)
        first, stopping, over = Signal(), Signal(), Signal()
        beats = burst_beats(m, lane.addr, self.data_width, self.limit, words_left)
        beats_seen = Signal.like(beats)

        m.d.comb += [
            lane.addr.eq(Cat(first_lane & 0, word_addr)), lane.beats.eq(beats),
            word.valid.eq(lane.beat), word.data.eq(lane.rdata),
            word.first.eq(first & (beats_seen == 0)), word.last.eq(beats_seen + 1 == words_left),
            word.low.eq(Mux(word.first, first_lane, 0)), word.high.eq(Mux(word.last, last_lane, ~0)),
            self.filled.eq(lane.done), self.failed.eq(lane.done & lane.error),
            over.eq(self.stop | stopping | lane.error | (beats == words_left)),
        ]
        with m.FSM():
            with m.State("IDLE"):
                # The run's bytes, counted from the start of its first word: the words are that, rounded up.
                reach = command.payload.addr[:lane_bits] + command.payload.length_bytes
                m.d.comb += command.ready.eq(1)
                m.d.sync += [
                    word_addr.eq(command.payload.addr[lane_bits:]),
                    words_left.eq((reach + (1 << lane_bits) - 1) >> lane_bits),
                    first_lane.eq(command.payload.addr), last_lane.eq(reach - 1),
                    first.eq(1), stopping.eq(0), beats_seen.eq(0),
                ]
                with m.If(command.valid):
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.comb += lane.request.eq((self.room >= beats) & ~self.stop)
                with m.If(lane.granted):
                    m.next = "ADDR"
                with m.Elif(self.stop):
                    m.next = "IDLE"
            with m.State("ADDR"):
                with m.If(self.stop):
                    m.d.sync += stopping.eq(1)
                with m.If(lane.addressed):
                    m.next = "DATA"
            with m.State("DATA"):
                with m.If(self.stop):
                    m.d.sync += stopping.eq(1)
                with m.If(lane.beat):
                    m.d.sync += beats_seen.eq(beats_seen + 1)
                with m.If(lane.done):
                    m.d.sync += [
                        word_addr.eq(word_addr + beats), words_left.eq(words_left - beats),
                        first.eq(0), beats_seen.eq(0),
                    ]
                    with m.If(over):
                        m.next = "IDLE"
                    with m.Else():
                        m.next = "WAIT"
        return m
