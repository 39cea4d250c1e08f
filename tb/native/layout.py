"""The C structures and functions of the library as ctypes and numpy see them; the twin of ringbench.h."""

from __future__ import annotations

import ctypes
from ctypes import c_uint64, c_void_p

import numpy as np

from model.events import EVENT

NEVER = 2**64 - 1
"""A cycle that does not come."""

PLAY_ODD = 1
"""Flag of a played frame: one nibble more at the end."""
PLAY_ERROR = 2
"""Flag of a played frame: receive error during the byte whose index is in the bits from 8 on."""

FRAME_FCS_OK, FRAME_ERROR, FRAME_ODD, FRAME_NO_SFD = 1, 2, 4, 8
"""Flags of a recorded frame: right FCS; transmit error seen; odd number of nibbles; ended before its SFD."""
FIRST_GAP = 2**32 - 1
"""Gap of the first recorded frame: there was none before it."""

FRAME = np.dtype([("sfd_cycle", "<u8"), ("end_cycle", "<u8"), ("offset", "<u8"), ("length", "<u4"),
                  ("gap", "<u4"), ("preamble", "<u4"), ("flags", "<u4")])
"""A frame out of the engine. sfd_cycle: tick cycle at whose end the engine loads the SFD; end_cycle: the one
at whose end it drops tx_en; offset, length: its bytes (behind the SFD, with FCS) in the flat buffer; gap:
idle symbols before it, FIRST_GAP for the first; preamble: symbols before the SFD; flags: FRAME_*."""

BURST = np.dtype([("open_cycle", "<u8"), ("begin_cycle", "<u8"), ("end_cycle", "<u8"),
                  ("reply_cycle", "<u8"), ("address", "<u8"), ("ordinal", "<u4"), ("beats", "<u2"),
                  ("size", "u1"), ("kind", "u1"), ("requester", "u1"), ("write", "u1"), ("response", "u1"),
                  ("spare", "u1"), ("extra_cycles", "<u4")])
"""A burst. open_cycle: address handshake; begin_cycle: first beat shown (reads only); end_cycle: last beat
taken;
reply_cycle: first bvalid (reads: end_cycle); size: log2 of a beat's bytes; kind: 0 FIXED, 1 INCR; response: 0
or 2."""

FAULT = np.dtype([("requester", "<u8"), ("write", "<u8"), ("ordinal", "<u8")])

VECTORS = 16
"""Interrupt lines that messages set and only the CPU clears; what follows are levels."""
MOST_READS = 256
"""Reads that may be open on the bus at once."""

RECORDS = {"events": EVENT, "frames": FRAME, "frame_bytes": np.dtype("u1"), "bursts": BURST, "faults": FAULT}
"""Growing arrays of the library and the dtype of their records."""


class Control(ctypes.Structure):
    """What Python and the HDL tell each other at a falling edge; see struct rb_control."""

    _fields_ = [(name, c_uint64) for name in
                ("now", "irq", "messages", "pending", "wake_cycle", "wake_lines", "wakes", "wire_starts",
                 "link")]
    _fields_ += [("straps", c_uint64 * 4)]
    _fields_ += [(name, c_uint64) for name in
                 ("memory_errors", "memory_first", "csr_errors", "csr_first_cycle", "bus_errors",
                  "bus_first_cycle", "unknown_arguments")]


class BusTiming(ctypes.Structure):
    """Latencies of host memory, in cycles; see struct rb_bus_timing."""

    _fields_ = [(name, c_uint64) for name in
                ("read_latency", "write_latency", "beat_interval", "jitter", "seed", "outstanding",
                 "log_bursts")]


class LinkNumbers(ctypes.Structure):
    """What a link is, as `model.link.LinkTiming.numbers` names it; see struct rb_link_numbers."""

    _fields_ = [(name, c_uint64) for name in
                ("byte_units", "mps", "mrrs", "rcb", "up_latency", "down_latency", "memory_latency",
                 "credit_return", "posted_headers", "posted_data", "nonposted_headers", "posted_room_units")]


class BusCounts(ctypes.Structure):
    """Bursts and beats by requester and direction; see struct rb_bus_counts."""

    _fields_ = [("bursts", (c_uint64 * 2) * 16), ("beats", (c_uint64 * 2) * 16), ("faults", c_uint64)]


class Array(ctypes.Structure):
    """A growing array; see struct rb_array."""

    _fields_ = [("base", c_void_p)] + [(name, c_uint64) for name in
                                       ("count", "capacity", "limit", "dropped", "record_bytes")]


_FUNCTIONS = {
    "rb_reset": (None, 0),
    "rb_control_block": (ctypes.POINTER(Control), 0),
    "rb_bus_timing": (ctypes.POINTER(BusTiming), 0),
    "rb_bus_count_block": (ctypes.POINTER(BusCounts), 0),
    "rb_bus_fault": (c_uint64, 3),
    "rb_link_use": (c_uint64, 0),
    "rb_link_clear": (None, 0),
    "rb_link_busy": (c_uint64, 1),
    "rb_csr_latency": (None, 1),
    "rb_csr_push": (c_uint64, 5),
    "rb_csr_ordinal": (c_uint64, 0),
    "rb_csr_collect": (c_uint64, 1),
    "rb_csr_returned": (c_uint64, 2),
}


def declare(library: ctypes.CDLL) -> ctypes.CDLL:
    """`library` with the types of the functions that Python calls. AttributeError if it is not the
    bench's."""
    for name, (result, count) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = [c_uint64] * count
    library.rb_link_use.argtypes = [ctypes.POINTER(LinkNumbers)]
    library.rb_memory_use.restype = None
    library.rb_memory_use.argtypes = [c_void_p, c_uint64]
    library.rb_program_set.restype = None
    library.rb_program_set.argtypes = [c_void_p] * 4 + [c_uint64]
    return library
