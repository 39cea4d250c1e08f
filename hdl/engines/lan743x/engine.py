"""The engine's top: registers, receive and transmit channels, MAC, write-back unit, the ports, and the wires
between them.

Ref: docs/engines/lan743x.md; sheet lan743x, sections 2 and 3.
"""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4, AXI4Lite
from hdl.bus.port import DmaPort
from hdl.bus.read_port import ReadPort, join_halves
from hdl.csr import RegisterBank
from hdl.mac.gmii import GMII
from hdl.mac.mii import MDIO
from hdl.registers import load
from hdl.tap import TapSignature, report

from .bring_up import BringUp
from .commands import Commands
from .events import MOST_RX_CHANNELS, OFFSET_WIDTH, lanes, of_channel
from .flow import Flow
from .heads import HeadDue
from .interrupts import Interrupts
from .rx_channel import RxChannel
from .rx_mac import RxMac
from .statistics import Statistics
from .straps import RX_FIFO_WORDS, StrapLatch, Straps
from .tx_channel import TxChannel
from .write_back import WriteBack

__all__ = ["Engine"]

ADDR_WIDTH, DATA_WIDTH, ID_WIDTH = 32, 32, 4
TX_DATA_ID, TX_DESCRIPTORS_ID, WRITE_BACK_ID = 4, 5, 6
"""Identifiers on the bus. A receive channel's is its number."""


class Engine(wiring.Component):
    """Microchip LAN7430.

    Parameters
    ----------
    rx_channels: receive channels that are built, 1 to 4. The registers of the others are plain storage.

    Members
    -------
    csr: AXI4-Lite, registers.
    bus: AXI4 manager: rings, frames, heads, and messages instead of an interrupt line.
    phy: GMII and the link pin.
    mdio: management wires.
    straps: variants and races; looked at while reset is up.
    tap: a lane for each kind of event, of each receive channel.
    watched: what waves show of the inside, by group: names of signals below this component.

    Raises
    ------
    ValueError
        There is no such number of channels.
    """

    def __init__(self, rx_channels: int = 1):
        if not isinstance(rx_channels, int) or not 1 <= rx_channels <= MOST_RX_CHANNELS:
            raise ValueError(f"lan743x: rx_channels must be 1 to {MOST_RX_CHANNELS}, not {rx_channels!r}")
        self.rx_channels = rx_channels
        super().__init__({
            "csr": In(AXI4Lite(addr_width=OFFSET_WIDTH, data_width=DATA_WIDTH)),
            "bus": Out(AXI4(addr_width=ADDR_WIDTH, data_width=DATA_WIDTH, id_width=ID_WIDTH)),
            "phy": Out(GMII()), "mdio": Out(MDIO()), "straps": In(Straps),
            "tap": Out(TapSignature(lanes(rx_channels))),
        })
        self.watched = {
            **{f"rx{k}": (f"rx{k}.prefetch.tail", f"rx{k}.mover.head", f"rx{k}.prefetch.cached",
                          f"rx{k}.blocked", f"rx{k}_head.pending", f"rx{k}.fifo.used", f"rx{k}.fifo.frames")
               for k in range(rx_channels)},
            "tx": ("tx.prefetcher.tail", "tx.head", "tx.prefetcher.cached", "tx_head.pending",
                   "tx.fifo.held"),
            "interrupts": tuple(f"interrupts.sources.{name}" for name in (
                "cause", "status", "enabled", "active", "expired", "vector_enabled", "ready")),
        }

    def elaborate(self, platform):
        m = Module()
        n = self.rx_channels
        registers = load("lan743x")
        if n < MOST_RX_CHANNELS:
            registers = registers.passive(*(f"RX{k}_*" for k in range(n, MOST_RX_CHANNELS)))
        m.submodules.latch = self._latch = StrapLatch()
        m.submodules.bank = self._bank = RegisterBank(registers, addr_width=OFFSET_WIDTH)
        self._regs = self._bank.regs
        m.submodules.commands = self._commands = Commands(n)
        self._commands.connect(m, self._bank)

        m.submodules.mac = self._mac = RxMac(n)
        self._rx = [RxChannel(k, RX_FIFO_WORDS) for k in range(n)]
        for k, channel in enumerate(self._rx):
            m.submodules[f"rx{k}"] = channel
        m.submodules.tx = self._tx = TxChannel()
        m.submodules.flow = self._flow = Flow(n)
        m.submodules.write_back = self._write_back = WriteBack(n)
        m.submodules.interrupts = self._interrupts = Interrupts(n, self._bank, self._write_back)
        m.submodules.bring_up = self._bring_up = BringUp(self._bank)

        wiring.connect(m, self._bring_up.mdio, wiring.flipped(self.mdio))
        self._open_csr(m)
        self._connect_ports(m)
        self._command(m)
        self._receive(m)
        self._transmit(m)
        self._count(m)
        self._write_heads(m)
        self._connect_lanes(m)
        return m

    def _open_csr(self, m: Module) -> None:
        """The register accesses and the straps."""
        csr, bank = self.csr, self._bank
        wiring.connect(m, wiring.flipped(csr), bank.csr)
        m.d.comb += self._latch.pins.eq(self.straps)
        with m.If(self._latch.straps.rev_a0):
            m.d.comb += self._regs.ID_REV.CHIP_REV.status.eq(0)
        with m.If(csr.awvalid & csr.awready):
            report(m, self.tap.csr_write, index=csr.awaddr, data=Cat(csr.wdata, csr.wstrb))
        with m.If(csr.arvalid & csr.arready):
            report(m, self.tap.csr_read, index=csr.araddr, data=bank.reading)

    def _connect_ports(self, m: Module) -> None:
        n = self.rx_channels
        rx, tx_data, tx_descriptors = range(n), n, n + 1
        m.submodules.read_port = reads = ReadPort(
            ADDR_WIDTH, DATA_WIDTH, ID_WIDTH, ids=(*rx, TX_DATA_ID, TX_DESCRIPTORS_ID),
            priority=(*((k, True) for k in rx), (tx_descriptors, True), (tx_data, False),
                      *((k, False) for k in rx), (tx_descriptors, False)))
        m.submodules.write_port = writes = DmaPort(
            ADDR_WIDTH, DATA_WIDTH, ID_WIDTH, ids=(*rx, WRITE_BACK_ID), priority=(n, *rx))
        m.d.comb += reads.tags.eq(self._latch.tags)
        for k, channel in enumerate(self._rx):
            wiring.connect(m, channel.descriptors, reads.lanes[k])
            wiring.connect(m, channel.data, writes.lanes[k])
        wiring.connect(m, self._tx.data, reads.lanes[tx_data])
        wiring.connect(m, self._tx.descriptors, reads.lanes[tx_descriptors])
        wiring.connect(m, self._write_back.lane, writes.lanes[n])
        join_halves(m, self.bus, reads=reads.bus, writes=writes.bus)

    def _config(self, channel: int):
        """The registers of a channel, by the end of their names; the transmit channel is the last."""
        prefix = f"RX{channel}_" if channel < self.rx_channels else "TX0_"
        return lambda name: getattr(self._regs, prefix + name)

    def _command(self, m: Module) -> None:
        """What receive and transmit channels have in common: state, ring, tail and head."""
        commands = self._commands
        for k, channel in enumerate([*self._rx, self._tx]):
            register = self._config(k)
            tail = register("TAIL")
            burst_512 = register("CFG_B").RDMABL_512 if k < self.rx_channels else register("CFG_B").TDMABL_512
            m.d.comb += [
                channel.running.eq(commands.running[k]), channel.stop_pending.eq(commands.stop_pending[k]),
                channel.resetting.eq(commands.resetting[k]),
                channel.fct_enabled.eq(commands.fifo_enabled[k]),
                channel.fct_reset.eq(commands.fifo_reset[k]),
                commands.stopped[k].eq(channel.stopped), commands.fail[k].eq(channel.fail),
                commands.was_reset[k].eq(channel.was_reset),
                commands.fifo_was_reset[k].eq(channel.fct_was_reset),

                channel.tail.eq(tail.INDEX.value),
                tail.INDEX.clear.eq(channel.was_reset.replicate(len(tail.INDEX.clear))),
                register("HEAD").INDEX.status.eq(channel.head),
                channel.base.eq(register("BASE_L").ADDRESS.value),
                channel.ring_len.eq(register("CFG_B").RING_LEN.value),
                channel.stride.eq(self._regs.DMAC_CFG.MAX_DSPACE.value),
                channel.pf_thres.eq(register("CFG_A").PF_THRES.value),
                channel.pf_pri_thres.eq(register("CFG_A").PF_PRI_THRES.value),
                channel.burst_512.eq(burst_512.value & ~self._latch.straps.rev_a0),
            ]

    def _receive(self, m: Module) -> None:
        regs, mac, phy, latch = self._regs, self._mac, self.phy, self._latch
        bank, flow, bring_up = self._bank, self._flow, self._bring_up
        m.d.comb += [
            mac.rxd.eq(phy.rxd), mac.rx_dv.eq(phy.rx_dv), mac.rx_er.eq(phy.rx_er),
            mac.rxen.eq(regs.MAC_RX.RXEN.value), mac.max_size.eq(regs.MAC_RX.MAX_SIZE.value),
            mac.rx_fcen.eq(regs.MAC_FLOW.RX_FCEN.value), regs.MAC_RX.RXD.set.eq(mac.rxd_set),
            mac.broadcast.eq(regs.RFE_CTL.AB.value), mac.multicast.eq(regs.RFE_CTL.AM.value),
            mac.unicast.eq(regs.RFE_CTL.AU.value), mac.hash.eq(regs.RFE_CTL.MCAST_HASH.value),
            mac.perfect.eq(regs.RFE_CTL.DA_PERFECT.value),
            mac.seconds.eq(bring_up.seconds), mac.nanoseconds.eq(bring_up.nanoseconds),
            mac.ram_address.eq(bring_up.ram_address), mac.ram_write.eq(bring_up.ram_write),
            mac.ram_data.eq(bring_up.ram_data), bring_up.ram_value.eq(mac.ram_value),
            mac.csr_write.eq(bank.writing), mac.csr_addr.eq(bank.waddr), mac.csr_data.eq(bank.wdata),
            mac.csr_strobe.eq(bank.wstrb),
            flow.tx_fcen.eq(regs.MAC_FLOW.TX_FCEN.value), flow.time.eq(regs.MAC_FLOW.FCPT.value),
        ]
        if self.rx_channels > 1:
            rss = regs.RFE_RSS_CFG
            m.d.comb += [
                mac.rss_enable.eq(rss.RSS_ENABLE.value), mac.rss_queue_enable.eq(rss.RSS_QUEUE_ENABLE.value),
                mac.ipv4.eq(rss.IPV4.value), mac.tcp_ipv4.eq(rss.TCP_IPV4.value),
                mac.udp_ipv4.eq(rss.UDP_IPV4.value),
            ]
        for k, channel in enumerate(self._rx):
            register, thresholds = self._config(k), getattr(regs, f"FCT_FLOW{k}")
            wiring.connect(m, mac.channels[k], channel.rx)
            m.d.comb += [
                channel.pad.eq(register("CFG_B").PAD.value),
                channel.timestamps.eq(register("CFG_B").TS_ALL_RX.value),
                channel.capacity.eq(latch.rx_fifo_words),
                channel.tail_written.eq(register("TAIL").written),
                channel.tail_next.eq(register("TAIL").merged[:len(channel.tail_next)]),
                flow.channels[k].used.eq(channel.used), flow.channels[k].was_reset.eq(channel.fct_was_reset),
                flow.channels[k].on.eq(thresholds.ON_THRESHOLD.value),
                flow.channels[k].off.eq(thresholds.OFF_THRESHOLD.value),
                flow.channels[k].req_en.eq(thresholds.REQ_EN.value),
            ]
            for strap in ("tail_inclusive", "past_tail", "head_wb_early", "write_whole_buffer",
                          "extra_buffer"):
                m.d.comb += getattr(channel, strap).eq(getattr(latch.straps, strap))

    def _transmit(self, m: Module) -> None:
        regs, tx, phy, flow, mac = self._regs, self._tx, self.phy, self._flow, self._mac
        m.d.comb += [
            tx.txen.eq(regs.MAC_TX.TXEN.value), regs.MAC_TX.TXD.set.eq(tx.txd_set),
            tx.station.eq(Cat(regs.MAC_RX_ADDRL.ADDRESS.value, regs.MAC_RX_ADDRH.ADDRESS.value)),
            tx.want.eq(flow.want), tx.quanta.eq(flow.quanta),
            tx.pause.eq(mac.pause), tx.pause_quanta.eq(mac.quanta),
            phy.txd.eq(tx.txd), phy.tx_en.eq(tx.tx_en), phy.tx_er.eq(tx.tx_er),
        ]

    def _count(self, m: Module) -> None:
        bank = self._bank
        m.submodules.statistics = statistics = Statistics()
        wiring.connect(m, self._mac.statistics, statistics.rx)
        wiring.connect(m, self._tx.statistics, statistics.tx)
        m.d.comb += [
            statistics.clear.eq(self._regs.MAC_CR.CNTR_RST.value),
            statistics.read.eq(bank.external.read), statistics.address.eq(bank.raddr),
            bank.external.data.eq(statistics.data),
        ]

    def _write_heads(self, m: Module) -> None:
        """Heads and interrupts."""
        unit, interrupts, straps = self._write_back, self._interrupts, self._latch.straps
        m.d.comb += [interrupts.rev_a0.eq(straps.rev_a0), interrupts.edge_irq.eq(straps.edge_irq)]
        for k, channel in enumerate([*self._rx, self._tx]):
            register = self._config(k)
            config, transmits = register("CFG_A"), k == self.rx_channels
            m.submodules[f"{'tx' if transmits else f'rx{k}'}_head"] = head = HeadDue()
            m.d.comb += [
                head.enabled.eq(config.HP_WB_EN.value),
                head.threshold.eq(config.HP_WB_THRES.value if transmits else config.WB_THRES.value),
                head.on_timer.eq(config.HP_WB_ON_INT_TMR.value if transmits else config.WB_ON_INT_TMR.value),
                head.by_pending.eq(~config.TMR_HPWB_SEL_IOC.value if transmits else 0),
                head.late.eq(straps.head_wb_late), head.arrived.eq(channel.entries_done),
                head.cause.eq(interrupts.cause[k]), head.rested.eq(interrupts.rested[k]),
                head.wanted.eq(interrupts.wanted[k]), head.taken.eq(unit.taken[k]),
                interrupts.owed[k].eq(head.owed),
                head.reset.eq(channel.was_reset),
                unit.due[k].eq(head.due), unit.first[k].eq(head.first), unit.head[k].eq(channel.head),
                unit.address[k].eq(Cat(0, 0, register("HEAD_WB_L").ADDRESS.value[2:])),
                interrupts.arrived[k].eq(channel.cause),
            ]

    def _connect_lanes(self, m: Module) -> None:
        """What the blocks report goes to the lanes of the engine."""
        for k, channel in enumerate(self._rx):
            for name in channel.tap.signature.lanes:
                lane = getattr(self.tap, of_channel(name, k))
                wiring.connect(m, getattr(channel.tap, name), wiring.flipped(lane))
        for block in (self._mac, self._tx, self._write_back, self._bring_up):
            for name in block.tap.signature.lanes:
                wiring.connect(m, getattr(block.tap, name), wiring.flipped(getattr(self.tap, name)))
