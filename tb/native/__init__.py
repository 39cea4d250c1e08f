"""The native library as Python sees it: host memory, event log, register queue, wire, bus timing; no ctypes.

The C files beside this one are linked into the Verilator program and into Icarus's VPI module. Both are in
the process in which cocotb runs Python: `Native.mem` is the memory that the HDL reads and writes, no copy.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

import numpy as np

from model.link import CREDIT_BYTES
from tb.native import layout

DEFAULT_MEMORY_BYTES = 32 << 20
LIBRARY_VARIABLE = "RINGBENCH_NATIVE"
"""Environment variable: the library's file; empty if it is part of the running program (Verilator)."""

READ, WRITE = 1, 0
NEVER = layout.NEVER


class NativeError(RuntimeError):
    """The native library ran out of memory or was used against its rules."""


class Native:
    """The library's state in this process: there is one, and making a second `Native` resets it.

    Parameters
    ----------
    memory_bytes: size of host memory, which is zeroed.
    library: path of the shared object; None takes `RINGBENCH_NATIVE` from the environment, and an empty
    string is the
        running program.

    Members
    -------
    mem: host memory, uint8 of shape (memory_bytes,); index = bus address.
    control: wake-ups, straps and error counts, see `layout.Control`.
    bus: timing of the bus memory in cycles, see `layout.BusTiming`; to be set before the engine leaves reset.
    """

    def __init__(self, memory_bytes: int = DEFAULT_MEMORY_BYTES, library: str | None = None) -> None:
        path = os.environ.get(LIBRARY_VARIABLE, "") if library is None else library
        self._c = layout.declare(ctypes.CDLL(path or None))
        self._c.rb_reset()
        self.mem = np.zeros(memory_bytes, np.uint8)
        self._c.rb_memory_use(self.mem.ctypes.data, memory_bytes)
        self.control = self._c.rb_control_block().contents
        self.bus = self._c.rb_bus_timing().contents
        self._bus_counts = self._c.rb_bus_count_block().contents
        self._arrays = {name: layout.Array.in_dll(self._c, f"rb_{name}") for name in layout.RECORDS}
        self._program: tuple[np.ndarray, ...] = ()

    # Settings, before the engine leaves reset

    def set_straps(self, value: int) -> None:
        """The engine's options as one number, bit 0 first. ValueError if it has more bits than the top
        takes."""
        words = len(self.control.straps)
        if value < 0 or value >> 64 * words:
            raise ValueError(f"straps = {value:#x}: expected 0 or more, at most {64 * words} bits")
        for word in range(words):
            self.control.straps[word] = value >> 64 * word & NEVER

    def set_bus(self, *, errors: Iterable[tuple[int, bool, int]] = (), log_bursts: bool = False,
                **cycles: int) -> None:
        """Timing of host memory on the bus, the parameters of `model.bus.BusTiming`.

        Parameters
        ----------
        errors: bursts answered by SLVERR, as (requester, is_write, ordinal).
        log_bursts: keep a record of every burst, see `bursts`.
        cycles: read_latency, write_latency, beat_interval, jitter, outstanding (in cycles, bursts) and seed.
            Behind a link neither the latencies nor outstanding are looked at.
        """
        names = [name for name, _ in layout.BusTiming._fields_]
        for name, value in cycles.items():
            least = 1 if name in ("beat_interval", "outstanding") else 0
            most = layout.MOST_READS if name == "outstanding" else NEVER
            if name not in names or not least <= value <= most:
                raise ValueError(f"bus {name} = {value!r}: expected one of {', '.join(names)}, at least "
                                 f"{least}" + (f", at most {most}" if most != NEVER else ""))
            setattr(self.bus, name, value)
        self.bus.log_bursts = log_bursts
        self._arrays["faults"].count = 0
        for requester, is_write, ordinal in errors:
            if not self._c.rb_bus_fault(requester, is_write, ordinal):
                raise NativeError("no memory for the list of failing bursts")

    def set_link(self, numbers: dict[str, int] | None) -> None:
        """A link between bus and memory, with the numbers of `model.link.LinkTiming.numbers`; None: no link.

        Its rows are empty. ValueError for numbers that are not those, or with which a packet would never get
        the credits that it needs.
        """
        self._c.rb_link_clear()
        if numbers is None:
            return
        names = {name for name, _ in layout.LinkNumbers._fields_}
        if names != set(numbers):
            raise ValueError(f"link: {', '.join(sorted(names ^ set(numbers)))}: missing or unknown; expected "
                             f"{', '.join(sorted(names))}")
        for name, value in numbers.items():
            if not (0 if name == "posted_room_units" else 1) <= value <= NEVER:
                raise ValueError(f"link {name} = {value!r}: expected a whole number above 0")
        if numbers["posted_data"] * CREDIT_BYTES < numbers["mps"]:
            raise ValueError(f"link posted_data = {numbers['posted_data']}: a packet of {numbers['mps']} "
                             f"bytes needs {-(-numbers['mps'] // CREDIT_BYTES)}")
        if not self._c.rb_link_use(layout.LinkNumbers(**numbers)):
            raise NativeError("no memory for the credits of the link")

    def link_busy_units(self) -> list[int]:
        """For how long packets have occupied the link [up, down], in units of `model.link.UNITS` a cycle."""
        return [self._c.rb_link_busy(direction) for direction in range(2)]

    def set_csr_latency(self, cycles: int) -> None:
        """Cycles that a register access takes on its way to the engine."""
        self._c.rb_csr_latency(cycles)

    def set_program(self, data: np.ndarray, lengths: np.ndarray, gaps: np.ndarray,
                    flags: np.ndarray | None = None) -> None:
        """What the player plays once it is started.

        Parameters
        ----------
        data: uint8, all frames one after the other, each with its FCS.
        lengths: bytes of each frame, shape (frames,).
        gaps: idle symbols (nibbles on MII) before each frame, at least 1.
        flags: None, or for each frame PLAY_ODD | PLAY_ERROR | byte index << 8 (see `layout`).
        """
        frames = len(lengths)
        columns = [np.ascontiguousarray(column, dtype=np.uint32) for column in
                   (lengths, gaps, np.zeros(frames) if flags is None else flags)]
        data = np.ascontiguousarray(data, dtype=np.uint8)
        if any(column.shape != (frames,) for column in columns):
            shapes = [column.shape for column in columns]
            raise ValueError(f"lengths, gaps and flags differ in shape: {shapes}")
        total = int(columns[0].sum(dtype=np.uint64))
        if total != data.size:
            raise ValueError(f"lengths add up to {total}, but there are {data.size} bytes")
        if frames and int(columns[1].min()) < 1:
            raise ValueError("a gap of 0 symbols: frames without a gap would be one frame")
        self._program = (data, *columns)   # the library keeps pointers into them
        self._c.rb_program_set(*(array.ctypes.data for array in self._program), frames)

    def set_limit(self, name: str, records: int) -> None:
        """At most so many records of "events", "frames", "frame_bytes", "bursts" (0: no limit but memory)."""
        self._arrays[name].limit = records

    # Register accesses, at a falling edge

    def csr_push(self, operation: int, offset: int, data: int, strobe: int, cycle: int) -> int:
        """Issue an access on the falling edge of `cycle`; returns the cycle in which the engine takes it."""
        taken = self._c.rb_csr_push(operation, offset, data, strobe, cycle)
        if taken == NEVER:
            raise NativeError("no memory for the queue of register accesses")
        return taken

    def csr_ordinal(self) -> int:
        """Ordinal of the access issued last, for `csr_collect`."""
        return self._c.rb_csr_ordinal()

    def csr_collect(self, ordinal: int) -> int | None:
        """Value of the read with this ordinal, once; None if the engine has not answered it."""
        value = self._c.rb_csr_collect(ordinal)
        return value & 0xFFFF_FFFF if value else None

    def csr_returned(self, ordinal: int, now: int) -> int | None:
        """Behind a link: the cycle in which the value of the read with this ordinal is back, None if the
        engine has not answered it.

        To be asked on the falling edge of cycle `now`, two cycles or more after the engine took it; only then
        are the packets known that it has to wait for.
        """
        cycle = self._c.rb_csr_returned(ordinal, now)
        return None if cycle == NEVER else cycle

    def acknowledge(self, line: int) -> None:
        """The message that set this interrupt line is taken; does nothing to a level."""
        if self.control.messages and line < layout.VECTORS:
            self.control.pending &= ~(1 << line) & NEVER
            self.control.irq &= ~(1 << line) & NEVER

    def start_wire(self) -> None:
        """Let the player begin its program; at a falling edge."""
        self.control.wire_starts += 1

    # Results

    def _records(self, name: str, first: int) -> np.ndarray:
        array = self._arrays[name]
        dtype = layout.RECORDS[name]
        if array.record_bytes != dtype.itemsize:
            raise NativeError(f"{name}: the library's records have {array.record_bytes} bytes, expected "
                              f"{dtype.itemsize}")
        if array.count <= first:
            return np.empty(0, dtype)
        raw = (ctypes.c_uint8 * (array.count * dtype.itemsize)).from_address(array.base)
        return np.frombuffer(raw, dtype)[first:].copy()   # the library moves its array when it grows

    def events(self, first: int = 0) -> np.ndarray:
        """The event log from record `first` on, in the order of the cycles, dtype `model.events.EVENT`."""
        return self._records("events", first)

    def frames(self, first: int = 0) -> np.ndarray:
        """Frames that the engine sent, from record `first` on, dtype `layout.FRAME`."""
        return self._records("frames", first)

    def frame_bytes(self, first: int = 0) -> np.ndarray:
        """The bytes of all those frames, uint8; frame f is [offset : offset + length]."""
        return self._records("frame_bytes", first)

    def bursts(self, first: int = 0) -> np.ndarray:
        """Bursts on the bus in the order in which they ended, dtype `layout.BURST`; needs log_bursts."""
        return self._records("bursts", first)

    def bus_counts(self) -> dict[str, np.ndarray]:
        """Bursts and beats so far, each of shape (16, 2): [requester, is_write]."""
        return {name: np.array(getattr(self._bus_counts, name), dtype=np.uint64)
                for name in ("bursts", "beats")}

    def errors(self) -> dict[str, int]:
        """What must be 0 after a sound run, by name; a name is absent if nothing happened.

        memory_errors (outside host memory), csr_errors (not taken or answered in time), bus_errors (against
        AXI's rules), unknown_arguments (X handed over, Icarus only), <log>_dropped. For the first three
        `<name>_first` is the first address, or the cycle of the first.
        """
        control = self.control
        found = {}
        for name, count, first in (
            ("memory_errors", control.memory_errors, control.memory_first),
            ("csr_errors", control.csr_errors, control.csr_first_cycle),
            ("bus_errors", control.bus_errors, control.bus_first_cycle),
        ):
            if count:
                found |= {name: count, f"{name}_first": first}
        if control.unknown_arguments:
            found["unknown_arguments"] = control.unknown_arguments
        found |= {f"{name}_dropped": array.dropped for name, array in self._arrays.items() if array.dropped}
        return found
