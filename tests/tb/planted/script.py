"""Stimuli to the cycle: register accesses in given cycles and a wire program, for RTL and golden engine.

A driver of the model takes its time in its own way; here an access falls in the very cycle in which it leaves
a state machine no slack. `play.py` does the steps. What the MACs have in common is here, the rest in the
`script.py` of each.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hdl.registers.maps import RegisterMap
from model.events import EventLog
from model.frames import FrameSet
from model.host.world import FIRST_CYCLE, CsrPort
from model.kernel import Kernel
from model.link import Link, LinkTiming
from model.traffic import RxProgram, RxSchedule, rx_schedule

STATION = bytes([2, 0, 0, 0, 0, 1])
OTHER = bytes([2, 0, 0, 0, 0, 9])
WHOLE = 0xF


@dataclass
class Script(ABC):
    """What happens in one run, in order of time.

    Members
    -------
    registers, tick_cycles, symbol_bits: of the MAC: register map, cycles from one symbol of the wire to the
        next, and its bits.
    straps, bus, errors: options of the engine (codes as in the specification), of `BusTiming`, and bursts
        that fail as (requester, is_write, ordinal).
    frames, gap_symbols, odd, error_at: the wire's program.
    link: between bus and memory, None: the ideal bus. Nothing is known then of the cycle of an access.
    steps: what `play` does; made by the methods, which return the cycle in which the engine takes an
        access.
    now: cycle of the falling edge at which the next step happens.
    """

    registers: ClassVar[RegisterMap]
    tick_cycles: ClassVar[int]
    symbol_bits: ClassVar[int]

    straps: dict[str, int] = field(default_factory=dict)
    bus: dict[str, int] = field(default_factory=dict)
    errors: list[tuple[int, bool, int]] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    gap_symbols: list[int] = field(default_factory=list)
    odd: list[bool] = field(default_factory=list)
    error_at: list[int] = field(default_factory=list)
    link: LinkTiming | None = None
    steps: list[list[Any]] = field(default_factory=list)
    now: int = FIRST_CYCLE

    def __post_init__(self) -> None:
        self._port = CsrPort()

    @abstractmethod
    def engine(self, kernel: Kernel, memory: np.ndarray, log: EventLog, link: Link | None) -> Any:
        """The golden engine that the script is for."""

    def job(self) -> dict[str, Any]:
        """What the simulation's job needs beside straps, bus and steps."""
        return {}

    def at(self, cycle: int) -> None:
        """Go on at the falling edge of `cycle`."""
        if cycle < self.now:
            raise ValueError(f"it is cycle {self.now}, {cycle} is past")
        if cycle > self.now:
            self.steps.append(["sleep", cycle - self.now])
            self.now = cycle

    def write(self, register: str, value: int, strobe: int = WHOLE) -> int:
        """Write a register at once, or as soon as the port allows."""
        self.steps.append(["write", self.registers.offset(register), value, strobe])
        return self._port.take(self.now)

    def write_in(self, cycle: int, register: str, value: int) -> int:
        """Write a register so that it is taken in `cycle`."""
        self.at(max(self.now, cycle - 1))
        taken = self.write(register, value)
        if taken != cycle:
            raise ValueError(f"{register} is taken in {taken}, not in {cycle}")
        return taken

    def read(self, register: str) -> int:
        """Read a register; goes on when the value is there."""
        self.steps.append(["read", self.registers.offset(register)])
        taken = self._port.take(self.now)
        self.now = self._port.returned(taken)
        return taken

    def read_in(self, cycle: int, *registers: str) -> None:
        """Read registers, the first of them in `cycle`."""
        self.at(max(self.now, cycle - 1))
        for register in registers:
            self.read(register)

    def words(self, address: int, *words: int, times: int = 1) -> None:
        """Put words into memory, again and again behind each other."""
        self.steps.append(["words", address, list(words), times])

    def frame(self, frame: bytes, gap_symbols: int = 24, *, odd: bool = False, error_at: int = -1) -> None:
        """One more frame for the wire, as it is played."""
        self.frames.append(frame)
        self.gap_symbols.append(gap_symbols)
        self.odd.append(odd)
        self.error_at.append(error_at)

    def play(self) -> RxSchedule:
        """Start the wire; its frames must be known."""
        self.steps.append(["wire"])
        return rx_schedule(self.program(), self.now, self.tick_cycles)

    def play_from(self, carrier: int) -> RxSchedule:
        """Start the wire, with a gap that has the first symbol of preamble sampled in tick `carrier`."""
        self.gap_symbols[0] = 1
        late = carrier - int(rx_schedule(self.program(), self.now, self.tick_cycles).carrier[0])
        if late < 0 or late % self.tick_cycles:
            raise ValueError(f"a carrier in {carrier} is {late} cycles off what can be")
        self.gap_symbols[0] += late // self.tick_cycles
        return self.play()

    def program(self) -> RxProgram | None:
        """The wire's program as it is played."""
        return self.program_of(self.frames, self.gap_symbols, self.odd, self.error_at)

    def heard(self) -> RxProgram | None:
        """The same as the golden engine wants it."""
        return self.program()

    def program_of(self, frames: list[bytes], gap_symbols: list[int], odd: list[bool],
                   error_at: list[int]) -> RxProgram | None:
        """A wire program of these frames; None without any."""
        if not frames:
            return None
        everyone = np.ones(len(frames), bool)
        return RxProgram(
            frames=FrameSet.of(frames), gap_symbols=np.array(gap_symbols, np.int64), odd=np.array(odd),
            rx_er_at=np.array(error_at, np.int64), addressed=everyone, intact=everyone, start_cycles=0,
            symbol_bits=self.symbol_bits)


def sound(length: int, to: bytes = STATION, fill: int = 0xA1) -> bytes:
    """A frame of `length` bytes with a right FCS."""
    body = (to + bytes((fill + n) & 0xFF for n in range(length)))[:length - 4]
    return body + zlib.crc32(body).to_bytes(4, "little")
