"""Holds two event logs side by side: how many events differ, and where and how they first part."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from model.events import ORDER, ordered

BEFORE = 4
"""Events shown in front of a divergence."""


@dataclass(frozen=True)
class Comparison:
    """Members: `compared` events of the longer log; `off` events that the other log does not have exactly so;
    `worst_offset_cycles` between events of one kind counted off in pairs; `first` text about the first that
    differs and `first_cycle` when that is, None if none does."""

    compared: int
    off: int
    worst_offset_cycles: int
    first: str | None
    first_cycle: int | None


def compare(golden: np.ndarray, rtl: np.ndarray, kinds: type[IntEnum], states: dict[IntEnum, tuple[str, str]],
            names: tuple[str, str] = ("golden", "RTL")) -> Comparison:
    """Compare two logs (EVENT arrays, any order); `kinds` and `states` (what a kind says of which machine)
    explain them."""
    golden, rtl = ordered(golden), ordered(rtl)
    compared = max(len(golden), len(rtl))
    if len(golden) == len(rtl) and (golden == rtl).all():
        return Comparison(compared, 0, 0, None, None)
    off = max(_without_partner(golden, rtl), _without_partner(rtl, golden))
    shared = min(len(golden), len(rtl))
    differs = golden[:shared] != rtl[:shared]
    place = int(np.argmax(differs)) if differs.any() else shared
    cycles = [int(log["cycle"][place]) for log in (golden, rtl) if place < len(log)]
    return Comparison(compared, off, _worst_offset(golden, rtl),
                      _describe(golden, rtl, place, kinds, states, names), min(cycles))


def _without_partner(these: np.ndarray, those: np.ndarray) -> int:
    """How many of `these` are not among `those`, counting repeats."""
    kept, counts = np.unique(these, return_counts=True)
    there, there_counts = np.unique(those, return_counts=True)
    have = dict(zip(there.tolist(), there_counts.tolist(), strict=True))
    return sum(max(0, count - have.get(event, 0))
               for event, count in zip(kept.tolist(), counts.tolist(), strict=True))


def _worst_offset(golden: np.ndarray, rtl: np.ndarray) -> int:
    worst = 0
    for kind in np.intersect1d(golden["kind"], rtl["kind"]):
        a = golden["cycle"][golden["kind"] == kind].astype(np.int64)
        b = rtl["cycle"][rtl["kind"] == kind].astype(np.int64)
        shared = min(len(a), len(b))
        worst = max(worst, int(np.abs(a[:shared] - b[:shared]).max()))
    return worst


def _text(event: np.void, kinds: type[IntEnum]) -> str:
    return f"{kinds(int(event['kind'])).name} index {int(event['index'])} data {int(event['data']):#x}"


def _describe(golden: np.ndarray, rtl: np.ndarray, place: int, kinds: type[IntEnum],
              states: dict[IntEnum, tuple[str, str]], names: tuple[str, str]) -> str:
    logs = (golden, rtl)
    here = [log[place] if place < len(log) else None for log in logs]
    early = [event for event in here if event is not None]
    first = min(early, key=lambda event: tuple(int(event[name]) for name in ORDER))
    which = 0 if here[0] is first else 1
    other = logs[1 - which]
    kind = int(first["kind"])
    ordinal = int(np.count_nonzero(logs[which]["kind"][:place] == kind))
    partners = other[other["kind"] == kind]
    text = f"{names[which]} has {_text(first, kinds)} in cycle {int(first['cycle'])}, {names[1 - which]} "
    if ordinal < len(partners):
        partner = partners[ordinal]
        if partner["cycle"] == first["cycle"]:
            text += f"in the same cycle {_text(partner, kinds)}"
        elif partner["index"] == first["index"] and partner["data"] == first["data"]:
            text += f"in cycle {int(partner['cycle'])}"
        else:
            text += (f"as its {kinds(kind).name} no. {ordinal}: {_text(partner, kinds)} "
                     f"in cycle {int(partner['cycle'])}")
    else:
        text += f"has no {kinds(kind).name} no. {ordinal}"
    state: dict[str, str] = {}
    for event in logs[which][:place]:
        machine = states.get(kinds(int(event["kind"])))
        if machine is not None:
            state[machine[0]] = f"{machine[1]} since {int(event['cycle'])}"
    before = ", ".join(f"{machine}: {value}" for machine, value in sorted(state.items())) or "reset"
    last = "; ".join(f"{int(event['cycle'])} {_text(event, kinds)}"
                     for event in logs[which][max(0, place - BEFORE):place])
    return f"{text}. States before it: {before}. Last common events: {last or 'none'}."
