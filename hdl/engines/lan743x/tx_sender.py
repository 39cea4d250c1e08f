"""The sender: what goes onto the wire next, a pause frame or the oldest frame of the FIFO, and when.

Ref: docs/engines/lan743x.md, section 5.2. t, T_i and F below are those of that page.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.gmii import FCS_BYTES
from hdl.mac.gmii_tx import GmiiTx
from hdl.mac.pause import QUANTUM_CYCLES, PauseFrame
from hdl.tap import TapSignature, report

from .events import NUMBER_WIDTH, TX_CHANNEL_LANES
from .statistics import TxStatistics
from .tx_frames import Frame

__all__ = ["QUANTA_WIDTH", "SENDER_LANES", "TxSender"]

QUANTA_WIDTH = 16
ADDRESS_BYTES = 6
SENDER_LANES = {name: TX_CHANNEL_LANES[name] for name in ("tx_sfd", "tx_done", "tx_pause", "tx_drop")}


class TxSender(wiring.Component):
    """Framer, pause in either direction, and the end of each frame.

    Members
    -------
    txen, fct_enabled: MAC_TX.TXEN and FCT_TX_CTL.EN; nothing starts without them.
    resetting: SWR of the channel reads 1; no data frame starts.
    station: the station address, source of pause frames, its first byte in bits 7:0.
    want, quanta: pulse: a pause frame with this time is to be sent.
    pause, pause_quanta: pulse in e + 1 of a pause frame that was received.
    loaded, oldest, number, broken: the oldest frame.
    byte, last: of it, from the FIFO.
    begin: pulse in t of a data frame.
    take: pulse in T_i of its bytes.
    leave: pulse: the oldest frame is done with: in F, or, with `drop`, in the cycle in which a broken one
        would have started.
    sent: pulse in F of a data frame.
    sending: a data frame is on the wire: t + 1 to F.
    txd, tx_en, tx_er: GMII.
    txd_set: pulse for MAC_TX.TXD, at whose end TXEN has been cleared and nothing is being sent.
    statistics: of frames sent.
    tap: TX_SFD, TX_DONE, TX_PAUSE, TX_DROP.
    """

    txen: In(1)
    fct_enabled: In(1)
    resetting: In(1)
    station: In(8 * ADDRESS_BYTES)
    want: In(1)
    quanta: In(QUANTA_WIDTH)
    pause: In(1)
    pause_quanta: In(QUANTA_WIDTH)
    loaded: In(1)
    oldest: In(Frame)
    number: In(NUMBER_WIDTH)
    broken: In(1)
    byte: In(8)
    last: In(1)
    begin: Out(1)
    take: Out(1)
    leave: Out(1)
    drop: Out(1)
    sent: Out(1)
    sending: Out(1)
    txd: Out(8)
    tx_en: Out(1)
    tx_er: Out(1)
    txd_set: Out(1)
    statistics: Out(TxStatistics())
    tap: Out(TapSignature(SENDER_LANES))

    def elaborate(self, platform):
        m = Module()
        tap = self.tap
        m.submodules.framer = framer = GmiiTx()
        m.submodules.pause_frame = pause_frame = PauseFrame()
        pausing = Signal()  # the frame on the wire is a pause frame
        wanted, want_quanta = Signal(), Signal(QUANTA_WIDTH)
        turn, begin_pause, data_turn = Signal(), Signal(), Signal()
        cycles_left = Signal(QUANTA_WIDTH + (QUANTUM_CYCLES - 1).bit_length())  # of the pause in force

        m.d.comb += [
            turn.eq(framer.ready & self.txen & self.fct_enabled),
            begin_pause.eq(turn & wanted),
            data_turn.eq(turn & ~wanted & self.loaded & (cycles_left == 0) & ~self.resetting),
            self.begin.eq(data_turn & ~self.broken), self.drop.eq(data_turn & self.broken),
            framer.start.eq(begin_pause | self.begin),
            framer.insert_fcs.eq(begin_pause | self.oldest.fcs),
            framer.valid.eq(1),
            framer.data.eq(Mux(pausing, pause_frame.data, self.byte)),
            framer.last.eq(Mux(pausing, pause_frame.last, self.last)),
            pause_frame.station.eq(self.station),
            self.take.eq(framer.take & ~pausing),
            self.sent.eq(framer.done & ~pausing), self.leave.eq(self.sent | self.drop),
            self.sending.eq(framer.busy & ~pausing),
            self.txd.eq(framer.txd), self.tx_en.eq(framer.tx_en), self.tx_er.eq(framer.tx_er),
        ]
        with m.If(framer.began):
            m.d.sync += [
                pausing.eq(wanted), pause_frame.quanta.eq(want_quanta), pause_frame.index.eq(0), wanted.eq(0),
            ]
        with m.If(framer.take & pausing):
            m.d.sync += pause_frame.index.eq(pause_frame.index + 1)
        with m.If(self.want):
            m.d.sync += [wanted.eq(1), want_quanta.eq(self.quanta)]
        with m.If(self.pause):
            m.d.sync += cycles_left.eq(self.pause_quanta * QUANTUM_CYCLES)
        with m.Elif(cycles_left != 0):
            m.d.sync += cycles_left.eq(cycles_left - 1)

        enabled = Signal()  # TXEN was up and its fall has not been answered
        m.d.comb += self.txd_set.eq(enabled & ~self.txen & (~framer.busy | framer.done))
        with m.If(self.txen | self.txd_set):
            m.d.sync += enabled.eq(self.txen)

        self._count(m, framer, pausing)
        with m.If(framer.sfd & ~pausing):
            report(m, tap.tx_sfd, index=self.number)
        with m.If(framer.sfd & pausing):
            report(m, tap.tx_pause, data=pause_frame.quanta)
        with m.If(self.sent):
            report(m, tap.tx_done, index=self.number, data=Cat(framer.crc, framer.count))
        with m.If(self.drop):
            report(m, tap.tx_drop, index=self.number)
        return m

    def _count(self, m: Module, framer: GmiiTx, pausing: Signal) -> None:
        """The statistics: the kind of destination from the first bytes, the rest from the end."""
        statistics = self.statistics
        group, broadcast = Signal(), Signal()
        ones = Signal()  # all bytes before this one
        with m.If(framer.began):
            m.d.sync += [group.eq(0), broadcast.eq(0), ones.eq(1)]
        with m.If(self.take & (framer.count < ADDRESS_BYTES)):
            m.d.sync += ones.eq(ones & self.byte.all())
            with m.If(framer.count == 0):
                m.d.sync += group.eq(self.byte[0])
            with m.If(framer.count == ADDRESS_BYTES - 1):
                m.d.sync += broadcast.eq(ones & self.byte.all())
        m.d.comb += [
            statistics.end.eq(self.sent), statistics.pause.eq(framer.done & pausing),
            statistics.length.eq(framer.count + Mux(self.oldest.fcs, C(FCS_BYTES), 0)),
            statistics.group.eq(group), statistics.broadcast.eq(broadcast),
        ]
