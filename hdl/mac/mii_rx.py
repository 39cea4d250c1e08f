"""From the nibbles of MII to the bytes of a frame: SFD hunt, byte assembly, and what is known at its end.

# Ref: docs/engines/at91ether.md, 4.1. The letters s, b_i and e below are those of that page.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.crc32 import INIT, RESIDUE, crc32_next
from hdl.mac.mii_nibbles import PREAMBLE, SFD

ADDRESS_BYTES = 6


class MiiRx(wiring.Component):
    """The MII deframer.

    It knows nothing of FIFO, ring or the reasons to refuse a frame: the engine tells it with `skip`.

    Members
    -------
    tick, rxd, rx_dv, rx_er : In(1), In(4), In(1), In(1)
        MII.
    ignore : In(1)
        RX_DV counts as down (half duplex, own transmission).
    skip : In(1)
        In the cycle of `sfd` or later in the frame: no pulse of this frame after this cycle. A byte or an
        end that falls in this very cycle is not reported either. Without effect between frames.
    sfd : Out(1)
        Pulse in s (the only one that is not registered).
    byte, data : Out(1), Out(8)
        Pulse in b_i + 1 with byte i, which stays until the next one.
    count : Out(11)
        Bytes complete: i + 1 from b_i + 1 on. Stays at its maximum; 0 from s + 1 on.
    decide, address : Out(1), Out(48)
        Pulse in b_5 + 1: the destination is complete, its first byte in bits 7:0.
    eof : Out(1)
        Pulse in e + 1: RX_DV was down in e.
    crc_ok, odd, error : Out(1)
        From e + 1 until the next SFD: the FCS was right over the complete bytes, a nibble was left over,
        RX_ER was seen in a tick between s and e.
    """

    tick: In(1)
    rxd: In(4)
    rx_dv: In(1)
    rx_er: In(1)
    ignore: In(1)
    skip: In(1)

    sfd: Out(1)
    byte: Out(1)
    data: Out(8)
    count: Out(11)
    decide: Out(1)
    address: Out(48)
    eof: Out(1)
    crc_ok: Out(1)
    odd: Out(1)
    error: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()

        active = Signal()
        # Bundled, because a simulator then computes what follows a tick in one place and not in ten.
        kept = Signal(data.StructLayout({
            "byte": 1, "decide": 1, "eof": 1, "odd": 1, "error": 1, "low": 4, "data": 8, "count": 11,
            "address": 8 * ADDRESS_BYTES,
        }))
        register = Signal(32, init=INIT)
        m.d.comb += [
            active.eq(self.rx_dv & ~self.ignore),
            self.crc_ok.eq(register == RESIDUE),
        ]
        for name in ("byte", "decide", "eof", "odd", "error", "data", "count", "address"):
            m.d.comb += getattr(self, name).eq(kept[name])
        m.d.sync += [kept.byte.eq(0), kept.decide.eq(0), kept.eof.eq(0)]
        # From `data`, which changes once a byte (the nibble twice); the end of the frame leaves the time.
        with m.If(kept.byte):
            m.d.sync += register.eq(crc32_next(register, kept.data))

        with m.FSM():
            with m.State("IDLE"), m.If(self.tick & active):
                with m.If(self.rxd == PREAMBLE):
                    m.next = "PREAMBLE"
                with m.Else():
                    m.next = "SKIP"
            with m.State("PREAMBLE"), m.If(self.tick):
                with m.If(~active):
                    m.next = "IDLE"
                with m.Elif(self.rxd == SFD):
                    m.d.comb += self.sfd.eq(1)
                    m.d.sync += [
                        register.eq(INIT), kept.count.eq(0), kept.odd.eq(0), kept.error.eq(0),
                    ]
                    m.next = "FRAME"
                    with m.If(self.skip):
                        m.next = "SKIP"
                with m.Elif(self.rxd != PREAMBLE):
                    m.next = "SKIP"
            with m.State("FRAME"):
                with m.If(self.skip):
                    m.next = "SKIP"
                with m.If(self.tick):
                    with m.If(~active):
                        m.d.sync += kept.eof.eq(~self.skip)
                        m.next = "IDLE"
                    with m.Else():
                        m.d.sync += [kept.odd.eq(~kept.odd), kept.error.eq(kept.error | self.rx_er)]
                        with m.If(~kept.odd):
                            m.d.sync += kept.low.eq(self.rxd)
                        with m.Elif(~self.skip):
                            m.d.sync += [
                                kept.byte.eq(1),
                                kept.data.eq(Cat(kept.low, self.rxd)),
                                kept.decide.eq(kept.count == ADDRESS_BYTES - 1),
                            ]
                            with m.If(~kept.count.all()):
                                m.d.sync += kept.count.eq(kept.count + 1)
                        with m.If(kept.count < ADDRESS_BYTES):
                            m.d.sync += kept.address.eq(Cat(kept.address[4:], self.rxd))
            with m.State("SKIP"), m.If(self.tick & ~active):
                m.next = "IDLE"
        return m
