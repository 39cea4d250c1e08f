"""A PCIe link between an engine's bus and host memory: which packet is where in which cycle.

Ref: docs/link.md, which the simulated top is written from as well; pcie-bench (Neugebauer et al., SIGCOMM
2018) for the headers and what data link packets take away; PCI Express base specification 2.0, tables of
ACK latency limits.

Only arithmetic is here. Who offers packets has to do it in the order of their stamps (`golden_bus` does).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from model.errors import BenchError

UNITS = 65536
"""Of a cycle: the resolution of times on the wire."""
WRITE_HEADER_BYTES, READ_HEADER_BYTES, COMPLETION_HEADER_BYTES = 24, 24, 20
REGISTER_BYTES = 4
CREDIT_BYTES = 16
"""Of payload for one data credit."""
MESSAGE_BASE = 0xFEE0_0000
"""Writes from here on are messages; message number = offset / 4."""
INTX_MESSAGE = 16
"""The message that moves the legacy interrupt line, to the level of its data's bit 0."""

GIGATRANSFERS = {1: 2.5e9, 2: 5e9}
LINE_CODE = 8 / 10
DLLP_BYTES, SKP_BYTES, SKP_INTERVAL = 8, 4, 1538
ACK_LIMIT = {
    (1, 128): {1: 237, 2: 128, 4: 73, 8: 67, 16: 48}, (1, 256): {1: 416, 2: 217, 4: 118, 8: 107, 16: 72},
    (1, 512): {1: 559, 2: 289, 4: 154, 8: 86, 16: 86}, (2, 128): {1: 288, 2: 179, 4: 124, 8: 118, 16: 99},
    (2, 256): {1: 467, 2: 268, 4: 169, 8: 158, 16: 123}, (2, 512): {1: 610, 2: 340, 4: 205, 8: 137, 16: 137},
}
"""Symbol times by (generation, MPS) and lanes."""


@dataclass(frozen=True)
class LinkTiming:
    """What a link is. Bytes, nanoseconds and credits as in docs/link.md, section 4."""

    generation: int = 1
    lanes: int = 1
    mps_bytes: int = 128
    mrrs_bytes: int = 512
    rcb_bytes: int = 64
    up_latency_ns: int = 150
    down_latency_ns: int = 150
    memory_latency_ns: int = 250
    credit_return_ns: int = 100
    posted_headers: int = 16
    posted_data: int = 64
    nonposted_headers: int = 8
    posted_room_bytes: int = 512

    def share(self) -> float:
        """Part of the raw byte rate that is left to TLPs. BenchError for a width or MPS without a limit."""
        limits = ACK_LIMIT.get((self.generation, self.mps_bytes), {})
        if self.lanes not in limits:
            known = sorted((*key, lanes) for key, row in ACK_LIMIT.items() for lanes in row)
            raise BenchError.of("link", "generation, mps, lanes",
                                (self.generation, self.mps_bytes, self.lanes), f"one of {known}")
        return 1 - 2 * DLLP_BYTES / limits[self.lanes] - SKP_BYTES / SKP_INTERVAL

    def raw_bytes_per_s(self) -> float:
        """Of symbols, behind the line code."""
        return GIGATRANSFERS[self.generation] * self.lanes * LINE_CODE / 8

    def byte_units(self, clock_hz: int) -> int:
        """How long a byte takes."""
        share = self.share()
        return round(UNITS * clock_hz / (self.raw_bytes_per_s() * share))

    def cycles(self, ns: int, clock_hz: int) -> int:
        """A latency in whole cycles, at least 1."""
        return max(1, round(ns * clock_hz / 1e9))

    def numbers(self, clock_hz: int) -> dict[str, int]:
        """Everything that the native library needs, in bytes, units, cycles and credits."""
        return {"byte_units": self.byte_units(clock_hz), "mps": self.mps_bytes, "mrrs": self.mrrs_bytes,
                "rcb": self.rcb_bytes, "up_latency": self.cycles(self.up_latency_ns, clock_hz),
                "down_latency": self.cycles(self.down_latency_ns, clock_hz),
                "memory_latency": self.cycles(self.memory_latency_ns, clock_hz),
                "credit_return": self.cycles(self.credit_return_ns, clock_hz),
                "posted_headers": self.posted_headers, "posted_data": self.posted_data,
                "nonposted_headers": self.nonposted_headers,
                "posted_room_units": self.posted_room_bytes * self.byte_units(clock_hz)}


class _Credits:
    """Credits of one kind: `limit`, and when those in use come back (cycles, in order)."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.free = limit
        self._returns: deque[tuple[int, int]] = deque()

    def start(self, earliest: int, needed: int) -> int:
        """The first unit from `earliest` on at which `needed` are free; takes them."""
        returns = self._returns
        while returns and returns[0][0] * UNITS <= earliest:
            self.free += returns.popleft()[1]
        while self.free < needed:
            cycle, count = returns.popleft()
            self.free += count
            earliest = max(earliest, cycle * UNITS)
        self.free -= needed
        return earliest

    def comes_back(self, cycle: int, count: int) -> None:
        self._returns.append((cycle, count))


def _cycle_from(units: int) -> int:
    """The first cycle that begins at `units` or later."""
    return -(-units // UNITS)


class Link:
    """Both directions of a link. Stamps are cycles, in the order of docs/link.md, section 2."""

    def __init__(self, timing: LinkTiming, clock_hz: int) -> None:
        n = timing.numbers(clock_hz)
        self.byte_units, self.mps, self.mrrs, self.rcb = n["byte_units"], n["mps"], n["mrrs"], n["rcb"]
        self.up_latency, self.down_latency = n["up_latency"], n["down_latency"]
        self.memory_latency, self.credit_return = n["memory_latency"], n["credit_return"]
        self._room_units = n["posted_room_units"]
        self._up_free = self._down_free = 0
        self._headers = _Credits(n["posted_headers"])
        self._data = _Credits(n["posted_data"])
        self._requests = _Credits(n["nonposted_headers"])
        self._last_fetch = 0
        self.up_busy_units = self.down_busy_units = 0

    def _up(self, start: int, wire_bytes: int) -> int:
        busy = wire_bytes * self.byte_units
        self.up_busy_units += busy
        self._up_free = start + busy
        return self._up_free

    def write(self, stamp: int, payload_bytes: int) -> tuple[int, int]:
        """A write burst: (cycle W in which it is visible, cycle of its B)."""
        left = payload_bytes
        while left > 0:
            piece = min(left, self.mps)
            units = -(-piece // CREDIT_BYTES)
            start = max((stamp + 1) * UNITS, self._up_free)
            start = self._data.start(self._headers.start(start, 1), units)
            visible = _cycle_from(self._up(start, WRITE_HEADER_BYTES + piece)) + self.up_latency
            self._headers.comes_back(visible + self.credit_return, 1)
            self._data.comes_back(visible + self.credit_return, units)
            left -= piece
        return visible, max(stamp + 2, _cycle_from(self._up_free - self._room_units))

    def read(self, stamp: int, payload_bytes: int, jitter_cycles: int = 0) -> int:
        """A read burst's requests: the cycle M at whose beginning memory is read."""
        requests = -(-payload_bytes // self.mrrs)
        for _ in range(requests):
            start = self._requests.start(max((stamp + 1) * UNITS, self._up_free), 1)
            fetch = _cycle_from(self._up(start, READ_HEADER_BYTES)) + self.up_latency + self.memory_latency
            fetch = max(fetch + jitter_cycles, self._last_fetch)
            self._requests.comes_back(fetch + self.credit_return, 1)
        self._last_fetch = fetch
        return fetch

    def complete(self, fetch: int, address: int, payload_bytes: int) -> int:
        """A read burst's completions, offered in cycle `fetch`: the cycle in which the bridge has them
        all."""
        first = address & ~3
        blocks = (first + payload_bytes - 1) // self.rcb - first // self.rcb + 1
        return self._down(fetch * UNITS, payload_bytes + blocks * COMPLETION_HEADER_BYTES) + self.down_latency

    def _down(self, earliest: int, wire_bytes: int) -> int:
        busy = wire_bytes * self.byte_units
        self.down_busy_units += busy
        self._down_free = max(earliest, self._down_free) + busy
        return _cycle_from(self._down_free)

    def register_access(self, stamp: int, is_write: bool) -> int:
        """A register access on its way in: the first cycle in which the engine can take it."""
        wire_bytes = WRITE_HEADER_BYTES + REGISTER_BYTES if is_write else READ_HEADER_BYTES
        return self._down((stamp + 1) * UNITS, wire_bytes) + self.down_latency

    def register_completion(self, stamp: int) -> int:
        """A register read's value on its way back: the cycle in which the driver has it."""
        start = max((stamp + 1) * UNITS, self._up_free)
        return _cycle_from(self._up(start, COMPLETION_HEADER_BYTES + REGISTER_BYTES)) + self.up_latency
