"""The mover: takes the oldest open frame to the buffer that the list names, and writes the entry back.

Ref: docs/engines/at91ether.md, section 4.3. x, m, a and d below are those of that page; sheet at91ether,
    sections 4 and 5.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.burst import burst_beats, least
from hdl.bus.port import Requester
from hdl.csr import descriptor_layouts
from hdl.registers import load
from hdl.tap import TapSignature, report

from .events import ENTRY_WIDTH, MOVER_LANES, Reason
from .receiver import OpenFrame
from .straps import LONGEST_BURST

__all__ = ["Mover", "MoverCauses"]

ADDR_WIDTH, DATA_WIDTH = 32, 32
MOST_ENTRIES = 1 << ENTRY_WIDTH
"""A list without WRAP ends here (GK)."""
ENTRY_BYTES = 8
FLAGS_LSB = 23
"""Of what the address filter says, in word 1."""


class MoverCauses(wiring.Signature):
    """What the registers want to know of the mover: pulses in the cycle of the cause.

    Members
    -------
    unavailable: for RSR.BNA, ISR.RBNA and DRFC.
    received: for RSR.REC, ISR.RCOM and OK.
    bus_error: for ISR.ABT.
    """

    def __init__(self):
        super().__init__({name: Out(1) for name in ("unavailable", "received", "bus_error")})


class Mover(wiring.Component):
    """Receive DMA and ring.

    Members
    -------
    open, head, word: from the receiver: whether a frame is open, what is known of it, its oldest word in the
        FIFO.
    pop, leave, close: to the receiver.
    burst: strap: the longest burst in words.
    restart: strap `rbna_restart`.
    re_cleared: CTL is written with RE = 0.
    list_written, list_base: RBQP is written.
    pointer: what RBQP reads: the address of the current entry.
    stalled: no frame is received until `re_cleared`.
    lane: requester's lane of the DMA port.
    causes: for the registers.
    tap: RX_FETCH .. RX_ABORT.
    """

    open: In(1)
    head: In(OpenFrame)
    word: In(DATA_WIDTH)
    pop: Out(1)
    leave: Out(1)
    close: Out(1)
    burst: In(range(LONGEST_BURST + 1))
    restart: In(1)
    re_cleared: In(1)
    list_written: In(1)
    list_base: In(ADDR_WIDTH)
    pointer: Out(ADDR_WIDTH)
    stalled: Out(1)
    lane: Out(Requester(ADDR_WIDTH, DATA_WIDTH))
    causes: Out(MoverCauses())
    tap: Out(TapSignature(MOVER_LANES))

    def elaborate(self, platform):
        m = Module()
        lane, head, tap = self.lane, self.head, self.tap
        layouts = descriptor_layouts(load("at91ether").descriptor("rx_descriptor"))
        fetched, word0 = Signal(layouts["WORD0"]), Signal(layouts["WORD0"])
        written0, word1 = Signal(DATA_WIDTH), Signal(layouts["WORD1"])
        entry = Signal(ENTRY_WIDTH)  # (pointer - base) / 8
        base = Signal(ADDR_WIDTH)
        buffer = Signal(ADDR_WIDTH)  # where the next word goes
        target, beats = Signal(ADDR_WIDTH), Signal.like(self.burst)  # of the burst at work
        asked = Signal()  # the burst of OWN, WB1 or WB0 is granted
        cause = Signal(Reason)  # why the frame is in DROP
        good, failed = Signal(), Signal()  # d, without and with an error

        # Until the frame's end is known, only bursts as long as they may be; then, what is left.
        wanted = least(m, "wanted", self.burst, Mux(head.ended, head.words, self.burst))
        next_beats = burst_beats(m, buffer, DATA_WIDTH, wanted, name="next_beats")
        m.d.comb += [
            fetched.eq(lane.rdata),
            written0.eq(Cat(C(1, 1), word0.WRAP, word0.ADDRESS)),
            word1.LENGTH.eq(head.length_bytes),
            word1.as_value()[FLAGS_LSB:].eq(head.flags),
            lane.wstrb.eq(~0),
            lane.wdata.eq(self.word),
            good.eq(lane.done & ~lane.error),
            failed.eq(lane.done & lane.error),
            self.causes.bus_error.eq(failed),
        ]
        with m.If(lane.granted):
            m.d.sync += [asked.eq(1), target.eq(lane.addr), beats.eq(lane.beats)]
        with m.If(lane.done):
            m.d.sync += asked.eq(0)
        with m.If(failed):
            m.d.sync += cause.eq(Reason.BUS)
            report(m, tap.rx_abort, index=head.number)
        with m.If(self.re_cleared):
            m.d.sync += self.stalled.eq(0)

        with m.FSM(name="mover"):
            with m.State("IDLE"), m.If(self.open):
                m.next = "OWN"
            with m.State("OWN"):
                self._ask(m, asked, write=0, addr=self.pointer)
                with m.If(lane.addressed):
                    report(m, tap.rx_fetch, index=head.number, data=target)
                with m.If(lane.done):
                    m.d.sync += [word0.eq(fetched), buffer.eq(Cat(C(0, 2), fetched.ADDRESS))]
                with m.If(failed):
                    m.next = "DROP"
                with m.Elif(good & fetched.OWNERSHIP):
                    self._find_none(m, cause)
                    report(m, tap.rx_bna, index=entry, data=lane.rdata)
                    m.next = "DROP"
                with m.Elif(good):
                    report(m, tap.rx_own, index=entry, data=lane.rdata)
                    m.next = "MOVE"
            with m.State("MOVE"):
                m.d.comb += [lane.write.eq(1), lane.addr.eq(buffer), lane.beats.eq(next_beats)]
                with m.If(head.ended & (head.reason != Reason.GOOD)):
                    self._give_up(m, head.reason)
                    m.next = "IDLE"
                with m.Elif(head.ended & (head.words == 0)):
                    m.next = "WB1"
                with m.Else():
                    m.d.comb += lane.request.eq(head.words >= next_beats)
                    with m.If(lane.granted):
                        m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += self.pop.eq(lane.beat)
                with m.If(lane.addressed):
                    report(m, tap.rx_write, index=head.number, data=Cat(target, beats))
                with m.If(failed):
                    m.next = "DROP"
                with m.Elif(good):
                    m.d.sync += buffer.eq(buffer + (beats << 2))
                    m.next = "MOVE"
            with m.State("WB1"):
                self._ask(m, asked, write=1, addr=self.pointer + 4)
                m.d.comb += lane.wdata.eq(word1)
                with m.If(lane.addressed):
                    report(m, tap.rx_wb1, index=entry, data=word1)
                with m.If(failed):
                    m.next = "DROP"
                with m.Elif(good):
                    m.next = "WB0"
            with m.State("WB0"):
                self._ask(m, asked, write=1, addr=self.pointer)
                m.d.comb += lane.wdata.eq(written0)
                with m.If(lane.addressed):
                    report(m, tap.rx_wb0, index=entry, data=written0)
                with m.If(failed):
                    m.next = "DROP"
                with m.Elif(good):
                    m.d.comb += [self.causes.received.eq(1), self.close.eq(1)]
                    report(m, tap.rx_done, index=entry, data=word1)
                    with m.If(word0.WRAP | (entry == MOST_ENTRIES - 1)):
                        m.d.sync += [self.pointer.eq(base), entry.eq(0)]
                    with m.Else():
                        m.d.sync += [self.pointer.eq(self.pointer + ENTRY_BYTES), entry.eq(entry + 1)]
                    m.next = "IDLE"
            with m.State("DROP"):
                m.d.comb += self.leave.eq(1)
                with m.If(head.ended):
                    self._give_up(m, cause)
                    m.next = "IDLE"

        with m.If(self.list_written):  # a new list wins over the step of the old one
            m.d.sync += [base.eq(self.list_base), self.pointer.eq(self.list_base), entry.eq(0)]
        return m

    def _ask(self, m: Module, asked: Signal, *, write: int, addr: Value) -> None:
        """One word, asked for in every cycle until it is granted."""
        m.d.comb += [
            self.lane.request.eq(~asked),
            self.lane.write.eq(write),
            self.lane.addr.eq(addr),
            self.lane.beats.eq(1),
        ]

    def _find_none(self, m: Module, cause: Signal) -> None:
        """The entry is still the driver's. With the erratum the receiver then waits for RE to be cleared."""
        m.d.comb += self.causes.unavailable.eq(1)
        m.d.sync += cause.eq(Reason.BNA)
        with m.If(self.restart):
            m.d.sync += self.stalled.eq(1)

    def _give_up(self, m: Module, reason: Value) -> None:
        m.d.comb += [self.leave.eq(1), self.close.eq(1)]
        report(m, self.tap.rx_drop, index=self.head.number, data=reason)
