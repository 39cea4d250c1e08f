"""Burst writer: stores a run of bytes of any alignment and length, taken from words packed from byte 0 on.

Timing, for a command taken in cycle x:
    `WAIT` from x+1: a burst is requested in every cycle in which the source holds all words that it needs;
    granted in w: `BURST` from w+1, while the port does address, beats and response; response in d;
    d+1: `WAIT` if beats are left, else `IDLE`, in which the next command can be taken.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.burst import burst_beats, least
from hdl.bus.port import MOST_BEATS, Requester
from hdl.bus.reader import run_layout

__all__ = ["BurstWriter"]


class BurstWriter(wiring.Component):
    """Writes the source's words to where a command says, with strobes for exactly its bytes.

    Parameters
    ----------
    addr_width, data_width: of the bus.
    length_width: bits of a command's length in bytes.
    level_width: bits of `level`.

    Members
    -------
    command: the run of bytes to fill; taken while `IDLE`.
    limit: the longest burst of the part, in beats (1 .. 256); constant while a command is at work.
    level: words that the source holds. A burst is requested only if it needs no more.
    head: the source's oldest word; the run's byte 0 is the lowest byte of the first one.
    pop: the oldest word is used up.
    stop: give up the command. In `WAIT` nothing is requested in that cycle, and `IDLE` is next; from the
        grant on the burst is completed.
    lane: the requester's lane of the DMA port.
    stored: the response of a burst is being taken, in this cycle.
    complete: with `stored`: it was the command's last burst, and no burst of it had an error.
    failed: with `stored`: the burst had an error; the command ends here.
    """

    def __init__(self, addr_width: int, data_width: int, length_width: int, level_width: int):
        self.addr_width = addr_width
        self.data_width = data_width
        self.length_width = length_width
        super().__init__(
            {
                "command": In(stream.Signature(run_layout(addr_width, length_width))),
                "limit": In(range(MOST_BEATS + 1)),
                "level": In(level_width),
                "head": In(data_width),
                "pop": Out(1),
                "stop": In(1),
                "lane": Out(Requester(addr_width, data_width)),
                "stored": Out(1),
                "complete": Out(1),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lane, command = self.lane, self.command
        word_bytes = self.data_width // 8
        lane_bits = (word_bytes - 1).bit_length()

        word_addr = Signal(self.addr_width - lane_bits)
        beats_left = Signal(self.length_width + 1)
        # of the source; one less than the beats if the run straddles
        words_left = Signal(self.length_width + 1)
        shift, last_lane = Signal(lane_bits), Signal(lane_bits)
        first, last, stopping = Signal(), Signal(), Signal()
        # the word before `head`: its upper bytes go out with the lower ones of `head`
        carry = Signal(self.data_width)

        beats = Signal(range(MOST_BEATS + 1))  # of the burst at hand
        next_beats = burst_beats(m, lane.addr, self.data_width, self.limit, beats_left, name="next_beats")
        needed = least(m, "needed", next_beats, words_left)
        both = Signal(2 * self.data_width)
        m.d.comb += [
            lane.write.eq(1), lane.beats.eq(next_beats),
            both.eq(Cat(carry, self.head) << Cat(C(0, 3), shift)), lane.wdata.eq(both[self.data_width:]),
            last.eq(beats_left == 1),
            lane.wstrb.eq((~0 << Mux(first, shift, 0)) & ((2 << Mux(last, last_lane, word_bytes - 1)) - 1)),
            self.pop.eq(lane.beat & (words_left != 0)),
            lane.addr.eq(Cat(shift & 0, word_addr)),
            self.stored.eq(lane.done), self.failed.eq(lane.done & lane.error),
            self.complete.eq(lane.done & ~lane.error & (beats_left == 0)),
        ]
        with m.FSM():
            with m.State("IDLE"):
                reach = command.payload.addr[:lane_bits] + command.payload.length_bytes
                m.d.comb += command.ready.eq(1)
                m.d.sync += [
                    word_addr.eq(command.payload.addr[lane_bits:]),
                    beats_left.eq((reach + word_bytes - 1) >> lane_bits),
                    words_left.eq((command.payload.length_bytes + word_bytes - 1) >> lane_bits),
                    shift.eq(command.payload.addr), last_lane.eq(reach - 1),
                    first.eq(1), stopping.eq(0),
                ]
                with m.If(command.valid):
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.comb += lane.request.eq((self.level >= needed) & ~self.stop)
                with m.If(lane.granted):
                    m.d.sync += beats.eq(next_beats)
                    m.next = "BURST"
                with m.Elif(self.stop):
                    m.next = "IDLE"
            with m.State("BURST"):
                with m.If(self.stop):
                    m.d.sync += stopping.eq(1)
                with m.If(lane.beat):
                    m.d.sync += [beats_left.eq(beats_left - 1), first.eq(0), carry.eq(self.head)]
                    with m.If(words_left != 0):
                        m.d.sync += words_left.eq(words_left - 1)
                with m.If(lane.done):
                    m.d.sync += word_addr.eq(word_addr + beats)
                    with m.If(self.stop | stopping | lane.error | (beats_left == 0)):
                        m.next = "IDLE"
                    with m.Else():
                        m.next = "WAIT"
        return m
