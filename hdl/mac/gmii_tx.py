"""From the bytes of a frame to those of GMII: preamble, padding, FCS and the gap after it.

# Ref: IEEE 802.3 clauses 3.2 (frame), 4.4.2 (gap, smallest frame) and 35.2 (GMII).

Letters, each a cycle: a frame starts in t, its byte i is loaded in T_i = t + 8 + i, and TX_EN falls with the
edge that ends F = t + 8 + N, N being the number of bytes after the SFD. Loaded in a cycle means on the wires
in the one after it.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.mac.crc32 import INIT, crc32_next
from hdl.mac.gmii import FCS_BYTES, PREAMBLE, PREAMBLE_BYTES, SFD

COUNT_BITS = 14


class GmiiTx(wiring.Component):
    """The GMII framer, full duplex.

    It wants a byte a cycle and cannot be made to wait, so whoever feeds it has stored the frame before, or is
    sure to keep up.

    Parameters
    ----------
    min_bytes : int
        A frame that gets its FCS here is padded with zeros up to this length (without FCS).
    gap_cycles : int
        Interframe gap: the next frame starts in F + `gap_cycles` at the earliest.

    Raises ValueError if the gap is shorter than a cycle.

    Members
    -------
    start : In(1)
        A frame is ready. t is the first cycle with `start` and `ready`.
    insert_fcs : In(1)
        Pad the frame and give it an FCS; taken over in t. Without it the frame goes as it is.
    data, valid, last : In(8), In(1), In(1)
        The next byte, whether there is one, whether the frame ends with it. Looked at in the cycles T_i.
    txd, tx_en, tx_er : Out(8), Out(1), Out(1)
        GMII. TX_ER is up with the FCS after an underrun.
    ready : Out(1)
        A frame may start in this cycle: none is on the wire and the gap is over.
    busy : Out(1)
        A frame is on the wire: t + 1 to F.
    began, sfd : Out(1)
        Pulses in t; in t + 7, in which the SFD is loaded.
    take, underrun : Out(1)
        Pulse in T_i: the byte was taken; there was none. An underrun ends the frame with the inverse of the
        FCS of what was sent, the first byte of it loaded in that T_i.
    done, starved : Out(1)
        Pulse in F; with it, whether there was an underrun.
    crc, count : Out(32), Out(14)
        CRC-32 and number of the bytes so far, pad included, FCS not; both 0 between F and the next T_0. The
        count stays at its maximum.
    """

    start: In(1)
    insert_fcs: In(1)
    data: In(8)
    valid: In(1)
    last: In(1)

    txd: Out(8)
    tx_en: Out(1)
    tx_er: Out(1)

    ready: Out(1)
    busy: Out(1)
    began: Out(1)
    sfd: Out(1)
    take: Out(1)
    underrun: Out(1)
    done: Out(1)
    starved: Out(1)
    crc: Out(32)
    count: Out(COUNT_BITS)

    def __init__(self, min_bytes: int = 60, gap_cycles: int = 12) -> None:
        if gap_cycles < 1:
            raise ValueError(f"a gap has at least one cycle, not {gap_cycles}")
        self._min_bytes = min_bytes
        self._gap_cycles = gap_cycles
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Bundled, because a simulator then computes what follows a cycle in two places and not in ten.
        # `index` is that of the byte in the preamble or the FCS, or the distance from F in the gap.
        kept = Signal(data.StructLayout({
            "tx_en": 1, "tx_er": 1, "txd": 8, "index": range(max(PREAMBLE_BYTES + 1, self._gap_cycles)),
            "insert_fcs": 1, "inverted": 1,
        }))
        sums = Signal(data.StructLayout({"register": 32, "count": COUNT_BITS}), init={"register": INIT})

        fcs, byte, more = Signal(8), Signal(8), Signal(COUNT_BITS)
        m.d.comb += more.eq(sums.count + ~sums.count.all())
        one_more = [sums.register.eq(crc32_next(sums.register, byte)), sums.count.eq(more)]
        with m.FSM() as fsm:
            with m.State("IDLE"), m.If(self.start):
                m.d.sync += [kept.tx_en.eq(1), kept.txd.eq(PREAMBLE), kept.index.eq(1)]
                m.d.sync += [kept.insert_fcs.eq(self.insert_fcs), kept.inverted.eq(0)]
                m.next = "PREAMBLE"
            with m.State("PREAMBLE"):
                m.d.sync += kept.index.eq(kept.index + 1)
                with m.If(self.sfd):
                    m.d.sync += [kept.txd.eq(SFD), kept.index.eq(0)]
                    m.next = "DATA"
            with m.State("DATA"):
                with m.If(self.valid):
                    m.d.sync += [*one_more, kept.txd.eq(self.data)]
                    with m.If(self.last):
                        with m.If(~kept.insert_fcs):
                            m.next = "END"
                        with m.Elif(more < self._min_bytes):
                            m.next = "PAD"
                        with m.Else():
                            m.next = "FCS"
                with m.Else():
                    m.d.sync += [kept.txd.eq(fcs), kept.tx_er.eq(1), kept.index.eq(1), kept.inverted.eq(1)]
                    m.next = "FCS"
            with m.State("PAD"):
                m.d.sync += [*one_more, kept.txd.eq(0)]
                with m.If(more >= self._min_bytes):
                    m.next = "FCS"
            with m.State("FCS"):
                m.d.sync += [kept.txd.eq(fcs), kept.index.eq(kept.index + 1)]
                with m.If(kept.index == FCS_BYTES - 1):
                    m.next = "END"
            with m.State("END"):
                m.d.sync += [kept.tx_en.eq(0), kept.tx_er.eq(0), kept.txd.eq(0), kept.index.eq(1)]
                m.d.sync += [sums.register.eq(INIT), sums.count.eq(0)]
                m.next = "GAP" if self._gap_cycles > 1 else "IDLE"
            with m.State("GAP"):
                m.d.sync += kept.index.eq(kept.index + 1)
                with m.If(kept.index == self._gap_cycles - 1):
                    m.next = "IDLE"

        m.d.comb += [
            byte.eq(Mux(fsm.ongoing("PAD"), 0, self.data)),
            # An underrun sends the register as it is, the inverse of a right FCS.
            fcs.eq(sums.register.word_select(kept.index[:2], 8)
                   ^ Mux(kept.inverted | self.underrun, 0, 0xFF)),

            self.txd.eq(kept.txd),
            self.tx_en.eq(kept.tx_en),
            self.tx_er.eq(kept.tx_er),
            self.ready.eq(fsm.ongoing("IDLE")),
            self.busy.eq(kept.tx_en),
            self.began.eq(self.ready & self.start),
            self.sfd.eq(fsm.ongoing("PREAMBLE") & (kept.index == PREAMBLE_BYTES)),
            self.take.eq(fsm.ongoing("DATA") & self.valid),
            self.underrun.eq(fsm.ongoing("DATA") & ~self.valid),
            self.done.eq(fsm.ongoing("END")),
            self.starved.eq(self.done & kept.inverted),
            self.crc.eq(~sums.register),
            self.count.eq(sums.count),
        ]
        return m
