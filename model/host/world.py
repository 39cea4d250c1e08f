"""What the host needs of a world, be it the golden model on SimPy or the RTL in a simulator.

A world gives time in whole cycles, register accesses, interrupt lines and memory, and nothing else: CPUs,
contexts, locks and costs are made of these in `model.host` alone, once for both worlds. Time seen from here
is always a falling edge, the middle of a cycle; the engine moves on rising edges, so nothing is ever
simultaneous.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any

import numpy as np

FIRST_CYCLE = 16
"""Cycle of the driver's first falling edge; reset ends before it."""


class Signal(ABC):
    """Something that is high or low and can be waited for."""

    @abstractmethod
    def level(self) -> bool:
        """The level at the present falling edge. Constant during one falling edge for a hardware line, but
        for `acknowledge`."""

    def acknowledge(self) -> None:  # noqa: B027 (most signals have nothing to take back)
        """The CPU has entered the interrupt: takes back a message that is pending. Does nothing to a
        level."""


class SoftSignal(Signal):
    """A signal made by software: what one coroutine sets, another that waits for it sees at the same falling
    edge."""

    @abstractmethod
    def set(self) -> None:
        """Make it high and wake who waits."""

    @abstractmethod
    def clear(self) -> None:
        """Make it low."""


class CsrPort:
    """The order and time in which the engine takes register accesses, from the cycles in which they are
    issued.

    Operation k, issued on the falling edge of cycle f_k, is taken in v_k = max(f_k + 1 + latency, v_{k-1} +
    2).

    Parameters: `write_latency_cycles` on the way in (reads and writes alike), `read_latency_cycles` of a
    read's value on its way back.
    """

    def __init__(self, write_latency_cycles: int = 0, read_latency_cycles: int = 0) -> None:
        if write_latency_cycles < 0 or read_latency_cycles < 0:
            raise ValueError(f"latencies {write_latency_cycles} and {read_latency_cycles}: expected 0 or more"
                             " cycles")
        self.write_latency_cycles = write_latency_cycles
        self.read_latency_cycles = read_latency_cycles
        self._last_taken = -2

    def take(self, issued: int) -> int:
        """The cycle in which the engine takes an access issued in cycle `issued`; call once an access, in
        order."""
        return self.take_from(issued + 1 + self.write_latency_cycles)

    def take_from(self, arrived: int) -> int:
        """The same for an access that is at the engine in cycle `arrived`."""
        self._last_taken = max(arrived, self._last_taken + 2)
        return self._last_taken

    def returned(self, taken: int) -> int:
        """The cycle on whose falling edge a read taken in `taken` gives the driver its value."""
        return taken + 2 + self.read_latency_cycles


class World(ABC):
    """Time, registers, interrupt lines and memory.

    Members: `clock_hz` of the engine; `mem` host memory, uint8, index = address; `csr_write_latency_cycles`
    and `csr_read_latency_cycles` as in `CsrPort`.
    """

    clock_hz: int
    mem: np.ndarray
    csr_write_latency_cycles: int
    csr_read_latency_cycles: int

    @abstractmethod
    def now(self) -> int:
        """The cycle whose falling edge is the present moment."""

    @abstractmethod
    async def sleep(self, cycles: int) -> None:
        """Return on the falling edge `cycles` (1 or more) later."""

    @abstractmethod
    async def wait(self, cycles: int | None, *signals: Signal) -> None:
        """Return on the first falling edge at which any of `signals` is high, or after `cycles` (None: no
        limit).

        Returns at once if one is high now.
        """

    @abstractmethod
    def irq(self, line: int = 0) -> Signal:
        """The engine's interrupt line at the falling edge: a level, or a message that is pending."""

    @abstractmethod
    def signal(self) -> SoftSignal:
        """A new software signal, low."""

    @abstractmethod
    def csr_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        """Post a register write (byte `offset`, 32-bit `value`, byte `strobe`); returns at once and takes no
        time."""

    @abstractmethod
    async def csr_read(self, offset: int) -> int:
        """Read a register; returns on the falling edge that `CsrPort.returned` gives."""

    @abstractmethod
    def wire_start(self) -> None:
        """Start the player of the receive side now."""

    @abstractmethod
    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Run a further coroutine over this world, from the present falling edge on."""
