"""Runs the driver's coroutines on falling edges, in an order that no simulator and no trigger can change.

The order at one falling edge is that of the golden world's SimPy queue, stated once:

1. Timers that are due, in the order in which they were set. A sleep, or a register read, resumes its
   coroutine; the time limit of a wait puts its coroutine at the end of the queue.
2. Interrupt lines that are high put the coroutines that wait for them at the end of the queue, in the order
   in which those began to wait.
3. The queue runs, first come first served. Setting a soft signal puts those who wait for it at its end.

A new coroutine starts when the one that spawned it pauses, before anything else. A register read counts as
set in the cycle in which the engine takes it, behind a link in the next one, everything else when it was
begun.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Coroutine, Generator
from typing import Any

from model.host.world import FIRST_CYCLE, SoftSignal

NEVER = 2**64 - 1


class DeadlockError(RuntimeError):
    """Every coroutine waits for a signal that only another coroutine could set."""


class Context:
    """A coroutine and what it waits for. `ticket` tells its present pause from earlier ones."""

    __slots__ = ("coroutine", "queued", "ticket")

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.coroutine = coroutine
        self.ticket = 0
        self.queued = False


class _Pause:
    """Awaiting it gives control back to `Contexts.step`."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, None]:
        yield


_PAUSE = _Pause()
Entry = tuple[Context, int]


class Flag(SoftSignal):
    """A soft signal of `Contexts`."""

    def __init__(self, contexts: Contexts) -> None:
        self._contexts = contexts
        self._level = False
        self.waiting: list[Entry] = []

    def level(self) -> bool:
        return self._level

    def set(self) -> None:
        self._level = True
        waiting, self.waiting = self.waiting, []
        for context, ticket in waiting:
            self._contexts.queue(context, ticket)

    def clear(self) -> None:
        self._level = False


class Contexts:
    """The coroutines of one run.

    Members: `now`, the present cycle; `finished` and `result` of the coroutine given to `start`.
    """

    def __init__(self) -> None:
        self.now = FIRST_CYCLE
        self.finished = False
        self.result: Any = None
        self._main: Context | None = None
        self._current: Context | None = None
        self._everyone: set[Context] = set()
        self._new: deque[Context] = deque()
        self._queue: deque[Entry] = deque()
        self._lines: dict[int, list[Entry]] = {}
        self._serial = 0
        self._timers: list[tuple[int, int, int, Context, int, bool]] = []

    def start(self, main: Coroutine[Any, Any, Any]) -> None:
        """Let `main` begin on the falling edge of FIRST_CYCLE; the run is over when it ends."""
        self._main = self._current = Context(main)
        self._everyone.add(self._main)
        self._set_timer(FIRST_CYCLE, 0, resumes=True)

    # For the world's methods, called by the coroutine that runs

    async def resume_at(self, cycle: int, set_in: int | None = None) -> None:
        """Pause until the falling edge of `cycle`. `set_in`: when the timer counts as set, if not now."""
        self._set_timer(cycle, self.now if set_in is None else set_in, resumes=True)
        await _PAUSE

    async def pause(self, end: int | None, lines: list[int], flags: list[Flag]) -> None:
        """Pause until `end`, or until a line or a flag is high; may return for no reason that still holds."""
        context = self._current
        entry = (context, context.ticket)
        for flag in flags:
            flag.waiting.append(entry)
        for line in lines:
            self._lines.setdefault(line, []).append(entry)
        if end is not None:
            self._set_timer(end, self.now, resumes=False)
        await _PAUSE
        for waiting in (*(flag.waiting for flag in flags), *(self._lines[line] for line in lines)):
            if entry in waiting:
                waiting.remove(entry)

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """One more coroutine, from this falling edge on."""
        context = Context(coroutine)
        self._everyone.add(context)
        self._new.append(context)

    def queue(self, context: Context, ticket: int) -> None:
        """Let a pausing context run at this falling edge, unless it is queued or has gone on already."""
        if context.ticket == ticket and not context.queued:
            context.queued = True
            self._queue.append((context, ticket))

    # For the simulation

    def next_cycle(self) -> int:
        """The next falling edge for which a timer is set, NEVER without one.

        Raises DeadlockError if nothing that happens outside could wake anybody.
        """
        timers = self._timers
        while timers and timers[0][3].ticket != timers[0][4]:   # its wait ended otherwise
            heapq.heappop(timers)
        if timers:
            return timers[0][0]
        if not any(self._lines.values()):
            raise DeadlockError(f"cycle {self.now}: all {len(self._everyone)} coroutines wait for each other")
        return NEVER

    def lines(self) -> int:
        """The interrupt lines that somebody waits for, one bit a line."""
        return sum(1 << line for line, waiting in self._lines.items() if waiting)

    def step(self, now: int, irq: int) -> None:
        """All that happens on the falling edge of cycle `now`, with interrupt lines `irq`.

        What a coroutine raises is raised.
        """
        self.now = now
        timers, queue = self._timers, self._queue
        while timers and timers[0][0] <= now and not self.finished:
            _, _, _, context, ticket, resumes = heapq.heappop(timers)
            if context.ticket != ticket:
                continue
            if resumes:
                self._run(context)
            else:
                self.queue(context, ticket)
        if irq:
            for line, waiting in self._lines.items():
                if irq >> line & 1:
                    for entry in waiting:
                        self.queue(*entry)
        while queue and not self.finished:
            self._run(queue.popleft()[0])

    def close(self) -> None:
        """End the coroutines that still run."""
        for context in self._everyone:
            context.coroutine.close()

    def _set_timer(self, cycle: int, set_in: int, *, resumes: bool) -> None:
        self._serial += 1
        context = self._current
        heapq.heappush(self._timers, (cycle, set_in, self._serial, context, context.ticket, resumes))

    def _run(self, context: Context) -> None:
        while True:
            self._current = context
            context.queued = False
            context.ticket += 1
            try:
                context.coroutine.send(None)
            except StopIteration as end:
                self._everyone.discard(context)
                if context is self._main:
                    self.finished, self.result = True, end.value
                    return
            if not self._new:
                return
            context = self._new.popleft()
