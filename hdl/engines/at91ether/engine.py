"""The engine's top: registers, transmitter, receiver, DMA and management ports, and the wires between them.

Ref: docs/engines/at91ether.md; sheet at91ether, sections 2 and 3.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4, AXI4Lite
from hdl.bus.port import DmaPort
from hdl.csr import RegisterBank, register_layout
from hdl.mac.filter import STATIONS, AddressFilter
from hdl.mac.mii import MDIO, MII
from hdl.mdio import MdioManager
from hdl.registers import load
from hdl.tap import TapSignature, report

from .events import LANES, OFFSET_WIDTH
from .mover import Mover
from .pair import RegisterPair
from .receiver import Receiver
from .sender import Sender
from .split import SplitAccess
from .straps import StrapLatch, Straps

__all__ = ["Engine"]

ADDR_WIDTH, DATA_WIDTH = 32, 32
TX, RX = 0, 1
"""Requesters of the DMA port; the numbers are the identifiers on the bus."""


class Engine(wiring.Component):
    """AT91RM9200 EMAC.

    Members
    -------
    csr: AXI4-Lite, registers.
    bus: AXI4 manager; identifier 0 transmits, 1 receives.
    phy: MII and the link pin.
    mdio: management wires.
    irq: interrupt line.
    straps: variants and errata; looked at while reset is up.
    tap: a lane for each kind of event.
    watched: what waves show of the inside, by group: names of signals below this component.
    """

    watched = {"tx": ("pair.held", "pair.number", "pair.locked", "sender.fifo.level"),
               "rx": ("mover.entry", "receiver.fifo.level")}

    csr: In(AXI4Lite(addr_width=OFFSET_WIDTH, data_width=DATA_WIDTH))
    bus: Out(AXI4(addr_width=ADDR_WIDTH, data_width=DATA_WIDTH, id_width=1))
    phy: Out(MII())
    mdio: Out(MDIO())
    irq: Out(1)
    straps: In(Straps)
    tap: Out(TapSignature(LANES))

    def elaborate(self, platform):
        m = Module()
        self._registers = registers = load("at91ether")
        m.submodules.latch = self._latch = StrapLatch()
        m.submodules.split = self._split = SplitAccess(OFFSET_WIDTH)
        m.submodules.bank = self._bank = RegisterBank(registers, addr_width=OFFSET_WIDTH)
        m.submodules.port = port = DmaPort(ADDR_WIDTH, DATA_WIDTH, id_width=1, priority=(RX, TX))
        m.submodules.pair = pair = RegisterPair()
        m.submodules.sender = sender = Sender()
        m.submodules.receiver = receiver = Receiver()
        m.submodules.mover = mover = Mover()
        m.submodules.filter = address_filter = AddressFilter()
        m.submodules.management = management = MdioManager()

        self._regs = self._bank.regs
        self._tcr = register_layout(registers["TCR"])
        self._open_csr(m)
        wiring.connect(m, port.bus, wiring.flipped(self.bus))
        wiring.connect(m, sender.lane, port.lanes[TX])
        wiring.connect(m, mover.lane, port.lanes[RX])
        self._transmit(m, pair, sender)
        self._receive(m, receiver, mover, address_filter, sender)
        self._manage(m, management)
        self._count(m, sender, receiver, mover)
        self._interrupt(m, pair, sender, receiver, mover, management)
        for block in (pair, sender, receiver, mover):
            wiring.connect(m, block.tap, wiring.flipped(self._lanes_of(block.tap)))
        return m

    def _lanes_of(self, tap):
        """The lanes of this engine's tap that a block reports on."""
        subset = TapSignature(tap.signature.lanes).create()
        for name in tap.signature.lanes:
            setattr(subset, name, getattr(self.tap, name))
        return subset

    def _open_csr(self, m: Module) -> None:
        """The register accesses and the straps."""
        csr, split, _regs, straps = self.csr, self._split, self._regs, self._latch.straps
        wiring.connect(m, wiring.flipped(csr), split.csr)
        wiring.connect(m, split.bank, self._bank.csr)
        m.d.comb += [
            self._latch.pins.eq(self.straps),
            split.shared_latch.eq(straps.split_latch), split.high_commits.eq(straps.split_commit),
        ]
        with m.If(csr.awvalid & csr.awready):
            report(m, self.tap.csr_write, index=csr.awaddr, data=Cat(csr.wdata, csr.wstrb))
        with m.If(csr.arvalid & csr.arready):
            report(m, self.tap.csr_read, index=csr.araddr, data=self._bank.reading)

    def _ctl_written(self, field: str):
        """CTL is written, and the field is 0 from then on."""
        ctl, bank = self._regs.CTL, self._bank
        position = self._registers.field("CTL", field).lsb
        after = Mux(bank.wstrb[position // 8], bank.wdata[position], getattr(ctl, field).value)
        return ctl.written & ~after

    def _transmit(self, m: Module, pair: RegisterPair, sender: Sender) -> None:
        regs, latch, phy = self._regs, self._latch, self.phy
        tcr = self._tcr(regs.TCR.merged)
        m.d.comb += [
            pair.places.eq(latch.places), pair.mstar.eq(latch.straps.mstar),
            pair.ovr_effect.eq(latch.straps.ovr_effect),
            pair.hand_over.eq(regs.TCR.written & self._split.commit),
            pair.frame.addr.eq(regs.TAR.ADDRESS.value),
            pair.frame.length_bytes.eq(tcr.LEN), pair.frame.ncrc.eq(tcr.NCRC),
            pair.release.eq(sender.causes.released), pair.drop.eq(self._ctl_written("TE")),

            sender.te.eq(regs.CTL.TE.value), sender.fd.eq(regs.CFG.FD.value),
            sender.held.eq(pair.held), sender.locked.eq(pair.locked),
            sender.oldest.eq(pair.oldest), sender.number.eq(pair.number),
            sender.fifo_words.eq(latch.fifo_words), sender.burst.eq(latch.burst),
            sender.tick.eq(phy.tick), sender.crs.eq(phy.crs), sender.col.eq(phy.col),
            phy.txd.eq(sender.txd), phy.tx_en.eq(sender.tx_en), phy.tx_er.eq(0),
        ]
        for name in pair.status.shape().members:
            m.d.comb += getattr(regs.TSR, name).status.eq(pair.status[name])

    def _receive(self, m: Module, receiver: Receiver, mover: Mover, address_filter: AddressFilter,
                 sender: Sender) -> None:
        regs, latch, phy = self._regs, self._latch, self.phy
        m.d.comb += [
            receiver.tick.eq(phy.tick), receiver.rxd.eq(phy.rxd), receiver.rx_dv.eq(phy.rx_dv),
            receiver.rx_er.eq(phy.rx_er), receiver.ignore.eq(sender.tx_en & ~regs.CFG.FD.value),
            receiver.re.eq(regs.CTL.RE.value), receiver.big.eq(regs.CFG.BIG.value),
            receiver.stalled.eq(mover.stalled), receiver.fifo_words.eq(latch.fifo_words),
            receiver.accept.eq(address_filter.accept), receiver.flags.eq(address_filter.flags),
            receiver.pop.eq(mover.pop), receiver.leave.eq(mover.leave), receiver.close.eq(mover.close),

            mover.open.eq(receiver.open), mover.head.eq(receiver.head), mover.word.eq(receiver.word),
            mover.burst.eq(latch.burst), mover.restart.eq(latch.straps.rbna_restart),
            mover.re_cleared.eq(self._ctl_written("RE")),
            mover.list_written.eq(regs.RBQP.written), mover.list_base.eq(regs.RBQP.merged),
            regs.RBQP.CURRENT.status.eq(mover.pointer[2:]),

            address_filter.address.eq(receiver.address),
            address_filter.caf.eq(regs.CFG.CAF.value), address_filter.nbc.eq(regs.CFG.NBC.value),
            address_filter.mti.eq(regs.CFG.MTI.value), address_filter.uni.eq(regs.CFG.UNI.value),
            address_filter.hash_low.eq(regs.HSL.HASH.value), address_filter.hash_high.eq(regs.HSH.HASH.value),
        ]
        for n in range(STATIONS):
            low, high = getattr(regs, f"SA{n + 1}L"), getattr(regs, f"SA{n + 1}H")
            m.d.comb += [
                address_filter.sa_low[n].eq(low.ADDRESS.value),
                address_filter.sa_high[n].eq(high.ADDRESS.value),
                address_filter.low_written[n].eq(low.written),
                address_filter.high_written[n].eq(high.written),
            ]

    def _manage(self, m: Module, management: MdioManager) -> None:
        """MDIO, and SR."""
        regs, mdio = self._regs, self.mdio
        m.d.comb += [
            management.start.eq(regs.MAN.written & self._split.commit), management.word.eq(regs.MAN.merged),
            management.divider.eq(regs.CFG.CLK.value),
            regs.MAN.lock.eq(management.busy | ~regs.CTL.MPE.value),
            regs.MAN.DATA.we.eq(management.done & management.read), regs.MAN.DATA.next.eq(management.data),
            regs.SR.MDIO.status.eq(mdio.i), regs.SR.IDLE.status.eq(~management.busy),
            mdio.mdc.eq(management.mdc), mdio.o.eq(management.o), mdio.oe.eq(management.oe),
            management.i.eq(mdio.i),
        ]
        with m.If(management.done):
            man = regs.MAN
            report(m, self.tap.mdio_done, data=Cat(
                Mux(management.read, management.data, man.DATA.value), man.CODE.value, man.REGA.value,
                man.PHYA.value, man.RW.value, man.SOF.value))

    def _count(self, m: Module, sender: Sender, receiver: Receiver, mover: Mover) -> None:
        """The statistics. INCSTAT adds one to each (GK)."""
        tx, rx, everywhere = sender.causes, receiver.causes, self._regs.CTL.INCSTAT.value
        # Two frames can be discarded in one cycle: one behind the mover's back, one in its hands. The second
        # is counted in the next.
        again = Signal()
        m.d.sync += again.eq(rx.stalled & mover.causes.unavailable)
        counted = {
            "FRA": tx.whole,
            "SCOL": tx.single,
            "MCOL": tx.multiple,
            "OK": mover.causes.received,
            "SEQE": rx.crc,
            "ALE": rx.align,
            "DTE": tx.deferred,
            "LCOL": tx.late,
            "ECOL": tx.excess,
            "TUE": tx.starved,
            "CSE": tx.carrier_lost,
            "DRFC": rx.stalled | mover.causes.unavailable | again,
            "ROV": rx.overrun,
            "CDE": rx.code,
            "ELR": rx.long,
            "RJB": rx.jabber,
            "USF": rx.short,
            "SQEE": 0,
        }
        for name, cause in counted.items():
            m.d.comb += getattr(self._regs, name).COUNT.increment.eq(cause | everywhere)

    def _interrupt(self, m: Module, pair: RegisterPair, sender: Sender, receiver: Receiver, mover: Mover,
                   management: MdioManager) -> None:
        """ISR, the flags of TSR and RSR, the line, and the link."""
        regs, tx, rx = self._regs, sender.causes, receiver.causes
        # follows the pin during reset too: a link that is up from the start is no change
        link = Signal(reset_less=True)
        m.d.sync += link.eq(self.phy.link)
        m.d.comb += [
            regs.SR.LINK.status.eq(link),
            regs.ISR.naive.eq(self._latch.straps.isr_race),
            regs.ISR.DONE.set.eq(management.done),
            regs.ISR.RCOM.set.eq(mover.causes.received),
            regs.ISR.RBNA.set.eq(mover.causes.unavailable),
            regs.ISR.TOVR.set.eq(pair.overrun),
            regs.ISR.TUND.set.eq(tx.starved),
            regs.ISR.RTRY.set.eq(tx.excess),
            regs.ISR.TBRE.set.eq(pair.pair_free),
            regs.ISR.TCOM.set.eq(tx.released),
            regs.ISR.TIDLE.set.eq(pair.idle),
            regs.ISR.LINK.set.eq(link ^ self.phy.link),
            regs.ISR.ROVR.set.eq(rx.overrun),
            regs.ISR.ABT.set.eq(tx.bus_error | mover.causes.bus_error),
            regs.TSR.OVR.set.eq(pair.overrun),
            regs.TSR.COL.set.eq(tx.collided),
            regs.TSR.RLE.set.eq(tx.excess),
            regs.TSR.COMP.set.eq(tx.released),
            regs.TSR.UND.set.eq(tx.starved),
            regs.RSR.BNA.set.eq(mover.causes.unavailable),
            regs.RSR.REC.set.eq(mover.causes.received),
            regs.RSR.OVR.set.eq(rx.overrun),
            self.irq.eq(regs.ISR.irq),
        ]
        before = Signal()
        pending = Cat(getattr(regs.ISR, field.name).value for field in self._registers["ISR"].fields)
        m.d.sync += before.eq(self.irq)
        with m.If(self.irq & ~before):
            report(m, self.tap.irq_rise, data=pending)
        with m.If(~self.irq & before):
            report(m, self.tap.irq_fall, data=pending)
