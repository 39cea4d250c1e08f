"""A receive channel: FIFO, descriptor prefetch and mover, and when the channel stops, starves or is reset.

The channel's state (DMAC_CMD) is kept outside; the channel sees it as levels and says with pulses when it
changes.

Ref: docs/engines/lan743x.md, sections 3, 4.2 and 7; k, d and x are those of that page.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.port import Requester
from hdl.bus.read_port import ReadRequester
from hdl.tap import TapSignature, report

from .events import ENTRY_WIDTH, RX_CHANNEL_LANES
from .prefetch import Prefetcher
from .rx_fifo import RxFifo
from .rx_mover import MOVER_LANES, RxMover, State
from .rx_stream import RxStream
from .straps import RX_FIFO_WORDS

__all__ = ["RxChannel"]


class RxChannel(wiring.Component):
    """One channel.

    Parameters
    ----------
    number: of the channel, which is the identifier of its accesses too.
    fifo_words: size of the FIFO, a power of two.

    Members
    -------
    running, stop_pending, resetting: state of the channel: runs without, with a stop to come; SWR reads 1.
    stopped: in x (or the d of a failed write): it is stopped from the next cycle on.
    fail: in d: a prefetch failed; a stop is to come.
    was_reset: in x: SWR takes effect.
    tail, tail_written, tail_next: register TAIL; it is written, with this index.
    base, ring_len, stride, pf_thres, pf_pri_thres, burst_512, pad: registers.
    timestamps: TS_ALL_RX.
    fct_enabled: the FIFO takes frames.
    fct_reset: RESET reads 1.
    fct_was_reset: in x: RESET takes effect.
    tail_inclusive, past_tail, head_wb_early, write_whole_buffer, extra_buffer: straps.
    capacity: words that the FIFO may hold.
    head: HEAD.
    entries_done: HEAD advances by one.
    cause: in d: for DMAC_INT_STS.RXFRM.
    used: words of the frames that wait.
    rx: from the MAC.
    descriptors: requester's lane of the read port.
    data: requester's lane of the write port.
    tap: RX_PREFETCH .. RX_ERROR.
    """

    def __init__(self, number: int, fifo_words: int = RX_FIFO_WORDS):
        self.number = number
        self.fifo_words = fifo_words
        super().__init__({
            "running": In(1), "stop_pending": In(1), "resetting": In(1),
            "stopped": Out(1), "fail": Out(1), "was_reset": Out(1),
            "tail": In(ENTRY_WIDTH), "tail_written": In(1), "tail_next": In(ENTRY_WIDTH),
            "base": In(32), "ring_len": In(ENTRY_WIDTH), "stride": In(2),
            "pf_thres": In(5), "pf_pri_thres": In(5), "burst_512": In(1), "pad": In(2), "timestamps": In(1),
            "fct_enabled": In(1), "fct_reset": In(1), "fct_was_reset": Out(1),
            "tail_inclusive": In(1), "past_tail": In(1), "head_wb_early": In(1), "write_whole_buffer": In(1),
            "extra_buffer": In(4), "capacity": In(range(fifo_words + 1)),
            "head": Out(ENTRY_WIDTH), "entries_done": Out(1), "cause": Out(1),
            "used": Out(range(fifo_words + 1)),
            "rx": In(RxStream()), "descriptors": Out(ReadRequester()), "data": Out(Requester(32, 32)),
            "tap": Out(TapSignature(RX_CHANNEL_LANES)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.fifo = fifo = RxFifo(self.fifo_words)
        m.submodules.prefetch = prefetch = Prefetcher()
        m.submodules.mover = mover = RxMover(self.fifo_words)
        self._parts = fifo, prefetch, mover
        blocked = Signal()  # an entry was the driver's; nothing is prefetched until TAIL is written

        wiring.connect(m, wiring.flipped(self.descriptors), prefetch.lane)
        wiring.connect(m, wiring.flipped(self.data), mover.lane)
        for name in ("base", "ring_len", "stride", "tail", "pf_thres", "pf_pri_thres", "tail_inclusive",
                     "past_tail", "tail_written", "tail_next"):
            m.d.comb += getattr(prefetch, name).eq(getattr(self, name))
        for name in ("base", "ring_len", "stride", "burst_512", "pad", "timestamps", "head_wb_early",
                     "write_whole_buffer", "extra_buffer"):
            m.d.comb += getattr(mover, name).eq(getattr(self, name))
        m.d.comb += [
            prefetch.enable.eq(self.running & ~self.resetting & ~blocked), prefetch.take.eq(mover.take),
            mover.run.eq(self.running), mover.waiting.eq(fifo.waiting), mover.hold.eq(self.resetting),
            mover.stocked.eq(prefetch.cached != 0),
            mover.data0.eq(prefetch.data0), mover.data1.eq(prefetch.data1),
            mover.frame.eq(fifo.frame), mover.front.eq(fifo.front), mover.word.eq(fifo.word),
            fifo.look.eq(mover.look), fifo.fetch.eq(mover.fetch), fifo.place.eq(mover.place),
            fifo.release.eq(mover.done), fifo.capacity.eq(self.capacity),
            self.head.eq(mover.head), self.entries_done.eq(mover.entries_done), self.cause.eq(mover.done),
            self.used.eq(fifo.used), self.fail.eq(prefetch.failed),
        ]
        self._receive(m)
        self._starve(m, blocked)
        self._stop(m)
        self._report(m)
        return m

    def _receive(self, m: Module) -> None:
        """The FIFO's front: the MAC's words, and whether the FIFO takes frames at all."""
        fifo, _, mover = self._parts
        rx, inner = self.rx, fifo.rx
        reset_since = Signal()  # s of the frame that comes in
        with m.If(rx.sfd):
            m.d.sync += reset_since.eq(0)
        with m.If(self.fct_was_reset):
            m.d.sync += reset_since.eq(1)
        m.d.comb += [
            getattr(inner, name).eq(getattr(rx, name))
            for name in ("sfd", "word", "data", "index", "end", "length", "seconds", "nanoseconds", "commit")
        ]
        m.d.comb += [
            rx.lost.eq(inner.lost), rx.off.eq(~self.fct_enabled | reset_since | self.fct_was_reset),
            self.fct_was_reset.eq(self.fct_reset & (mover.state == State.IDLE)),
            fifo.empty.eq(self.fct_was_reset), mover.forget.eq(self.fct_was_reset),
        ]

    def _starve(self, m: Module, blocked: Signal) -> None:
        """An entry that is the driver's, and the want of any."""
        fifo, prefetch, mover = self._parts
        told = Signal()  # RX_STARVED was said since an entry was taken
        tail_moved = Signal()  # TAIL was written since the last prefetch was granted
        with m.If(prefetch.granted):
            m.d.sync += tail_moved.eq(0)
        with m.If(mover.refused):
            m.d.sync += blocked.eq(~tail_moved)
        with m.If(self.was_reset):
            m.d.sync += blocked.eq(0)
        with m.If(self.tail_written):
            m.d.sync += [tail_moved.eq(1), blocked.eq(0)]

        wants = Signal()
        with m.Switch(mover.state):
            with m.Case(State.IDLE):
                m.d.comb += wants.eq(fifo.waiting)
            with m.Case(State.NEXT, State.EXT):
                m.d.comb += wants.eq(1)
        with m.If(wants & self.running & ~told & (prefetch.cached == 0) & ~prefetch.busy
                  & (blocked | ~prefetch.available)):
            m.d.sync += told.eq(1)
            report(m, self.tap.rx_starved, index=self.head)
        with m.If(mover.take | self.was_reset):
            m.d.sync += told.eq(0)

    def _stop(self, m: Module) -> None:
        """STOP, SWR, bus errors: what makes the cache be emptied."""
        _, prefetch, mover = self._parts
        writing = Signal()  # a write is open or in its address phase
        stops = Signal()
        with m.If(self.data.granted):
            m.d.sync += writing.eq(1)
        with m.If(self.data.done):
            m.d.sync += writing.eq(0)
        with m.If(self.stop_pending & ~prefetch.busy), m.Switch(mover.state):
            with m.Case(State.IDLE):
                m.d.comb += stops.eq(1)
            with m.Case(State.NEXT, State.EXT):
                m.d.comb += stops.eq(prefetch.cached == 0)
        m.d.comb += [
            self.was_reset.eq(self.resetting & ~prefetch.busy & ~writing),
            self.stopped.eq(stops | mover.failed),
            mover.quiet.eq(self.was_reset | self.fct_was_reset),
            mover.abandon.eq(self.was_reset | stops), mover.restart.eq(self.was_reset),
            prefetch.rewind.eq(mover.refused | self.stopped | self.was_reset),
            prefetch.returned.eq(mover.refused | self.was_reset | (mover.failed & mover.kept)),
        ]
        with m.If(~self.was_reset):
            m.d.comb += prefetch.rewind_to.eq(mover.head)

    def _report(self, m: Module) -> None:
        _, prefetch, mover = self._parts
        tap = self.tap
        for name in MOVER_LANES:
            wiring.connect(m, wiring.flipped(getattr(tap, name)), getattr(mover.tap, name))
        with m.If(prefetch.addressed):
            report(m, tap.rx_prefetch, index=prefetch.first, data=Cat(prefetch.address, prefetch.count))
        with m.If(prefetch.filled):
            report(m, tap.rx_desc, index=prefetch.first, data=prefetch.count)
        with m.If(self.stopped):
            report(m, tap.rx_stopped, index=self.head)
        with m.If(prefetch.failed | mover.failed):
            report(m, tap.rx_error, index=self.number)
