"""The host's world in front of RTL: `model.host.world.World` over cocotb and the native library.

Python runs only when the top changes `wake` on a falling edge: at a cycle that a timer asked for, or when an
interrupt line that somebody waits for is high there. Everything that a coroutine sees (time, lines, read
data) was left in the native library by then, so no signal is read or written through the simulator's
interface, and nothing depends on the order in which a simulator serves its triggers.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from model.host.world import FIRST_CYCLE, Signal, SoftSignal, World
from tb.contexts import Contexts, Flag
from tb.native import READ, WRITE, Native


class EngineError(RuntimeError):
    """The engine did not behave as its interface demands."""


class CycleLimitError(RuntimeError):
    """The run has not ended within the cycles that the job allows."""


class _Line(Signal):
    """An interrupt line, as it was at the falling edge that woke Python."""

    def __init__(self, native: Native, number: int) -> None:
        self._native = native
        self.number = number

    def level(self) -> bool:
        return bool(self._native.control.irq >> self.number & 1)

    def acknowledge(self) -> None:
        self._native.acknowledge(self.number)


class CocotbWorld(World):
    """`World` in front of the simulated top.

    Parameters
    ----------
    top: cocotb's handle of the top; only its `wake` is used.
    native: the library's state; its host memory is `mem`.
    clock_hz: of the engine.
    csr_write_latency_cycles, csr_read_latency_cycles: of a register access on its way in, and of a read's
    value on its
        way back.
    max_cycles: the run must end before this cycle.
    behind_link: whether register accesses share a link with other packets.
    """

    def __init__(self, top: Any, native: Native, clock_hz: int, *, csr_write_latency_cycles: int = 0,
                 csr_read_latency_cycles: int = 0, max_cycles: int = 1 << 40,
                 behind_link: bool = False) -> None:
        self.native = native
        self.mem = native.mem
        self.clock_hz = clock_hz
        self.csr_write_latency_cycles = csr_write_latency_cycles
        self.csr_read_latency_cycles = csr_read_latency_cycles
        self.max_cycles = max_cycles
        self._behind_link = behind_link
        self._top = top
        self._control = native.control
        self._lines: dict[int, _Line] = {}
        self._contexts = Contexts()
        native.set_csr_latency(csr_write_latency_cycles)
        native.control.wake_cycle = FIRST_CYCLE

    async def run(self, main: Coroutine[Any, Any, Any]) -> Any:
        """Run `main` from the falling edge of FIRST_CYCLE until it ends; returns its result. To be called in
        cycle 0.

        Raises what a coroutine raises, DeadlockError, and CycleLimitError.
        """
        from cocotb.triggers import ValueChange  # only a simulator's Python can load it

        woken = ValueChange(self._top.wake)
        contexts = self._contexts
        contexts.start(main)
        control = self._control
        try:
            while not contexts.finished:
                control.wake_cycle = min(contexts.next_cycle(), self.max_cycles)
                control.wake_lines = contexts.lines()
                await woken
                if control.now >= self.max_cycles:
                    raise CycleLimitError(f"the run has not ended by cycle {self.max_cycles}")
                contexts.step(control.now, control.irq)
        finally:
            contexts.close()
        return contexts.result

    def now(self) -> int:
        return self._contexts.now

    async def sleep(self, cycles: int) -> None:
        if cycles < 1:
            raise ValueError(f"sleep({cycles}): expected 1 or more cycles")
        await self._contexts.resume_at(self._contexts.now + cycles)

    async def wait(self, cycles: int | None, *signals: Signal) -> None:
        contexts = self._contexts
        end = None if cycles is None else contexts.now + cycles
        lines = [signal.number for signal in signals if isinstance(signal, _Line)]
        flags = [signal for signal in signals if isinstance(signal, Flag)]
        while not any(signal.level() for signal in signals) and contexts.now != end:
            await contexts.pause(end, lines, flags)

    def irq(self, line: int = 0) -> Signal:
        return self._lines.setdefault(line, _Line(self.native, line))

    def signal(self) -> SoftSignal:
        return Flag(self._contexts)

    def csr_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        self.native.csr_push(WRITE, offset, value, strobe, self._contexts.now)

    async def csr_read(self, offset: int) -> int:
        contexts, native = self._contexts, self.native
        taken = native.csr_push(READ, offset, 0, 0, contexts.now)
        ordinal = native.csr_ordinal()
        returned: int | None = taken + 2
        set_in = taken
        if self._behind_link:   # what its value has to wait for on the way back is known only then
            await contexts.resume_at(returned, set_in)
            returned = native.csr_returned(ordinal, returned)
            set_in = taken + 1   # when the engine has answered
        if returned is not None:
            await contexts.resume_at(returned + self.csr_read_latency_cycles, set_in)
        value = native.csr_collect(ordinal)
        if value is None:
            raise EngineError(f"cycle {self.now()}: the read of offset {offset:#x} taken in cycle {taken} "
                              "was not answered")
        return value

    def wire_start(self) -> None:
        self.native.start_wire()

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._contexts.spawn(coroutine)
