"""Contexts on a CPU: who runs when, to the cycle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.host.world import FIRST_CYCLE
from model.kernel import On
from tests.model.host.machine import NS_PER_CYCLE, bare, costs


class Trace:
    """Records (what, cycles since the start)."""

    def __init__(self, host):
        self.host, self.rows = host, []

    def __call__(self, what):
        self.rows.append((what, self.host.now - FIRST_CYCLE))


def raise_line(world, first, last=None, line=0):
    """The line is high in cycles `first` .. `last` after the start (last None: for one handler, 1 cycle)."""
    world.irq_changed(True, FIRST_CYCLE + first, line)
    if last is not None:
        world.irq_changed(False, FIRST_CYCLE + last + 1, line)


def run(world, host, main):
    return world.run(host.run(main))


def test_time_is_rounded_to_the_nearest_cycle_halves_up():
    host, world, _ = bare()

    async def main():
        trace = Trace(host)
        for ns in (0, 9.9, 10, 29.9, 30, 100):
            await host.spend("any", ns)
            trace(ns)
        return trace.rows
    assert run(world, host, main()) == [(0, 0), (9.9, 0), (10, 1), (29.9, 2), (30, 4), (100, 9)]
    assert host.cpu_account_ns() == {"any": 9 * NS_PER_CYCLE, "idle": 0}


def test_counted_operations_are_rounded_once():
    host, world, _ = bare(costs(memcpy=15))

    async def main():
        await host.spend("memcpy", count=64)
        return host.now
    assert run(world, host, main()) == FIRST_CYCLE + 48


def test_an_interrupt_in_the_middle_of_spent_time_is_nested_and_the_rest_is_spent_after():
    host, world, _ = bare(costs(irq_entry=100, irq_exit=60))
    trace = Trace(host)

    async def handler():
        trace("handler")
        await host.spend("work", 200)
        trace("handler end")

    async def main():
        host.request_irq(handler)
        await host.spend("long", 1000)
        trace("long end")
        await host.spend("next", 20)
        trace("end")
    raise_line(world, 20, 27)
    run(world, host, main())
    # 5 cycles of entry are spent with the handler's first operation; 3 of exit; the line falls before they
    # are over
    assert trace.rows == [("handler", 20), ("handler end", 35), ("long end", 50 + 18), ("end", 69)]
    assert host.irqs == 1


def test_an_operation_whose_time_is_over_comes_before_the_interrupt_of_that_cycle():
    host, world, engine = bare(costs(mmio_write=200))
    trace = Trace(host)

    async def handler():
        trace("handler")
        await host.spend("work", 100)

    async def main():
        host.request_irq(handler)
        await host.write32(0, 1)
        trace("written")
        await host.write32(4, 1)
        trace("written again")
    raise_line(world, 10, 12)
    run(world, host, main())
    assert trace.rows == [("written", 10), ("handler", 10), ("written again", 25)]
    taken = [entry[0] - FIRST_CYCLE for entry in engine.log]
    assert taken == [11], "the run ends before the second is taken"


def test_an_operation_that_costs_nothing_is_still_a_place_for_an_interrupt():
    host, world, _ = bare()
    trace = Trace(host)

    async def handler():
        trace("handler")
        await host.spend("work", 100)

    async def main():
        host.request_irq(handler)
        await host.spend("wait", 200)
        trace("before")
        await host.spend("free of charge", 0)
        trace("after")
    raise_line(world, 10, 12)
    run(world, host, main())
    assert trace.rows == [("before", 10), ("handler", 10), ("after", 15)]


def test_interrupts_off_hold_the_handler_back_to_the_very_statement():
    host, world, _ = bare()
    trace = Trace(host)

    async def handler():
        trace("handler")
        await host.spend("work", 40)

    async def main():
        host.request_irq(handler)
        async with host.irqs_off():
            await host.spend("critical", 1000)
            trace("still alone")
        trace("after")
    raise_line(world, 5, 51)
    run(world, host, main())
    assert trace.rows == [("still alone", 50), ("handler", 50), ("after", 52)]


def test_charged_time_is_spent_on_the_right_side_of_interrupts_off():
    host, world, _ = bare(costs(xmit=400, lock=200))
    trace = Trace(host)
    lock = host.spin_lock("lock")

    async def handler():
        trace("handler")

    async def main():
        host.request_irq(handler)
        host.charge("xmit")
        async with lock.irqsave():
            trace("inside")
        trace("outside")
    raise_line(world, 25, 29)
    run(world, host, main())
    # xmit is over at 20 with interrupts on; taking the lock, 10 cycles, holds the interrupt of cycle 25 back
    assert trace.rows == [("inside", 20), ("outside", 30)]
    assert host.irqs == 0


def test_a_line_that_stays_high_is_taken_once_a_cycle():
    host, world, _ = bare()
    seen = []

    async def handler():
        seen.append(host.now - FIRST_CYCLE)

    async def main():
        host.request_irq(handler)
        await host.spend("long", 200)
        return host.now - FIRST_CYCLE
    raise_line(world, 4, 6)
    assert run(world, host, main()) == 10
    assert seen == [4, 5, 6]


def test_softirqs_run_after_the_handler_and_not_with_bottom_halves_off():
    host, world, _ = bare()
    trace = Trace(host)

    async def later():
        trace("softirq")
        await host.spend("work", 100)

    async def sooner():
        trace("lower number")

    async def handler():
        host.cpu.raise_softirq(3, later)
        host.cpu.raise_softirq(2, sooner)
        await host.spend("work", 40)
        trace("handler end")

    async def main():
        host.request_irq(handler)
        async with host.bottom_halves_off():
            await host.spend("transmit", 400)
            trace("transmit end")
        trace("after")
    raise_line(world, 5, 5)
    run(world, host, main())
    assert trace.rows == [("handler end", 7), ("transmit end", 22), ("lower number", 22), ("softirq", 22),
                          ("after", 27)]


def test_an_interrupt_interrupts_a_softirq():
    host, world, _ = bare()
    trace = Trace(host)

    async def softirq():
        await host.spend("work", 400)
        trace("softirq end")

    async def handler():
        trace("handler")
        host.cpu.raise_softirq(3, softirq)
        await host.spend("work", 20)

    async def main():
        host.request_irq(handler)
        await host.spend("long", 1000)
        trace("process end")
    raise_line(world, 5, 5)
    raise_line(world, 15, 15)
    run(world, host, main())
    assert trace.rows == [("handler", 5), ("handler", 15), ("softirq end", 27), ("softirq end", 47),
                          ("process end", 92)]


def test_processes_take_turns_when_they_block():
    host, world, _ = bare(costs(sched=100))
    trace = Trace(host)
    state = {"ready": False}

    async def other():
        await host.spend("work", 200)
        trace("other")
        state["ready"] = True
        await host.cpu.sleep(100)
        trace("other again")

    async def main():
        process = host.spawn(other(), "other")
        assert not await host.cpu.block_until(lambda: False, 4), "that timed out"
        trace("timed out")
        assert await host.cpu.block_until(lambda: state["ready"])
        trace("ready")
        await host.cpu.block_until(lambda: process.done)
        trace("end")
    run(world, host, main())
    # the time-out at 4 has to wait for the CPU, which other holds till 10; each wake-up costs 5
    assert trace.rows == [("other", 10), ("timed out", 15), ("ready", 15), ("other again", 115), ("end", 120)]


def test_give_way_lets_the_ready_one_run():
    host, world, _ = bare()
    order = []

    async def worker(name):
        for turn in range(2):
            order.append((name, turn))
            await host.cpu.give_way()

    async def main():
        both = [host.spawn(worker(name), name) for name in "ab"]
        await host.cpu.block_until(lambda: all(process.done for process in both))
    run(world, host, main())
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_blocking_where_it_is_not_allowed_is_an_error():
    host, world, _ = bare()

    async def main():
        async with host.irqs_off():
            await host.cpu.block_until(lambda: False, 10)
    with pytest.raises(RuntimeError, match="must not block: interrupts off 1 deep"):
        run(world, host, main())


def test_waiting_for_what_cannot_come_is_an_error():
    host, world, _ = bare()

    async def main():
        await host.cpu.block_until(lambda: False)
    with pytest.raises(RuntimeError, match="waits for ever"):
        run(world, host, main())


def test_awaiting_something_foreign_is_an_error():
    host, world, _ = bare()

    async def main():
        await On(world.kernel.event())
    with pytest.raises(RuntimeError, match="none of the host's operations"):
        run(world, host, main())


def test_a_read_stalls_the_cpu_and_is_accounted():
    host, world, engine = bare(costs(mmio_read=100, mmio_write=40), csr_read_latency_cycles=7)
    engine.values[8] = 0x1234
    taken = []

    async def handler():
        taken.append(host.now - FIRST_CYCLE)

    async def main():
        host.request_irq(handler)
        value = await host.read32(8)
        assert not taken, "the value comes first"
        return value, host.now - FIRST_CYCLE
    raise_line(world, 8, 15)
    value, returned = run(world, host, main())
    assert (value, returned) == (0x1234, 5 + 1 + 2 + 7)
    assert host.cpu_account_ns()["bus_stall"] == 10 * NS_PER_CYCLE
    assert (host.mmio_reads, host.mmio_writes, taken) == (1, 0, [15])


def test_halves_carry_their_strobes():
    host, world, engine = bare()

    async def main():
        await host.write16(0x10, 0xABCD)
        await host.write16(0x12, 0x1234)
        await host.spend("wait", 200)
    run(world, host, main())
    assert [entry[2:] for entry in engine.log] == [(0x10, 0xABCD, 0x3), (0x10, 0x1234_0000, 0xC)]


@given(spends=st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=12),
       gaps=st.lists(st.tuples(st.integers(3, 60), st.integers(1, 3)), max_size=10),
       handler_cycles=st.integers(1, 20))
def test_no_time_is_lost_or_made_up_by_interrupts(spends, gaps, handler_cycles):
    host, world, _ = bare()
    taken = []

    async def handler():
        taken.append(host.now)
        await host.spend_cycles("handler", handler_cycles)

    async def main():
        host.request_irq(handler)
        for cycles, alone in spends:
            if alone:
                async with host.irqs_off():
                    await host.spend_cycles("alone", cycles)
            else:
                await host.spend_cycles("open", cycles)
        return host.now
    high, first = [], 0
    for gap, length in gaps:
        first += gap
        high += range(FIRST_CYCLE + first, FIRST_CYCLE + first + length)
        raise_line(world, first, first + length - 1)
        first += length
    ended = run(world, host, main())
    served = [cycle for cycle in taken if cycle < ended]
    assert ended == FIRST_CYCLE + sum(cycles for cycles, _ in spends) + len(served) * handler_cycles
    assert set(taken) <= set(high) and len(taken) == len(set(taken))
