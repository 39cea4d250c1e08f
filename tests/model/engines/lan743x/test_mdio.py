"""PHY accesses: 64 bits of 64 cycles."""

import pytest

from model.engines.lan743x.events import Kind
from model.phy import ANAR, NOT_THERE, PHYID1
from tests.model.engines.lan743x.play import REGISTERS, Bench

FRAME_CYCLES = 64 * 64


def access(**fields):
    return REGISTERS.pack("MAC_MII_ACC", MII_BUSY=1, **fields)


@pytest.mark.parametrize(("address", "register", "value"), [
    (1, PHYID1, 0x5242), (2, PHYID1, NOT_THERE), (1, 31, 0)])
def test_a_read(address, register, value):
    bench = Bench()
    bench.write("MAC_MII_DATA", 0xABCD)
    command = access(PHY_ADDR=address, MIIRINDA=register)
    c = bench.write("MAC_MII_ACC", command)
    assert [bench.get("MAC_MII_ACC", "MII_BUSY", c + n) for n in (1, FRAME_CYCLES)] == [1, 1]
    assert bench.read("MAC_MII_DATA", c + FRAME_CYCLES) == 0xABCD
    assert bench.read("MAC_MII_DATA", c + FRAME_CYCLES + 1) == value
    assert bench.read("MAC_MII_ACC") == command & ~1
    assert bench.events(Kind.MDIO_DONE) == [(c + FRAME_CYCLES, 0, command & ~1 | value << 32)]


def test_a_write():
    bench = Bench()
    bench.write("MAC_MII_DATA", 0x0DE1)
    command = access(PHY_ADDR=1, MIIRINDA=ANAR, MII_WRITE=1)
    c = bench.write("MAC_MII_ACC", command)
    bench.to(c + FRAME_CYCLES)
    assert bench.engine.phy.read(1, ANAR) == 0x0DE1
    assert bench.events(Kind.MDIO_DONE) == [(c + FRAME_CYCLES, 0, command & ~1 | 0x0DE1 << 32)]


def test_busy_or_without_the_bit_nothing_starts():
    bench = Bench()
    bench.write("MAC_MII_ACC", access(PHY_ADDR=1) & ~1)
    assert bench.get("MAC_MII_ACC", "MII_BUSY") == 0
    command = access(PHY_ADDR=1, MIIRINDA=PHYID1)
    c = bench.write("MAC_MII_ACC", command)
    bench.write("MAC_MII_ACC", command, at=c + 50)
    bench.run(2 * FRAME_CYCLES)
    assert bench.cycles(Kind.MDIO_DONE) == [c + FRAME_CYCLES]
    c = bench.write("MAC_MII_ACC", command)
    bench.write("MAC_MII_ACC", command, at=c + FRAME_CYCLES + 1)
    bench.run(2 * FRAME_CYCLES)
    assert len(bench.cycles(Kind.MDIO_DONE)) == 3
