"""Register writes in halves, against section 6 of the timing specification."""

import pytest
from amaranth.sim import Simulator

from hdl.engines.at91ether.split import SplitAccess

LOW, HIGH, WHOLE = 0b0011, 0b1100, 0b1111


def play(
    writes: list[tuple[int, int, int]], *, shared_latch: int, high_commits: int
) -> list[tuple[int, int, int, int]]:
    """Writes (offset, data, strobes) as they reach the bank: (offset, data, strobes, commit)."""
    dut = SplitAccess(12)
    seen = []

    async def bench(ctx):
        ctx.set(dut.shared_latch, shared_latch)
        ctx.set(dut.high_commits, high_commits)
        ctx.set(dut.bank.awready, 1)
        ctx.set(dut.bank.wready, 1)
        ctx.set(dut.csr.awvalid, 1)
        ctx.set(dut.csr.wvalid, 1)
        for offset, value, strobes in writes:
            ctx.set(dut.csr.awaddr, offset)
            ctx.set(dut.csr.wdata, value)
            ctx.set(dut.csr.wstrb, strobes)
            assert ctx.get(dut.bank.awvalid) and ctx.get(dut.csr.awready)
            seen.append(tuple(ctx.get(value) for value in (
                dut.bank.awaddr, dut.bank.wdata, dut.bank.wstrb, dut.commit)))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.parametrize("high_commits", [0, 1])
def test_halves_land_in_their_bytes(high_commits):
    writes = [(0x0C, 0x1111_2222, LOW), (0x10, 0x3333_4444, HIGH), (0x10, 0x5555_6666, WHOLE)]
    assert play(writes, shared_latch=0, high_commits=high_commits) == [
        (0x0C, 0x1111_2222, LOW, 1 - high_commits), (0x10, 0x3333_4444, HIGH, high_commits),
        (0x10, 0x5555_6666, WHOLE, 1)]


def test_one_latch_is_shared_by_all_registers():
    writes = [
        (0x0C, 0x1111_0000, HIGH), (0x0C, 0x0000_2222, LOW),  # undisturbed
        # an interrupt's write between
        (0x0C, 0x3333_0000, HIGH), (0x28, 0x4444_0000, HIGH), (0x28, 0x0000_5555, LOW),
        (0x0C, 0x0000_6666, LOW),
    ]
    assert [seen for seen in play(writes, shared_latch=1, high_commits=0) if seen[2]] == [
        (0x0C, 0x1111_2222, WHOLE, 1), (0x28, 0x4444_5555, WHOLE, 1), (0x0C, 0x4444_6666, WHOLE, 1)]


def test_the_high_half_can_be_the_committing_one():
    writes = [(0x10, 0x0000_2222, LOW), (0x10, 0x1111_0000, HIGH)]
    assert play(writes, shared_latch=1, high_commits=1) == [
        (0x10, 0x0000_2222, 0, 0), (0x10, 0x1111_2222, WHOLE, 1)]


def test_a_whole_access_neither_uses_nor_changes_the_latch():
    writes = [(0x0C, 0x1111_0000, HIGH), (0x20, 0x7777_8888, WHOLE), (0x0C, 0x0000_2222, LOW)]
    assert play(writes, shared_latch=1, high_commits=0)[1:] == [
        (0x20, 0x7777_8888, WHOLE, 1), (0x0C, 0x1111_2222, WHOLE, 1)]
