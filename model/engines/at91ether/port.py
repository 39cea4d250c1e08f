"""The DMA port: one access outstanding, RX before TX (docs/engines/at91ether.md, section 2).

Between two accesses each side says in which cycle, as far as is known now, it will next request; the earlier is waited for and
granted. Whatever changes that prediction (a register write, a frame that starts, an end that is recorded) kicks the port to ask again.
"""

from __future__ import annotations

from collections.abc import Generator

from model.bus import BusTiming
from model.events import RX, TX, EventLog
from model.kernel import Kernel

from .events import Kind
from .mover import Mover
from .transmitter import Transmitter

NEVER = 1 << 62


class Port:
    """Runs accesses over `memory` (a memoryview of bytes) with `bus` timing; `tx` and `rx` are the two requesters.

    `_steps` is one long story that gives the times at which it goes on; `_go_on` lets it, at once where nothing lies between. That is a SimPy process
    without its events: a long frame has hundreds of such moments.
    """

    def __init__(self, kernel: Kernel, memory: memoryview, bus: BusTiming, log: EventLog,
                 tx: Transmitter, rx: Mover) -> None:
        self.kernel, self.memory, self.bus, self.log = kernel, memory, bus, log
        self.tx, self.rx = tx, rx
        self.idle_from = 0
        self.busy_cycles = 0
        self._busy = False
        self._undisturbed = False
        self._story = self._steps()
        self._waits = 0
        kernel.call_at(0, self._go_on, 0)

    def kick(self) -> None:
        """Something changed: ask again, or, while an access runs, let the mover take the steps that need no port."""
        if self._busy:
            self.rx.next_request(self.idle_from)
        else:
            self._waits += 1
            self.kernel.call_at(self.kernel.now, self._go_on, self._waits)

    def _go_on(self, wait: int) -> None:
        """Go on from wait number `wait`, unless a kick has ended that already."""
        if wait != self._waits:
            return
        kernel = self.kernel
        self._undisturbed = False
        for time in self._story:
            if time == NEVER:
                return
            self._undisturbed = kernel.skip_to(time)
            if not self._undisturbed and kernel.now != time:
                self._waits += 1
                kernel.call_at(time, self._go_on, self._waits)
                return

    def _steps(self) -> Generator[int, None, None]:
        kernel = self.kernel
        while True:
            first = max(self.idle_from, (kernel.now + 2) // 4)  # phases 0 and 1 may still be granted in their cycle
            rx = self.rx.next_request(first)
            tx = self.tx.next_request(first)
            grant = min(rx, tx)
            time = NEVER if grant == NEVER else 4 * grant + 1
            if kernel.now != time:
                yield time
                if not self._undisturbed and (kernel.now != time or not self._still(rx, tx, grant)):
                    continue
            self._busy = True
            if rx <= tx:
                yield from self._rx_access(grant)
            else:
                yield from self._fetch(grant)
            self.busy_cycles += self.idle_from - grant
            self._busy = False

    def _still(self, rx: int, tx: int, grant: int) -> bool:
        """Whether the prediction holds in the cycle for which it was made."""
        return self.rx.next_request(grant) == rx and self.tx.next_request(grant) == tx

    def _fetch(self, grant: int) -> Generator[int, None, None]:
        frame, beats = self.tx.granted()
        a = grant + 1
        first, failed = self.bus.read(TX, a)
        step = self.bus.beat_interval
        last = first + (beats - 1) * step
        self.idle_from = last + 1
        self.log.add((a, Kind.TX_FETCH, TX, frame.number, frame.address | beats << 32))
        frame.arrivals.extend(range(first, last + 1, step))
        yield 4 * first - 1
        address = frame.address
        data = self.memory[address:address + 4 * beats].tobytes()
        yield 4 * last + 3
        self.log.add((last, Kind.TX_FILL, TX, frame.number, 0))
        self.tx.filled(frame, data.ljust(4 * beats, b"\0"), last, failed)

    def _rx_access(self, grant: int) -> Generator[int, None, None]:
        a = grant + 1
        access = self.rx.granted(a, self.bus.beat_interval)
        if access.data is None:
            first, failed = self.bus.read(RX, a)
            self.idle_from = first + 1
            yield 4 * first - 1
            word = self.memory[access.address:access.address + 4].tobytes().ljust(4, b"\0")
            yield 4 * first + 3
            self.rx.done(first, failed, int.from_bytes(word, "little"))
            return
        last, done, failed = self.bus.write(RX, a, len(access.data) // 4)
        self.idle_from = done + 1
        yield 4 * last + 3
        room = len(self.memory) - access.address
        if not failed and room > 0:
            data = access.data[:room]
            self.memory[access.address:access.address + len(data)] = data
        yield 4 * done + 3
        self.rx.done(done, failed, 0)
