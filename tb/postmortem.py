"""What to say of a run that stands still: states, indices, pending interrupts; where two memories differ."""

from __future__ import annotations

import zlib
from enum import IntEnum

import numpy as np

from hdl.registers import load

PAGE_BYTES = 4096
LAST_EVENTS = 6
LINE_RISES, LINE_FALLS = "IRQ_RISE", "IRQ_FALL"
CAUSES = "ISR"
"""Register whose fields name the causes that the data of LINE_RISES has, where a MAC has one of that name."""


def page_sums(mem: np.ndarray) -> list[int]:
    """CRC-32 of each page of host memory."""
    view = memoryview(mem)
    return [zlib.crc32(view[first:first + PAGE_BYTES]) for first in range(0, len(mem), PAGE_BYTES)]


def standstill(events: np.ndarray, kinds: type[IntEnum], states: dict[IntEnum, tuple[str, str]],
               mac: str) -> list[str]:
    """What an event log says of where each machine stopped: state and index, pending interrupts, last events.

    Parameters: `events` up to the standstill (EVENT, sorted); `kinds` and `states` of the MAC `mac`.
    """
    last: dict[str, str] = {}
    for event in events:
        kind = kinds(int(event["kind"]))
        if kind in states:
            machine, state = states[kind]
            last[machine] = (f"{machine} {state} since cycle {int(event['cycle'])} "
                             f"({kind.name} {int(event['index'])})")
    tail = [f"cycle {int(event['cycle'])} {kinds(int(event['kind'])).name} {int(event['index'])} "
            f"{int(event['data']):#x}" for event in events[-LAST_EVENTS:]]
    return ["states: " + ("; ".join(last[machine] for machine in sorted(last)) or "as after reset"),
            "pending interrupts: " + _pending(events, kinds, mac),
            "last events: " + ("; ".join(tail) or "none")]


def _pending(events: np.ndarray, kinds: type[IntEnum], mac: str) -> str:
    """The interrupt line as the log leaves it, and the causes that raised it."""
    moves = [kinds[name] for name in (LINE_RISES, LINE_FALLS) if name in kinds.__members__]
    on_line = events[np.isin(events["kind"], moves)]
    if not len(on_line) or kinds(int(on_line[-1]["kind"])).name == LINE_FALLS:
        return "none, the line is low"
    causes, registers = int(on_line[-1]["data"]), load(mac)
    named = registers[CAUSES].fields if CAUSES in registers else ()
    return (f"the line is high since cycle {int(on_line[-1]['cycle'])}, {CAUSES} {causes:#x} "
            f"({', '.join(field.name for field in named if field.extract(causes))})")
