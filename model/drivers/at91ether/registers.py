"""Register names and masks from the register description, and the accessors of the two buses the part sits
on."""

from __future__ import annotations

from hdl.registers import load
from model.drivers.at91ether.settings import MAC, Settings
from model.host.host import Host

MAP = load(MAC)
RX_DESCRIPTOR = MAP.descriptor("rx_descriptor")


def bits(register: str, *names: str) -> int:
    """The bits of those fields of a register together."""
    mask = 0
    for name in names:
        mask |= MAP.field(register, name).mask
    return mask


class Registers:
    """The accessors: one 32-bit access, or (on the MStar part's bus) a pair of 16-bit writes. Reads are
    whole."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self._host = host
        self._split = settings.split16 != "off"
        self._low_first = settings.split16 == "low_first"
        self._irqsafe = settings.split16_irqsafe
        self._offsets = {register.kernel_name or register.name: register.offset for register in MAP}

    async def read(self, register: str) -> int:
        """The register's value."""
        return await self._host.read32(self._offsets[register])

    async def write(self, register: str, value: int) -> None:
        """Write the register; between the halves of a pair an interrupt can come unless the driver keeps it
        off."""
        offset = self._offsets[register]
        if not self._split:
            await self._host.write32(offset, value)
        elif self._irqsafe:
            async with self._host.irqs_off():
                await self._write_pair(offset, value)
        else:
            await self._write_pair(offset, value)

    async def _write_pair(self, offset: int, value: int) -> None:
        halves = [(offset, value & 0xFFFF), (offset + 2, value >> 16)]
        for half_offset, half in halves if self._low_first else reversed(halves):
            await self._host.write16(half_offset, half)
