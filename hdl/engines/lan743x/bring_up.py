"""What software uses before and beside the rings: resets that take a while, the data port to the filter's
RAM, the PHY's registers, and the clock for time stamps.

Ref: docs/engines/lan743x.md, section 8; sheet lan743x, section 3.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.csr import RegisterBank, register_layout
from hdl.mac.mii import MDIO
from hdl.mdio import MdioManager
from hdl.tap import TapSignature, report

from .events import ENGINE_LANES
from .moderation import US_CYCLES
from .ptp import PtpClock
from .software import written_ones

__all__ = ["BringUp"]

RFE_RAM = 1
"""DP_SEL of the RAM with the multicast hash."""
RAM_ADDRESS_WIDTH = 8
SHORTEST_BIT_CYCLES = 8
MDIO_BIT_CYCLES = 64


class BringUp(wiring.Component):
    """Wired up with the bank, which is a submodule of the same module.

    Members
    -------
    ram_address, ram_write, ram_data, ram_value: the filter's RAM: `ram_value` is that of `ram_address` in the
        same cycle.
    seconds, nanoseconds: PTP clock.
    mdio: management wires.
    tap: MDIO_DONE.
    """

    def __init__(self, bank: RegisterBank):
        self._bank = bank
        super().__init__({
            "ram_address": Out(RAM_ADDRESS_WIDTH), "ram_write": Out(1), "ram_data": Out(32),
            "ram_value": In(32), "seconds": Out(32), "nanoseconds": Out(30), "mdio": Out(MDIO()),
            "tap": Out(TapSignature({"mdio_done": ENGINE_LANES["mdio_done"]})),
        })

    def elaborate(self, platform):
        m = Module()
        for register, field in (("HW_CFG", "LRST"), ("PMT_CTL", "ETH_PHY_RST"), ("MAC_CR", "RST")):
            self._reset(m, register, field)
        self._data_port(m)
        self._management(m)
        self._clock(m)
        return m

    def _reset(self, m: Module, register: str, field: str) -> None:
        """Reads 1 for 1 us (A) from the write on, and does nothing more here."""
        left = Signal(range(US_CYCLES + 1), name=f"{register.lower()}_{field.lower()}_left")
        begins = Signal(name=f"{register.lower()}_{field.lower()}_begins")
        m.d.comb += begins.eq(written_ones(self._bank, register, field))
        with m.If(begins):
            m.d.sync += left.eq(US_CYCLES)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
            m.d.comb += getattr(getattr(self._bank.regs, register), field).clear.eq(left == 1)

    def _data_port(self, m: Module) -> None:
        regs = self._bank.regs
        address = regs.DP_ADDR.ADDRESS.value
        m.d.comb += [
            self.ram_address.eq(address[:RAM_ADDRESS_WIDTH]), self.ram_data.eq(regs.DP_DATA_0.DATA.value)]
        with m.If(regs.DP_CMD.written & (regs.DP_SEL.SELECT.value == RFE_RAM)):
            inside, write = address[RAM_ADDRESS_WIDTH:] == 0, regs.DP_CMD.merged[0]
            m.d.comb += [
                self.ram_write.eq(write & inside),
                regs.DP_DATA_0.DATA.we.eq(~write),
                regs.DP_DATA_0.DATA.next.eq(Mux(inside, self.ram_value, 0)),
            ]

    def _management(self, m: Module) -> None:
        m.submodules.management = manager = MdioManager()
        regs = self._bank.regs
        wanted = register_layout(self._bank.registers["MAC_MII_ACC"])(self._bank.wdata)
        read, write, turnaround, start = C(0b10, 2), C(0b01, 2), C(0b10, 2), C(0b01, 2)
        m.d.comb += [
            manager.start.eq(written_ones(self._bank, "MAC_MII_ACC", "MII_BUSY")),
            manager.word.eq(Cat(regs.MAC_MII_DATA.DATA.value, turnaround, wanted.MIIRINDA, wanted.PHY_ADDR,
                                Mux(wanted.MII_WRITE, write, read), start)),
            manager.divider.eq((MDIO_BIT_CYCLES // SHORTEST_BIT_CYCLES).bit_length() - 1),
            self.mdio.mdc.eq(manager.mdc), self.mdio.o.eq(manager.o), self.mdio.oe.eq(manager.oe),
            manager.i.eq(self.mdio.i),
        ]
        with m.If(manager.done):
            acc, data = regs.MAC_MII_ACC, regs.MAC_MII_DATA.DATA
            m.d.comb += [
                acc.MII_BUSY.clear.eq(1), data.we.eq(manager.read), data.next.eq(manager.data),
            ]
            report(m, self.tap.mdio_done, data=Cat(
                C(0, 1), acc.MII_WRITE.value, C(0, 4), acc.MIIRINDA.value, acc.PHY_ADDR.value, C(0, 16),
                Mux(manager.read, manager.data, data.value)))

    def _clock(self, m: Module) -> None:
        m.submodules.clock = clock = PtpClock()
        regs = self._bank.regs
        seconds, nanoseconds = regs.PTP_CLOCK_SEC.SEC, regs.PTP_CLOCK_NS.NS
        command = {name: written_ones(self._bank, "PTP_CMD_CTL", name) for name in (
            "RESET", "DISABLE", "CLOCK_READ", "CLOCK_LOAD")}
        m.d.comb += [
            clock.enabled.eq(regs.PTP_CMD_CTL.ENABLE.value),
            regs.PTP_CMD_CTL.ENABLE.clear.eq(command["DISABLE"] | command["RESET"]),
            clock.reset.eq(command["RESET"]), clock.load.eq(command["CLOCK_LOAD"]),
            clock.load_seconds.eq(seconds.value), clock.load_nanoseconds.eq(nanoseconds.value),
            seconds.we.eq(command["CLOCK_READ"]), seconds.next.eq(clock.seconds),
            nanoseconds.we.eq(command["CLOCK_READ"]), nanoseconds.next.eq(clock.nanoseconds),
            self.seconds.eq(clock.seconds), self.nanoseconds.eq(clock.nanoseconds),
        ]
