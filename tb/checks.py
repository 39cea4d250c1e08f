"""Is what came out what went in? Every frame's bytes, wire to memory and memory to wire, and the rates."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from model.frames import FCS_BYTES, FrameSet, address, pause, wire_image
from model.host.outcome import Outcome
from model.scenario import Scenario
from model.traffic import RxProgram, wire_period_cycles
from tb.native.layout import FRAME_ERROR, FRAME_FCS_OK, FRAME_NO_SFD, FRAME_ODD

MILLION = 1e6


@dataclass
class Check:
    """What a check found. Members: `found` finding -> text about the first; `checked`, `bad` frames."""

    found: dict[str, str] = field(default_factory=dict)
    checked: int = 0
    bad: int = 0

    def note(self, name: str, text: str) -> None:
        """Keep the first text of each finding."""
        self.found.setdefault(name, text)


def _match(got: list[bytes], sent: list[bytes], check: Check, where: str,
           flow: np.ndarray | None = None) -> Counter:
    """Hold frames against those that they must be; returns how often each position of `sent` was seen.

    `flow`: a number for each of `sent`; only frames of one flow have to keep their order. None: all have to.
    """
    places: dict[bytes, list[int]] = {}
    for ordinal, frame in enumerate(sent):
        places.setdefault(frame, []).append(ordinal)
    flows = [0] * len(sent) if flow is None else flow.tolist()
    seen: Counter = Counter()
    newest: dict[int, int] = {}
    for number, frame in enumerate(got):
        check.checked += 1
        ordinals = places.get(frame)
        if ordinals is None:
            check.bad += 1
            check.note("corrupt_frame",
                       f"{where} frame {number} ({len(frame)} bytes) is none of those handed in")
            continue
        # Of frames that are alike one may have been lost: the earliest that keeps the order is the one.
        in_order = bisect_right(ordinals, newest.get(flows[ordinals[0]], -1))
        if in_order < len(ordinals):
            ordinal = ordinals[in_order]
            newest[flows[ordinals[0]]] = ordinal
        else:
            ordinal = next((one for one in ordinals if not seen[one]), ordinals[-1])
            check.bad += 1
            check.note("repeated_frame",
                       f"{where} frame {number} is frame {ordinal} once more, or out of order")
        seen[ordinal] += 1
    return seen


def whole_frames(frames: np.ndarray) -> np.ndarray:
    """Which of the wire's FRAME records are frames with a right FCS (bool, one a record)."""
    wrong = FRAME_ERROR | FRAME_ODD | FRAME_NO_SFD
    return (frames["flags"] & FRAME_FCS_OK != 0) & (frames["flags"] & wrong == 0)


def are_pauses(frames: np.ndarray, pauses: dict[int, int]) -> np.ndarray:
    """Which of the FRAME records are pause frames of the engine's own (bool): those whose SFD is one of
    `pauses` (`evidence.pauses`)."""
    return np.isin(frames["sfd_cycle"], list(pauses))


def _bytes_of(record: np.void, frame_bytes: np.ndarray) -> bytes:
    begin = int(record["offset"])
    return frame_bytes[begin:begin + int(record["length"])].tobytes()


def check_pauses(frames: np.ndarray, frame_bytes: np.ndarray, pauses: dict[int, int], station: str) -> Check:
    """The engine's pause frames (cycle of the SFD -> pause time in quanta) as they are on the wire, sent by
    `station`."""
    check = Check()
    on_the_wire = {int(record["sfd_cycle"]): record for record in frames}
    for cycle, quanta in pauses.items():
        check.checked += 1
        right = wire_image(pause(address(station), quanta))
        if cycle not in on_the_wire or _bytes_of(on_the_wire[cycle], frame_bytes) != right:
            check.bad += 1
            check.note("corrupt_frame",
                       f"the pause frame of cycle {cycle}, time {quanta}, is not on the wire as it must be")
    return check


def check_transmit(outcome: Outcome, frames: np.ndarray, frame_bytes: np.ndarray, spoilt: int,
                   unsent: int) -> Check:
    """Frames on the wire (checker's FRAME records and their bytes, but for pause frames) against those that
    the driver took.

    `spoilt`, `unsent`: how many pieces of frames on the wire, and how many frames not sent, the engine itself
    knows of.
    """
    check = Check()
    is_whole = whole_frames(frames)
    damaged = int((~is_whole).sum())
    whole = [_bytes_of(record, frame_bytes) for record in frames[is_whole]]
    check.checked += damaged
    check.bad += damaged
    if damaged > spoilt:
        check.note("corrupt_frame", f"{damaged} frames on the wire are damaged, the engine knows of {spoilt}")
    handed = [wire_image(outcome.handed[n]) for n in range(len(outcome.handed))]
    seen = _match(whole, handed, check, "transmitted")
    missing = [ordinal for ordinal in range(len(handed)) if not seen[ordinal]]
    if len(missing) > unsent:
        check.note("lost_frame",
                   f"{len(missing)} of {len(handed)} frames that the driver took were never sent, the first "
                   f"is {missing[0]}; the engine knows of {unsent}")
    return check


def check_receive(outcome: Outcome, program: RxProgram) -> Check:
    """Frames that reached the stack against those that the wire played."""
    check = Check()
    cut = 0 if outcome.hands_up_fcs else FCS_BYTES
    played = [program.frames.bytes(n) for n in range(len(program.frames))]
    played = [frame[:len(frame) - cut] for frame in played]
    delivered = [outcome.delivered.bytes(n) for n in range(len(outcome.delivered))]
    seen = _match(delivered, played, check, "received", program.flow)
    wanted = program.wanted().tolist()
    missing = [ordinal for ordinal in wanted if not seen[ordinal]]
    if missing:
        check.note("frames_dropped",
                   f"{len(missing)} of {len(wanted)} good frames never reached the stack, the first is "
                   f"{missing[0]}")
    unwanted = sorted(seen.keys() - set(wanted))
    if unwanted:
        check.bad += len(unwanted)
        check.note("corrupt_frame",
                   f"frame {unwanted[0]} reached the stack although it was damaged or not for this station")
    return check


def rate_shortfall_ppm(sfd_cycles: np.ndarray, lengths: np.ndarray, tick_cycles: int,
                       symbol_bits: int = 4) -> float:
    """How far the rate from the first SFD to the last is below the wire's limit, in parts per million of it.

    `sfd_cycles`, `lengths` (bytes with FCS): one a frame, in order. `symbol_bits` on the wire every
    `tick_cycles`.
    """
    if len(sfd_cycles) < 2:
        return MILLION
    least = sum(wire_period_cycles(int(length), tick_cycles, symbol_bits=symbol_bits)
                for length in lengths[:-1])
    return (1 - least / (int(sfd_cycles[-1]) - int(sfd_cycles[0]))) * MILLION


def check_rates(scenario: Scenario, frames: np.ndarray, rx_sfd: np.ndarray, rx_ring: int,
                program: RxProgram | None) -> Check:
    """`below_wire_limit` where the scenario sets a limit. `rx_sfd`: cycles of received SFDs; `rx_ring`:
    frames that reached the ring."""
    check, wire = Check(), (scenario.tick_cycles, scenario.symbol_bits)
    for side, allowed in scenario.wire_limit_ppm.items():
        if side == "tx":
            short = rate_shortfall_ppm(frames["sfd_cycle"], frames["length"], *wire)
        else:
            short = rate_shortfall_ppm(rx_sfd, program.frames.length, *wire)
            if rx_ring != len(program.frames):
                short = MILLION
        if abs(short) > allowed:
            check.note("below_wire_limit",
                       f"{side}: {abs(short):.0f} ppm {'below' if short > 0 else 'above'} the wire's limit, "
                       f"allowed are {allowed:g}")
    return check


def check_mappings(hand_overs: list[tuple[int, int, int, int]], intervals: np.ndarray) -> Check:
    """Do the engine's hand-overs (cycle, address, length, cycle in which it was done or -1) fit the driver's
    mappings?

    `torn_write`: an address and length that the driver never mapped. `early_release`: unmapped before the
    engine was done.
    """
    check = Check()
    by_buffer: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row in intervals:
        key = (int(row["address"]), int(row["size_bytes"]))
        by_buffer.setdefault(key, []).append((int(row["start_cycle"]), int(row["end_cycle"])))
    for cycle, begin, length, done in hand_overs:
        lives = [life for life in by_buffer.get((begin, length), ()) if life[0] <= cycle]
        if not lives:
            check.note("torn_write", f"cycle {cycle}: {length} bytes at {begin:#x} were handed over, "
                                     "which the driver never mapped")
            continue
        _, end = max(lives)
        if end < cycle or (done >= 0 and end < done):
            check.note("early_release",
                       f"the buffer at {begin:#x}, handed over in cycle {cycle}, was unmapped in cycle "
                       f"{end}" + (f", the engine was done with it in cycle {done}" if done >= 0 else ""))
    return check


def payload_bytes(frames: FrameSet | np.ndarray) -> int:
    """Bytes above Ethernet in frames with FCS whose lengths are given."""
    lengths = (frames.length if isinstance(frames, FrameSet) else frames).astype(np.int64)
    overhead = 14 + FCS_BYTES
    return int(np.maximum(lengths - overhead, 0).sum())
