"""Timing of the memory behind an engine's bus: when a burst's beats come and when memory is read and
written.

The same formulas, cycle for cycle, as the AXI4 subordinate of the simulated top (`tb/top/rb_axi_mem.sv`).
Jitter is a hash of (seed, requester, direction, ordinal), not one random stream, so that both worlds draw
the same whatever the order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

M32 = 0xFFFF_FFFF


def mix(x: int) -> int:
    """A 32-bit integer hash: two multiplications between three shifts (known low-bias constants)."""
    x &= M32
    x ^= x >> 16
    x = x * 0x7FEB352D & M32
    x ^= x >> 15
    x = x * 0x846CA68B & M32
    return x ^ x >> 16


@dataclass
class BusTiming:
    """Latencies of host memory in engine cycles.

    read_latency, write_latency: cycles beyond the one that registers need; beat_interval: cycles a beat, at
    least 1; jitter: up to so many cycles more a burst; outstanding: reads open at once; errors: bursts
    answered by SLVERR, as (requester, is_write, ordinal).
    """

    read_latency: int = 0
    write_latency: int = 0
    beat_interval: int = 1
    jitter: int = 0
    seed: int = 1
    outstanding: int = 1
    errors: frozenset[tuple[int, bool, int]] = frozenset()
    _last_read_beat: int = field(default=-1, repr=False, compare=False)
    _ordinals: dict[tuple[int, bool], int] = field(default_factory=dict, repr=False, compare=False)

    def draw(self, requester: int, is_write: bool) -> tuple[int, bool]:
        """The next burst of `requester` in this direction: (extra latency in cycles, whether it fails)."""
        ordinal = self._ordinals.get((requester, is_write), 0)
        self._ordinals[requester, is_write] = ordinal + 1
        extra = 0
        if self.jitter:
            extra = mix(self.seed ^ requester << 30 ^ is_write << 29 ^ ordinal) % (self.jitter + 1)
        return extra, bool(self.errors) and (requester, is_write, ordinal) in self.errors

    def read(self, requester: int, a: int) -> tuple[int, bool]:
        """A read whose address is taken in cycle a, nothing else open: (cycle of its first beat,
        failed)."""
        if not self.jitter and not self.errors:
            return a + 1 + self.read_latency, False
        extra, failed = self.draw(requester, False)
        return a + 1 + self.read_latency + extra, failed

    def read_in_order(self, requester: int, a: int, beats: int) -> tuple[int, int, bool]:
        """A read whose address is taken in cycle a, with earlier ones perhaps still open: (cycle of its first
        beat, of its last, failed).

        To be called in the order of the addresses, which is that of the data: a burst's first beat comes
        after the last one of the burst before it. An engine that takes every beat at once is assumed.
        """
        first, failed = self.read(requester, a)
        first = max(first, self._last_read_beat + 1)
        self._last_read_beat = first + (beats - 1) * self.beat_interval
        return first, self._last_read_beat, failed

    def write(self, requester: int, a: int, beats: int) -> tuple[int, int, bool]:
        """A write whose address is taken in a, data ready: (cycle of its last beat, cycle of B, failed).

        Beat k is taken in a + 1 + k * beat_interval; memory changes at the edge that ends the last
        beat's cycle.
        """
        last = a + 1 + (beats - 1) * self.beat_interval
        if not self.jitter and not self.errors:
            return last, last + 1 + self.write_latency, False
        extra, failed = self.draw(requester, True)
        return last, last + 1 + self.write_latency + extra, failed
