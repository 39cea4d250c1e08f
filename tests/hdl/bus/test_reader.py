"""The burst reader: any alignment, length and boundary, with a bus and a consumer that pause as they like;
and its cycles."""

import functools
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.bus.reader import BurstReader
from tests.hdl.bus.run_bench import MEMORY_BYTES, RunBench, bursts_of, runs


class ReaderBench(RunBench):
    """A reader. `words`: (cycle, data, first, last, low, high) of all words, in order."""

    def __init__(self, data_width: int):
        super().__init__(data_width, BurstReader(32, data_width, length_width=11, room_width=9))
        self.memory.data[:] = random.Random(data_width).randbytes(MEMORY_BYTES)

    def run(self, commands: list[tuple[int, int]], *, limit: int, room: Callable[[int, int], int],
            stop_in: tuple[int, ...] = (), cycles: int | None = None, **memory) -> "ReaderBench":
        """Parameters
        ----------
        room: called with the cycle and the words received so far; says what `room` is in that cycle.
        stop_in: cycles in which `stop` is up.
        cycles: how many to run; if left out, until all commands are done.
        """
        self.commands, self.limit, self.room, self.stop_in, self.cycles = (
            commands,
            limit,
            room,
            stop_in,
            cycles,
        )
        self.memory.restart(most_beats=limit, **memory)
        self.words: list[tuple[int, ...]] = []
        self.taken: list[int] = []  # cycles in which a command was taken
        self.idle: list[int] = []  # cycles in IDLE
        self.failed: list[int] = []
        self.simulate()
        return self

    async def _drive(self, ctx) -> None:
        reader, word, command = self.mover, self.mover.word, self.mover.command
        waiting, cycle = list(self.commands), 0
        ctx.set(reader.limit, self.limit)
        while True:
            ctx.set(command.valid, bool(waiting))
            if waiting:
                ctx.set(command.payload, {"addr": waiting[0][0], "length_bytes": waiting[0][1]})
            ctx.set(reader.room, self.room(cycle, len(self.words)))
            ctx.set(reader.stop, cycle in self.stop_in)
            ready = ctx.get(command.ready)
            if ready:
                self.idle.append(cycle)
                if waiting:
                    self.taken.append(cycle)
                    waiting.pop(0)
                elif self.cycles is None:
                    return
            if cycle == self.cycles:
                return
            _, _, valid, failed, *values = await ctx.tick().sample(
                word.valid, reader.failed, word.data, word.first, word.last, word.low, word.high)
            if valid:
                self.words.append((cycle, *values))
            if failed:
                self.failed.append(cycle)
            cycle += 1
            assert cycle < 20_000

    def bytes_of_runs(self) -> list[bytes]:
        """The runs, put together from the marked byte lanes alone."""
        result: list[bytes] = []
        width = self.data_width // 8
        for _, data, first, last, low, high in self.words:
            assert first or low == 0
            assert last or high == width - 1
            if first:
                result.append(b"")
            result[-1] += data.to_bytes(width, "little")[low:high + 1]
        return result


@functools.cache
def readers(data_width: int) -> ReaderBench:
    return ReaderBench(data_width)


@pytest.mark.parametrize("data_width", [32, 64, 128])
@settings(max_examples=25, deadline=None)
@given(commands=runs, limit=st.integers(1, 16), seed=st.integers(0, 1 << 30))
def test_every_run_arrives_whole_under_back_pressure(data_width, commands, limit, seed):
    rng = random.Random(seed)
    consumed = [0]

    def room(_cycle: int, received: int) -> int:
        """A FIFO of 16 words that is emptied at random."""
        consumed[0] += min(received - consumed[0], rng.randrange(2))
        return 16 - (received - consumed[0])

    bench = readers(data_width).run(commands, limit=limit, room=room, rng=rng)
    memory, width = bench.memory.data, data_width // 8
    assert bench.bytes_of_runs() == [bytes(memory[addr:addr + length]) for addr, length in commands]
    assert [(burst.addr, burst.beats) for burst in bench.memory.bursts] == [
        burst for addr, length in commands for burst in bursts_of(addr, length, width, limit)]


def test_cycles_of_a_run_without_hindrance():
    """Taken in x, WAIT and granted in x+1, address in x+2, beats from x+3 on, WAIT again after the last."""
    bench = readers(32).run([(0x102, 23), (0x200, 4)], limit=4, room=lambda *_: 7)
    x = bench.taken[0]
    first, second, third = bench.memory.bursts
    assert first.addressed == x + 2 and [word[0] for word in bench.words[:4]] == [x + 3 + n for n in range(4)]
    d = x + 6
    assert second.addressed == d + 2 and second.done == d + 2 + 3
    assert bench.taken[1] == second.done + 1 and third.addressed == bench.taken[1] + 2


def test_a_burst_waits_until_all_of_it_has_room():
    bench = readers(32).run([(0, 32)], limit=4, room=lambda cycle, _: 4 if cycle >= 20 else 3)
    assert bench.memory.bursts[0].addressed == 21


@pytest.mark.parametrize("stop", range(1, 9))
def test_stop_in_each_cycle_of_the_first_burst(stop):
    """Taken in 0; granted in 1, so a stop in 1 suppresses the request; ADDR in 2, DATA 3..6, then WAIT
    (granted) in 7."""
    bench = readers(32).run([(0, 64)], limit=4, room=lambda *_: 7, stop_in=(stop,), cycles=40)
    bursts, idle_from = {1: (0, 2), 7: (1, 8), 8: (2, 13)}.get(stop, (1, 7))
    assert len(bench.memory.bursts) == bursts and len(bench.words) == 4 * bursts
    assert [cycle for cycle in bench.idle if cycle] == list(range(idle_from, 41))


def test_stop_while_waiting_for_room_is_idle_in_the_next_cycle():
    bench = readers(32).run([(0, 64)], limit=4, room=lambda *_: 0, stop_in=(9,), cycles=20)
    assert bench.idle[1] == 10 and not bench.memory.bursts


def test_an_error_ends_the_command_with_its_burst():
    bench = readers(32).run(
        [(0, 64), (0x40, 4)], limit=4, room=lambda *_: 7, errors=[(0, False, 1)], cycles=60
    )
    _first, bad, after = bench.memory.bursts
    assert bench.failed == [bad.done] and bench.taken[1] == bad.done + 1
    assert (after.addr, after.beats) == (0x40, 1)
