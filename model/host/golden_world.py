"""The golden world: the host's time and registers on the SimPy kernel, in front of a golden engine.

The engine is any object with

- `attach(world)`, called once;
- `csr_write(cycle, offset, value, strobe)` and `csr_read(cycle, offset) -> int`, called in phase 2 of the
  cycle in which the access is taken (sets that fall in that cycle come after it, at its edge, and so win over
  its clears);
- `wire_start(cycle)`, called on the falling edge of `cycle`;

and which calls, no later than the beginning of `cycle`, `world.irq_changed(level, cycle, line)` of a line
that is a level and `world.message(vector, cycle)` of a message that arrives.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Coroutine
from typing import Any, Protocol

import numpy as np
import simpy

from model.host.world import FIRST_CYCLE, CsrPort, Signal, SoftSignal, World
from model.kernel import DRIVER, EDGE, PHASES, STATE, Kernel, On
from model.link import Link

DEFAULT_MEMORY_BYTES = 1 << 24


class Engine(Protocol):
    """What the world needs of a golden engine."""

    def attach(self, world: GoldenWorld) -> None: ...

    def csr_write(self, cycle: int, offset: int, value: int, strobe: int) -> None: ...

    def csr_read(self, cycle: int, offset: int) -> int: ...

    def wire_start(self, cycle: int) -> None: ...


def _fire(event: simpy.Event) -> None:
    if not event.triggered:
        event.succeed()


class _Line(Signal):
    """An interrupt line whose changes may be announced before they happen. Members: `high`, the level when it
    was last asked for; `ahead` what was announced since, (cycle, level) in order."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.high = False
        self._by_message = False
        self.ahead: deque[tuple[int, bool]] = deque()
        self.waiting: list[simpy.Event] = []

    def level(self) -> bool:
        ahead = self.ahead
        if ahead:
            cycle = self._kernel.cycle
            while ahead and ahead[0][0] <= cycle:
                self.high = ahead.popleft()[1]
        return self.high

    def acknowledge(self) -> None:
        if self._by_message and self.level():
            self.high = False

    def rise_time(self) -> int | None:
        """Time of the first falling edge at which the line is announced to be high, None if it is not."""
        for cycle, level in self.ahead:
            if level:
                return PHASES * cycle + DRIVER
        return None

    def change(self, level: bool, cycle: int) -> None:
        self._check(cycle)
        while self.ahead and self.ahead[-1][0] >= cycle:   # what was said of the same time no longer holds
            self.ahead.pop()
        self.ahead.append((cycle, level))
        if level:
            self._wake(cycle)

    def arrive(self, cycle: int) -> None:
        self._check(cycle)
        self._by_message = True
        insort(self.ahead, (cycle, True))
        self._wake(cycle)

    def _check(self, cycle: int) -> None:
        if PHASES * cycle + STATE < self._kernel.now:
            raise ValueError(f"line announced for cycle {cycle}: too late in cycle {self._kernel.cycle}")

    def _wake(self, cycle: int) -> None:
        for event in self.waiting:
            self._kernel.call_at(PHASES * cycle + DRIVER, _fire, event)


class _Flag(SoftSignal):
    ahead = ()

    def __init__(self) -> None:
        self.high = False
        self.waiting: list[simpy.Event] = []

    def level(self) -> bool:
        return self.high

    def rise_time(self) -> None:
        return None

    def set(self) -> None:
        self.high = True
        for event in self.waiting:
            _fire(event)

    def clear(self) -> None:
        self.high = False


class GoldenWorld(World):
    """`World` on a `Kernel`, in front of `engine`.

    Parameters: `engine` (see the module); `clock_hz`; `memory_bytes`, or `mem` to use an array that is there
    already; latencies as in `CsrPort`; `kernel` if the engine was built on one; `link`, the PCIe link that
    register accesses share with the engine's bus. An interrupt line is there once
    somebody names it.
    """

    def __init__(self, engine: Engine, clock_hz: int, *, kernel: Kernel | None = None,
                 mem: np.ndarray | None = None, memory_bytes: int = DEFAULT_MEMORY_BYTES,
                 csr_write_latency_cycles: int = 0, csr_read_latency_cycles: int = 0,
                 link: Link | None = None) -> None:
        self.kernel = kernel if kernel is not None else Kernel()
        self.engine = engine
        self.clock_hz = clock_hz
        self.mem = mem if mem is not None else np.zeros(memory_bytes, np.uint8)
        self.csr_write_latency_cycles = csr_write_latency_cycles
        self.csr_read_latency_cycles = csr_read_latency_cycles
        self._port = CsrPort(csr_write_latency_cycles, csr_read_latency_cycles)
        self._link = link
        self._lines: dict[int, _Line] = {}
        self._alarms: dict[int, list[simpy.Event]] = {}
        engine.attach(self)

    def run(self, main: Coroutine[Any, Any, Any]) -> Any:
        """Run `main` from the driver's first falling edge until it ends; returns its result."""
        async def boot() -> Any:
            await On(self.kernel.at(PHASES * FIRST_CYCLE + DRIVER))
            return await main
        return self.kernel.run(self.kernel.process(boot()))

    def irq_changed(self, level: bool, cycle: int, line: int = 0) -> None:
        """The engine's word that `line` has `level` from `cycle` on.

        May come ahead of time; replaces what was said before about that cycle and later ones. ValueError if
        `cycle` has begun already.
        """
        self.irq(line).change(level, cycle)

    def message(self, vector: int, cycle: int) -> None:
        """The engine's word that the message of `vector` arrives in `cycle`: pending at its falling edge,
        until the CPU acknowledges it.

        ValueError if `cycle` has begun already.
        """
        self.irq(vector).arrive(cycle)

    def now(self) -> int:
        return self.kernel.cycle

    async def sleep(self, cycles: int) -> None:
        await self._reach(self.kernel.now + PHASES * cycles)

    async def wait(self, cycles: int | None, *signals: Signal) -> None:
        kernel = self.kernel
        end = None if cycles is None else kernel.now + PHASES * cycles
        while True:
            alarm = end
            for signal in signals:
                if not (signal.ahead or signal.high):
                    continue
                if signal.level():
                    return
                rise = signal.rise_time()
                if rise is not None and (alarm is None or rise < alarm):
                    alarm = rise
            if kernel.now == end:
                return
            if alarm is None or not kernel.skip_to(alarm):
                await self._wait_event(alarm, signals)

    async def _wait_event(self, alarm: int | None, signals: tuple[Signal, ...]) -> None:
        event = self.kernel.event()
        for signal in signals:
            signal.waiting.append(event)
        if alarm is not None:
            self._set_alarm(alarm, event)
        await On(event)
        for signal in signals:
            signal.waiting.remove(event)
        if alarm in self._alarms and event in self._alarms[alarm]:
            self._alarms[alarm].remove(event)

    def _set_alarm(self, time: int, event: simpy.Event) -> None:
        # A wait that an interrupt ends leaves its time-out behind in SimPy's queue. Waits for the same
        # moment, as an idle CPU makes them one after the other, share one entry.
        if time in self._alarms:
            self._alarms[time].append(event)
        else:
            self._alarms[time] = [event]
            self.kernel.call_at(time, self._ring, time)

    def _ring(self, time: int) -> None:
        for event in self._alarms.pop(time):
            _fire(event)

    async def _reach(self, time: int) -> None:
        if not self.kernel.skip_to(time):
            await On(self.kernel.at(time))

    def irq(self, line: int = 0) -> _Line:
        if line not in self._lines:
            self._lines[line] = _Line(self.kernel)
        return self._lines[line]

    def signal(self) -> SoftSignal:
        return _Flag()

    def csr_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        taken = self._taken(True)
        self.kernel.call_at(PHASES * taken + DRIVER, self.engine.csr_write, taken, offset, value, strobe)

    async def csr_read(self, offset: int) -> int:
        taken = self._taken(False)
        await self._reach(PHASES * taken + DRIVER)
        value = self.engine.csr_read(taken, offset)
        if self._link is None:
            returned = self._port.returned(taken)
        else:
            await self._reach(PHASES * (taken + 1) + EDGE)
            returned = self._link.register_completion(taken + 1) + self.csr_read_latency_cycles
        await self._reach(PHASES * returned + DRIVER)
        return value

    def _taken(self, is_write: bool) -> int:
        """The cycle in which the engine takes an access that is issued now."""
        if self._link is None:
            return self._port.take(self.now())
        arrived = self._link.register_access(self.now() + self.csr_write_latency_cycles, is_write)
        return self._port.take_from(arrived)

    def wire_start(self) -> None:
        self.engine.wire_start(self.now())

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.kernel.process(coroutine)
