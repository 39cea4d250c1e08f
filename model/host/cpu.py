"""One CPU: nested contexts, interrupts, softirqs and processes, all at known cycles.

The rules, the same in both worlds:

- A hard interrupt is taken at the start of any operation (each `await` on the host, even one that costs
  nothing) and in the middle of spent time, if its line is high and local interrupts are enabled. What was
  left of the interrupted operation is spent afterwards. An operation whose time is over has its effect before
  an interrupt of that cycle.
- A line is taken at most once a cycle, so that a handler that costs nothing and clears nothing cannot stop
  time. A message is acknowledged on entry.
- Softirqs run when the last hard interrupt has returned, with interrupts enabled, unless bottom halves are
  off (`model.host.softirq`).
- Processes are not preempted by processes: another one runs when the present one blocks or yields. They take
  turns in the order in which they became ready.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from model.host.context import Block, Context, Kind, Read, Spin, Yield, ask
from model.host.softirq import Softirqs
from model.host.world import Signal

if TYPE_CHECKING:
    from model.host.host import Host

Handler = Callable[[], Coroutine[Any, Any, Any]]

class IrqLine:
    """A requested line, routed to one CPU. Members: `number`; `signal`; `handler`; `taken`, how often."""

    __slots__ = ("_host", "_level", "_sampled_cycle", "entered_cycle", "handler", "number", "signal", "taken")

    def __init__(self, host: Host, number: int, signal: Signal, handler: Handler) -> None:
        self.number = number
        self.signal = signal
        self.handler = handler
        self.taken = 0
        self.entered_cycle = -1
        self._host = host
        self._sampled_cycle = -1
        self._level = False

    def high(self) -> bool:
        """The level in this cycle, asked of the world once a cycle only."""
        now = self._host.now
        if self._sampled_cycle != now:
            self._sampled_cycle = now
            self._level = self.signal.level()
        return self._level

    def enter(self) -> None:
        """Its handler is about to run."""
        self.entered_cycle = self._host.now
        self.taken += 1
        self._host.irqs += 1
        self.signal.acknowledge()
        self._level = self.signal.level()


class Cpu:
    """One CPU of `host`. Members: `number`; `softirqs`; `irqs_off`, `bottom_halves_off`: nesting depths;
    `running` the context being stepped; `stalled` the one that waits for a register read."""

    def __init__(self, host: Host, number: int) -> None:
        self.host = host
        self.number = number
        self.softirqs = Softirqs(host)
        self.irqs_off = 0
        self.bottom_halves_off = 0
        self.running: Context | None = None
        self.stalled: Context | None = None
        self.stalled_offset = 0
        self.stalled_until: int | None = None
        self._value_arrived = False
        self.busy_until: int | None = None
        self._stack: list[Context] = []
        self._ready: deque[Context] = deque()
        self._blocked: list[Context] = []
        self._lines: tuple[IrqLine, ...] = ()
        self._signals: tuple[Signal, ...] = ()
        self._quiet_cycle = -1   # in which no line was high: none rises within a falling edge

    def route(self, lines: list[IrqLine]) -> None:
        """The requested lines of this CPU; of several that are high the lowest number comes first."""
        self._lines = tuple(sorted(lines, key=lambda line: line.number))
        self._signals = tuple(line.signal for line in self._lines)
        self._quiet_cycle = -1

    # What contexts ask of their CPU.

    async def block_until(self, condition: Callable[[], Any], timeout_cycles: int | None = None) -> bool:
        """Leave the CPU until `condition()` is true; False if `timeout_cycles` passed first. For processes
        only.

        The condition must depend on what contexts do, not on memory that the device writes: it is asked again
        only when this CPU has nothing else to run. Waking costs the label `sched`.
        """
        if condition():
            await self.host.settle()
            return True
        self._process_only("block")
        deadline = None if timeout_cycles is None else self.host.now + timeout_cycles
        await self.host.settle()
        reached = await ask(Block(condition, deadline))
        await self.host.spend("sched")
        return reached

    async def sleep(self, cycles: int) -> None:
        """Leave the CPU for `cycles` at least. For processes only."""
        await self.block_until(lambda: False, cycles)

    async def give_way(self) -> None:
        """Let other processes that are ready run first."""
        if self._ready or self._blocked:
            self._process_only("give way")
            await self.host.settle()
            await ask(Yield())

    def raise_softirq(self, number: int, action: Handler) -> None:
        """Have `action` run as softirq `number` (lower ones first) as soon as the rules allow."""
        self.softirqs.raise_softirq(number, action)

    def add_process(self, body: Coroutine[Any, Any, Any], name: str) -> Context:
        """Make `body` a process of this CPU, ready to run."""
        context = Context(body, Kind.PROCESS, name)
        self._ready.append(context)
        return context

    def must_yield(self) -> bool:
        """True if an operation that costs nothing has still to stop for an interrupt or softirq."""
        if self.irqs_off:
            return False
        return self._due_line() is not None or (not self.bottom_halves_off and self.softirqs.due())

    def _process_only(self, what: str) -> None:
        if self.running.kind is not Kind.PROCESS or self.irqs_off or self.bottom_halves_off:
            raise RuntimeError(f"{self.running!r} on CPU {self.number} must not {what}: interrupts off "
                               f"{self.irqs_off} deep, bottom halves {self.bottom_halves_off}")

    # What the host's main loop asks.

    def run(self) -> bool:
        """Run all that can run at this falling edge; True if anything did."""
        if self.stalled is not None:
            return False
        stepped = False
        top = self._stack[-1] if self._stack else None
        if top is not None and (top.remaining_cycles or self._value_arrived):
            if top.remaining_cycles:
                top.remaining_cycles = self.busy_until - self.host.now
            self._value_arrived = False
            if not top.remaining_cycles:
                self._step(top)
                stepped = True
        self.busy_until = None
        while self.stalled is None:
            if not (self._enter_interrupt() or self._enter_softirq() or self._stack or self._next_process()):
                if self.softirqs.resume():
                    continue
                break
            top = self._stack[-1]
            if top.remaining_cycles:
                self.busy_until = self.host.now + top.remaining_cycles
                break
            if top.spinning:
                break
            self._step(top)
            stepped = True
        return stepped

    def wake_cycle(self) -> int | None:
        """The cycle in which this CPU has to run again whatever the lines do; None if there is none."""
        if self.stalled is not None:
            return self.stalled_until
        if self.irqs_off == 0 and self._quiet_cycle != self.host.now:
            for line in self._lines:
                if line.high():
                    return self.host.now + 1   # taken once in this cycle already and still high
        if self._stack:
            return self.busy_until
        return min((c.deadline_cycle for c in self._blocked if c.deadline_cycle is not None), default=None)

    def awaited_signals(self) -> tuple[Signal, ...]:
        """The lines that would interrupt this CPU."""
        if self.irqs_off or self.stalled is not None:
            return ()
        return self._signals

    def finish_read(self, value: int) -> None:
        """The register read that stalled this CPU has returned `value`."""
        self.stalled.reply = value
        self.stalled = None
        self.stalled_until = None
        self._value_arrived = True

    def hand_over(self, context: Context, cycles: int) -> None:
        """A lock that `context` spins for is its own after `cycles` more."""
        context.spinning = False
        context.remaining_cycles = cycles
        if self._stack and self._stack[-1] is context:
            self.busy_until = self.host.now + cycles

    # Inside.

    def _due_line(self) -> IrqLine | None:
        now = self.host.now
        if self.irqs_off or self._quiet_cycle == now:
            return None
        quiet = True
        for line in self._lines:
            if line.high():
                quiet = False
                if line.entered_cycle != now:
                    return line
        if quiet:
            self._quiet_cycle = now
        return None

    def _softirq_due(self) -> bool:
        return not self.irqs_off and not self.bottom_halves_off and self.softirqs.due()

    def _enter_interrupt(self) -> bool:
        line = self._due_line()
        if line is None:
            return False
        line.enter()
        self.irqs_off += 1
        self._stack.append(Context(self._interrupt(line.handler), Kind.HARDIRQ, f"irq on CPU {self.number}",
                                   self._leave_interrupt))
        return True

    async def _interrupt(self, handler: Handler) -> None:
        self.host.charge("irq_entry")
        await handler()
        await self.host.spend("irq_exit")

    def _leave_interrupt(self) -> None:
        self.irqs_off -= 1

    def _enter_softirq(self) -> bool:
        if not self._softirq_due():
            return False
        self.bottom_halves_off += 1
        self._stack.append(Context(self.softirqs.run(), Kind.SOFTIRQ, f"softirq on CPU {self.number}",
                                   self._leave_softirq))
        return True

    def _leave_softirq(self) -> None:
        self.bottom_halves_off -= 1

    def _next_process(self) -> bool:
        still_blocked = []
        for context in self._blocked:
            reached = bool(context.condition())
            if reached or (context.deadline_cycle is not None and context.deadline_cycle <= self.host.now):
                context.reply = reached
                context.condition = context.deadline_cycle = None
                self._ready.append(context)
            else:
                still_blocked.append(context)
        self._blocked = still_blocked
        if not self._ready:
            return False
        self._stack.append(self._ready.popleft())
        return True

    def _step(self, context: Context) -> None:
        self.running = context
        reply, context.reply = context.reply, None
        try:
            request = context.coroutine.send(reply)
        except StopIteration as stop:
            self._stack.pop()
            if context.kind is Kind.PROCESS:
                self.softirqs.resume()
            context.done, context.result = True, stop.value
            if context.on_exit is not None:
                context.on_exit()
            return
        if type(request) is int:
            context.remaining_cycles = request
        elif type(request) is Read:
            self.stalled, self.stalled_offset = context, request.offset
        elif type(request) is Block:
            context.condition, context.deadline_cycle = request.condition, request.deadline_cycle
            self._blocked.append(self._stack.pop())
            self.softirqs.resume()
        elif type(request) is Yield:
            self._ready.append(self._stack.pop())
            self.softirqs.resume()
        elif type(request) is Spin:
            context.spinning = True
        else:
            raise RuntimeError(f"{context!r} awaited {request!r}, which is none of the host's operations")
