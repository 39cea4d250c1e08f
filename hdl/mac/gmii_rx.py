"""From the bytes of GMII to those of a frame: SFD hunt, and what is known at the frame's end.

# Ref: IEEE 802.3 clauses 3.2 (frame) and 35.2 (GMII).

Letters, each a cycle: the SFD is sampled in s, byte i in b_i = s + 1 + i, and e is the first cycle after s
with RX_DV down.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.crc32 import INIT, RESIDUE, crc32_next
from hdl.mac.gmii import PREAMBLE, SFD

ADDRESS_BYTES = 6
COUNT_BITS = 14


class GmiiRx(wiring.Component):
    """The GMII deframer.

    It knows nothing of FIFO, ring or the reasons to refuse a frame. What is not a preamble of at least one
    byte and an SFD hides the rest of that carrier event.

    Members
    -------
    rxd, rx_dv, rx_er : In(8), In(1), In(1)
        GMII.
    skip : In(1)
        In the cycle of `sfd` or later in the frame: no pulse of this frame after this cycle. A byte or an
        end that falls in this very cycle is not reported either. Without effect between frames.
    sfd : Out(1)
        Pulse in s (the only one that is not registered).
    byte, data : Out(1), Out(8)
        Pulse in b_i + 1 with byte i, which stays until the next one.
    count : Out(14)
        Bytes so far: i + 1 from b_i + 1 on. Stays at its maximum; 0 from s + 1 on.
    decide, address : Out(1), Out(48)
        Pulse in b_5 + 1: the destination is complete, its first byte in bits 7:0.
    eof : Out(1)
        Pulse in e + 1.
    crc_ok, error : Out(1)
        From e + 1 until the next SFD: the FCS was right; RX_ER was seen between s and e.
    """

    rxd: In(8)
    rx_dv: In(1)
    rx_er: In(1)
    skip: In(1)

    sfd: Out(1)
    byte: Out(1)
    data: Out(8)
    count: Out(COUNT_BITS)
    decide: Out(1)
    address: Out(8 * ADDRESS_BYTES)
    eof: Out(1)
    crc_ok: Out(1)
    error: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Bundled, because a simulator then computes what follows a cycle in one place and not in eight.
        kept = Signal(data.StructLayout({
            "byte": 1, "decide": 1, "eof": 1, "error": 1, "data": 8, "count": COUNT_BITS,
            "address": 8 * ADDRESS_BYTES,
        }))
        register = Signal(32, init=INIT)
        for name in ("byte", "decide", "eof", "error", "data", "count", "address"):
            m.d.comb += getattr(self, name).eq(kept[name])
        m.d.comb += self.crc_ok.eq(register == RESIDUE)
        m.d.sync += [kept.byte.eq(0), kept.decide.eq(0), kept.eof.eq(0)]
        # One cycle behind the wire: the end of the frame leaves the time.
        with m.If(kept.byte):
            m.d.sync += register.eq(crc32_next(register, kept.data))

        with m.FSM():
            with m.State("IDLE"), m.If(self.rx_dv):
                with m.If(self.rxd == PREAMBLE):
                    m.next = "PREAMBLE"
                with m.Else():
                    m.next = "SKIP"
            with m.State("PREAMBLE"):
                with m.If(~self.rx_dv):
                    m.next = "IDLE"
                with m.Elif(self.rxd == SFD):
                    m.d.comb += self.sfd.eq(1)
                    m.d.sync += [register.eq(INIT), kept.count.eq(0), kept.error.eq(0)]
                    m.next = "FRAME"
                    with m.If(self.skip):
                        m.next = "SKIP"
                with m.Elif(self.rxd != PREAMBLE):
                    m.next = "SKIP"
            with m.State("FRAME"):
                with m.If(~self.rx_dv):
                    m.d.sync += kept.eof.eq(~self.skip)
                    m.next = "IDLE"
                with m.Else():
                    m.d.sync += kept.error.eq(kept.error | self.rx_er)
                    with m.If(self.skip):
                        m.next = "SKIP"
                    with m.Else():
                        m.d.sync += [
                            kept.byte.eq(1), kept.data.eq(self.rxd),
                            kept.decide.eq(kept.count == ADDRESS_BYTES - 1),
                            kept.count.eq(kept.count + ~kept.count.all()),
                        ]
                        with m.If(kept.count < ADDRESS_BYTES):
                            m.d.sync += kept.address.eq(Cat(kept.address[8:], self.rxd))
            with m.State("SKIP"), m.If(~self.rx_dv):
                m.next = "IDLE"
        return m
