"""Softirqs of one CPU, and NET_RX: the polling of network devices.

As in the kernel (`__do_softirq`, `net_rx_action`, `__napi_poll` of about v5.10):

- what was raised while softirqs ran is run in further rounds, at most `ROUNDS` and no new one after
  `ROUNDS_NS`; what is left is ksoftirqd's, a process like others: here it waits until the present process
  blocks, yields or ends, or until there is none;
- NET_RX polls each device on its list once, or until `BUDGET_FRAMES` are spent or `BUDGET_NS` have passed;
  who used up its weight goes to the end of the list, and NET_RX is raised again if the list is not empty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from model.platforms import NS_PER_S

if TYPE_CHECKING:
    from model.host.host import Host
    from model.host.napi import Napi

Action = Callable[[], Coroutine[Any, Any, Any]]

NET_TX_SOFTIRQ, NET_RX_SOFTIRQ = 2, 3
"""The kernel's numbers: freeing comes before receiving."""
ROUNDS = 10
"""MAX_SOFTIRQ_RESTART."""
ROUNDS_NS = 2_000_000
"""MAX_SOFTIRQ_TIME."""
BUDGET_FRAMES = 300
"""net.core.netdev_budget."""
BUDGET_NS = 2_000_000
"""net.core.netdev_budget_usecs, with HZ = 1000."""


class Softirqs:
    """What is raised on one CPU. Members: `deferred` while what is left over waits for a process;
    `polling` the devices that NET_RX has to poll; `squeezed` how often its budget ended it."""

    def __init__(self, host: Host) -> None:
        self.deferred = False
        self.polling: deque[Napi] = deque()
        self.squeezed = 0
        self._host = host
        self._raised: dict[tuple[int, Action], None] = {}
        self._rounds_cycles = ROUNDS_NS * host.world.clock_hz // NS_PER_S
        self._budget_cycles = BUDGET_NS * host.world.clock_hz // NS_PER_S

    def raise_softirq(self, number: int, action: Action) -> None:
        """Have `action` run as softirq `number`; raising it again before it runs changes nothing."""
        self._raised[number, action] = None

    def schedule(self, napi: Napi) -> None:
        """Put a device on NET_RX's list."""
        self.polling.append(napi)
        self.raise_softirq(NET_RX_SOFTIRQ, self._net_rx)

    def due(self) -> bool:
        """Whether any is to run as soon as the rules of the CPU allow."""
        return bool(self._raised) and not self.deferred

    def resume(self) -> bool:
        """It is ksoftirqd's turn; says whether it has anything to do."""
        was_deferred, self.deferred = self.deferred, False
        return was_deferred

    async def run(self) -> None:
        """Run what is raised, in order of the numbers."""
        host, began = self._host, self._host.now
        host.charge("softirq")
        for _ in range(ROUNDS):
            raised, self._raised = self._raised, {}
            for _, action in sorted(raised, key=_number):
                await action()
            if not self._raised or host.now - began >= self._rounds_cycles:
                break
        self.deferred = bool(self._raised)
        await host.settle()

    async def _net_rx(self) -> None:
        host, began, budget = self._host, self._host.now, BUDGET_FRAMES
        turn, self.polling = self.polling, deque()
        again: list[Napi] = []
        while turn:
            napi = turn.popleft()
            host.charge("napi")
            work, repoll = await napi.run()
            if repoll:
                again.append(napi)
            budget -= work
            if budget <= 0 or host.now - began >= self._budget_cycles:
                self.squeezed += 1
                break
        self.polling = turn + self.polling
        self.polling.extend(again)
        if self.polling:
            self.raise_softirq(NET_RX_SOFTIRQ, self._net_rx)


def _number(raised: tuple[int, Action]) -> int:
    return raised[0]
