"""Stimuli to the cycle: register accesses in given cycles and a wire program, for RTL and golden engine.

A driver of the model takes its time in its own way; here an access falls in the very cycle in which it leaves
a state machine no slack. `play.py` does the steps.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hdl.registers import load
from model.frames import FrameSet
from model.host.world import FIRST_CYCLE, CsrPort
from model.traffic import RxProgram, RxSchedule, rx_schedule

REGISTERS = load("at91ether")
LIST, ENTRIES = 0x1000, 8
BUFFERS, BUFFER_BYTES = 0x2000, 0x800
DATA = 0x8000
"""What is sent lies here and above; below it the receive list and its buffers."""
STATION = bytes([2, 0, 0, 0, 0, 1])
OTHER = bytes([2, 0, 0, 0, 0, 9])
ENABLES = REGISTERS.pack("CTL", TE=1, RE=1, MPE=1)
ALL_CAUSES = sum(field.mask for field in REGISTERS["ISR"].fields)
WHOLE = 0xF
TICK_CYCLES = 2
READY = 8
"""From the hand-over of a frame to the first cycle in which its first burst is in, on a bus without latency.
"""


@dataclass
class Script:
    """What happens in one run, in order of time.

    Members
    -------
    half: the link and CFG are half duplex.
    straps, bus, errors: options of the engine (codes as in the specification), of `BusTiming`, and bursts
        that fail as (requester, is_write, ordinal).
    cfg: fields of CFG beside FD.
    frames, gap_symbols, odd, error_at: the wire's program.
    steps: what `play` does; made by the methods, which return the cycle in which the engine takes an
        access.
    now: cycle of the falling edge at which the next step happens.
    """

    half: bool = False
    straps: dict[str, int] = field(default_factory=dict)
    bus: dict[str, int] = field(default_factory=dict)
    errors: list[tuple[int, bool, int]] = field(default_factory=list)
    cfg: dict[str, int] = field(default_factory=dict)
    frames: list[bytes] = field(default_factory=list)
    gap_symbols: list[int] = field(default_factory=list)
    odd: list[bool] = field(default_factory=list)
    error_at: list[int] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)
    now: int = FIRST_CYCLE

    def __post_init__(self) -> None:
        self._port = CsrPort()
        self._taken = 0
        for number in range(ENTRIES):
            self.entry(number)
        self.write("CFG", REGISTERS.pack("CFG", FD=not self.half, **self.cfg))
        self.write("RBQP", LIST)
        self.write("SA1L", int.from_bytes(STATION[:4], "little"))
        self.write("SA1H", int.from_bytes(STATION[4:], "little"))
        self.write("IER", ALL_CAUSES)
        self.write("CTL", ENABLES)

    def at(self, cycle: int) -> None:
        """Go on at the falling edge of `cycle`."""
        if cycle < self.now:
            raise ValueError(f"it is cycle {self.now}, {cycle} is past")
        if cycle > self.now:
            self.steps.append(["sleep", cycle - self.now])
            self.now = cycle

    def write(self, register: str, value: int, strobe: int = WHOLE) -> int:
        """Write a register at once, or as soon as the port allows."""
        self.steps.append(["write", REGISTERS.offset(register), value, strobe])
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
        self.steps.append(["read", REGISTERS.offset(register)])
        taken = self._port.take(self.now)
        self.now = self._port.returned(taken)
        return taken

    def read_in(self, cycle: int, *registers: str) -> None:
        """Read registers, the first of them in `cycle`."""
        self.at(max(self.now, cycle - 1))
        for register in registers:
            self.read(register)

    def send(self, length: int, address: int = DATA, *, ncrc: bool = False) -> int:
        """Hand a frame over: TAR, then TCR; returns the cycle of TCR."""
        self.write("TAR", address)
        return self.write("TCR", REGISTERS.pack("TCR", LEN=length, NCRC=ncrc))

    def send_in(self, cycle: int, length: int, address: int = DATA, *, ncrc: bool = False) -> None:
        """Hand a frame over, TCR in `cycle`."""
        self.write_in(cycle - 2, "TAR", address)
        self.write_in(cycle, "TCR", REGISTERS.pack("TCR", LEN=length, NCRC=ncrc))

    def entry(self, number: int, *, used: bool = False, wrap: bool | None = None) -> None:
        """Set word 0 of a list entry; `used`: it is the driver's."""
        last = number == ENTRIES - 1 if wrap is None else wrap
        word = BUFFERS + BUFFER_BYTES * number | last << 1 | used
        self.steps.append(["word", LIST + 8 * number, word])

    def frame(self, frame: bytes, gap_symbols: int = 24, *, odd: bool = False, error_at: int = -1) -> None:
        """One more frame for the wire, as it is played."""
        self.frames.append(frame)
        self.gap_symbols.append(gap_symbols)
        self.odd.append(odd)
        self.error_at.append(error_at)

    def play(self) -> RxSchedule:
        """Start the wire; its frames must be known."""
        self.steps.append(["wire"])
        return rx_schedule(self.program(), self.now)

    def play_from(self, carrier: int) -> RxSchedule:
        """Start the wire, with a gap that has the first preamble nibble sampled in tick `carrier`."""
        self.gap_symbols[0] = 1
        late = carrier - int(rx_schedule(self.program(), self.now).carrier[0])
        if late < 0 or late % TICK_CYCLES:
            raise ValueError(f"a carrier in {carrier} is {late} cycles off what can be")
        self.gap_symbols[0] += late // TICK_CYCLES
        return self.play()

    def program(self) -> RxProgram | None:
        """The wire's program as the golden engine wants it."""
        if not self.frames:
            return None
        everyone = np.ones(len(self.frames), bool)
        return RxProgram(
            frames=FrameSet.of(self.frames), gap_symbols=np.array(self.gap_symbols, np.int64),
            odd=np.array(self.odd), rx_er_at=np.array(self.error_at, np.int64), addressed=everyone,
            intact=everyone, start_cycles=0)


def sound(length: int, to: bytes = STATION, fill: int = 0xA1) -> bytes:
    """A frame of `length` bytes with a right FCS."""
    body = (to + bytes((fill + n) & 0xFF for n in range(length)))[:length - 4]
    return body + zlib.crc32(body).to_bytes(4, "little")


def first_tick(cycle: int) -> int:
    """The first tick from `cycle` on."""
    return cycle | 1
