"""Time, lines and registers of the golden world."""

import pytest

from model.host.golden_world import GoldenWorld
from model.host.world import FIRST_CYCLE, CsrPort
from tests.model.host.machine import CLOCK_HZ, NullEngine


def make_world(**options):
    return GoldenWorld(NullEngine(), CLOCK_HZ, memory_bytes=1 << 12, **options)


def run_in(world, body):
    """Run `body(world)` and return its result."""
    return world.run(body(world))


def test_the_first_action_is_at_cycle_16():
    async def body(world):
        first = world.now()
        await world.sleep(1)
        await world.sleep(99)
        return first, world.now()
    assert run_in(make_world(), body) == (FIRST_CYCLE, FIRST_CYCLE + 100)


@pytest.mark.parametrize("latency, back", [(0, 0), (3, 5)])
def test_accesses_are_taken_by_the_formula(latency, back):
    async def body(world):
        for offset in (0, 4, 8):
            world.csr_write(offset, offset, 0xF)
        value = await world.csr_read(4)
        return value, world.now()
    world = make_world(csr_write_latency_cycles=latency, csr_read_latency_cycles=back)
    value, returned = run_in(world, body)
    taken = [entry[0] for entry in world.engine.log]
    assert taken == [FIRST_CYCLE + 1 + latency + 2 * k for k in range(4)]
    assert (value, returned) == (4, taken[-1] + 2 + back)


def test_port_refuses_negative_latency():
    with pytest.raises(ValueError, match="expected 0 or more"):
        CsrPort(-1)


def test_a_line_is_seen_from_the_announced_cycle_on():
    async def body(world):
        line = world.irq()
        world.irq_changed(True, 100)
        world.irq_changed(False, 103)
        await world.wait(None, line)
        risen = world.now()
        await world.sleep(3)
        return risen, world.now(), line.level()
    assert run_in(make_world(), body) == (100, 103, False)


def test_a_later_word_replaces_what_was_announced():
    async def body(world):
        world.irq_changed(True, 100)
        world.kernel.call_at(4 * 60 + 3, world.irq_changed, False, 61)
        await world.wait(200, world.irq())
        return world.now(), world.irq().level()
    assert run_in(make_world(), body) == (FIRST_CYCLE + 200, False)


def test_a_line_announced_while_somebody_waits():
    async def body(world):
        world.kernel.call_at(4 * 60 + 3, world.irq_changed, True, 61)
        await world.wait(1000, world.irq())
        first = world.now()
        await world.wait(1000, world.irq())
        return first, world.now()
    assert run_in(make_world(), body) == (61, 61), "and at once if it is high already"


def test_announcing_the_past_is_refused():
    async def body(world):
        world.irq_changed(True, FIRST_CYCLE)
    with pytest.raises(ValueError, match="too late"):
        run_in(make_world(), body)


def test_waiting_for_several_lines():
    async def body(world):
        world.kernel.call_at(4 * 90 + 3, world.irq_changed, True, 91, 1)
        await world.wait(None, world.irq(0), world.irq(1))
        return world.now()
    assert run_in(make_world(), body) == 91


def test_soft_signals_wake_at_the_same_edge():
    async def body(world):
        signal = world.signal()

        async def setter():
            await world.sleep(25)
            signal.set()
        world.spawn(setter())
        await world.wait(None, signal)
        woken = world.now()
        signal.clear()
        await world.wait(10, signal)
        return woken, world.now()
    assert run_in(make_world(), body) == (FIRST_CYCLE + 25, FIRST_CYCLE + 35)
