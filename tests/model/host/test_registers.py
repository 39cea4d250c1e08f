"""The registers of a part that stands still, as text."""

import asyncio

from hdl.registers import load
from model.host.registers import register_texts

REGISTERS = load("at91ether")


class Host:
    """A host whose registers read what they are told."""

    def __init__(self, **values):
        self.values = {REGISTERS.offset(name): value for name, value in values.items()}
        self.read = []

    async def read32(self, offset):
        self.read.append(offset)
        return self.values.get(offset, 0)


def test_the_registers_that_say_something():
    host = Host(TSR=0x09, ISR=1 << 7 | 1 << 1, TAR=0x1234)
    texts = asyncio.run(register_texts(host, "at91ether"))
    assert texts == [f"TAR 0x1234 (ADDRESS={0x1234})", "TSR 0x9 (OVR=1, IDLE=1)", "ISR 0x82 (RCOM=1, TCOM=1)"]
    assert REGISTERS.offset("IER") not in host.read, "write-only"
    assert len(host.read) == len(set(host.read)), "each is read once: reading clears"
