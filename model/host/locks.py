"""Locks and the switches that keep interrupts and bottom halves away: `async with lock.irqsave(): ...` and
the like."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from model.host.context import Context, Spin, ask

if TYPE_CHECKING:
    from model.host.cpu import Cpu
    from model.host.host import Host

HAND_OVER_CYCLES = 1
"""From a release to the moment a spinning CPU has the lock: it has to see the line of memory change."""


class SpinLock:
    """A ticket lock: CPUs that spin get it in the order in which they came.

    On one CPU taking it only costs the label `lock`; an attempt to take it twice raises RuntimeError, as it
    would hang a machine. Waiting is accounted to the label `spin`.
    """

    def __init__(self, host: Host, name: str) -> None:
        self.host = host
        self.name = name
        self.holder: Cpu | None = None
        self._queue: deque[tuple[Cpu, Context]] = deque()

    def irqsave(self) -> _Section:
        """A section that holds the lock with local interrupts off (spin_lock_irqsave ...
        unlock_irqrestore)."""
        return _Section(self.host, irqs=True, lock=self)

    def plain(self) -> _Section:
        """A section that holds the lock (spin_lock ... unlock): for handlers, where interrupts are off
        already."""
        return _Section(self.host, lock=self)

    async def acquire(self) -> None:
        """Take the lock on the present CPU."""
        self.host.charge("lock")
        cpu = self.host.cpu
        if self.holder is None:
            self.holder = cpu
            return
        if self.holder is cpu:
            raise RuntimeError(f"deadlock: CPU {cpu.number} holds {self.name} and takes it again")
        await self.host.settle()
        if self.holder is None:
            self.holder = cpu
            return
        self._queue.append((cpu, cpu.running))
        began = self.host.now
        await ask(Spin())
        self.host.account("spin", self.host.now - began)

    def release(self) -> None:
        """Give it up; the first CPU in the queue gets it."""
        self.holder = None
        if self._queue:
            self.holder, context = self._queue.popleft()
            self.holder.hand_over(context, HAND_OVER_CYCLES)


class _Section:
    """Interrupts, bottom halves or a lock held from `__aenter__` to `__aexit__`, in that order and back."""

    __slots__ = ("_bottom_halves", "_host", "_irqs", "_lock")

    def __init__(self, host: Host, irqs: bool = False, bottom_halves: bool = False,
                 lock: SpinLock | None = None) -> None:
        self._host = host
        self._irqs = irqs
        self._bottom_halves = bottom_halves
        self._lock = lock

    async def __aenter__(self) -> None:
        cpu = self._host.cpu
        if self._irqs:   # what was charged before is spent, and what is due is taken, with interrupts on
            await self._host.settle()
        cpu.irqs_off += self._irqs
        cpu.bottom_halves_off += self._bottom_halves
        if self._lock is not None:
            await self._lock.acquire()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        cpu = self._host.cpu
        if kind is None and (self._irqs or len(self._host.cpus) > 1):
            await self._host.settle()   # what was charged inside is spent inside
        if self._lock is not None:
            self._lock.release()
        cpu.bottom_halves_off -= self._bottom_halves
        cpu.irqs_off -= self._irqs
        if kind is None:
            await self._host.settle()   # what came meanwhile is taken before the next statement


def irqs_off(host: Host) -> _Section:
    """A section with local interrupts off (local_irq_save ... restore)."""
    return _Section(host, irqs=True)


def bottom_halves_off(host: Host) -> _Section:
    """A section in which no softirq runs on this CPU (local_bh_disable ... enable)."""
    return _Section(host, bottom_halves=True)
