"""The golden world's clockwork."""

import pytest

from model.kernel import MOST_DEPTH, PHASES, STATE, Alarms, Kernel, On


def test_coroutines_and_generators_share_the_queue():
    kernel, seen = Kernel(), []

    async def native():
        await On(kernel.at(10))
        seen.append(("native", kernel.now))

    def generator():
        yield kernel.at(9)
        seen.append(("generator", kernel.now))
        return "end"

    kernel.process(native())
    assert kernel.run(kernel.process(generator())) == "end"
    kernel.run()
    assert seen == [("generator", 9), ("native", 10)]


def test_skip_moves_time_only_over_an_empty_stretch():
    kernel, seen = Kernel(), []
    kernel.call_at(20, seen.append, "due")

    def process():
        assert kernel.skip_to(19) and kernel.now == 19 and kernel.cycle == 19 // PHASES
        assert not kernel.skip_to(20), "something is due then"
        assert not kernel.skip_to(18), "that has passed"
        yield kernel.at(20)
        assert seen == ["due"] and kernel.skip_to(1000)
        return kernel.now

    assert kernel.run(kernel.process(process())) == 1000


def test_skip_is_refused_while_others_have_to_hear_the_same_event():
    kernel, seen = Kernel(), []
    event = kernel.at(5)

    def listener(name, goal):
        yield event
        if not kernel.skip_to(goal):
            seen.append((name, "refused", kernel.now))

    kernel.process(listener("first", 7))
    kernel.process(listener("second", 6))
    kernel.run()
    assert seen == [("first", "refused", 5), ("second", "refused", 5)]


def test_skip_stops_short_of_the_end_of_a_run():
    kernel = Kernel()

    def process():
        yield kernel.at(1)
        assert not kernel.skip_to(50)
        yield kernel.at(50)

    kernel.process(process())
    kernel.run(until=40)
    assert kernel.now == 40


def test_time_does_not_run_backwards():
    kernel = Kernel()
    kernel.run(until=8)
    with pytest.raises(ValueError, match="time 7 has passed, it is 8"):
        kernel.at(7)


def test_soon_is_at_once_only_over_an_empty_stretch():
    kernel, seen = Kernel(), []

    def first():
        kernel.call_at(30, lambda: seen.append(("between", kernel.now)))
        kernel.soon(30, lambda: seen.append(("behind it", kernel.now)))
        seen.append(("first ends", kernel.now))

    def second():
        kernel.soon(50, lambda: seen.append(("at once", kernel.now)))
        seen.append(("second ends", kernel.now))

    kernel.call_at(10, first)
    kernel.call_at(40, second)
    kernel.run()
    assert seen == [("first ends", 10), ("between", 30), ("behind it", 30), ("at once", 50),
                    ("second ends", 50)]


def test_a_chain_of_soon_does_not_fill_the_stack():
    kernel, deepest = Kernel(), [0]

    def link(n):
        deepest[0] = max(deepest[0], kernel._depth)
        if n:
            kernel.soon(kernel.now + 1, link, n - 1)

    kernel.call_at(0, link, 5000)
    kernel.run()
    assert kernel.now == 5000 and deepest[0] == MOST_DEPTH


def test_alarms_ring_once_a_cycle():
    kernel, rung = Kernel(), []
    alarms = Alarms(kernel, STATE, lambda cycle: rung.append((cycle, kernel.now)))
    for cycle in (7, 3, 7, 5, 3):
        alarms.ask(cycle)
    kernel.run()
    assert rung == [(3, 3 * PHASES), (5, 5 * PHASES), (7, 7 * PHASES)]
    alarms.ask_last(9)
    kernel.run()
    assert rung[-1] == (9, 9 * PHASES) and len(rung) == 4
