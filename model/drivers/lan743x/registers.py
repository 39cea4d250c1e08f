"""Register names, masks and polling of the part, from the register description."""

from __future__ import annotations

from hdl.registers import load
from model.drivers.lan743x.settings import MAC
from model.host.host import Host
from model.host.netdev import OpenFailed

MAP = load(MAC)
RX_DESCRIPTOR = MAP.descriptor("rx_descriptor")
RX_EXTENSION = MAP.descriptor("rx_extension")
TX_DESCRIPTOR = MAP.descriptor("tx_descriptor")

POLL_NS = 1000
"""Sleep between two looks at a bit. The kernel sleeps 1 to 20 ms; nothing happens in the difference."""
POLLS = 2000
"""Looks before giving up."""


def bits(register: str, *names: str) -> int:
    """The bits of those fields of a register together."""
    mask = 0
    for name in names:
        mask |= MAP.field(register, name).mask
    return mask


def channel_bit(register: str, field: str, channel: int) -> int:
    """The bit of one channel in a field that has one for each."""
    return MAP.field(register, field).place(1 << channel)


class Registers:
    """The accessors, by name."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._offsets = {register.name: register.offset for register in MAP}
        self._poll_cycles = max(1, POLL_NS * host.world.clock_hz // 1_000_000_000)

    async def read(self, register: str) -> int:
        """The register's value."""
        return await self._host.read32(self._offsets[register])

    async def write(self, register: str, value: int) -> None:
        """Write the register; posted."""
        await self._host.write32(self._offsets[register], value)

    async def update(self, register: str, clear: int = 0, set_bits: int = 0) -> int:
        """Read, change and write back; returns what was written."""
        value = await self.read(register) & ~clear | set_bits
        await self.write(register, value)
        return value

    async def wait_for(self, register: str, mask: int, wanted: int, looks: int = POLLS,
                       every: int | None = None) -> int:
        """Read until the bits of `mask` are `wanted`; sleeps `every` cycles between; returns the value.

        OpenFailed if they never are.
        """
        for _ in range(looks):
            value = await self.read(register)
            if value & mask == wanted:
                return value
            await self._host.cpu.sleep(every or self._poll_cycles)
        raise OpenFailed(f"{register}: bits {mask:#x} are not {wanted:#x} after {looks} looks")

    async def wait_quiet(self, register: str, mask: int, wanted: int) -> None:
        """As `wait_for` where the driver goes on whatever comes of it: noted as the finding `stop_failed`."""
        try:
            await self.wait_for(register, mask, wanted)
        except OpenFailed as failure:
            self._host.findings.note("stop_failed", self._host.now, str(failure))
