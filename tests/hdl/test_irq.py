"""The interrupt latch, against its definition for every combination of one bit."""

import itertools

import pytest
from amaranth.sim import Simulator

from hdl.irq import InterruptLatch


def test_every_combination_of_pending_set_clear_mask_and_naive():
    latch = InterruptLatch(1)

    async def body(ctx):
        for before, occurs, clear, mask, naive in itertools.product((0, 1), repeat=5):
            for signal, value in ((latch.naive, 0), (latch.mask, mask), (latch.clear, 1 - before),
                                  (latch.set, before)):
                ctx.set(signal, value)
            await ctx.tick()
            assert ctx.get(latch.pending) == before
            assert ctx.get(latch.irq) == (before and not mask)
            for signal, value in ((latch.set, occurs), (latch.clear, clear), (latch.naive, naive)):
                ctx.set(signal, value)
            assert ctx.get(latch.irq) == (before and not mask), "the line comes from registers"
            await ctx.tick()
            cleared = clear and (naive or not occurs)
            assert ctx.get(latch.pending) == (0 if cleared else before or occurs)

    simulator = Simulator(latch)
    simulator.add_clock(1e-8)
    simulator.add_testbench(body)
    simulator.run()


def test_causes_are_independent():
    latch = InterruptLatch(12)

    async def body(ctx):
        ctx.set(latch.mask, 0x0F0)
        ctx.set(latch.set, 0x0F1)
        await ctx.tick()
        ctx.set(latch.set, 0)
        assert ctx.get(latch.pending) == 0x0F1 and ctx.get(latch.irq) == 1
        ctx.set(latch.clear, 0x011)
        await ctx.tick()
        assert ctx.get(latch.pending) == 0x0E0 and ctx.get(latch.irq) == 0

    simulator = Simulator(latch)
    simulator.add_clock(1e-8)
    simulator.add_testbench(body)
    simulator.run()


@pytest.mark.parametrize("width", [0, -1, "12"])
def test_width_is_checked(width):
    with pytest.raises(ValueError, match="InterruptLatch: width must be an integer of at least 1, not "):
        InterruptLatch(width)
