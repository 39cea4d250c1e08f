"""The golden world: the host's time and registers on the SimPy kernel, in front of a golden engine.

The engine is any object with

- `attach(world)`, called once;
- `csr_write(cycle, offset, value, strobe)` and `csr_read(cycle, offset) -> int`, called in phase 2 of the
  cycle in which the access is taken (sets that fall in that cycle come after it, at its edge, and so win over
  its clears);
- `wire_start(cycle)`, called on the falling edge of `cycle`;

and which calls `world.irq_changed(level, cycle, line)` no later than the beginning of `cycle`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Coroutine
from typing import Any, Protocol

import numpy as np
import simpy

from model.host.world import FIRST_CYCLE, CsrPort, Signal, SoftSignal, World
from model.kernel import DRIVER, PHASES, STATE, Kernel, On

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
    """An interrupt line whose changes may be announced before they happen."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._level = False
        self._ahead: deque[tuple[int, bool]] = deque()
        self.waiting: list[simpy.Event] = []

    def level(self) -> bool:
        ahead = self._ahead
        if ahead:
            cycle = self._kernel.cycle
            while ahead and ahead[0][0] <= cycle:
                self._level = ahead.popleft()[1]
        return self._level

    def rise_time(self) -> int | None:
        """Time of the first falling edge at which the line is announced to be high, None if it is not."""
        for cycle, level in self._ahead:
            if level:
                return PHASES * cycle + DRIVER
        return None

    def change(self, level: bool, cycle: int) -> None:
        if PHASES * cycle + STATE < self._kernel.now:
            raise ValueError(f"line announced for cycle {cycle}: too late in cycle {self._kernel.cycle}")
        while self._ahead and self._ahead[-1][0] >= cycle:   # what was said of the same time no longer holds
            self._ahead.pop()
        self._ahead.append((cycle, level))
        if level:
            for event in self.waiting:
                self._kernel.call_at(PHASES * cycle + DRIVER, _fire, event)


class _Flag(SoftSignal):
    def __init__(self) -> None:
        self._level = False
        self.waiting: list[simpy.Event] = []

    def level(self) -> bool:
        return self._level

    def rise_time(self) -> None:
        return None

    def set(self) -> None:
        self._level = True
        for event in self.waiting:
            _fire(event)

    def clear(self) -> None:
        self._level = False


class GoldenWorld(World):
    """`World` on a `Kernel`, in front of `engine`.

    Parameters: `engine` (see the module); `clock_hz`; `memory_bytes`, or `mem` to use an array that is there
    already; `lines` interrupt lines; latencies as in `CsrPort`; `kernel` if the engine was built on one.
    """

    def __init__(self, engine: Engine, clock_hz: int, *, kernel: Kernel | None = None,
                 mem: np.ndarray | None = None, memory_bytes: int = DEFAULT_MEMORY_BYTES, lines: int = 1,
                 csr_write_latency_cycles: int = 0, csr_read_latency_cycles: int = 0) -> None:
        self.kernel = kernel if kernel is not None else Kernel()
        self.engine = engine
        self.clock_hz = clock_hz
        self.mem = mem if mem is not None else np.zeros(memory_bytes, np.uint8)
        self.csr_write_latency_cycles = csr_write_latency_cycles
        self.csr_read_latency_cycles = csr_read_latency_cycles
        self._port = CsrPort(csr_write_latency_cycles, csr_read_latency_cycles)
        self._lines = [_Line(self.kernel) for _ in range(lines)]
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
        self._lines[line].change(level, cycle)

    def now(self) -> int:
        return self.kernel.cycle

    async def sleep(self, cycles: int) -> None:
        await self._reach(self.kernel.now + PHASES * cycles)

    async def wait(self, cycles: int | None, *signals: Signal) -> None:
        kernel = self.kernel
        end = None if cycles is None else kernel.now + PHASES * cycles
        while not any(signal.level() for signal in signals) and kernel.now != end:
            times = [time for time in (end, *(signal.rise_time() for signal in signals)) if time is not None]
            alarm = min(times) if times else None
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

    def irq(self, line: int = 0) -> Signal:
        return self._lines[line]

    def signal(self) -> SoftSignal:
        return _Flag()

    def csr_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        taken = self._port.take(self.now())
        self.kernel.call_at(PHASES * taken + DRIVER, self.engine.csr_write, taken, offset, value, strobe)

    async def csr_read(self, offset: int) -> int:
        taken = self._port.take(self.now())
        await self._reach(PHASES * taken + DRIVER)
        value = self.engine.csr_read(taken, offset)
        await self._reach(PHASES * self._port.returned(taken) + DRIVER)
        return value

    def wire_start(self) -> None:
        self.engine.wire_start(self.now())

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.kernel.process(coroutine)
