"""The straps against the table of the timing specification, section 7, and what is made of them."""

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from hdl.engines.at91ether.straps import StrapLatch, Straps

TABLE = {
    "depth": (1, 0),
    "mstar": (2, 2),
    "ovr_effect": (4, 3),
    "split_commit": (5, 5),
    "split_latch": (6, 6),
    "isr_race": (7, 7),
    "rbna_restart": (8, 8),
    "fifo_words": (11, 9),
}


def test_fields_are_where_the_specification_has_them():
    assert {name: (field.offset + field.width - 1, field.offset) for name, field in Straps} == TABLE


@pytest.mark.parametrize(("straps", "places", "fifo_words", "burst"), [
    ({}, 2, 7, 4), ({"depth": 1}, 1, 7, 4), ({"depth": 2}, 4, 7, 4),
    *(({"fifo_words": n}, 2, n, min(n, 4)) for n in range(1, 8)),
])
def test_numbers_that_follow_and_stay_when_the_pins_change(straps, places, fifo_words, burst):
    module, dut = Module(), StrapLatch()
    module.domains.sync = domain = ClockDomain()
    module.submodules.dut = dut

    async def bench(ctx):
        ctx.set(domain.rst, 1)
        ctx.set(dut.pins, straps)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        ctx.set(
            dut.pins,
            {"depth": (straps.get("depth", 0) + 1) % 3, "fifo_words": straps.get("fifo_words", 0) ^ 7},
        )
        await ctx.tick().repeat(3)
        assert (ctx.get(dut.places), ctx.get(dut.fifo_words), ctx.get(dut.burst)) == (
            places,
            fifo_words,
            burst,
        )

    simulator = Simulator(module)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
