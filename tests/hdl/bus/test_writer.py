"""The burst writer: any alignment, length and boundary, with a bus and a source that pause as they like; and
its cycles."""

import functools
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.bus.writer import BurstWriter
from tests.hdl.bus.run_bench import MEMORY_BYTES, RunBench, bursts_of, runs


class WriterBench(RunBench):
    """A writer, with a source that has the runs' bytes as packed words."""

    def __init__(self, data_width: int):
        super().__init__(data_width, BurstWriter(32, data_width, length_width=11, level_width=9))

    def run(self, commands: list[tuple[int, int]], *, limit: int, available: Callable[[int, int], int],
            stop_in: tuple[int, ...] = (), cycles: int | None = None, **memory) -> "WriterBench":
        """Parameters
        ----------
        available: called with the cycle and the words taken so far; says how many words the source has shown
            by then.
        stop_in: cycles in which `stop` is up.
        cycles: how many to run; if left out, until all commands are done.
        """
        self.commands, self.limit, self.available, self.stop_in, self.cycles = (
            commands, limit, available, stop_in, cycles)
        rng = random.Random(self.data_width)
        self.memory.restart(most_beats=limit, **memory)
        self.memory.data[:] = rng.randbytes(MEMORY_BYTES)
        self.expected = bytearray(self.memory.data)
        self.words: list[int] = []
        width = self.data_width // 8
        for addr, length in commands:
            run = rng.randbytes(length)
            self.expected[addr:addr + length] = run
            # what lies behind the run in its last word must not be written
            padded = run + rng.randbytes(-length % width)
            self.words += [
                int.from_bytes(padded[i : i + width], "little") for i in range(0, len(padded), width)
            ]
        self.popped = 0
        self.taken: list[int] = []
        self.idle: list[int] = []
        self.stored: list[tuple[int, int, int]] = []  # cycle, complete, failed
        self.simulate()
        return self

    async def _drive(self, ctx) -> None:
        writer, command = self.mover, self.mover.command
        waiting, cycle = list(self.commands), 0
        ctx.set(writer.limit, self.limit)
        while True:
            ctx.set(command.valid, bool(waiting))
            if waiting:
                ctx.set(command.payload, {"addr": waiting[0][0], "length_bytes": waiting[0][1]})
            shown = min(self.available(cycle, self.popped), len(self.words))
            ctx.set(writer.level, shown - self.popped)
            ctx.set(writer.head, self.words[self.popped] if self.popped < shown else 0)
            ctx.set(writer.stop, cycle in self.stop_in)
            if ctx.get(command.ready):
                self.idle.append(cycle)
                if waiting:
                    self.taken.append(cycle)
                    waiting.pop(0)
                elif self.cycles is None:
                    return
            if cycle == self.cycles:
                return
            _, _, pop, *stored = await ctx.tick().sample(
                writer.pop, writer.stored, writer.complete, writer.failed
            )
            if pop:
                assert self.popped < shown, "a word was taken that was not there"
                self.popped += 1
            if stored[0]:
                self.stored.append((cycle, *stored[1:]))
            cycle += 1
            assert cycle < 20_000


@functools.cache
def writers(data_width: int) -> WriterBench:
    return WriterBench(data_width)


@pytest.mark.parametrize("data_width", [32, 64, 128])
@settings(max_examples=25, deadline=None)
@given(commands=runs, limit=st.integers(1, 16), seed=st.integers(0, 1 << 30))
def test_every_run_is_stored_whole_and_nothing_beside_it(data_width, commands, limit, seed):
    rng = random.Random(seed)
    shown = [0]

    def available(_cycle: int, popped: int) -> int:
        """A FIFO of 16 words that is filled at random."""
        shown[0] = min(popped + 16, shown[0] + rng.randrange(2))
        return shown[0]

    bench = writers(data_width).run(commands, limit=limit, available=available, rng=rng)
    assert bench.memory.data == bench.expected
    assert bench.popped == len(bench.words)
    assert [(burst.addr, burst.beats) for burst in bench.memory.bursts] == [
        burst for addr, length in commands for burst in bursts_of(addr, length, data_width // 8, limit)]
    assert sum(complete for _, complete, _ in bench.stored) == len(commands)


def test_cycles_of_a_run_without_hindrance():
    """Taken in x, WAIT and granted in x+1, address in x+2, beats from x+3 on, response one after the last."""
    bench = writers(32).run([(0x102, 20), (0x200, 4)], limit=4, available=lambda *_: 99)
    x = bench.taken[0]
    first, second, third = bench.memory.bursts
    assert (first.addressed, first.done) == (x + 2, x + 2 + 4 + 1)
    assert (second.beats, second.addressed, second.done) == (2, first.done + 2, first.done + 2 + 2 + 1)
    assert bench.taken[1] == second.done + 1 and third.addressed == bench.taken[1] + 2
    assert [complete for _, complete, _ in bench.stored] == [0, 1, 1]


def test_a_burst_waits_until_the_source_has_all_of_it():
    """Bytes 3..17 need five words of memory, but four of the source; the first burst of two needs two."""
    bench = writers(32).run([(3, 15)], limit=2, available=lambda cycle, _: 9 if cycle >= 20 else 1)
    assert bench.memory.bursts[0].addressed == 21 and bench.memory.data == bench.expected


@pytest.mark.parametrize("stop", range(1, 12))
def test_stop_in_each_cycle_of_the_first_burst(stop):
    """Taken in 0; granted in 1; address in 2, beats 3..6, response in 7; WAIT (granted) in 8."""
    bench = writers(32).run([(0, 64)], limit=4, available=lambda *_: 99, stop_in=(stop,), cycles=40)
    bursts, idle_from = {1: (0, 2), 8: (1, 9)}.get(stop, (1, 8) if stop < 8 else (2, 15))
    assert len(bench.memory.bursts) == bursts and bench.popped == 4 * bursts
    assert [cycle for cycle in bench.idle if cycle] == list(range(idle_from, 41))


def test_an_error_ends_the_command_with_its_burst():
    bench = writers(32).run([(0, 64)], limit=4, available=lambda *_: 99, errors=[(0, True, 1)], cycles=60)
    good, bad = bench.memory.bursts
    assert bench.stored == [(good.done, 0, 0), (bad.done, 0, 1)] and bench.idle[1] == bad.done + 1
