"""The golden world's clockwork: SimPy with whole numbers for time and a short cut through an empty queue.

Time is 4 * cycle + phase (see the phases below), so that what the engine, the arbiter and the driver do in
one cycle has an order and nothing is ever simultaneous. SimPy 4.1.2's queue is kept as it is; three things
are added:

- absolute times (`at`, `call_at`), because timing specifications speak of cycles, not of delays;
- bare calls in the queue, which cost a third of an event, and `Alarms` made of them;
- `skip_to` and `soon`, which move `now` without a trip through the queue. Most steps of a golden engine
  wait for a moment before which nothing else can happen; such a step costs one comparison instead of an
  event, a push and a pop.

`skip_to` needs the subclass for two reasons: `now` has no setter, and while an event with several callbacks
is being processed the later ones have yet to run at the present time, which `peek()` alone does not show.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush
from typing import Any

import simpy
from simpy.events import NORMAL

PHASES = 4
MOST_DEPTH = 40
"""Of calls within calls that `soon` makes."""
CALL_ITEMS = 5
"""Of an entry of the queue that is a bare call; an event's has four."""
STATE, ARBITRATION, DRIVER, EDGE = range(PHASES)
"""State of the cycle; arbitration; the driver's falling edge; the rising edge that ends the cycle."""


class Kernel(simpy.Environment):
    """A SimPy environment whose time is `PHASES * cycle + phase`, an int."""

    def __init__(self) -> None:
        super().__init__(0)
        self._others_wait = False
        self._depth = 0

    @property
    def cycle(self) -> int:
        """The cycle of the present moment."""
        return self._now // PHASES

    def at(self, time: int) -> simpy.Timeout:
        """An event at the absolute `time`; raises ValueError if that has passed."""
        if time < self._now:
            raise ValueError(f"time {time} has passed, it is {self._now}")
        return simpy.Timeout(self, time - self._now)

    def call_at(self, time: int, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args)` at the absolute `time`; ValueError if that has passed.

        The entry in SimPy's queue is a bare call, not an event with callbacks: nobody can wait for it, and it
        costs a third.
        """
        if time < self._now:
            raise ValueError(f"time {time} has passed, it is {self._now}")
        heappush(self._queue, (time, NORMAL, next(self._eid), function, args))

    def soon(self, time: int, function: Callable[..., Any], *args: Any) -> None:
        """`call_at`, but at once if nothing is due before or at `time`. To be the last thing that a callback
        does: what comes after it would find itself at the later time."""
        queue = self._queue
        if (self._depth < MOST_DEPTH and not self._others_wait and time >= self._now
                and not (queue and queue[0][0] <= time)):
            self._now = time
            self._depth += 1
            function(*args)
            self._depth -= 1
        else:
            self.call_at(time, function, *args)

    def skip_to(self, time: int) -> bool:
        """Make it `time` at once if nothing is due before or at it; say whether that was done.

        For the running process or callback only. The usual form in a process is
        `if not kernel.skip_to(t): yield kernel.at(t)` (or `await On(kernel.at(t))`).
        """
        if self._others_wait or time < self._now:
            return False
        if self._queue and self._queue[0][0] <= time:
            return False
        self._now = time
        return True

    def step(self) -> None:
        """Process all bare calls that come before the next event, and that event (as SimPy does), noting
        first whether more than one callback hears it."""
        queue = self._queue
        if queue and len(queue[0]) == CALL_ITEMS:
            self._others_wait = False
            while queue and len(queue[0]) == CALL_ITEMS:
                self._now, _, _, function, args = heappop(queue)
                self._depth = 0
                function(*args)
            if not queue:
                return
        if queue:
            self._others_wait = len(queue[0][3].callbacks) > 1
        super().step()


class Alarms:
    """Cycles for which a machine has asked to be looked at, each once: `action(cycle)` is called in `phase`
    of each."""

    __slots__ = ("_action", "_asked", "_kernel", "_phase", "_queue")

    def __init__(self, kernel: Kernel, phase: int, action: Callable[[int], None]) -> None:
        self._kernel, self._queue, self._phase, self._action = kernel, kernel._queue, phase, action
        self._asked: set[int] = set()

    def ask(self, cycle: int) -> None:
        """Look in `cycle`, which has not passed."""
        if cycle not in self._asked:
            self._asked.add(cycle)
            heappush(self._queue, (PHASES * cycle + self._phase, NORMAL, next(self._kernel._eid), self._ring,
                                   (cycle,)))

    def ask_last(self, cycle: int) -> None:
        """The same as the last thing that a callback does: at once if nothing comes before
        (`Kernel.soon`)."""
        if cycle not in self._asked:
            self._asked.add(cycle)
            self._kernel.soon(PHASES * cycle + self._phase, self._ring, cycle)

    def _ring(self, cycle: int) -> None:
        self._asked.remove(cycle)
        self._action(cycle)


class On:
    """Await a SimPy event from a native coroutine: SimPy runs the coroutine, this hands it the event."""

    __slots__ = ("event",)

    def __init__(self, event: simpy.Event) -> None:
        self.event = event

    def __await__(self) -> Generator[simpy.Event, Any, Any]:
        return (yield self.event)
