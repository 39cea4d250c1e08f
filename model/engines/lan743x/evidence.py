"""What an event log of this engine says in the bench's common terms: failures, memory accesses, frames, the
cycle account."""

from __future__ import annotations

import numpy as np

from model.host.dma_check import ACCESS

from .events import Kind, Reason
from .part import GAP_CYCLES, SFD_CYCLES

ADDRESS_BITS = np.uint64(32)
LOW = np.uint64(0xFFFF_FFFF)
REASON_BITS = np.uint64(0xFF)
TX_CAUSES = ("bring_up", "frame_on_wire", "pause_frame", "gap", "no_frame_handed_over", "first_fill",
             "transmitter_stopped", "after_the_last_frame")
RX_CAUSES = ("bring_up", "frame_on_wire", "wire_idle", "after_the_last_frame")
"""Where cycles go, in order of time."""
LAST_PREAMBLE = SFD_CYCLES
STOPPED_GAP_CYCLES = 100_000
"""A sender that has a frame's entry and does not start for so long has stopped."""


def _of(events: np.ndarray, *kinds: Kind) -> np.ndarray:
    return events[np.isin(events["kind"], kinds)]


def _reasons(ends: np.ndarray) -> np.ndarray:
    return ends["data"] >> ADDRESS_BITS & REASON_BITS


def failures(events: np.ndarray) -> dict[str, tuple[int, int]]:
    """Findings that the log shows: name -> (how many, cycle of the first)."""
    ends = _of(events, Kind.RX_END)
    shown = {"rx_overrun": ends[_reasons(ends) == Reason.OVERFLOW],
             "tx_aborted": _of(events, Kind.TX_ERROR, Kind.TX_DROP),
             "rx_aborted": _of(events, Kind.RX_ERROR)}
    return {name: (len(rows), int(rows["cycle"][0])) for name, rows in shown.items() if len(rows)}


def drops(events: np.ndarray) -> dict[str, int]:
    """Received frames that did not reach a FIFO, by reason."""
    reasons, counts = np.unique(_reasons(_of(events, Kind.RX_END)), return_counts=True)
    names = [Reason(int(reason)) for reason in reasons]
    return {name.name.lower(): int(count) for name, count in zip(names, counts, strict=True)
            if name not in (Reason.GOOD, Reason.PAUSE)}


def accesses(events: np.ndarray) -> np.ndarray:
    """The engine's accesses to frame buffers as ACCESS rows.

    The edge is the earliest at which the burst can touch memory: the one that ends the cycle of its address.
    Accesses to rings and head words, which are coherent memory, are not among them.
    """
    bursts = _of(events, Kind.TX_FETCH, Kind.RX_WRITE)
    rows = np.zeros(len(bursts), ACCESS)
    names = ACCESS.names
    columns = (bursts["cycle"] + 1, bursts["data"] & LOW, bursts["data"] >> ADDRESS_BITS,
               bursts["kind"] == Kind.RX_WRITE)
    for name, column in zip(names, columns, strict=True):
        rows[name] = column
    return rows


def hand_overs(events: np.ndarray) -> list[tuple[int, int, int, int]]:
    """None: the engine fetches its entries by itself, its accesses tell what it was given."""
    return []


def spoilt(events: np.ndarray) -> int:
    """How often the engine reports that what it put on the wire is no whole frame: it stores them first."""
    return 0


def unsent(events: np.ndarray) -> int:
    """Frames handed over that the engine itself reports as not sent."""
    return len(_of(events, Kind.TX_DROP))


def pauses(events: np.ndarray) -> dict[int, int]:
    """Pause frames that were sent: cycle of the SFD -> pause time."""
    return {int(event["cycle"]): int(event["data"]) for event in _of(events, Kind.TX_PAUSE)}


def frame_ends(events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cycles in which frames were sent and in which they were in the ring: (tx, rx)."""
    return _of(events, Kind.TX_DONE)["cycle"], _of(events, Kind.RX_DONE)["cycle"]


def received_lengths(events: np.ndarray) -> np.ndarray:
    """Bytes with FCS of the frames that were in the ring, in the order of `frame_ends`."""
    return _of(events, Kind.RX_DONE)["data"].astype(np.int64)


def sfd_cycles(events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cycles of the SFDs, (tx, rx)."""
    return _of(events, Kind.TX_SFD)["cycle"], _of(events, Kind.RX_SFD)["cycle"]


def account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    """Where the cycles of a run went, as the sending side sees it if it sent, else the receiving side; sums
    to `end_cycle`."""
    if (events["kind"] == Kind.TX_PREFETCH).any():
        causes = _tx_account(events, end_cycle)
    else:
        causes = _rx_account(events, end_cycle)
    return {cause: cycles for cause, cycles in causes.items() if cycles}


def _tx_account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    causes = dict.fromkeys(TX_CAUSES, 0)
    fetches = _of(events, Kind.TX_FETCH)
    # The first burst of each frame: from then on it is only a matter of memory and the FIFO.
    numbers, first = np.unique(fetches["index"], return_index=True)
    fetched = dict(zip(numbers.tolist(), fetches["cycle"][first].astype(np.int64).tolist(), strict=True))
    first_of_all = _of(events, Kind.TX_PREFETCH, Kind.TX_PAUSE)[0]
    begun = int(first_of_all["cycle"]) - (LAST_PREAMBLE if first_of_all["kind"] == Kind.TX_PAUSE else 0)
    at = min(begun, end_cycle)
    causes["bring_up"] = at
    ends = dict(zip(_of(events, Kind.TX_DONE)["index"].tolist(), _of(events, Kind.TX_DONE)["cycle"].tolist(),
                    strict=True))
    previous = False
    for event in _of(events, Kind.TX_SFD, Kind.TX_PAUSE):
        begin = min(int(event["cycle"]) - LAST_PREAMBLE, end_cycle)
        number = int(event["index"])
        pause = event["kind"] == Kind.TX_PAUSE
        if previous:
            gap = max(min(GAP_CYCLES, begin - at), 0)
            causes["gap"] += gap
            at += gap
        if not pause:
            handed = min(max(fetched.get(number, at), at), begin)
            causes["no_frame_handed_over"] += handed - at
            causes["first_fill"] += begin - handed
        else:
            causes["no_frame_handed_over"] += max(begin - at, 0)
        end = min(begin + LAST_PREAMBLE + 1 + 64 if pause else ends.get(number, end_cycle), end_cycle)
        causes["pause_frame" if pause else "frame_on_wire"] += end - begin
        at, previous = end, True
    causes["after_the_last_frame"] = end_cycle - at
    return causes


def _rx_account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    causes = dict.fromkeys(RX_CAUSES, 0)
    begins = sfd_cycles(events)[1].astype(np.int64) - SFD_CYCLES
    ends = _of(events, Kind.RX_END)["cycle"].astype(np.int64) - 1
    at = 0
    for number, begin in enumerate(begins.tolist()):
        begin = min(begin, end_cycle)
        end = min(int(ends[number]), end_cycle) if number < len(ends) else end_cycle
        causes["bring_up" if number == 0 else "wire_idle"] += begin - at
        causes["frame_on_wire"] += end - begin
        at = end
    causes["after_the_last_frame"] = end_cycle - at
    return causes
