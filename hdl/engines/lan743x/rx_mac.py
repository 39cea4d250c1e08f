"""The receive side of the MAC: frames to words for the channels' FIFOs, and what becomes of each frame.

Ref: docs/engines/lan743x.md, section 4.1. s, b_i and e below are those of that page.
"""

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.gmii_rx import GmiiRx
from hdl.mac.pause import PauseDetect
from hdl.tap import TapSignature, report

from .events import LENGTH_WIDTH, MOST_RX_CHANNELS, NUMBER_WIDTH, OFFSET_WIDTH, RX_MAC_LANES, Reason
from .rx_filter import RxFilter
from .rx_steering import RxSteering
from .rx_stream import NANOSECONDS_WIDTH, SECONDS_WIDTH, WORD_WIDTH, RxStream
from .statistics import RxStatistics
from .tx_sender import QUANTA_WIDTH

__all__ = ["RxMac"]

SHORTEST_BYTES = 64
FILTER_INPUTS = ("broadcast", "multicast", "unicast", "hash", "perfect", "ram_address", "ram_write",
                 "ram_data")
CSR_INPUTS = ("csr_write", "csr_addr", "csr_data", "csr_strobe")
STEERING_INPUTS = ("rss_enable", "rss_queue_enable", "ipv4", "tcp_ipv4", "udp_ipv4")


class RxMac(wiring.Component):
    """Deframer, filter, steering and the decision at a frame's end.

    Parameters
    ----------
    rx_channels: 1 to 4.

    Raises ValueError for another number.

    Members
    -------
    rxd, rx_dv, rx_er: GMII.
    rxen, max_size, rx_fcen: MAC_RX and MAC_FLOW.
    broadcast, multicast, unicast, hash, perfect: RFE_CTL: AB, AM, AU, MCAST_HASH, DA_PERFECT.
    rss_enable, rss_queue_enable, ipv4, tcp_ipv4, udp_ipv4: RFE_RSS_CFG; only with several channels.
    seconds, nanoseconds: PTP clock.
    ram_address, ram_write, ram_data, ram_value: RFE RAM, see `RxFilter`.
    csr_write, csr_addr, csr_data, csr_strobe: every register write, in its cycle; the tables are shadowed.
    channels: to each channel's FIFO.
    rxd_set: pulse for MAC_RX.RXD, at whose end RXEN has been cleared and no frame is under way.
    pause, quanta: pulse in e + 1 of a pause frame, and its time.
    statistics: of frames received.
    tap: RX_SFD, RX_END.
    """

    def __init__(self, rx_channels: int = 1):
        if not 1 <= rx_channels <= MOST_RX_CHANNELS:
            raise ValueError(f"RxMac: rx_channels must be in 1..{MOST_RX_CHANNELS}, not {rx_channels!r}")
        self.rx_channels = rx_channels
        super().__init__({
            "rxd": In(8), "rx_dv": In(1), "rx_er": In(1),
            "rxen": In(1), "max_size": In(LENGTH_WIDTH), "rx_fcen": In(1),
            "broadcast": In(1), "multicast": In(1), "unicast": In(1), "hash": In(1), "perfect": In(1),
        } | (dict.fromkeys(STEERING_INPUTS, In(1)) if rx_channels > 1 else {}) | {
            "seconds": In(SECONDS_WIDTH), "nanoseconds": In(NANOSECONDS_WIDTH),
            "ram_address": In(8), "ram_write": In(1), "ram_data": In(WORD_WIDTH),
            "ram_value": Out(WORD_WIDTH),
            "csr_write": In(1), "csr_addr": In(OFFSET_WIDTH), "csr_data": In(32), "csr_strobe": In(4),
            "channels": Out(RxStream()).array(rx_channels),
            "rxd_set": Out(1), "pause": Out(1), "quanta": Out(QUANTA_WIDTH),
            "statistics": Out(RxStatistics()), "tap": Out(TapSignature(RX_MAC_LANES)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.deframer = deframer = GmiiRx()
        m.submodules.filter = address_filter = RxFilter()
        m.submodules.pause_detect = pause_detect = PauseDetect()
        m.d.comb += [
            deframer.rxd.eq(self.rxd), deframer.rx_dv.eq(self.rx_dv), deframer.rx_er.eq(self.rx_er),
            deframer.skip.eq(deframer.sfd & ~self.rxen),
            address_filter.decide.eq(deframer.decide), address_filter.address.eq(deframer.address),
            self.ram_value.eq(address_filter.ram_value), self.quanta.eq(pause_detect.quanta),
        ]
        for name in FILTER_INPUTS + CSR_INPUTS:
            m.d.comb += getattr(address_filter, name).eq(getattr(self, name))
        self._listen(m, pause_detect, deframer)
        begins = self._begin(m, deframer)
        self._spread(m, deframer, begins)
        self._decide(m, deframer, address_filter, pause_detect, self._steer(m, deframer))
        return m

    def _listen(self, m: Module, listener, deframer: GmiiRx) -> None:
        for name in ("sfd", "byte", "data", "count"):
            m.d.comb += getattr(listener, name).eq(getattr(deframer, name))

    def _steer(self, m: Module, deframer: GmiiRx) -> Signal:
        """The channel that the frame is for, at its end."""
        channel = Signal(range(MOST_RX_CHANNELS))
        if self.rx_channels > 1:
            m.submodules.steering = steering = RxSteering(self.rx_channels)
            self._listen(m, steering, deframer)
            for name in ("ipv4", "tcp_ipv4", "udp_ipv4", *CSR_INPUTS):
                m.d.comb += getattr(steering, name).eq(getattr(self, name))
            m.d.comb += [
                steering.enable.eq(self.rss_enable & self.rss_queue_enable), channel.eq(steering.channel),
            ]
        return channel

    def _begin(self, m: Module, deframer: GmiiRx) -> Signal:
        """What happens in s, and RXD. Returns the pulse "a frame is received"."""
        begins = Signal()
        self._number = Signal(NUMBER_WIDTH)  # of the next frame
        under_way = Signal()  # s + 1 to e + 1
        stamp = Signal(SECONDS_WIDTH + NANOSECONDS_WIDTH)
        m.d.comb += begins.eq(deframer.sfd & self.rxen)
        with m.If(begins):
            m.d.sync += [
                self._number.eq(self._number + 1), under_way.eq(1),
                stamp.eq(Cat(self.seconds, self.nanoseconds)),
            ]
            report(m, self.tap.rx_sfd, index=self._number)
        with m.Elif(deframer.eof):
            m.d.sync += under_way.eq(0)
        for stream in self.channels:
            m.d.comb += [stream.sfd.eq(begins), Cat(stream.seconds, stream.nanoseconds).eq(stamp)]

        enabled = Signal()  # RXEN was up and its fall has not been answered
        m.d.comb += self.rxd_set.eq(enabled & ~self.rxen & (~under_way | deframer.eof))
        with m.If(self.rxen | self.rxd_set):
            m.d.sync += enabled.eq(self.rxen)
        return begins

    def _spread(self, m: Module, deframer: GmiiRx, begins: Signal) -> None:
        """Bytes to words, which all channels get."""
        partial = Signal(WORD_WIDTH - 8)  # the bytes of the word coming in; the others are 0
        place = Signal(2)  # of the byte in its word
        fourth, word, data = Signal(), Signal(), Signal(WORD_WIDTH)
        index = Signal.like(self.channels[0].index)
        m.d.comb += [place.eq(deframer.count - 1), fourth.eq(deframer.count[:2] == 0)]
        with m.If(begins):
            m.d.sync += [partial.eq(0), index.eq(0)]
        with m.If(deframer.byte):
            with m.If(fourth):
                m.d.comb += [word.eq(1), data.eq(Cat(partial, deframer.data))]
                m.d.sync += [partial.eq(0), index.eq(index + 1)]
            with m.Else():
                m.d.sync += partial.word_select(place, 8).eq(deframer.data)
        with m.Elif(deframer.eof & ~fourth):
            m.d.comb += [word.eq(1), data.eq(partial)]
        for stream in self.channels:
            m.d.comb += [stream.word.eq(word), stream.data.eq(data), stream.index.eq(index)]

    def _decide(self, m: Module, deframer: GmiiRx, address_filter: RxFilter, pause_detect: PauseDetect,
                channel: Signal) -> None:
        """The decision in e + 1: the first reason that applies."""
        reason, statistics, ended = Signal(Reason), self.statistics, deframer.eof
        off, lost = Signal(), Signal()  # of the frame's channel
        with m.Switch(channel):
            for number, stream in enumerate(self.channels):
                with m.Case(number):
                    m.d.comb += [off.eq(stream.off), lost.eq(stream.lost)]
        with m.If(ended):
            with m.If(deframer.error):
                m.d.comb += reason.eq(Reason.CODE)
            with m.Elif(deframer.count < SHORTEST_BYTES):
                m.d.comb += reason.eq(Reason.SHORT)
            with m.Elif(deframer.count > self.max_size):
                m.d.comb += reason.eq(Reason.LONG)
            with m.Elif(~deframer.crc_ok):
                m.d.comb += reason.eq(Reason.CRC)
            with m.Elif(pause_detect.is_pause & self.rx_fcen):
                m.d.comb += [reason.eq(Reason.PAUSE), self.pause.eq(1)]
            with m.Elif(~address_filter.accept):
                m.d.comb += reason.eq(Reason.FILTER)
            with m.Elif(off):
                m.d.comb += reason.eq(Reason.FCT_OFF)
            with m.Elif(lost):
                m.d.comb += reason.eq(Reason.OVERFLOW)
            with m.Else():
                for number, stream in enumerate(self.channels):
                    m.d.comb += stream.commit.eq(channel == number)
            report(m, self.tap.rx_end, index=self._number - 1, data=Cat(
                deframer.count, C(0, 32 - LENGTH_WIDTH), reason.as_value(), C(0, 4), channel))
        m.d.comb += [
            statistics.end.eq(ended), statistics.reason.eq(reason), statistics.crc_ok.eq(deframer.crc_ok),
            statistics.length.eq(deframer.count),
            statistics.group.eq(address_filter.is_group),
            statistics.broadcast.eq(address_filter.is_broadcast),
        ]
        for stream in self.channels:
            m.d.comb += [stream.end.eq(ended), stream.length.eq(deframer.count)]
