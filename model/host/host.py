"""The host that a driver sees: CPU time, registers, memory, DMA and interrupts. One for both worlds.

All contexts of all CPUs are stepped from one coroutine (`Host.run`), the only one that awaits the world. It
wakes when the next spent time is over or an enabled line rises, lets every CPU run what it can at that
falling edge, in order of their numbers, and sleeps again. So the order of things within an edge does not
depend on a simulator's scheduler.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import numpy as np

from model.host.context import Context, Read, ask
from model.host.cpu import Cpu, Handler, IrqLine
from model.host.dma import DmaApi
from model.host.findings import Findings
from model.host.locks import SpinLock, bottom_halves_off, irqs_off
from model.host.memory import Memory
from model.host.world import CsrPort, World
from model.platforms import NS_PER_S, Platform, whole_cycles

COHERENT_BYTES = 1 << 20


class Host:
    """One machine.

    Parameters: `world`; `platform` for costs and cache lines; `cpus` how many; `irq_cpu` CPU of each
    interrupt line that is not CPU 0's.
    Members: `now` the present cycle; `cpu` the CPU whose context runs; `memory`, `dma`, `findings`;
    `irqs` taken, `mmio_reads`, `mmio_writes` counted.
    """

    def __init__(self, world: World, platform: Platform, *, cpus: int = 1,
                 irq_cpu: dict[int, int] | None = None, coherent_bytes: int = COHERENT_BYTES) -> None:
        self.world = world
        self.platform = platform
        self.now = world.now()
        self.began_cycle: int | None = None
        self.findings = Findings()
        self.memory = Memory(world.mem, platform.cache_line_bytes, coherent_bytes,
                             lambda text: self.findings.note("dma_api", self.now, text))
        self.dma = DmaApi(self)
        self.cpus = [Cpu(self, number) for number in range(cpus)]
        self.cpu = self.cpus[0]
        self.mmio_reads = 0
        self.mmio_writes = 0
        self.irqs = 0
        self._irq_cpu = irq_cpu or {}
        self._lines: dict[int, IrqLine] = {}
        self._spent_cycles: dict[str, int] = {}
        self._single_cycles = {label: whole_cycles(cost.ns, world.clock_hz)
                               for label, cost in platform.costs.items()}
        self._per_unit = {label: (cost.ns * world.clock_hz / NS_PER_S).as_integer_ratio()
                          for label, cost in platform.costs.items()}
        self._several_cycles: dict[tuple[str, int], int] = {}
        self._port = CsrPort(world.csr_write_latency_cycles, world.csr_read_latency_cycles)
        self._arrivals: dict[int, tuple[Any, list[int]]] = {}

    # CPU time.

    def cycles(self, label: str, count: int = 1) -> int:
        """Whole cycles that `count` operations of a label cost together: rounded once, to the nearest, halves
        up."""
        if count == 1:
            return self._single_cycles[label]
        cycles = self._several_cycles.get((label, count))
        if cycles is None:
            over, under = self._per_unit[label]
            cycles = self._several_cycles[label, count] = (2 * over * count + under) // (2 * under)
        return cycles

    async def spend(self, label: str, ns: float | None = None, count: int = 1) -> None:
        """Spend CPU time under `label`: the platform's cost `count` times, or `ns` whatever the label.

        The start is a point where an interrupt can come, even if no time passes.
        """
        cycles = self.cycles(label, count) if ns is None else whole_cycles(ns, self.world.clock_hz)
        if cycles:
            self.account(label, cycles)
        cpu = self.cpu
        context = cpu.running
        if context.charged_cycles:
            cycles += context.charged_cycles
            context.charged_cycles = 0
        if cycles or cpu.must_yield():
            await ask(cycles)

    async def spend_cycles(self, label: str, cycles: int) -> None:
        """As `spend`, for a number of cycles."""
        if cycles:
            self.account(label, cycles)
        self.cpu.running.charged_cycles += cycles
        await self.settle()

    def charge(self, label: str, count: int = 1) -> None:
        """Have the next spending of this context take this much longer.

        For time with nothing between it and what follows: one wait of the world instead of two. What stands
        between happens at the beginning of the time, not in it.
        """
        cycles = self.cycles(label, count)
        if cycles:
            self.account(label, cycles)
            self.cpu.running.charged_cycles += cycles

    async def settle(self) -> None:
        """Spend now what was charged; a place where an interrupt that is due is taken in any case."""
        cpu = self.cpu
        context = cpu.running
        cycles, context.charged_cycles = context.charged_cycles, 0
        if cycles or cpu.must_yield():
            await ask(cycles)

    def account(self, label: str, cycles: int) -> None:
        """Book CPU time that passed by other means."""
        self._spent_cycles[label] = self._spent_cycles.get(label, 0) + cycles

    def cpu_account_ns(self) -> dict[str, float]:
        """CPU time since `run` by label, in ns, with `idle` what is left over, all CPUs together.

        Of an operation still under way at the end, all of it is counted.
        """
        began = self.now if self.began_cycle is None else self.began_cycle
        spent = sum(self._spent_cycles.values())
        cycles = {**self._spent_cycles, "idle": max(0, (self.now - began) * len(self.cpus) - spent)}
        return {label: n * NS_PER_S / self.world.clock_hz for label, n in sorted(cycles.items())}

    # Registers.

    async def write32(self, offset: int, value: int) -> None:
        """Write a register with one access; posted."""
        await self.spend("mmio_write")
        self._post(offset, value, 0xF)

    async def write16(self, offset: int, half: int) -> None:
        """Write half a register, at byte `offset` (a multiple of 2), with a 16-bit access; posted."""
        await self.spend("mmio_write")
        if offset & 2:
            self._post(offset & ~3, (half & 0xFFFF) << 16, 0xC)
        else:
            self._post(offset, half & 0xFFFF, 0x3)

    def _post(self, offset: int, value: int, strobe: int) -> None:
        self.mmio_writes += 1
        if len(self.cpus) > 1:
            self._port.take(self.now)
        self.world.csr_write(offset, value, strobe)

    async def read32(self, offset: int) -> int:
        """Read a register. The wait for the value is accounted to `bus_stall`; no interrupt comes during
        it."""
        await self.spend("mmio_read")
        self.mmio_reads += 1
        began = self.now
        value = await ask(Read(offset))
        self.account("bus_stall", self.now - began)
        return value

    # Memory, as the CPU sees it. These take no time: labels such as `fill` and `memcpy` stand for it.

    def cpu_write(self, address: int, data: bytes | np.ndarray) -> None:
        """Store `data`; checked against the mappings."""
        self.dma.check_cpu_access(address, len(data), write=True)
        self.memory.mem[address:address + len(data)] = np.frombuffer(data, np.uint8)
        if self.dma.cache is not None:
            self.dma.cache.stored(address, len(data))

    def cpu_read(self, address: int, size_bytes: int) -> bytes:
        """Load `size_bytes`; checked against the mappings."""
        self.dma.check_cpu_access(address, size_bytes, write=False)
        if self.dma.cache is not None:
            return self.dma.cache.load(address, size_bytes)
        return self.memory.mem[address:address + size_bytes].tobytes()

    # Interrupts, locks, contexts.

    def request_irq(self, handler: Handler, line: int = 0) -> None:
        """Have the coroutine function `handler` run whenever `line` is high."""
        self._lines[line] = IrqLine(self, line, self.world.irq(line), handler)
        self._route()

    def free_irq(self, line: int = 0) -> None:
        """No handler any more: the line is masked at the interrupt controller."""
        del self._lines[line]
        self._route()

    def _route(self) -> None:
        for cpu in self.cpus:
            cpu.route([line for number, line in self._lines.items()
                       if self._irq_cpu.get(number, 0) == cpu.number])

    def spin_lock(self, name: str) -> SpinLock:
        """A new lock."""
        return SpinLock(self, name)

    def irqs_off(self) -> Any:
        """A section (`async with`) with local interrupts off."""
        return irqs_off(self)

    def bottom_halves_off(self) -> Any:
        """A section (`async with`) without softirqs on this CPU."""
        return bottom_halves_off(self)

    def spawn(self, body: Coroutine[Any, Any, Any], name: str, cpu: int = 0) -> Context:
        """A further process, ready to run on CPU `cpu`; it has `done` and `result`."""
        return self.cpus[cpu].add_process(body, name)

    # The loop.

    async def run(self, main: Coroutine[Any, Any, Any]) -> Any:
        """Run `main` as a process of CPU 0, and all that it starts, until it returns; returns its result.

        To be awaited by one coroutine of the world. Raises RuntimeError if nothing can ever happen again.
        """
        self.now = self.world.now()
        if self.began_cycle is None:
            self.began_cycle = self.now
        context = self.spawn(main, "main")
        while True:
            self._run_cpus()
            if context.done:
                return context.result
            if len(self.cpus) == 1 and self.cpu.stalled is not None:
                value = await self.world.csr_read(self.cpu.stalled_offset)
                self.now = self.world.now()
                self.cpu.finish_read(value)
            else:
                await self._pause()

    def _run_cpus(self) -> None:
        if len(self.cpus) == 1:
            self.cpu.run()
            return
        stepped = True
        while stepped:   # what one does may be what another waits for
            stepped = False
            for cpu in self.cpus:
                stepped |= self._run_cpu(cpu)

    def _run_cpu(self, cpu: Cpu) -> bool:
        self.cpu = cpu
        stepped = cpu.run()
        if cpu.stalled is not None and cpu.stalled_until is None:
            self._start_read(cpu)
        return stepped

    def _start_read(self, cpu: Cpu) -> None:
        # With several CPUs a stalled one must not hold up the others, so a reader of its own waits for the
        # value. The cycle of its return is known beforehand, so the others' order does not depend on when the
        # reader runs.
        cpu.stalled_until = self._port.returned(self._port.take(self.now))
        arrived, box = self.world.signal(), []
        self._arrivals[cpu.number] = (arrived, box)

        async def reader() -> None:
            box.append(await self.world.csr_read(cpu.stalled_offset))
            arrived.set()
        self.world.spawn(reader())

    async def _pause(self) -> None:
        if len(self.cpus) == 1:
            wake, signals = self.cpu.wake_cycle(), self.cpu.awaited_signals()
        else:
            wake = min((cycle for cycle in (cpu.wake_cycle() for cpu in self.cpus) if cycle is not None),
                       default=None)
            signals = tuple(signal for cpu in self.cpus for signal in cpu.awaited_signals())
        cycles = None if wake is None else wake - self.now
        if signals and (cycles is None or cycles > 1):
            await self.world.wait(cycles, *signals)
            self.now = self.world.now()
        elif cycles is not None:
            await self.world.sleep(cycles)
            self.now += cycles
        else:
            raise RuntimeError(f"cycle {self.now}: every process waits for ever and no interrupt is enabled")
        for cpu in self.cpus:
            if cpu.stalled_until == self.now and cpu.number in self._arrivals:
                arrived, box = self._arrivals.pop(cpu.number)
                await self.world.wait(None, arrived)
                cpu.finish_read(box[0])
