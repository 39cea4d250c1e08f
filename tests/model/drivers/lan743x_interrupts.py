"""Causes, masks and messages of the stand-in for the lan743x engine."""

from hdl.registers import load
from model.kernel import EDGE, PHASES

MAP = load("lan743x")


def mask(register, *names):
    return sum(MAP.field(register, name).mask for name in names)


class Interrupts:
    """Part of `FakeLan743x`: works on its `causes`, `masks`, `values`, `sw_gp`, `intx` and `next_message`."""

    def status(self):
        active = self.causes & self.masks["DMAC_INT_EN"]
        return MAP.pack("INT_STS", RX=MAP.field("DMAC_INT_STS", "RXFRM").extract(active),
                        TX=MAP.field("DMAC_INT_STS", "TX_IOC").extract(active), SW_GP=self.sw_gp)

    def vectors(self):
        """Vector -> the enabled sources that are mapped to it."""
        active = self.status() & self.masks["INT_EN"] if self.masks["INT_EN"] & mask("INT_STS", "MAS") else 0
        found = {}
        fields = MAP.unpack("INT_STS", active)
        for channel in range(4):
            if fields["RX"] >> channel & 1:
                number = MAP.unpack("INT_VEC_MAP0", self.values["INT_VEC_MAP0"])[f"RX{channel}"]
                found.setdefault(number, []).append(("RX", channel))
        if fields["TX"]:
            found.setdefault(self.values["INT_VEC_MAP1"] & 15, []).append(("TX", 0))
        if fields["SW_GP"]:
            found.setdefault(0, []).append(("SW", 0))
        return found

    def update(self, cycle):
        """Send what is due, in the cycle after."""
        found = self.vectors()
        if self.silent:
            return
        if self.rev_a0:
            if bool(found) != self.intx:
                self.intx = bool(found)
                self.world.irq_changed(self.intx, cycle + 1, 16)
            return
        for vector, sources in found.items():
            if not self.masks["INT_VEC_EN"] >> vector & 1:
                continue
            if cycle < self.next_message[vector]:
                self.kernel.call_at(PHASES * self.next_message[vector] + EDGE, self.update,
                                    self.next_message[vector])
                continue
            self.next_message[vector] = cycle + self.moderation_cycles
            for kind, channel in sources:
                self.automatic(kind, channel)
            if self.values["INT_VEC_EN_AUTO_CLR"] >> vector & 1:
                self.masks["INT_VEC_EN"] &= ~(1 << vector)
            self.world.message(vector, cycle + 1)

    def automatic(self, kind, channel):
        if kind == "SW":
            return
        modes = MAP.unpack(f"{kind}{channel}_CFG_C", self.values[f"{kind}{channel}_CFG_C"])
        if modes["DMA_INT_STS_AUTO_CLR"]:
            field = MAP.field("DMAC_INT_STS", "RXFRM" if kind == "RX" else "TX_IOC")
            self.causes &= ~field.place(1 << channel)
        if modes["TOP_INT_EN_AUTO_CLR"]:
            self.masks["INT_EN"] &= ~MAP.field("INT_STS", kind).place(1 << channel)

    def read_to_clear(self, value):
        shown = MAP.unpack("INT_STS", value)
        for kind, cause in (("RX", "RXFRM"), ("TX", "TX_IOC")):
            for channel in range(4):
                if shown[kind] >> channel & 1:
                    modes = MAP.unpack(f"{kind}{channel}_CFG_C", self.values[f"{kind}{channel}_CFG_C"])
                    if modes["INT_STS_R2C_MODE"]:
                        self.causes &= ~MAP.field("DMAC_INT_STS", cause).place(1 << channel)
                    if modes["INT_EN_R2C"]:
                        self.masks["INT_EN"] &= ~MAP.field("INT_STS", kind).place(1 << channel)
