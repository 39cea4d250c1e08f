"""The straps against the table of the timing specification, section 10, and what is made of them."""

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from hdl.engines.lan743x.straps import StrapLatch, Straps

TABLE = {
    "rev_a0": (0, 0),
    "tail_inclusive": (1, 1),
    "past_tail": (2, 2),
    "head_wb_early": (3, 3),
    "write_whole_buffer": (4, 4),
    "edge_irq": (5, 5),
    "extra_buffer": (9, 6),
    "tags": (13, 10),
    "rx_fifo_kib": (19, 14),
    "head_wb_late": (20, 20),
}


def test_fields_are_where_the_specification_has_them():
    assert {name: (field.offset + field.width - 1, field.offset) for name, field in Straps} == TABLE


@pytest.mark.parametrize(("straps", "tags", "rx_fifo_words"), [
    ({}, 8, 8192), ({"tags": 1}, 1, 8192), ({"tags": 15, "rx_fifo_kib": 1}, 15, 256),
    ({"rx_fifo_kib": 31}, 8, 31 * 256),
])
def test_numbers_that_follow_and_stay_when_the_pins_change(straps, tags, rx_fifo_words):
    module, dut = Module(), StrapLatch()
    module.domains.sync = domain = ClockDomain()
    module.submodules.dut = dut

    async def bench(ctx):
        ctx.set(domain.rst, 1)
        ctx.set(dut.pins, straps)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        ctx.set(dut.pins, {
            "tags": straps.get("tags", 0) ^ 5, "rx_fifo_kib": straps.get("rx_fifo_kib", 0) ^ 3})
        await ctx.tick().repeat(3)
        assert (ctx.get(dut.tags), ctx.get(dut.rx_fifo_words)) == (tags, rx_fifo_words)

    simulator = Simulator(module)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
