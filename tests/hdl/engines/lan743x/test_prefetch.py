"""Descriptor prefetch: how many entries, when, how urgent, and what an error or a strap changes.
Section 3."""

import pytest
from amaranth.sim import Simulator

from hdl.engines.lan743x.prefetch import Prefetcher


class Ring:
    """A prefetcher whose requests are granted and answered by hand; each entry's word 0 is its ring index,
    its word 1 that plus 0x100."""

    def __init__(self, ctx, dut: Prefetcher):
        self.ctx, self.dut = ctx, dut

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.ctx.set(getattr(self.dut, name), value)

    def get(self, name: str) -> int:
        return self.ctx.get(getattr(self.dut, name))

    def wants(self) -> tuple[int, int, bool] | None:
        """(address, beats, urgent) of the request in this cycle."""
        lane = self.dut.lane
        if not self.ctx.get(lane.request):
            return None
        return self.ctx.get(lane.addr), self.ctx.get(lane.beats), bool(self.ctx.get(lane.urgent))

    async def grant(self) -> None:
        assert self.wants()
        self.ctx.set(self.dut.lane.granted, 1)
        await self.ctx.tick()
        self.ctx.set(self.dut.lane.granted, 0)

    async def answer(self, *, error: bool = False) -> tuple[int, int]:
        """All beats, one a cycle. Returns (first, count) as said with the last one."""
        lane = self.dut.lane
        first, count = self.get("first"), self.get("count")
        beats = 4 * count
        for beat in range(beats):
            index, word = first + beat // 4, beat % 4
            values = {0: index, 1: index + 0x100}
            self.ctx.set(lane.rdata, values.get(word, 0xDEAD))
            self.ctx.set(lane.beat, 1)
            self.ctx.set(lane.done, beat == beats - 1)
            self.ctx.set(lane.error, int(error and beat == beats - 1))
            if beat == beats - 1:
                assert self.get("filled") and self.get("failed") == int(error)
            await self.ctx.tick()
        for name in ("beat", "done", "error"):
            self.ctx.set(getattr(lane, name), 0)
        return first, count

    async def fill(self, **options) -> tuple[int, int]:
        await self.grant()
        return await self.answer(**options)

    async def take(self) -> tuple[int, int]:
        self.set(take=1)
        await self.ctx.tick()
        self.set(take=0)
        return self.get("data0"), self.get("data1")

    async def rewind(self, to: int, **options: int) -> None:
        self.set(rewind=1, rewind_to=to, **options)
        await self.ctx.tick()
        self.set(rewind=0, returned=0)

    async def tail_to(self, index: int) -> None:
        """A write of TAIL."""
        self.set(tail_written=1, tail_next=index)
        await self.ctx.tick()
        self.set(tail_written=0, tail=index)


def simulate(script, **settings: int) -> None:
    dut = Prefetcher()

    async def testbench(ctx):
        ring = Ring(ctx, dut)
        ring.set(**{"enable": 1, "base": 0x10000, "ring_len": 128, "tail": 127, "pf_thres": 16} | settings)
        await script(ring)

    simulator = Simulator(dut)
    simulator.add_clock(8e-9)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize(("settings", "entries"), [
    ({}, 16),  # a prefetch has at most 16
    ({"tail": 5}, 5),  # all that there is
    ({"tail": 1}, 1),
    ({"stride": 1}, 1),  # and one if there are gaps between them
    ({"stride": 2}, 1),
    ({"stride": 3}, 1),
    ({"base": 0x10FD0}, 3),  # to the boundary of 4 KiB
    ({"base": 0x10FF0}, 1),
    ({"base": 0x10FF0, "stride": 3}, 1),
    ({"ring_len": 7, "tail": 6}, 6),
    ({"ring_len": 7, "tail": 6, "past_tail": 1}, 7),
    ({"tail_inclusive": 1, "tail": 5}, 6),
    ({"tail_inclusive": 1, "tail": 0}, 1),
])
def test_number_of_entries(settings, entries):
    async def script(ring):
        assert ring.wants() == (settings.get("base", 0x10000), 4 * entries, False)
        assert await ring.fill() == (0, entries)
        assert ring.get("cached") == entries

    simulate(script, **settings)


@pytest.mark.parametrize("settings", [
    {"tail": 0}, {"ring_len": 0, "tail": 0}, {"ring_len": 4, "tail": 4}, {"enable": 0},
    {"ring_len": 4, "tail": 4, "past_tail": 1}, {"ring_len": 4, "tail": 7, "tail_inclusive": 1},
])
def test_nothing_to_prefetch(settings):
    async def script(ring):
        assert ring.wants() is None
        assert ring.get("available") == int("enable" in settings)

    simulate(script, **settings)


def test_entries_come_out_in_order_and_the_next_prefetch_follows_the_threshold():
    async def script(ring):
        assert ring.get("available") and ring.wants()[2]  # urgent: fewer than 8 cached
        await ring.grant()
        assert ring.get("busy") and ring.wants() is None
        assert await ring.answer() == (0, 16)
        assert not ring.get("busy") and ring.wants() is None  # 16 cached, which is the threshold
        assert await ring.take() == (0, 0x100)
        assert ring.wants() == (0x10100, 64, False)
        for index in range(1, 9):
            assert await ring.take() == (index, index + 0x100)
        assert ring.get("cached") == 7 and ring.wants()[2]
        assert await ring.fill() == (16, 16)
        assert ring.get("cached") == 7 + 16

    async def exact(ring):
        await ring.fill()
        await ring.fill()
        assert ring.get("cached") == 32 and ring.wants() is None  # no room for more
        for _ in range(3):
            await ring.take()
        assert ring.wants()[1] == 4 * 3

    simulate(script, pf_pri_thres=8)
    simulate(exact, pf_thres=31)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_entries_with_gaps_come_one_by_one_up_to_the_threshold(stride):
    async def script(ring):
        for n in range(4):
            assert ring.wants() == (0x10000 + (n << 4 + stride), 4, n < 2)
            assert await ring.fill() == (n, 1)
        assert ring.wants() is None and ring.get("cached") == 4
        assert await ring.take() == (0, 0x100)
        assert ring.wants() == (0x10000 + (4 << 4 + stride), 4, False)
        assert await ring.fill() == (4, 1)
        for n in range(1, 5):
            assert await ring.take() == (n, n + 0x100)

    simulate(script, stride=stride, pf_thres=4, pf_pri_thres=2)


def test_a_threshold_of_0_counts_as_1():
    async def script(ring):
        await ring.fill()
        for _ in range(16):
            assert ring.wants() is None
            await ring.take()
        assert ring.wants()

    simulate(script, pf_thres=0)


def test_the_ring_wraps_at_its_end():
    async def script(ring):
        for first, count in ((0, 8), (8, 4), (0, 3)):
            assert await ring.fill() == (first, count)
            while ring.get("cached"):
                await ring.take()
            ring.set(tail=3)
        assert ring.wants() is None

    simulate(script, ring_len=12, tail=8)


def test_an_entry_that_is_prefetched_while_another_leaves():
    async def script(ring):
        await ring.fill()
        await ring.take()
        await ring.grant()
        assert await ring.take() == (1, 0x101)
        await ring.answer()
        assert ring.get("cached") == 30
        for index in range(2, 32):
            assert await ring.take() == (index, index + 0x100)

    simulate(script)


def test_a_failed_prefetch_is_made_again():
    async def script(ring):
        await ring.fill()
        await ring.take()
        assert await ring.fill(error=True) == (16, 16)
        assert ring.get("cached") == 15 and ring.wants() == (0x10100, 64, False)
        await ring.fill()
        for index in range(1, 32):
            assert await ring.take() == (index, index + 0x100)

    simulate(script)


@pytest.mark.parametrize("when", ["before", "with the grant", "under way"])
def test_rewind_throws_away_what_is_cached_and_what_is_under_way(when):
    async def script(ring):
        await ring.fill()
        await ring.take()
        await ring.take()
        if when == "with the grant":
            ring.ctx.set(ring.dut.lane.granted, 1)
        elif when == "under way":
            await ring.grant()
        await ring.rewind(1)
        ring.ctx.set(ring.dut.lane.granted, 0)
        assert ring.get("cached") == 0
        if when != "before":
            assert ring.wants() is None and await ring.answer() == (16, 16)
            assert ring.get("cached") == 0
        assert ring.wants() == (0x10010, 64, False)
        assert await ring.fill() == (1, 16)
        assert await ring.take() == (1, 0x101)

    simulate(script)


def test_a_failure_of_what_is_thrown_away_moves_nothing():
    async def script(ring):
        await ring.fill()
        await ring.take()
        await ring.grant()
        await ring.rewind(0)
        await ring.answer(error=True)
        assert ring.wants() == (0x10000, 64, False)

    simulate(script)


@pytest.mark.parametrize("then", ["nothing", "same", "moved", "thrown away", "returned", "failed"])
def test_entry_tail_is_prefetched_once(then):
    async def script(ring):
        if then == "failed":
            await ring.fill(error=True)
            assert ring.wants() == (0x10000, 12, False)
            return
        assert await ring.fill() == (0, 3)
        for _ in range(2 if then == "thrown away" else 3):
            await ring.take()
        if then == "same":
            await ring.tail_to(2)
        elif then == "moved":
            await ring.tail_to(4)
            assert ring.wants() == (0x10030, 8, False)
            return
        elif then == "thrown away":
            await ring.rewind(2)
            assert ring.wants() == (0x10020, 4, False)
            return
        elif then == "returned":
            await ring.rewind(2, returned=1)
            assert ring.wants() == (0x10020, 4, False)
            return
        assert ring.wants() is None and not ring.get("available")
        await ring.rewind(3)  # nothing is thrown away
        assert ring.wants() is None

    simulate(script, tail=2, tail_inclusive=1)
