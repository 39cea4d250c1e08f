"""Every set of requesters, under every order of three."""

import itertools

import pytest
from amaranth.sim import Simulator

from hdl.bus.arbiter import FixedPriorityArbiter


@pytest.mark.parametrize("priority", list(itertools.permutations(range(3))))
def test_most_urgent_wins_in_the_same_cycle(priority):
    dut = FixedPriorityArbiter(priority)

    async def bench(ctx):
        for requests, enable in itertools.product(range(8), range(2)):
            ctx.set(dut.requests, requests)
            ctx.set(dut.enable, enable)
            winner = next((n for n in priority if enable and requests >> n & 1), None)
            assert ctx.get(dut.grant) == (0 if winner is None else 1 << winner)
            assert ctx.get(dut.owner) == (winner or 0)

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("priority", [(), (1,), (0, 0), (0, 2), (1, 2, 3)])
def test_order_that_is_no_permutation_is_refused(priority):
    with pytest.raises(ValueError, match=r"permutation of 0\.\.n-1"):
        FixedPriorityArbiter(priority)
