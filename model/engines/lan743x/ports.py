"""The two ports of the engine: who is granted in which cycle (docs/engines/lan743x.md, section 2).

A requester tells its port from which cycle on it may want something (`kick`) and is asked in that cycle's
arbitration phase, and again in each cycle in which the answer may be another. Nothing is asked in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from model.golden_bus import GoldenBus
from model.kernel import ARBITRATION, Alarms, Kernel

from .part import NEVER
from .prefetch import URGENT


class Requester(Protocol):
    """Members: `wants(w)`, whether it requests in cycle *w*; `granted(w, a)`, it is granted in *w*, with the
    address handshake in *a*: the last thing that the port does (`Kernel.soon`)."""

    def wants(self, w: int) -> bool: ...

    def granted(self, w: int, a: int) -> None: ...


class _Port:
    """Asks, once for each cycle for which it was kicked and in which it is free."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._alarms = Alarms(kernel, ARBITRATION, self._ask)
        self.free_from = 0

    def kick(self, cycle: int) -> None:
        """Somebody may request from `cycle` on."""
        free = self.free_from
        self._alarms.ask(free if cycle < free < NEVER else cycle)

    def _ask(self, cycle: int) -> None:
        if cycle >= self.free_from:
            self._choose(cycle)
        elif self.free_from < NEVER:   # else everybody is asked once it is free
            self._alarms.ask(self.free_from)

    def _choose(self, w: int) -> None:
        raise NotImplementedError


class ReadPort(_Port):
    """`rx`, the prefetchers of the RX channels, before `tx`, that of the TX channel, where urgent; then the
    `loader`; then the prefetchers again. At most `tags` reads are open."""

    def __init__(self, kernel: Kernel, bus: GoldenBus, tags: int) -> None:
        super().__init__(kernel)
        self.bus, self.tags = bus, tags
        self.open = 0
        self.rx: Sequence = ()
        self.tx = None
        self.loader = None
        self.prefetchers: tuple = ()

    def connect(self, rx: Sequence, tx, loader) -> None:
        """Who requests."""
        self.rx, self.tx, self.loader = rx, tx, loader
        self.prefetchers = (*rx, tx)

    def closed(self, d: int) -> None:
        """The last beat of a read is taken in `d` (called in its last phase)."""
        if self.open == self.tags:
            self.kick(d + 1)
        self.open -= 1

    def _choose(self, w: int) -> None:
        if self.open >= self.tags:
            return
        urgent = normal = None
        waiting = 0
        for prefetcher in self.prefetchers:
            urgency = prefetcher.urgency(w)
            if urgency:
                waiting += 1
                if urgency == URGENT:
                    urgent = urgent or prefetcher
                else:
                    normal = normal or prefetcher
        loader = None
        if self.loader.wants(w):
            loader = self.loader
            waiting += 1
        chosen = urgent or loader or normal
        if chosen is not None:
            self.open += 1
            a = self.bus.handshake(w + 1)
            self.free_from = a + 1
            if waiting > 1:
                self.kick(a + 1)
            chosen.granted(w, a)


class WritePort(_Port):
    """One write at a time; `requesters`, the most urgent first."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.requesters: Sequence[Requester] = ()

    def _choose(self, w: int) -> None:
        for requester in self.requesters:
            if requester.wants(w):
                self.free_from = NEVER
                requester.granted(w, w + 1)
                return

    def replying(self, written: Callable[[int, bool], None]) -> Callable[[int, bool], None]:
        """What to hand to the bus: calls `written(d, failed)` at the end of B's cycle *d* and frees the
        port."""
        def replied(d: int, failed: bool) -> None:
            self._kernel.soon(4 * d + 3, self._written, d, failed, written)
        return replied

    def _written(self, d: int, failed: bool, written: Callable[[int, bool], None]) -> None:
        self.free_from = d + 1
        written(d, failed)
        self._alarms.ask_last(d + 1)
