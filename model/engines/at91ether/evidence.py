"""What an event log of this engine says in the bench's common terms: failures, memory accesses, frames, the
cycle account."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from model.host.dma_check import ACCESS

from .events import Kind, Reason
from .part import GAP_CYCLES, MAP, SFD_CYCLES, TICK, WORD

FAILURES = {
    Kind.TX_OVERRUN: "tx_overrun",
    Kind.TX_UNDERRUN: "tx_underrun",
    Kind.TX_ABORT: "tx_aborted",
    Kind.RX_BNA: "rx_bna",
}
"""Events that are a finding by themselves."""

ADDRESS_BITS = 32
RX_LENGTH_MASK = MAP.descriptor("rx_descriptor").field("WORD1", "LENGTH").mask
TX_CAUSES = ("bring_up", "frame_on_wire", "gap", "no_frame_handed_over", "first_fill", "carrier_or_backoff",
             "transmitter_stopped", "after_the_last_frame")
RX_CAUSES = ("bring_up", "frame_on_wire", "wire_idle", "after_the_last_frame")
"""Where cycles go, in order of time."""


def failures(events: np.ndarray) -> dict[str, tuple[int, int]]:
    """Findings that the log shows: name -> (how many, cycle of the first)."""
    found = {}
    for kind, name in FAILURES.items():
        cycles = events["cycle"][events["kind"] == kind]
        if len(cycles):
            found[name] = (len(cycles), int(cycles[0]))
    lost = given_up(events)
    if len(lost):
        count, first = found.get("tx_aborted", (0, int(lost[0])))
        found["tx_aborted"] = (count + len(lost), min(first, int(lost[0])))
    missed = np.isin(events["kind"], (Kind.RX_END, Kind.RX_MISS))
    of_end = events["data"] >> np.uint64(ADDRESS_BITS)
    reasons = np.where(events["kind"] == Kind.RX_END, of_end, events["data"])
    overrun = events["cycle"][missed & (reasons == Reason.OVERRUN)]
    if len(overrun):
        found["rx_overrun"] = (len(overrun), int(overrun[0]))
    return found


def drops(events: np.ndarray) -> dict[str, int]:
    """Received frames that did not reach the ring, by reason."""
    given_up = events[np.isin(events["kind"], (Kind.RX_DROP, Kind.RX_MISS))]
    reasons, counts = np.unique(given_up["data"], return_counts=True)
    names = [Reason(int(reason)).name.lower() for reason in reasons]
    return dict(zip(names, counts.tolist(), strict=True))


def accesses(events: np.ndarray) -> np.ndarray:
    """The engine's accesses to frame buffers as ACCESS rows.

    The edge is the earliest at which the burst can touch memory: the one that ends the cycle of its
    address. The transmitter reads whole words; of the first and last only the frame's own bytes count.
    Accesses to the ring, which is coherent memory, are not among them.
    """
    frame = {int(e["index"]): int(e["data"]) for e in events[events["kind"] == Kind.TX_QUEUE]}
    rows = []
    for kind, write in ((Kind.TX_FETCH, False), (Kind.RX_WRITE, True)):
        for event in events[events["kind"] == kind].tolist():
            cycle, _, _, index, data = event
            first = data & 0xFFFF_FFFF
            end = first + (data >> ADDRESS_BITS) * WORD
            if not write and index in frame:
                begin = frame[index] & 0xFFFF_FFFF
                first = max(first, begin)
                end = min(end, begin + (frame[index] >> ADDRESS_BITS & 0x7FF))
            if first < end:
                rows.append((cycle + 1, first, end - first, write))
    return np.array(rows, ACCESS)


def hand_overs(events: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Frames handed over as (cycle, address, length in bytes, cycle in which the engine was done with it or
    -1)."""
    done = {int(e["index"]): int(e["cycle"]) for e in events[events["kind"] == Kind.TX_DONE]}
    for cycle, _, _, first, count in events[events["kind"] == Kind.TX_DROP].tolist():
        for number in range(first, first + count):
            done.setdefault(number, cycle)
    return [(int(e["cycle"]), int(e["data"]) & 0xFFFF_FFFF, int(e["data"]) >> ADDRESS_BITS & 0x7FF,
             done.get(int(e["index"]), -1)) for e in events[events["kind"] == Kind.TX_QUEUE]]


def spoilt(events: np.ndarray) -> int:
    """How often the engine itself reports that what it put on the wire is no whole frame: underrun, cut,
    collision."""
    return int(np.isin(events["kind"], (Kind.TX_UNDERRUN, Kind.TX_CUT, Kind.TX_COLLISION)).sum())


def unsent(events: np.ndarray) -> int:
    """Frames handed over that the engine itself reports as not sent whole: underrun, bus error, collisions,
    TE cleared."""
    kinds = events["kind"]
    dropped = int(events["data"][kinds == Kind.TX_DROP].sum())
    lost = np.unique(events["index"][np.isin(kinds, (Kind.TX_UNDERRUN, Kind.TX_ABORT))])
    return dropped + len(lost) + len(given_up(events))


def pauses(events: np.ndarray) -> dict[int, int]:
    """Pause frames that the engine sent of its own: none, the part has no flow control."""
    return {}


def given_up(events: np.ndarray) -> np.ndarray:
    """Cycles in which a frame was released because of a collision: the sixteenth, or a late one."""
    released = events["cycle"][events["kind"] == Kind.TX_DONE]
    collided = events["cycle"][events["kind"] == Kind.TX_COLLISION]
    return np.intersect1d(released, collided)


def frame_ends(events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cycles in which frames were sent and in which they were in the ring: (tx, rx)."""
    return events["cycle"][events["kind"] == Kind.TX_DONE], events["cycle"][events["kind"] == Kind.RX_DONE]


def received_lengths(events: np.ndarray) -> np.ndarray:
    """Bytes with FCS of the frames that were in the ring, in the order of `frame_ends`."""
    words = events["data"][events["kind"] == Kind.RX_DONE].astype(np.int64)
    return words & RX_LENGTH_MASK


def sfd_cycles(events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cycles of the SFDs, (tx, rx)."""
    return events["cycle"][events["kind"] == Kind.TX_SFD], events["cycle"][events["kind"] == Kind.RX_SFD]


def account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    """Where the cycles of a run went, as the sending side sees it if it sent, else the receiving side; sums
    to `end_cycle`."""
    kinds = events["kind"]
    if (kinds == Kind.TX_QUEUE).any():
        return _tx_account(events, end_cycle)
    return _rx_account(events, end_cycle)


def _tx_account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    causes = dict.fromkeys(TX_CAUSES, 0)
    queued = events[events["kind"] == Kind.TX_QUEUE]
    handed_in = dict(zip(queued["index"].tolist(), queued["cycle"].tolist(), strict=True))
    started = events[events["kind"] == Kind.TX_SFD]
    begins = started["cycle"].astype(np.int64) - SFD_CYCLES
    last_kinds = (Kind.TX_DONE, Kind.TX_CUT, Kind.TX_COLLISION)
    ends = events["cycle"][np.isin(events["kind"], last_kinds)].astype(np.int64)
    at = min(int(queued["cycle"][0]), end_cycle)
    causes["bring_up"] = at
    previous_end = None
    fills: dict[int, list[int]] = {}
    for cycle, _, _, number, _ in events[events["kind"] == Kind.TX_FILL].tolist():
        fills.setdefault(number, []).append(cycle)
    for number, begin in zip(started["index"].tolist(), begins.tolist(), strict=True):
        place = np.searchsorted(ends, begin)
        end = int(ends[place]) if place < len(ends) else end_cycle
        if previous_end is not None:
            gap = min(GAP_CYCLES, begin - at)
            causes["gap"] += gap
            at += gap
        # Idle beyond the gap: until the frame is there, then until its first words are.
        ready = min(max(handed_in[number], at), begin)
        causes["no_frame_handed_over"] += ready - at
        filled = fills.get(number, [])
        place = bisect_left(filled, max(handed_in[number], previous_end or 0))
        # The start waits for the first fill and then for a tick; for more only in half duplex.
        full = min(max(filled[place] + 1 + TICK, ready), begin) if place < len(filled) else begin
        if begin - full < TICK:
            full = begin
        causes["first_fill"] += full - ready
        causes["carrier_or_backoff"] += begin - full
        end = min(end, end_cycle)
        causes["frame_on_wire"] += end - begin
        at = previous_end = end
    # Frames that TE throws out long after the last one ended were held by a transmitter that sent no more.
    drops_at = events["cycle"][events["kind"] == Kind.TX_DROP]
    if len(drops_at) and int(drops_at[-1]) > at + GAP_CYCLES:
        causes["transmitter_stopped"] = int(drops_at[-1]) - at
        at = int(drops_at[-1])
    causes["after_the_last_frame"] = end_cycle - at
    return {cause: cycles for cause, cycles in causes.items() if cycles}


def _rx_account(events: np.ndarray, end_cycle: int) -> dict[str, int]:
    begins = events["cycle"][events["kind"] == Kind.RX_SFD].astype(np.int64) - SFD_CYCLES
    ends = events["cycle"][events["kind"] == Kind.RX_END].astype(np.int64)
    causes = dict.fromkeys(RX_CAUSES, 0)
    at = 0
    for number, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=False)):
        causes["bring_up" if number == 0 else "wire_idle"] += begin - at
        causes["frame_on_wire"] += min(end, end_cycle) - begin
        at = min(end, end_cycle)
    causes["after_the_last_frame"] = end_cycle - at
    return {cause: cycles for cause, cycles in causes.items() if cycles}
