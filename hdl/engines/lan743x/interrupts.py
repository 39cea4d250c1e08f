"""The interrupt registers: causes, masks, and what clears and sets them without a write of their own.

Ref: docs/engines/lan743x.md, section 6; sheet lan743x, section 2 (INT_*, DMAC_INT_*, CFG_C, TAIL).
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.csr import RegisterBank

from .moderation import TIMERS, ModerationTimers
from .software import written_ones
from .sources import NIBBLE, VECTORS, Sources
from .write_back import WriteBack

__all__ = ["Interrupts"]


class Interrupts(wiring.Component):
    """Between the register bank and the write-back unit.

    Sources are receive channels by number, the transmit channel, and SW_GP; channels are the former two.

    Parameters
    ----------
    rx_channels: channels that are built.
    bank, write_back: with which it is wired up; submodules of the same module as this.

    Members
    -------
    rev_a0, edge_irq: straps.
    arrived: a bit a channel: its cause is to be set.
    cause: a bit a channel, DMAC_INT_STS.
    rested, wanted: a bit a channel, as `HeadDue` takes them.
    owed: a bit a channel, of `HeadDue`: reading INT_STS_R2C leaves its cause.
    """

    def __init__(self, rx_channels: int, bank: RegisterBank, write_back: WriteBack):
        self.rx_channels, self._bank, self._write_back = rx_channels, bank, write_back
        channels = rx_channels + 1
        super().__init__({
            "rev_a0": In(1), "edge_irq": In(1), "arrived": In(channels), "owed": In(channels),
            "cause": Out(channels), "rested": Out(channels), "wanted": Out(channels),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.sources = self._sources = sources = Sources(self.rx_channels)
        m.submodules.timers = timers = ModerationTimers()
        regs, write_back, n = self._bank.regs, self._write_back, self.rx_channels
        m.d.comb += [
            self.cause.eq(self._channels(regs.DMAC_INT_STS.RXFRM.value, regs.DMAC_INT_STS.TX_IOC.value)),
            sources.cause.eq(Cat(self.cause, regs.INT_STS.SW_GP.value)),
            sources.unmasked.eq(self._channels(
                regs.DMAC_INT_EN_SET.RXFRM.value, regs.DMAC_INT_EN_SET.TX_IOC.value)),
            sources.enabled.eq(Cat(
                self._channels(regs.INT_EN_SET.RX.value, regs.INT_EN_SET.TX.value),
                regs.INT_EN_SET.SW_GP.value)),
            sources.master.eq(regs.INT_EN_SET.MAS.value),
            sources.vector_enabled.eq(regs.INT_VEC_EN_SET.VECTORS.value),
            sources.vector.eq(self._nibbles("INT_VEC_MAP")), sources.timer.eq(self._nibbles("INT_MOD_MAP")),
            sources.expired.eq(timers.expired), timers.off.eq(self.rev_a0),
            self.rested.eq(sources.rested),
            self.wanted.eq(Mux(self.rev_a0, sources.active & write_back.rising.replicate(n + 1),
                               sources.eligible & sources.served)),

            write_back.ready.eq(sources.ready), write_back.active.eq(sources.active),
            write_back.eligible.eq(sources.eligible), write_back.vector.eq(sources.vector),
            write_back.intx.eq(self.rev_a0),

            regs.INT_STS.RX.status.eq(sources.status[:n]), regs.INT_STS.TX.status.eq(sources.status[n]),
            regs.INT_STS.MAS.status.eq((sources.status & sources.enabled).any()),
        ]
        m.d.comb += [
            timers.interval[k].eq(getattr(regs, f"INT_MOD_CFG{k}").INTERVAL.value) for k in range(TIMERS)]
        with m.If(write_back.fired.any()):
            m.d.comb += timers.restart.eq(reduce(or_, (
                Mux(write_back.fired[s], Const(1, 1 << NIBBLE) << sources.timer[s], 0)
                for s in range(n + 2)))[:TIMERS])
        self._causes(m)
        self._masks(m)
        return m

    def _channels(self, rx: Value, tx: Value) -> Value:
        return Cat(rx[:self.rx_channels], tx)

    def _nibbles(self, name: str) -> Value:
        """A nibble a source of a map: the driver's order of registers is RX, TX, the others."""
        rx, tx, other = (getattr(self._bank.regs, f"{name}{k}") for k in range(3))
        return Cat(*(getattr(rx, f"RX{ch}").value for ch in range(self.rx_channels)), tx.TX0.value,
                   other.OTHER.value[:NIBBLE])

    def _config(self, field: str) -> Value:
        """A bit a channel: a field of CFG_C is not 0. Rev A0 has none of the automatic modes."""
        names = [f"RX{ch}_CFG_C" for ch in range(self.rx_channels)] + ["TX0_CFG_C"]
        on = Cat(getattr(getattr(self._bank.regs, name), field).value.any() for name in names)
        return Mux(self.rev_a0, 0, on)

    def _causes(self, m: Module) -> None:
        """DMAC_INT_STS, and the strap that lets causes be lost."""
        regs, sources, n = self._bank.regs, self._sources, self.rx_channels
        channels = n + 1
        arrived, clear = Signal(channels), Signal(channels)
        m.d.comb += [
            arrived.eq(Mux(self.edge_irq, self.arrived & ~sources.masked[:channels], self.arrived)),
            # unset at once; what was latched before stays
            regs.INT_STS.SW_GP.clear.eq(self.edge_irq & sources.masked[channels] & regs.INT_SET.written
                                        & ~regs.INT_STS.SW_GP.value),
            regs.DMAC_INT_STS.RXFRM.set.eq(arrived[:n]), regs.DMAC_INT_STS.TX_IOC.set.eq(arrived[n]),
            regs.DMAC_INT_STS.RXFRM.clear.eq(clear[:n]), regs.DMAC_INT_STS.TX_IOC.clear.eq(clear[n]),
        ]
        with m.If(self._write_back.fired.any()):
            m.d.comb += clear.eq(self._write_back.fired[:channels] & self._config("DMA_INT_STS_AUTO_CLR"))
        with m.If(regs.INT_STS_R2C.read):
            shown = sources.status[:channels] & self._config("INT_STS_R2C_MODE") & ~self.owed
            fired = Mux(self._write_back.fired.any(),
                        self._write_back.fired[:channels] & self._config("DMA_INT_STS_AUTO_CLR"), 0)
            m.d.comb += clear.eq(shown | fired)

    def _masks(self, m: Module) -> None:
        """INT_EN, DMAC_INT_EN and INT_VEC_EN. A set by a write, be it of a tail, wins over a clear."""
        bank, regs, sources, n = self._bank, self._bank.regs, self._sources, self.rx_channels
        channels, fired = n + 1, self._write_back.fired
        enable, disable = Signal(channels), Signal(channels)
        vectors = Signal(VECTORS)
        masks, dma_masks, vector_masks = regs.INT_EN_SET, regs.DMAC_INT_EN_SET, regs.INT_VEC_EN_SET
        with m.If(fired.any()):
            m.d.comb += disable.eq(fired[:channels] & self._config("TOP_INT_EN_AUTO_CLR"))
            m.d.comb += dma_masks.TX_IOC.clear.eq(
                fired[n] & regs.TX0_CFG_C.DMA_INT_EN_AUTO_CLR.value & ~self.rev_a0)
            with m.If(~self.rev_a0):
                m.d.comb += vector_masks.VECTORS.clear.eq(
                    self._write_back.fired_vector & regs.INT_VEC_EN_AUTO_CLR.VECTORS.value)
        with m.If(regs.INT_STS_R2C.read):
            m.d.comb += disable.eq(
                sources.status[:channels] & self._config("INT_EN_R2C")
                | Mux(fired.any(), fired[:channels] & self._config("TOP_INT_EN_AUTO_CLR"), 0))

        tails = Cat(*(getattr(regs, f"RX{ch}_TAIL").written for ch in range(n)), regs.TX0_TAIL.written)
        place = {name: bank.registers.field("TX0_TAIL", name).lsb for name in (
            "SET_TOP_INT_VEC_EN", "SET_TOP_INT_EN", "SET_DMAC_INT_EN")}
        flag = {name: bank.wdata[lsb] & bank.wstrb[lsb // 8] for name, lsb in place.items()}
        dma = Signal()
        with m.If(tails.any() & ~self.rev_a0):
            with m.If(flag["SET_TOP_INT_EN"]):
                m.d.comb += enable.eq(tails)
            with m.If(flag["SET_TOP_INT_VEC_EN"]):
                m.d.comb += vectors.eq(reduce(or_, (
                    Mux(tails[s], Const(1, VECTORS) << sources.vector[s], 0) for s in range(channels))))
            m.d.comb += dma.eq(regs.TX0_TAIL.written & flag["SET_DMAC_INT_EN"])

        def written(register: str, field: str) -> Value:
            return written_ones(bank, register, field)

        m.d.comb += [
            masks.RX.set.eq(written("INT_EN_SET", "RX") | enable[:n]),
            masks.TX.set.eq(written("INT_EN_SET", "TX") | enable[n]),
            masks.RX.clear.eq(disable[:n]), masks.TX.clear.eq(disable[n]),
            dma_masks.TX_IOC.set.eq(written("DMAC_INT_EN_SET", "TX_IOC") | dma),
            vector_masks.VECTORS.set.eq(written("INT_VEC_EN_SET", "VECTORS") | vectors),
        ]
