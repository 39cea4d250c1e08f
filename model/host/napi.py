"""NAPI: an interrupt schedules, the softirq polls.

Ref: the kernel's napi_schedule_prep, napi_complete_done, napi_disable, __napi_poll.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model.host.host import Host

NAPI_POLL_WEIGHT = 64
"""What the kernel thinks right; drivers may ask for more."""

Poll = Callable[[int], Coroutine[Any, Any, int]]


class Napi:
    """One thing that is polled.

    Parameters: `host`; `poll`, a coroutine function that is given the weight and returns how many frames it
    took (the weight if it wants to be polled again, in which case it must not have completed); `weight`.
    Members: `polls`, `frames`, `full_polls` (with the whole weight used) counted; `scheduled` from an
    interrupt to the completion.
    """

    def __init__(self, host: Host, poll: Poll, weight: int) -> None:
        self.host = host
        self.poll = poll
        self.weight = weight
        self.scheduled = True   # as the kernel's netif_napi_add leaves it: nothing comes before enable
        self.polls = self.frames = self.full_polls = 0
        self._missed = False
        self._disabling = False

    def enable(self) -> None:
        """Let interrupts schedule it."""
        self.scheduled = self._missed = False

    async def disable(self) -> None:
        """Wait for a poll under way, and let nothing schedule it any more. For processes."""
        self._disabling = True
        await self.host.cpu.block_until(lambda: not self.scheduled)
        self.scheduled, self._disabling = True, False

    def schedule(self) -> bool:
        """From an interrupt handler: have it polled. False if it is scheduled already (it is then polled once
        more) or being disabled."""
        if self._disabling:
            return False
        if self.scheduled:
            self._missed = True
            return False
        self.scheduled = True
        self.host.cpu.softirqs.schedule(self)
        return True

    def complete_done(self) -> bool:
        """From the poll: nothing is left to do. False if an interrupt came meanwhile and it stays scheduled:
        interrupts are then to be left off."""
        if self._missed and not self._disabling:
            self._missed = False
            self.host.cpu.softirqs.schedule(self)
            return False
        self.scheduled = self._missed = False
        return True

    async def run(self) -> tuple[int, bool]:
        """One poll; how many frames, and whether it is to go on."""
        if not self.scheduled:
            return 0, False
        work = await self.poll(self.weight)
        self.polls += 1
        if work < self.weight:
            self.frames += work
            return work, False
        self.frames += work
        self.full_polls += 1
        if self._disabling:
            self.complete_done()
            return work, False
        return work, True
