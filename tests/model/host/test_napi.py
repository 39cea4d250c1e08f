"""Polling: who is polled when, what a budget is, and what a process gets of the CPU meanwhile."""

import pytest

from model.host.napi import Napi
from model.host.softirq import BUDGET_FRAMES, ROUNDS
from model.host.world import FIRST_CYCLE
from tests.model.host.machine import CLOCK_HZ, bare, costs


class Device:
    """Something to poll: `left` frames, each of `frame_cycles`; `log` of (name, how many, cycle)."""

    def __init__(self, host, log, name, left, weight=64, frame_cycles=1):
        self.host, self.log, self.name, self.left = host, log, name, left
        self.frame_cycles = frame_cycles
        self.napi = Napi(host, self.poll, weight)
        self.napi.enable()
        self.re_armed = 0

    async def poll(self, weight):
        work = min(weight, self.left)
        self.left -= work
        if work:
            await self.host.spend_cycles("frame", work * self.frame_cycles)
        self.log.append((self.name, work, self.host.now - FIRST_CYCLE))
        if work < weight and self.napi.complete_done():
            self.re_armed += 1
        return work


def test_devices_take_turns_with_their_weights():
    host, world, _ = bare()
    log = []
    devices = [Device(host, log, "a", 20, weight=8), Device(host, log, "b", 5, weight=4)]

    async def main():
        await host.spend_cycles("work", 100)
    host.request_irq(lambda: _schedule(devices), 0)
    world.message(0, FIRST_CYCLE + 10)
    world.run(host.run(main()))
    assert [(name, work) for name, work, _ in log] == [("a", 8), ("b", 4), ("a", 8), ("b", 1), ("a", 4)]
    assert [device.napi.full_polls for device in devices] == [2, 1]
    assert [(device.napi.polls, device.napi.frames, device.re_armed) for device in devices] \
        == [(3, 20, 1), (2, 5, 1)]


async def _schedule(devices):
    for device in devices:
        device.napi.schedule()


def test_the_budget_ends_a_round():
    host, world, _ = bare()
    log = []
    devices = [Device(host, log, name, 64, weight=64, frame_cycles=0) for name in "abcdef"]
    host.request_irq(lambda: _schedule(devices), 0)

    async def main():
        await host.spend_cycles("work", 100)
    world.message(0, FIRST_CYCLE + 10)
    world.run(host.run(main()))
    in_a_round = -(-BUDGET_FRAMES // 64)
    assert host.cpu.softirqs.squeezed == 1
    # the one that was left over comes before those that are polled again
    assert "".join(name for name, _, _ in log) == "abcde" + "f" + "abcde" + "f" and in_a_round == 5


def test_after_some_rounds_a_process_gets_its_turn():
    host, world, _ = bare()
    device = Device(host, [], "a", 60 * ROUNDS * 3 + 10, weight=60)
    host.request_irq(lambda: _schedule([device]), 0)
    left = []

    async def other():
        while device.napi.scheduled or not left:
            await host.spend_cycles("process", 50)
            left.append(device.left)
            await host.cpu.give_way()

    async def main():
        process = host.spawn(other(), "other")
        await host.cpu.block_until(lambda: process.done)
    world.message(0, FIRST_CYCLE + 10)
    world.run(host.run(main()))
    assert left == [60 * ROUNDS * turns + 10 for turns in (2, 1, 0)] and device.left == 0


def test_rounds_end_by_time_as_well():
    host, world, _ = bare()
    device = Device(host, [], "a", 640, weight=64, frame_cycles=CLOCK_HZ // 10_000)    # 0.1 ms each
    host.request_irq(lambda: _schedule([device]), 0)
    ended = []

    async def main():
        await host.spend_cycles("process", 100)
        ended.append(device.left)
        await host.cpu.block_until(lambda: not device.napi.scheduled)
    world.message(0, FIRST_CYCLE + 10)
    world.run(host.run(main()))
    assert ended == [640 - 64] and device.left == 0


def test_an_interrupt_during_the_poll_has_it_polled_again():
    host, world, _ = bare()
    log = []
    device = Device(host, log, "a", 3, frame_cycles=20)
    host.request_irq(lambda: _schedule([device]), 0)

    async def main():
        await host.spend_cycles("work", 200)
    world.message(0, FIRST_CYCLE + 10)
    world.message(0, FIRST_CYCLE + 30)
    world.run(host.run(main()))
    assert log == [("a", 3, 70), ("a", 0, 70)] and device.re_armed == 1, "interrupts stay off in between"


def test_disable_waits_for_the_poll_and_nothing_schedules_it_then():
    host, world, _ = bare()
    log = []
    device = Device(host, log, "a", 100, weight=10, frame_cycles=3)
    host.request_irq(lambda: _schedule([device]), 0)

    async def main():
        await host.cpu.block_until(lambda: bool(log), 1000)
        await device.napi.disable()
        taken = len(log)
        await host.spend_cycles("work", 300)
        assert len(log) == taken
        device.napi.enable()
        await host.spend_cycles("work", 300)
    for cycle in (10, 600, 1100):
        world.message(0, FIRST_CYCLE + cycle)
    world.run(host.run(main()))
    assert sum(work for _, work, _ in log) == 100


def test_a_device_that_was_not_enabled_is_not_polled():
    host, world, _ = bare()
    napi = Napi(host, None, 64)

    async def main():
        assert not napi.schedule()
        await host.spend_cycles("work", 10)
    world.run(host.run(main()))
    assert napi.polls == 0


@pytest.mark.parametrize("polls", [1, 5])
def test_each_poll_costs(polls):
    host, world, _ = bare(costs(napi=200, softirq=100))
    device = Device(host, [], "a", 4 * polls - 1, weight=4, frame_cycles=0)
    host.request_irq(lambda: _schedule([device]), 0)

    async def main():
        await host.spend_cycles("work", 100)
    world.message(0, FIRST_CYCLE + 10)
    world.run(host.run(main()))
    account = host.cpu_account_ns()
    assert (account["napi"], account["softirq"]) == (200 * polls, 100)
