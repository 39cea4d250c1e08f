"""Several CPUs: locks, interrupts with a home, and reads that stall one CPU only."""

import pytest

from model.host.locks import HAND_OVER_CYCLES
from model.host.world import FIRST_CYCLE
from tests.model.host.machine import NS_PER_CYCLE, bare


def run(world, host, main):
    return world.run(host.run(main))


def finish(host, processes):
    return host.cpu.block_until(lambda: all(process.done for process in processes))


def test_a_lock_is_handed_over_in_the_order_of_asking():
    host, world, _ = bare(cpus=3)
    lock, order = host.spin_lock("lock"), []

    async def worker(name, before_ns):
        await host.spend("before", before_ns)
        async with lock.irqsave():
            order.append((name, host.now - FIRST_CYCLE))
            await host.spend("inside", 400)

    async def main():
        workers = (("first", 0), ("third", 80), ("second", 40))
        await finish(host, [host.spawn(worker(name, before_ns), name, cpu)
                            for cpu, (name, before_ns) in enumerate(workers)])
    run(world, host, main())
    inside = 400 // NS_PER_CYCLE
    turn = inside + HAND_OVER_CYCLES
    assert order == [("first", 0), ("second", turn), ("third", 2 * turn)]
    assert host.cpu_account_ns()["spin"] == ((inside + 1 - 2) + (2 * inside + 2 - 4)) * NS_PER_CYCLE


def test_taking_a_lock_twice_is_an_error():
    host, world, _ = bare()
    lock = host.spin_lock("lock")

    async def main():
        async with lock.irqsave(), lock.plain():
            await host.spend("never", 20)
    with pytest.raises(RuntimeError, match="CPU 0 holds lock and takes it again"):
        run(world, host, main())


def test_an_interrupt_runs_on_its_cpu_only():
    host, world, _ = bare(cpus=2, irq_cpu={1: 1})
    seen = []

    async def handler():
        seen.append((host.cpu.number, host.now - FIRST_CYCLE))
        await host.spend("work", 100)

    async def busy(cpu):
        await host.spend("busy", 1000)
        return cpu, host.now - FIRST_CYCLE

    async def main():
        host.request_irq(handler, 1)
        processes = [host.spawn(busy(cpu), "busy", cpu) for cpu in (0, 1)]
        await finish(host, processes)
        return [process.result for process in processes]
    world.irq_changed(True, FIRST_CYCLE + 7, 1)
    world.irq_changed(False, FIRST_CYCLE + 9, 1)
    assert run(world, host, main()) == [(0, 50), (1, 55)]
    assert seen == [(1, 7)]


def test_a_read_stalls_one_cpu_and_the_other_goes_on():
    host, world, engine = bare(cpus=2, csr_read_latency_cycles=40)
    engine.values.update({0: 10, 4: 11})
    seen = []

    async def reader(offset):
        value = await host.read32(offset)
        seen.append((value, host.now - FIRST_CYCLE))

    async def worker():
        await host.spend("work", 100)
        await host.write32(8, 1)
        seen.append(("written", host.now - FIRST_CYCLE))
        await reader(4)

    async def main():
        await finish(host, [host.spawn(reader(0), "reader", 0), host.spawn(worker(), "worker", 1)])
    run(world, host, main())
    # taken in 1, 6 and 8; each value is back 42 cycles after
    assert [entry[0] - FIRST_CYCLE for entry in engine.log] == [1, 6, 8]
    assert seen == [("written", 5), (10, 43), (11, 50)]


def test_what_one_cpu_does_wakes_a_process_of_another_in_the_same_cycle():
    host, world, _ = bare(cpus=2)
    state = {"done": False}

    async def worker():
        await host.spend("work", 200)
        state["done"] = True

    async def main():
        host.spawn(worker(), "worker", 1)
        await host.cpu.block_until(lambda: state["done"])
        return host.now - FIRST_CYCLE
    assert run(world, host, main()) == 10
