"""A small gigabit station for witnesses from outside: it sends back every good frame, with an FCS of its own,
and answers a PAUSE with a PAUSE of its own."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.mac.gmii_rx import GmiiRx
from hdl.mac.gmii_tx import GmiiTx
from hdl.mac.pause import PauseDetect, PauseFrame
from hdl.mac.toeplitz import Toeplitz

STATION = bytes.fromhex("02005e102030")
HASH_KEY = bytes.fromhex(
    "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
DEPTH_BYTES = 2048


class GmiiEcho(wiring.Component):
    """One frame at a time: what comes while it sends is lost.

    Members
    -------
    rxd, rx_dv, rx_er, txd, tx_en, tx_er :
        GMII.
    starve : In(11)
        An echo has no more than this number of bytes for the framer, unless it is 0.
    valid, hash : Out(1), Out(32)
        RSS hash of the last frame that came, over addresses and the ports of TCP.
    """

    rxd: In(8)
    rx_dv: In(1)
    rx_er: In(1)
    txd: Out(8)
    tx_en: Out(1)
    tx_er: Out(1)
    starve: In(11)
    valid: Out(1)
    hash: Out(32)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.rx = rx = GmiiRx()
        m.submodules.tx = tx = GmiiTx()
        m.submodules.toeplitz = toeplitz = Toeplitz()
        m.submodules.detect = detect = PauseDetect()
        m.submodules.pause = pause = PauseFrame()
        m.submodules.memory = memory = Memory(shape=8, depth=DEPTH_BYTES, init=[])
        write, read = memory.write_port(), memory.read_port()
        length, position, following = Signal(14), Signal(14), Signal(14)
        echoing, pausing = Signal(), Signal()

        for listener in (toeplitz, detect):
            m.d.comb += [listener.sfd.eq(rx.sfd), listener.byte.eq(rx.byte), listener.data.eq(rx.data),
                         listener.count.eq(rx.count)]
        m.d.comb += [
            rx.rxd.eq(self.rxd), rx.rx_dv.eq(self.rx_dv), rx.rx_er.eq(self.rx_er),
            rx.skip.eq(rx.sfd & (echoing | pausing)),
            write.addr.eq(rx.count - 1), write.data.eq(rx.data), write.en.eq(rx.byte),

            toeplitz.key.eq(C(int.from_bytes(HASH_KEY, "little"), 8 * len(HASH_KEY))),
            toeplitz.ipv4.eq(1), toeplitz.tcp_ipv4.eq(1),
            self.valid.eq(toeplitz.valid), self.hash.eq(toeplitz.hash),

            pause.station.eq(int.from_bytes(STATION, "little")), pause.quanta.eq(detect.quanta + 1),
            pause.index.eq(position),

            # The memory answers a cycle later: it is asked for the byte of the next cycle.
            following.eq(position + tx.take), read.addr.eq(following),
            tx.start.eq(echoing | pausing), tx.insert_fcs.eq(1),
            tx.data.eq(Mux(pausing, pause.data, read.data)),
            tx.last.eq(Mux(pausing, pause.last, position + 1 == length)),
            tx.valid.eq(pausing | (self.starve == 0) | (position < self.starve)),
            self.txd.eq(tx.txd), self.tx_en.eq(tx.tx_en), self.tx_er.eq(tx.tx_er),
        ]
        m.d.sync += position.eq(following)
        with m.If(rx.eof & rx.crc_ok & ~rx.error):
            m.d.sync += [echoing.eq(~detect.is_pause), pausing.eq(detect.is_pause)]
            m.d.sync += [length.eq(rx.count - 4), position.eq(0)]
        with m.If(tx.done):
            m.d.sync += [echoing.eq(0), pausing.eq(0)]
        return m
