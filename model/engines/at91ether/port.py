"""The DMA port: one access outstanding, RX before TX (docs/engines/at91ether.md, section 2).

Between two accesses each side says in which cycle, as far as is known now, it will next request; the
earlier is waited for and granted. Whatever changes that prediction (a register write, a frame that
starts, an end that is recorded) kicks the port to ask again.
"""

from __future__ import annotations

from collections.abc import Generator

from model.bus import BusTiming
from model.events import RX, TX, EventLog
from model.kernel import Kernel

from .deframer import Deframer
from .events import Kind
from .mover import Mover
from .part import NEVER
from .transmitter import Transmitter

TX_FETCH, TX_FILL = int(Kind.TX_FETCH), int(Kind.TX_FILL)


class Port:
    """Runs accesses over `memory` (a memoryview of bytes) with `bus` timing; `tx` and `rx` are the two
    requesters, `deframer` fills the FIFO of `rx`.

    `_steps` is one long story that gives the times at which it goes on; `_go_on` lets it, at once where
    nothing lies between, and sees to what is due at the FIFOs meanwhile. That is a SimPy process without
    its events: a long frame has hundreds of such moments.
    """

    def __init__(self, kernel: Kernel, memory: memoryview, bus: BusTiming, log: EventLog,
                 tx: Transmitter, rx: Mover, deframer: Deframer) -> None:
        self.kernel, self.memory, self.bus, self.log = kernel, memory, bus, log
        self.tx, self.rx, self.deframer = tx, rx, deframer
        self.idle_from = 0
        self.busy_cycles = 0
        self._busy = False
        self._foresight = False
        self._story = self._steps()
        self._next = 0
        self._waits = 0
        kernel.call_at(0, self._go_on, 0)

    def kick(self) -> None:
        """Something changed: ask again, or, while an access runs, let the mover take the steps that need no
        port."""
        now = self.kernel.now
        self._foresight = False
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
        self._foresight = False
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
                self._foresight = False
            elif deframer.due == time:
                deframer.check_due()
                self._foresight = False
            else:
                self._next = next(self._story)

    def _clear(self, time: int) -> bool:
        """Make it `time` if nothing lies before but FIFO deadlines that are met; say whether that was
        done."""
        kernel, tx, deframer = self.kernel, self.tx, self.deframer
        while True:
            if deframer.due <= time:
                side = deframer if deframer.due <= tx.due else tx
            elif tx.due <= time:
                side = tx
            else:
                return kernel.skip_to(time)
            if not kernel.skip_to(side.due):
                return False
            if not side.check_due():
                self._foresight = False
                return False

    def _quiet(self, time: int) -> bool:
        """Make it `time` if nothing at all lies before; say whether that was done."""
        return self.tx.due > time and self.deframer.due > time and self.kernel.skip_to(time)

    def _steps(self) -> Generator[int, None, None]:
        """The story. What each side said of its next request holds until it was granted, or `_foresight` is
        lost: something else happened."""
        kernel, bus, log = self.kernel, self.bus, self.log.add
        tx, rx = self.tx, self.rx
        step = bus.beat_interval
        tx_at = rx_at = -1
        while True:
            first = (kernel.now + 2) // 4  # phases 0 and 1 may still be granted in their cycle
            if self.idle_from > first:
                first = self.idle_from
            if not self._foresight:
                self._foresight = True
                tx_at = rx_at = -1
            if rx_at < first:
                rx_at = rx.next_request(first)
            if tx_at < first:
                tx_at = tx.next_request(first)
            grant = rx_at if rx_at <= tx_at else tx_at
            if grant == NEVER:
                yield NEVER
                continue
            time = 4 * grant + 1
            if kernel.now != time and not self._clear(time):
                yield time
                if not self._foresight and (kernel.now != time or not self._still(rx_at, tx_at, grant)):
                    continue
            self._busy = True
            a = grant + 1
            if rx_at <= tx_at:
                rx_at = -1
                address, data = rx.granted(a, step)
                if data is None:
                    yield from self._read_word(a, address)
                else:
                    last, done, failed = bus.write(RX, a, len(data) // 4)
                    self.idle_from = done + 1
                    end = 4 * done + 3
                    quiet = self._quiet(end)
                    if not quiet and not self._clear(4 * last + 3):
                        yield 4 * last + 3
                    if not failed:
                        self._write(address, data)
                    if not quiet and not self._clear(end):
                        yield end
                    rx.done(done, failed, 0)
            else:
                tx_at = -1
                frame, beats = tx.granted()
                begin, failed = bus.read(TX, a)
                last = begin + (beats - 1) * step
                self.idle_from = last + 1
                address = frame.address
                log((a, TX_FETCH, TX, frame.number, address | beats << 32))
                tx.arrives(frame, begin, beats, step)
                end = 4 * last + 3
                quiet = self._quiet(end)  # then memory will not have changed till then either
                if not quiet and not self._clear(4 * begin - 1):
                    yield 4 * begin - 1
                tx.sampled(frame, self._read(address, beats))
                if not quiet and not self._clear(end):
                    yield end
                log((last, TX_FILL, TX, frame.number, 0))
                tx.filled(frame, last, failed)
            self.busy_cycles += self.idle_from - grant
            self._busy = False

    def _still(self, rx: int, tx: int, grant: int) -> bool:
        """Whether the prediction holds in the cycle for which it was made."""
        self._foresight = self.rx.next_request(grant) == rx and self.tx.next_request(grant) == tx
        return self._foresight

    def _read(self, address: int, words: int) -> bytes:
        """Words of host memory; zeros outside it."""
        data = self.memory[address:address + 4 * words].tobytes()
        return data if len(data) == 4 * words else data.ljust(4 * words, b"\0")

    def _write(self, address: int, data: bytes) -> None:
        """Change host memory; what lies outside it is lost."""
        room = len(self.memory) - address
        if room >= len(data):
            self.memory[address:address + len(data)] = data
        elif room > 0:
            self.memory[address:address + room] = data[:room]

    def _read_word(self, a: int, address: int) -> Generator[int, None, None]:
        """The mover's read of one word, its address taken in `a`."""
        first, failed = self.bus.read(RX, a)
        self.idle_from = first + 1
        if not self._clear(4 * first - 1):
            yield 4 * first - 1
        word = self._read(address, 1)
        if not self._clear(4 * first + 3):
            yield 4 * first + 3
        self.rx.done(first, failed, int.from_bytes(word, "little"))
