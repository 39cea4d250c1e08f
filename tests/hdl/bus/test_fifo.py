"""The FIFO against a list, under every mixture of its operations."""

import pytest
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.bus.fifo import WordFifo


@st.composite
def operations(draw, depth: int) -> list[dict[str, int]]:
    """Cycles of legal operations: nothing is pushed without room, nothing is taken that is not there."""
    cycles, level = [], 0
    for _ in range(draw(st.integers(1, 60))):
        pop = draw(st.integers(0, min(1, level)))
        discard = draw(st.integers(0, level - pop)) if draw(st.booleans()) else 0
        flush = draw(st.integers(0, 7)) == 0
        push = draw(st.integers(0, 1)) if level < depth else 0
        cycles.append({"push": push, "pop": pop, "discard": discard, "flush": int(flush)})
        level = (0 if flush else level - pop - discard) + push
    return cycles


@pytest.mark.parametrize("depth", [2, 7, 8])
def test_behaves_like_a_list(depth):
    dut = WordFifo(16, depth)
    script: list[dict[str, int]] = []

    async def bench(ctx):
        held: list[int] = []
        for number, cycle in enumerate(script):
            for name, value in cycle.items():
                ctx.set(getattr(dut, name), value)
            ctx.set(dut.data, 0x100 + number)
            assert ctx.get(dut.level) == len(held)
            if held:
                assert ctx.get(dut.head) == held[0]
            await ctx.tick()
            held = [] if cycle["flush"] else held[cycle["pop"] + cycle["discard"]:]
            if cycle["push"]:
                held.append(0x100 + number)
        assert ctx.get(dut.level) == len(held)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)

    @settings(max_examples=60, deadline=None)
    @given(operations(depth))
    def run(cycles):
        script[:] = cycles
        simulator.reset()
        simulator.run()

    script[:] = [{"push": 0, "pop": 0, "discard": 0, "flush": 0}]
    simulator.run()  # a simulator that never ran must not be reset
    run()


@pytest.mark.parametrize("depth", [1, 0, "7"])
def test_useless_depth_is_refused(depth):
    with pytest.raises(ValueError, match="depth must be an integer of at least 2"):
        WordFifo(32, depth)
