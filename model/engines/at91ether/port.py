"""The DMA port: one access outstanding, RX before TX (docs/engines/at91ether.md, section 2).

Between two accesses each side says in which cycle, as far as is known now, it will next request; the earlier is waited for and
granted. Whatever changes that prediction (a register write, a frame that starts, an end that is recorded) kicks the port to ask again.
"""

from __future__ import annotations

from collections.abc import Generator

from model.bus import BusTiming
from model.events import RX, TX, EventLog
from model.kernel import Kernel

from .deframer import Deframer
from .events import Kind
from .mover import Mover
from .transmitter import Transmitter

NEVER = 1 << 62


class Port:
    """Runs accesses over `memory` (a memoryview of bytes) with `bus` timing; `tx` and `rx` are the two requesters, `deframer` fills the FIFO of `rx`.

    `_steps` is one long story that gives the times at which it goes on; `_go_on` lets it, at once where nothing lies between, and sees to what is due
    at the FIFOs meanwhile. That is a SimPy process without its events: a long frame has hundreds of such moments.
    """

    def __init__(self, kernel: Kernel, memory: memoryview, bus: BusTiming, log: EventLog,
                 tx: Transmitter, rx: Mover, deframer: Deframer) -> None:
        self.kernel, self.memory, self.bus, self.log = kernel, memory, bus, log
        self.tx, self.rx, self.deframer = tx, rx, deframer
        self.idle_from = 0
        self.busy_cycles = 0
        self._busy = False
        self._undisturbed = False
        self._story = self._steps()
        self._next = 0
        self._waits = 0
        kernel.call_at(0, self._go_on, 0)

    def kick(self) -> None:
        """Something changed: ask again, or, while an access runs, let the mover take the steps that need no port."""
        now = self.kernel.now
        if self._busy:
            self.rx.next_request(self.idle_from)
        else:
            self._next = now
        self._waits += 1
        self.kernel.call_at(now, self._go_on, self._waits)

    def _go_on(self, wait: int) -> None:
        """Go on after wait number `wait`, unless a kick has ended that already."""
        if wait != self._waits:
            return
        kernel, tx, deframer = self.kernel, self.tx, self.deframer
        self._undisturbed = False
        while True:
            time = min(self._next, tx.due, deframer.due)
            if time == NEVER:
                return
            if kernel.now != time and not kernel.skip_to(time):
                self._waits += 1
                kernel.call_at(time, self._go_on, self._waits)
                return
            if tx.due == time:
                tx.check_due()
                self._undisturbed = False
            elif deframer.due == time:
                deframer.check_due()
                self._undisturbed = False
            else:
                self._next = next(self._story)
                self._undisturbed = True

    def _clear(self, time: int) -> bool:
        """Make it `time` if nothing at all is due before; say whether that was done."""
        return self.tx.due > time and self.deframer.due > time and self.kernel.skip_to(time)

    def _steps(self) -> Generator[int, None, None]:
        kernel = self.kernel
        while True:
            first = max(self.idle_from, (kernel.now + 2) // 4)  # phases 0 and 1 may still be granted in their cycle
            rx = self.rx.next_request(first)
            tx = self.tx.next_request(first)
            grant = rx if rx <= tx else tx
            time = NEVER if grant == NEVER else 4 * grant + 1
            if kernel.now != time and not (grant != NEVER and self._clear(time)):
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
        self.tx.arrives(frame, first, beats, step)
        end = 4 * last + 3
        quiet = self._clear(end)  # then memory will not have changed till then either
        if not quiet:
            yield 4 * first - 1
        address = frame.address
        data = self.memory[address:address + 4 * beats].tobytes()
        self.tx.sampled(frame, data.ljust(4 * beats, b"\0"))
        if not quiet:
            yield end
        self.log.add((last, Kind.TX_FILL, TX, frame.number, 0))
        self.tx.filled(frame, last, failed)

    def _rx_access(self, grant: int) -> Generator[int, None, None]:
        a = grant + 1
        access = self.rx.granted(a, self.bus.beat_interval)
        if access.data is None:
            first, failed = self.bus.read(RX, a)
            self.idle_from = first + 1
            if not self._clear(4 * first - 1):
                yield 4 * first - 1
            word = self.memory[access.address:access.address + 4].tobytes().ljust(4, b"\0")
            if not self._clear(4 * first + 3):
                yield 4 * first + 3
            self.rx.done(first, failed, int.from_bytes(word, "little"))
            return
        last, done, failed = self.bus.write(RX, a, len(access.data) // 4)
        self.idle_from = done + 1
        if not self._clear(4 * last + 3):
            yield 4 * last + 3
        room = len(self.memory) - access.address
        if not failed and room > 0:
            data = access.data[:room]
            self.memory[access.address:access.address + len(data)] = data
        if not self._clear(4 * done + 3):
            yield 4 * done + 3
        self.rx.done(done, failed, 0)
