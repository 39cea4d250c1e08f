"""The DMA port: one access outstanding, RX before TX (docs/engines/at91ether.md, section 2).

Between two accesses each side says in which cycle, as far as is known now, it will next request; the earlier is waited for and
granted. Whatever changes that prediction (a register write, a frame that starts, an end that is recorded) kicks the port to ask again.
"""

from __future__ import annotations

from collections.abc import Generator

import simpy

from model.bus import BusTiming
from model.events import RX, TX, EventLog
from model.kernel import Kernel

from .events import Kind
from .mover import Mover
from .transmitter import Transmitter

NEVER = 1 << 62


class Port:
    """Runs accesses over `memory` (a memoryview of bytes) with `bus` timing; `tx` and `rx` are the two requesters."""

    def __init__(self, kernel: Kernel, memory: memoryview, bus: BusTiming, log: EventLog,
                 tx: Transmitter, rx: Mover) -> None:
        self.kernel, self.memory, self.bus, self.log = kernel, memory, bus, log
        self.tx, self.rx = tx, rx
        self.idle_from = 0
        self.busy_cycles = 0
        self._busy = False
        self._news: simpy.Event | None = None
        kernel.process(self._run())

    def kick(self) -> None:
        """Something changed: ask again, or, while an access runs, let the mover take the steps that need no port."""
        if self._busy:
            self.rx.next_request(self.idle_from)
        elif self._news is not None and not self._news.triggered:
            self._news.succeed()

    def _ring(self, news: simpy.Event) -> None:
        if not news.triggered:
            news.succeed()

    def _run(self) -> Generator[simpy.Event, None, None]:
        kernel = self.kernel
        while True:
            now = kernel.now
            first = max(self.idle_from, (now + 2) // 4)  # phases 0 and 1 may still be granted in their cycle
            rx = self.rx.next_request(first)
            tx = self.tx.next_request(first)
            grant = min(rx, tx)
            time = 4 * grant + 1
            if grant == NEVER or (now != time and not kernel.skip_to(time)):
                self._news = kernel.event()
                if grant != NEVER:
                    kernel.call_at(time, self._ring, self._news)
                yield self._news
                self._news = None
                continue
            self._busy = True
            if rx <= tx:
                yield from self._rx_access(grant)
            else:
                yield from self._fetch(grant)
            self.busy_cycles += self.idle_from - grant
            self._busy = False

    def _until(self, cycle: int) -> Generator[simpy.Event, None, None]:
        """Wait for the edge that ends `cycle`."""
        time = 4 * cycle + 3
        if not self.kernel.skip_to(time):
            yield self.kernel.at(time)

    def _fetch(self, grant: int) -> Generator[simpy.Event, None, None]:
        frame, beats = self.tx.granted()
        a = grant + 1
        first, failed = self.bus.read(TX, a)
        step = self.bus.beat_interval
        last = first + (beats - 1) * step
        self.idle_from = last + 1
        self.log.add((a, Kind.TX_FETCH, TX, frame.number, frame.address | beats << 32))
        frame.arrivals.extend(range(first, last + 1, step))
        yield from self._until(first - 1)
        address = frame.address
        data = self.memory[address:address + 4 * beats].tobytes()
        yield from self._until(last)
        self.log.add((last, Kind.TX_FILL, TX, frame.number, 0))
        self.tx.filled(frame, data.ljust(4 * beats, b"\0"), last, failed)

    def _rx_access(self, grant: int) -> Generator[simpy.Event, None, None]:
        a = grant + 1
        access = self.rx.granted(a, self.bus.beat_interval)
        if access.data is None:
            first, failed = self.bus.read(RX, a)
            self.idle_from = first + 1
            yield from self._until(first - 1)
            word = self.memory[access.address:access.address + 4].tobytes().ljust(4, b"\0")
            yield from self._until(first)
            self.rx.done(first, failed, int.from_bytes(word, "little"))
            return
        last, done, failed = self.bus.write(RX, a, len(access.data) // 4)
        self.idle_from = done + 1
        yield from self._until(last)
        room = len(self.memory) - access.address
        if not failed and room > 0:
            data = access.data[:room]
            self.memory[access.address:access.address + len(data)] = data
        yield from self._until(done)
        self.rx.done(done, failed, 0)
