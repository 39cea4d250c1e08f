"""Contexts of execution and what they can ask of their CPU.

A context is a native coroutine that the CPU steps by hand: when it awaits one of the requests below it hands
the request over and stops until the CPU resumes it. No simulator or kernel takes part, so a switch costs a
few hundred nanoseconds of Python in either world, and the order of everything within one falling edge is the
host's own.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from enum import IntEnum
from types import coroutine
from typing import Any


class Kind(IntEnum):
    """What may interrupt what: a higher kind runs nested in a lower one."""

    PROCESS = 0
    SOFTIRQ = 1
    HARDIRQ = 2


class Context:
    """One coroutine on one CPU.

    Members: `kind`; `name` for messages; `remaining_cycles` of CPU time it has yet to spend; `charged_cycles`
    that the next spending adds; `condition` and `deadline_cycle` while blocked; `done` and `result` once it
    has returned.
    """

    __slots__ = ("charged_cycles", "condition", "coroutine", "deadline_cycle", "done", "kind", "name",
                 "on_exit", "remaining_cycles", "reply", "result", "spinning")

    def __init__(self, body: Coroutine[Any, Any, Any], kind: Kind, name: str,
                 on_exit: Callable[[], None] | None = None) -> None:
        self.coroutine = body
        self.kind = kind
        self.name = name
        self.remaining_cycles = 0
        self.charged_cycles = 0
        self.reply: Any = None
        self.condition: Callable[[], Any] | None = None
        self.deadline_cycle: int | None = None
        self.spinning = False
        self.done = False
        self.result: Any = None
        self.on_exit = on_exit

    def __repr__(self) -> str:
        return f"<{self.kind.name.lower()} {self.name}>"


class Read:
    """Request: a register read; the CPU stalls until the value is there."""

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset


class Block:
    """Request: leave the CPU until `condition()` is true or `deadline_cycle` is there; the reply says
    which."""

    __slots__ = ("condition", "deadline_cycle")

    def __init__(self, condition: Callable[[], Any], deadline_cycle: int | None) -> None:
        self.condition = condition
        self.deadline_cycle = deadline_cycle


class Yield:
    """Request: let the other ready processes of this CPU run first."""

    __slots__ = ()


class Spin:
    """Request: burn CPU time until the lock's holder hands it over."""

    __slots__ = ()


@coroutine
def ask(request: Any) -> Generator[Any, Any, Any]:
    """Hand `request` to the CPU and wait: a number of cycles to spend (0: a chance to be interrupted) or one
    of the request classes here. Returns the reply."""
    return (yield request)
