"""What to say of a run that stands still: states, indices and pending interrupts, and where two memories differ."""

from __future__ import annotations

import zlib
from enum import IntEnum

import numpy as np

from hdl.registers import load
from model.host.world import World

PAGE_BYTES = 4096
LAST_EVENTS = 6


def page_sums(mem: np.ndarray) -> list[int]:
    """CRC-32 of each page of host memory."""
    view = memoryview(mem)
    return [zlib.crc32(view[first:first + PAGE_BYTES]) for first in range(0, len(mem), PAGE_BYTES)]


async def register_dump(world: World, mac: str) -> list[str]:
    """One line for each register that can be read, fields by name. Reading clears causes: only for a run that is over."""
    lines = []
    for register in load(mac):
        if register.alias_of is not None or not any(field.readable for field in register.fields):
            continue
        value = await world.csr_read(register.offset)
        fields = ", ".join(f"{field.name}={field.extract(value)}" for field in register.fields
                           if field.readable and field.extract(value))
        lines.append(f"{register.name} = {value:#010x}" + (f" ({fields})" if fields else ""))
    return lines


def standstill(events: np.ndarray, kinds: type[IntEnum], states: dict[IntEnum, tuple[str, str]]) -> list[str]:
    """What an event log says of where each machine stopped: its last state, ring index, and the last events."""
    last: dict[str, str] = {}
    for event in events:
        kind = kinds(int(event["kind"]))
        if kind in states:
            machine, state = states[kind]
            last[machine] = f"{machine}: {state} since cycle {int(event['cycle'])} ({kind.name} {int(event['index'])})"
    tail = [f"cycle {int(event['cycle'])}: {kinds(int(event['kind'])).name} index {int(event['index'])} data "
            f"{int(event['data']):#x}" for event in events[-LAST_EVENTS:]]
    return [last[machine] for machine in sorted(last)] + tail
