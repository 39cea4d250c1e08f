"""The transmit channel: prefetcher, loader, FIFO and sender, the head of the ring, and stop and reset.

Ref: docs/engines/lan743x.md, sections 3, 5 and 7. x, d, t and F below are those of that page.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.read_port import ReadRequester
from hdl.tap import TapSignature, report

from .events import ENTRY_WIDTH, ID_WIDTH, TX_CHANNEL_LANES
from .prefetch import Prefetcher
from .statistics import TxStatistics
from .tx_fifo import TxFifo
from .tx_frames import TxFrames
from .tx_loader import LOADER_LANES, TxLoader
from .tx_sender import ADDRESS_BYTES, QUANTA_WIDTH, SENDER_LANES, TxSender

__all__ = ["DATA_ID", "DESCRIPTOR_ID", "TxChannel"]

DATA_ID, DESCRIPTOR_ID = 4, 5
"""Identifiers of its reads on the bus."""


class TxChannel(wiring.Component):
    """A transmit channel. Its state is kept in the registers: it sees levels and answers with pulses.

    Members
    -------
    running, stop_pending, resetting: DMAC_CMD: state 10, state 11, SWR reads 1.
    stopped, fail, was_reset: pulses: the state is stopped, stop pending, initial from the next cycle on.
    tail, base, ring_len, stride, pf_thres, pf_pri_thres, burst_512: TX_TAIL, TX_BASE_L, TX_CFG_A, TX_CFG_B
        and DMAC_CFG; `burst_512` is 0 for rev A0.
    head: HEAD.
    entries_done: by how much HEAD advances, in F or in the t of a dropped frame; else 0.
    cause: pulse for DMAC_INT_STS.TX_IOC.
    txen, fct_enabled, txd_set: MAC_TX.TXEN, FCT_TX_CTL.EN, pulse for MAC_TX.TXD.
    fct_reset, fct_was_reset: FCT_TX_CTL.RESET reads 1; pulse: it is 0 from the next cycle on.
    station: the station address, its first byte in bits 7:0.
    want, quanta: pulse: a pause frame with this time is to be sent.
    pause, pause_quanta: pulse in e + 1 of a pause frame that was received.
    txd, tx_en, tx_er: GMII.
    statistics: of frames sent.
    data, descriptors: requester's lanes of the read port.
    tap: all events of the ring but TX_HEAD.
    """

    running: In(1)
    stop_pending: In(1)
    resetting: In(1)
    stopped: Out(1)
    fail: Out(1)
    was_reset: Out(1)
    tail: In(ENTRY_WIDTH)
    base: In(32)
    ring_len: In(ENTRY_WIDTH)
    stride: In(2)
    pf_thres: In(5)
    pf_pri_thres: In(5)
    burst_512: In(1)
    head: Out(ENTRY_WIDTH)
    entries_done: Out(ENTRY_WIDTH)
    cause: Out(1)
    txen: In(1)
    fct_enabled: In(1)
    txd_set: Out(1)
    fct_reset: In(1)
    fct_was_reset: Out(1)
    station: In(8 * ADDRESS_BYTES)
    want: In(1)
    quanta: In(QUANTA_WIDTH)
    pause: In(1)
    pause_quanta: In(QUANTA_WIDTH)
    txd: Out(8)
    tx_en: Out(1)
    tx_er: Out(1)
    statistics: Out(TxStatistics())
    data: Out(ReadRequester())
    descriptors: Out(ReadRequester())
    tap: Out(TapSignature(TX_CHANNEL_LANES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.prefetcher = prefetcher = Prefetcher()
        m.submodules.loader = loader = TxLoader()
        m.submodules.fifo = fifo = TxFifo()
        m.submodules.frames = frames = TxFrames()
        m.submodules.sender = sender = TxSender()
        wiring.connect(m, prefetcher.lane, wiring.flipped(self.descriptors))
        wiring.connect(m, loader.lane, wiring.flipped(self.data))
        self._control(m, prefetcher, loader, fifo, frames, sender)
        flush = Signal()
        m.d.comb += [
            flush.eq(self.stopped | self.was_reset),
            prefetcher.rewind.eq(flush), prefetcher.rewind_to.eq(Mux(self.was_reset, 0, self.head)),
            prefetcher.take.eq(loader.take),
            loader.cached.eq(prefetcher.cached != 0),
            loader.data0.eq(prefetcher.data0), loader.data1.eq(prefetcher.data1),
            loader.burst_512.eq(self.burst_512),

            loader.held.eq(fifo.held), fifo.reserve.eq(loader.reserve), fifo.beats.eq(loader.beats),
            fifo.push.eq(loader.push), fifo.word.eq(loader.word),
            fifo.begin.eq(sender.begin), fifo.take.eq(sender.take), fifo.leave.eq(sender.leave),
            fifo.skip.eq(sender.drop), fifo.frame_words.eq(frames.oldest.words),

            loader.room.eq(frames.room), loader.next_number.eq(frames.next_number),
            frames.begin.eq(loader.begin), frames.close.eq(loader.close), frames.frame.eq(loader.frame),
            frames.filled.eq(loader.filled), frames.failed.eq(loader.failed), frames.slot.eq(loader.slot),
            frames.leave.eq(sender.leave),

            sender.loaded.eq(frames.loaded), sender.oldest.eq(frames.oldest), sender.number.eq(frames.number),
            sender.broken.eq(frames.broken), sender.byte.eq(fifo.byte), sender.last.eq(fifo.last),
            loader.flush.eq(flush), fifo.flush.eq(flush), frames.flush.eq(flush),
        ]
        for name in ("base", "ring_len", "stride", "tail", "pf_thres", "pf_pri_thres"):
            m.d.comb += getattr(prefetcher, name).eq(getattr(self, name))
        for name in ("txen", "fct_enabled", "station", "want", "quanta", "pause", "pause_quanta"):
            m.d.comb += getattr(sender, name).eq(getattr(self, name))
        for name in ("txd", "tx_en", "tx_er", "txd_set"):
            m.d.comb += getattr(self, name).eq(getattr(sender, name))
        wiring.connect(m, sender.statistics, wiring.flipped(self.statistics))
        for block, lanes in ((loader, LOADER_LANES), (sender, SENDER_LANES)):
            for name in lanes:
                wiring.connect(m, getattr(block.tap, name), wiring.flipped(getattr(self.tap, name)))
        self._report(m, prefetcher, loader)
        return m

    def _control(self, m: Module, prefetcher: Prefetcher, loader: TxLoader, fifo: TxFifo, frames: TxFrames,
                 sender: TxSender) -> None:
        """Stop, reset and the head."""
        quiet = Signal()  # no read of the channel is under way, no data frame on the wire
        between = ~loader.midst | (prefetcher.cached == 0)
        after = Signal(ENTRY_WIDTH + 1)
        m.d.comb += [
            prefetcher.enable.eq(self.running & ~self.resetting),
            loader.running.eq(self.running), loader.stop_pending.eq(self.stop_pending),
            loader.resetting.eq(self.resetting), sender.resetting.eq(self.resetting),
            quiet.eq(~prefetcher.busy & ~loader.reading & ~sender.sending),
            self.stopped.eq(self.stop_pending & quiet & loader.idle & ~frames.waiting & between),
            self.was_reset.eq(self.resetting & quiet),
            self.fail.eq(loader.failed | prefetcher.failed),
            self.fct_was_reset.eq(self.fct_reset & (fifo.held == 0)),
            self.cause.eq(sender.sent & frames.oldest.ioc),
        ]
        with m.If(sender.leave):
            m.d.comb += [self.entries_done.eq(frames.oldest.entries), after.eq(self.head + self.entries_done)]
            m.d.sync += self.head.eq(Mux(after >= self.ring_len, after - self.ring_len, after))
        with m.If(self.was_reset):
            m.d.sync += self.head.eq(0)

    def _report(self, m: Module, prefetcher: Prefetcher, loader: TxLoader) -> None:
        tap = self.tap
        with m.If(prefetcher.addressed):
            report(m, tap.tx_prefetch, index=prefetcher.first,
                   data=Cat(prefetcher.address, prefetcher.count))
        with m.If(prefetcher.filled):
            report(m, tap.tx_desc, index=prefetcher.first, data=prefetcher.count)
        with m.If(prefetcher.failed):
            report(m, tap.tx_error, index=C(DESCRIPTOR_ID, ID_WIDTH))
        with m.Elif(loader.failed):
            report(m, tap.tx_error, index=C(DATA_ID, ID_WIDTH))
        with m.If(self.stopped):
            report(m, tap.tx_stopped, index=self.head)
