"""Message interrupts: pending from their arrival to the CPU's acknowledgement."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.host.world import FIRST_CYCLE
from tests.model.host.machine import bare, costs


def play(messages, handler_cycles=0, lines=(0,), spend_cycles=200, irqs_off_cycles=0):
    """Messages (vector, cycles after the start) against handlers; returns (line, cycles after the start) of
    each time a handler began."""
    host, world, _ = bare()
    taken = []

    def handler_of(line):
        async def handler():
            taken.append((line, host.now - FIRST_CYCLE))
            await host.spend_cycles("handler", handler_cycles)
        return handler

    async def main():
        for line in lines:
            host.request_irq(handler_of(line), line)
        async with host.irqs_off():
            await host.spend_cycles("alone", irqs_off_cycles)
        await host.spend_cycles("work", spend_cycles)
    for vector, cycle in messages:
        world.message(vector, FIRST_CYCLE + cycle)
    world.run(host.run(main()))
    assert host.irqs == len(taken)
    return taken


def test_a_message_is_taken_once_in_the_cycle_of_its_arrival():
    assert play([(0, 20)]) == [(0, 20)]


def test_a_message_while_one_is_pending_adds_nothing():
    assert play([(0, 5), (0, 7), (0, 9)], irqs_off_cycles=50) == [(0, 50)]


def test_a_message_after_the_entry_is_taken_after_the_handler():
    assert play([(0, 5), (0, 9), (0, 11)], handler_cycles=20) == [(0, 5), (0, 25)]


def test_a_message_in_the_cycle_after_the_entry_is_another():
    assert play([(0, 5), (0, 6)]) == [(0, 5), (0, 6)]


def test_of_several_vectors_the_lowest_comes_first():
    order = play([(2, 5), (1, 6), (7, 6), (0, 8)], lines=(7, 2, 1, 0), irqs_off_cycles=10)
    assert order == [(0, 10), (1, 10), (2, 10), (7, 10)]


def test_a_vector_nobody_asked_for_is_pending_until_somebody_does():
    host, world, _ = bare()
    taken = []

    async def handler():
        taken.append(host.now - FIRST_CYCLE)

    async def main():
        await host.spend_cycles("work", 30)
        host.request_irq(handler, 3)
        await host.spend_cycles("work", 10)
        host.free_irq(3)
        await host.spend_cycles("work", 50)
    world.message(3, FIRST_CYCLE + 4)
    world.message(3, FIRST_CYCLE + 60)
    world.run(host.run(main()))
    assert taken == [30]


def test_acknowledging_a_level_does_nothing():
    host, world, _ = bare()

    async def main():
        line = world.irq(16)
        await host.spend_cycles("work", 10)
        line.acknowledge()
        return line.level()
    world.irq_changed(True, FIRST_CYCLE + 3, 16)
    assert world.run(host.run(main()))


def test_a_message_from_the_past_is_refused():
    host, world, _ = bare()

    async def main():
        await host.spend_cycles("work", 10)
        with pytest.raises(ValueError, match="too late"):
            world.message(0, FIRST_CYCLE + 9)
    world.run(host.run(main()))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 150)), max_size=20), st.integers(0, 12))
def test_each_message_is_followed_by_its_handler(messages, handler_cycles):
    taken = play(messages, handler_cycles, lines=(0, 1, 2), spend_cycles=160)
    for line in range(3):
        arrived = sorted({cycle for vector, cycle in messages if vector == line})
        entered = [cycle for number, cycle in taken if number == line]
        expected = []
        for cycle in arrived:   # one that came while another was pending is the same interrupt
            if not expected or cycle > expected[-1]:
                expected.append(next(when for when in entered if when >= cycle))
        assert entered == expected


def test_an_interrupt_wakes_an_idle_cpu():
    host, world, _ = bare(costs(irq_entry=40))
    state = []

    async def handler():
        state.append(host.now - FIRST_CYCLE)

    async def main():
        host.request_irq(handler, 1)
        await host.cpu.block_until(lambda: bool(state))
        return host.now - FIRST_CYCLE
    world.kernel.call_at(4 * (FIRST_CYCLE + 30), world.message, 1, FIRST_CYCLE + 31)
    assert world.run(host.run(main())) == 33 and state == [31]
