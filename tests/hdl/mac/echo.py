"""A small station for witnesses from outside: it sends back every good frame, with an FCS of its own."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.mac.mii_rx import MiiRx
from hdl.mac.mii_tx import MiiTx


class Echo(wiring.Component):
    """One frame at a time: what comes while it sends is lost.

    Members
    -------
    tick : Out(1)
        Nibble enable, every second cycle.
    rxd, rx_dv, rx_er, txd, tx_en :
        MII.
    """

    tick: Out(1)
    rxd: In(4)
    rx_dv: In(1)
    rx_er: In(1)
    txd: Out(4)
    tx_en: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.rx = rx = MiiRx()
        m.submodules.tx = tx = MiiTx()
        m.submodules.memory = memory = Memory(shape=8, depth=2048, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        sending, length, position = Signal(), Signal(11), Signal(11)

        m.d.sync += self.tick.eq(~self.tick)
        m.d.comb += [
            rx.tick.eq(self.tick), rx.rxd.eq(self.rxd), rx.rx_dv.eq(self.rx_dv), rx.rx_er.eq(self.rx_er),
            rx.skip.eq(rx.sfd & sending),
            write.addr.eq(rx.count - 1), write.data.eq(rx.data), write.en.eq(rx.byte),

            tx.tick.eq(self.tick), tx.te.eq(1), tx.fd.eq(1), tx.start.eq(sending),
            read.addr.eq(position), tx.data.eq(read.data),
            tx.valid.eq(position != length), tx.last.eq(position + 1 == length),
            self.txd.eq(tx.txd), self.tx_en.eq(tx.tx_en),
        ]
        with m.If(rx.eof & rx.crc_ok & ~rx.error):
            m.d.sync += [sending.eq(1), length.eq(rx.count - 4), position.eq(0)]
        with m.If(tx.take):
            m.d.sync += position.eq(position + 1)
        with m.If(tx.done):
            m.d.sync += sending.eq(0)
        return m
