"""What a link makes of bursts and register accesses that were made in known cycles, from model.link alone."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from model.link import Link

BOOK, FETCH, ISSUE = range(3)
"""In a cycle: offers of the one before are booked, memory is read, the driver acts (falling edge)."""
COMPLETION, WRITE, READ = range(3)


@dataclass
class Replay:
    """Cycles by ordinal: `visible`, `reply` of writes; `fetch`, `first` beat of reads; `taken` of register
    accesses; `returned` of those that are reads. `ties`: offers with the stamp of the one before."""

    visible: list[int] = field(default_factory=list)
    reply: list[int] = field(default_factory=list)
    fetch: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    returned: list[int] = field(default_factory=list)
    ties: int = 0


def replay(link: Link, bursts: np.ndarray, accesses: list[list[Any]],
           latencies: tuple[int, int] = (0, 0)) -> Replay:
    """Offers everything to `link` in the order of docs/link.md.

    Parameters: `bursts` of layout.BURST whose handshakes and write data are taken as they were; `accesses` as
    [kind, cycle issued, ...]; `latencies` of a register access in, and of a value back.
    """
    found, events, last_beat, last_booked = Replay(), [], -1, -1
    for burst in bursts:
        write = int(burst["write"])
        stamp = int(burst["end_cycle" if write else "open_cycle"])
        events.append((stamp + 1, BOOK, WRITE if write else READ, len(events), burst))
    for access in accesses:
        events.append((access[1], ISSUE, 0, len(events), access[0]))
    heapq.heapify(events)
    while events:
        cycle, phase, kind, serial, what = heapq.heappop(events)
        if phase == BOOK:
            found.ties += cycle == last_booked
            last_booked = cycle
        if phase == ISSUE:
            taken = link.register_access(cycle + latencies[0], what == "w")
            taken = max(taken, found.taken[-1] + 2) if found.taken else taken
            found.taken.append(taken)
            if what == "r":
                heapq.heappush(events, (taken + 2, BOOK, COMPLETION, serial, None))
        elif phase == FETCH:
            first = max(link.complete(cycle, int(what["address"]), 4 * int(what["beats"])), last_beat + 1)
            last_beat = first + int(what["beats"]) - 1
            found.first.append(first)
        elif kind == COMPLETION:
            found.returned.append(link.register_completion(cycle - 1) + latencies[1])
        elif kind == WRITE:
            visible, reply = link.write(cycle - 1, 4 * int(what["beats"]))
            found.visible.append(visible)
            found.reply.append(reply)
        else:
            found.fetch.append(link.read(cycle - 1, 4 * int(what["beats"]), int(what["extra_cycles"])))
            heapq.heappush(events, (found.fetch[-1], FETCH, 0, serial, what))
    return found
