"""The write-back unit: writes heads and messages, one after the other, so that what a message announces is in
memory before it.

Ref: docs/engines/lan743x.md, section 6; x, w, a and d below are those of that page. Sheet lan743x, section 5.
"""


from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.port import Requester
from hdl.tap import TapSignature, report

from .events import ENTRY_WIDTH, SOURCES_WIDTH, of_channel, write_back_lanes
from .sources import NIBBLE, VECTORS, in_int_sts

__all__ = ["INTX_ADDRESS", "MESSAGE_ADDRESS", "WriteBack"]

ADDR_WIDTH, DATA_WIDTH = 32, 32
MESSAGE_ADDRESS = 0xFEE0_0000
"""Of the message of vector 0; the others follow a word apart."""
INTX_ADDRESS = MESSAGE_ADDRESS + 0x40


class WriteBack(wiring.Component):
    """Channels are receive channels by number, then the transmit channel; sources are those and SW_GP.

    Members
    -------
    due: a bit a channel: its head is to be written.
    first: a bit a channel: before any message.
    head, address: of each channel: HEAD and HEAD_WB.
    ready: a bit a vector: a message may go.
    active, eligible: a bit a source.
    vector: INT_VEC_MAP, a nibble a source.
    intx: rev A0: INTx instead of messages.
    lane: requester's lane of the write port.

    taken: a bit a channel: its head is written as it is in this cycle (w).
    fired: a bit a source: the message granted in this cycle (w) stands for it.
    fired_vector: a bit a vector, likewise.
    rising: INTx is about to be asserted.
    tap: INT_MESSAGE, INTX, TX_HEAD, RX_HEAD.
    """

    def __init__(self, rx_channels: int):
        self.rx_channels = rx_channels
        channels, sources = rx_channels + 1, rx_channels + 2
        super().__init__({
            "due": In(channels), "first": In(channels), "head": In(data.ArrayLayout(ENTRY_WIDTH, channels)),
            "address": In(data.ArrayLayout(ADDR_WIDTH, channels)),
            "ready": In(VECTORS), "active": In(sources), "eligible": In(sources),
            "vector": In(data.ArrayLayout(NIBBLE, sources)), "intx": In(1),
            "lane": Out(Requester(ADDR_WIDTH, DATA_WIDTH)),
            "taken": Out(channels), "fired": Out(sources), "fired_vector": Out(VECTORS), "rising": Out(1),
            "tap": Out(TapSignature(write_back_lanes(rx_channels))),
        })

    def elaborate(self, platform):
        m = Module()
        lane, channels = self.lane, self.rx_channels + 1
        asked = Signal()  # the write is granted
        channel = Signal(range(channels))
        vector = Signal(range(VECTORS))
        moves = Signal()  # the message is one of INTx, to `goal`
        goal, level = Signal(), Signal()
        value = Signal(DATA_WIDTH)  # what is written
        told = Signal(SOURCES_WIDTH)  # the sources of the message, for its event
        m.d.comb += [
            lane.write.eq(1), lane.beats.eq(1), lane.wdata.eq(value), lane.wstrb.eq(~0),
            self.rising.eq(self.intx & self.active.any() & ~level),
        ]
        with m.If(lane.granted):
            m.d.sync += asked.eq(1)

        with m.FSM(name="write_back"):
            with m.State("SCAN"):
                m.d.sync += asked.eq(0)
                self._choose(m, channel, vector, moves, goal, level, told)
            with m.State("HEAD"):
                m.d.comb += [lane.request.eq(~asked), lane.addr.eq(self.address[channel])]
                with m.If(lane.granted):
                    m.d.comb += self.taken.eq(Const(1) << channel)
                    m.d.sync += value.eq(self.head[channel])
                with m.If(lane.addressed):
                    self._report_head(m, channel, value)
                with m.If(lane.done):
                    m.next = "SCAN"
            with m.State("MESSAGE"):
                goes = Signal()
                m.d.comb += [
                    # An entry done since SCAN: its cause would go with the message, its head unwritten.
                    goes.eq(moves | (self.ready.bit_select(vector, 1) & ~self.first.any())),
                    lane.request.eq(~asked & goes),
                    lane.addr.eq(Mux(
                        moves, INTX_ADDRESS, Cat(Const(0, 2), vector, Const(MESSAGE_ADDRESS >> 5)))),
                ]
                with m.If(~asked & ~goes):
                    m.next = "SCAN"
                with m.If(lane.granted):
                    with m.If(moves):
                        m.d.sync += [level.eq(goal), value.eq(goal)]
                    with m.Else():
                        m.d.comb += [
                            self.fired.eq(self.eligible & Cat(
                                self.vector[n] == vector for n in range(channels + 1))),
                            self.fired_vector.eq(Const(1) << vector),
                        ]
                        m.d.sync += [value.eq(vector), told.eq(in_int_sts(self.rx_channels, self.fired))]
                with m.If(lane.addressed):
                    with m.If(moves):
                        report(m, self.tap.intx, index=level, data=told)
                    with m.Else():
                        report(m, self.tap.int_message, index=vector, data=told)
                with m.If(lane.done):
                    m.next = "SCAN"
        return m

    def _choose(self, m: Module, channel: Signal, vector: Signal, moves: Signal, goal: Signal, level: Signal,
                told: Signal) -> None:
        """Heads before messages, the transmit channel's first, then the lowest number."""
        tx = self.rx_channels
        with m.If(self.due.any()):
            for n in reversed(range(self.rx_channels)):
                with m.If(self.due[n]):
                    m.d.sync += channel.eq(n)
            with m.If(self.due[tx]):
                m.d.sync += channel.eq(tx)
            m.next = "HEAD"
        with m.Elif(self.intx):
            m.d.sync += [
                moves.eq(1), goal.eq(self.active.any()), told.eq(in_int_sts(self.rx_channels, self.active)),
            ]
            with m.If(self.active.any() != level):
                m.next = "MESSAGE"
        with m.Elif(self.ready.any()):
            m.d.sync += moves.eq(0)
            for v in reversed(range(VECTORS)):
                with m.If(self.ready[v]):
                    m.d.sync += vector.eq(v)
            m.next = "MESSAGE"

    def _report_head(self, m: Module, channel: Signal, value: Signal) -> None:
        with m.If(channel == self.rx_channels):
            report(m, self.tap.tx_head, data=value[:ENTRY_WIDTH])
        for n in range(self.rx_channels):
            with m.If(channel == n):
                report(m, getattr(self.tap, of_channel("rx_head", n)), data=value[:ENTRY_WIDTH])
