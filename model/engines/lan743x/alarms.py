"""Cycles for which a machine has asked to be looked at, each once."""

from __future__ import annotations

from collections.abc import Callable

from model.kernel import Kernel


class Alarms:
    """Calls `action(cycle)` in `phase` of each cycle that was asked for."""

    __slots__ = ("_action", "_asked", "_call_at", "_phase", "_soon")

    def __init__(self, kernel: Kernel, phase: int, action: Callable[[int], None]) -> None:
        self._soon = kernel.soon
        self._call_at, self._phase, self._action = kernel.call_at, phase, action
        self._asked: set[int] = set()

    def ask(self, cycle: int) -> None:
        """Look in `cycle`."""
        if cycle not in self._asked:
            self._asked.add(cycle)
            self._call_at(4 * cycle + self._phase, self._ring, cycle)

    def ask_last(self, cycle: int) -> None:
        """The same as the last thing that a callback does: at once if nothing comes before."""
        if cycle not in self._asked:
            self._asked.add(cycle)
            self._soon(4 * cycle + self._phase, self._ring, cycle)

    def _ring(self, cycle: int) -> None:
        self._asked.remove(cycle)
        self._action(cycle)
