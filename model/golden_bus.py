"""Host memory as a golden engine reaches it: over the ideal bus, or over a PCIe link.

For engines with several reads outstanding and one write. Both buses have the same face: the engine says in
which cycle the address handshake is, and is called back as soon as the rest is known. Host memory
is changed and read here, at the edges that the specifications name.

Ref: docs/link.md; `model.bus` for the ideal bus.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from model.bus import BusTiming
from model.kernel import Kernel
from model.link import INTX_MESSAGE, MESSAGE_BASE, Link

Arrived = Callable[[int, bytes, bool], None]
"""Called with the cycle of the last beat, the bytes, and whether the burst failed."""
Replied = Callable[[int, bool], None]
"""Called with the cycle of B and whether the burst failed."""
Visible = Callable[[int, int, int], None]
"""Called with message number, data and the cycle at whose beginning the message arrives."""


class GoldenBus(Protocol):
    """What an engine needs of a bus. `width_bytes` of a beat."""

    on_message: Visible

    def handshake(self, earliest: int) -> int:
        """The cycle in which the memory takes a read's address that is offered from `earliest` on."""

    def read(self, requester: int, a: int, address: int, beats: int, arrived: Arrived) -> None:
        """A read burst of `beats` whole words with its AR handshake in `a`; `arrived` is called at the
        beginning of the first beat's cycle or before."""

    def write(self, requester: int, a: int, address: int, data: bytes, replied: Replied) -> None:
        """A write burst of the bytes from `address` on with its AW handshake in `a`; `replied` is called
        before the end of B's cycle. To be the last thing that a callback does (`Kernel.soon`)."""


class _Memory:
    """Bytes of host memory; accesses outside read zeros and write nothing, and are counted."""

    def __init__(self, memory: memoryview, width_bytes: int) -> None:
        self._memory = memory
        self._size = len(memory)
        self.width_bytes = width_bytes
        self.errors = 0

    def get(self, address: int, size: int) -> bytes:
        if address + size <= self._size:
            return bytes(self._memory[address:address + size])
        return b"".join(self._word(at) for at in range(address, address + size, self.width_bytes))

    def _word(self, address: int) -> bytes:
        if address + self.width_bytes <= self._size:
            return bytes(self._memory[address:address + self.width_bytes])
        self.errors += 1
        return bytes(self.width_bytes)

    def put(self, address: int, data: bytes) -> None:
        end = address + len(data)
        if end > self._size:
            self.errors += 1
            end = max(min(end, self._size), address)
        self._memory[address:end] = data[:end - address]

    def beats(self, address: int, size: int) -> int:
        """Of a write: bus words that the range touches."""
        width = self.width_bytes
        return (address + size - 1) // width - address // width + 1


class IdealBus(_Memory):
    """The bus of `model.bus`. Several reads may be open; their beats come one after the other."""

    def __init__(self, kernel: Kernel, memory: memoryview, timing: BusTiming, width_bytes: int,
                 on_message: Visible) -> None:
        super().__init__(memory, width_bytes)
        self._kernel, self._timing = kernel, timing
        self.on_message = on_message
        self.busy_cycles = 0
        self._last_beats: deque[int] = deque(maxlen=timing.outstanding)

    def handshake(self, earliest: int) -> int:
        lasts = self._last_beats
        return max(earliest, lasts[0] + 1) if len(lasts) == lasts.maxlen else earliest

    def read(self, requester: int, a: int, address: int, beats: int, arrived: Arrived) -> None:
        begin, last, failed = self._timing.read_in_order(requester, a, beats)
        self._last_beats.append(last)
        self.busy_cycles += beats
        self._kernel.soon(4 * begin, self._take, last, address, beats * self.width_bytes, failed, arrived)

    def _take(self, last: int, address: int, size: int, failed: bool, arrived: Arrived) -> None:
        arrived(last, self.get(address, size), failed)

    def write(self, requester: int, a: int, address: int, data: bytes, replied: Replied) -> None:
        beats = self.beats(address, len(data))
        last, done, failed = self._timing.write(requester, a, beats)
        self.busy_cycles += beats
        if failed:
            replied(done, True)
        elif address >= MESSAGE_BASE:
            self.on_message((address - MESSAGE_BASE) // 4, int.from_bytes(data, "little"), last + 1)
            replied(done, False)
        else:
            self._kernel.soon(4 * last + 3, self._written, address, data, done, replied)

    def _written(self, address: int, data: bytes, done: int, replied: Replied) -> None:
        self.put(address, data)
        replied(done, False)


class LinkBus(_Memory):
    """The bus behind a PCIe link: bursts are offered to it in the order of their stamps."""

    def __init__(self, kernel: Kernel, memory: memoryview, timing: BusTiming, width_bytes: int,
                 on_message: Visible, link: Link) -> None:
        super().__init__(memory, width_bytes)
        self._kernel, self._timing, self.link = kernel, timing, link
        self.on_message = on_message
        self.busy_cycles = 0
        self._last_beat = -1

    def handshake(self, earliest: int) -> int:
        return earliest

    def read(self, requester: int, a: int, address: int, beats: int, arrived: Arrived) -> None:
        extra, failed = self._timing.draw(requester, False)
        # after the write of the same stamp, which is booked at 4 * (a + 1)
        self._kernel.call_at(4 * a + 5, self._request, a, address, beats, extra, failed, arrived)

    def _request(self, a: int, address: int, beats: int, extra: int, failed: bool, arrived: Arrived) -> None:
        fetch = self.link.read(a, beats * self.width_bytes, extra)
        self._kernel.call_at(4 * fetch, self._complete, fetch, address, beats, failed, arrived)

    def _complete(self, fetch: int, address: int, beats: int, failed: bool, arrived: Arrived) -> None:
        size = beats * self.width_bytes
        begin = max(self.link.complete(fetch, address, size), self._last_beat + 1)
        self._last_beat = begin + (beats - 1) * self._timing.beat_interval
        self.busy_cycles += beats
        arrived(self._last_beat, self.get(address, size), failed)

    def write(self, requester: int, a: int, address: int, data: bytes, replied: Replied) -> None:
        _, failed = self._timing.draw(requester, True)
        beats = self.beats(address, len(data))
        self.busy_cycles += beats
        last = a + 1 + (beats - 1) * self._timing.beat_interval
        self._kernel.call_at(4 * (last + 1), self._post, last, address, data, failed, replied)

    def _post(self, last: int, address: int, data: bytes, failed: bool, replied: Replied) -> None:
        end = address + len(data)
        visible, reply = self.link.write(last, (end + 3 & ~3) - (address & ~3))
        if failed:
            pass
        elif address >= MESSAGE_BASE:
            self.on_message((address - MESSAGE_BASE) // 4, int.from_bytes(data, "little"), visible)
        else:
            self._kernel.call_at(4 * visible - 1, self.put, address, data)
        replied(reply, False)


__all__ = ["INTX_MESSAGE", "MESSAGE_BASE", "GoldenBus", "IdealBus", "LinkBus"]
