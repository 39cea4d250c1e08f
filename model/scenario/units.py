"""Quantities as a scenario file writes them: a number and its unit in one string, so that no reader has to
guess.

Times are given in engine cycles or in (n/u/m)s, sizes in bytes. A time that is no whole number of cycles is
rounded up: a timer never fires before what was asked for.
"""

import math
import re
from fractions import Fraction

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµμ]+)\s*")

NS_PER_UNIT = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
BYTES_PER_UNIT = {"B": 1, "KiB": 1024, "MiB": 1024 * 1024}
CYCLE_UNITS = ("cycle", "cycles")
TIME_UNITS = (*CYCLE_UNITS, *NS_PER_UNIT)
_MEANT = {"b": "B", "byte": "B", "bytes": "B", "k": "KiB", "kb": "KiB", "kib": "KiB", "m": "MiB", "mb": "MiB",
          "mib": "MiB", "µs": "us", "μs": "us", "usec": "us", "msec": "ms", "nsec": "ns", "sec": "s"}
"""Other spellings -> the unit they stand for here."""


def split_quantity(text: object, units: tuple[str, ...]) -> tuple[Fraction, str]:
    """Number and unit of `text`; ValueError saying what was expected if it is no string of that form or
    another unit."""
    kind, usual = ("size", ("B",)) if "B" in units else ("time", ("us", "cycles"))
    bare = isinstance(text, int | float) and not isinstance(text, bool)
    if (text < 0) if bare else (isinstance(text, str) and text.lstrip().startswith("-")):
        raise ValueError(f"a {kind} is not negative")
    number = text if bare else "64" if kind == "size" else "25"
    example = " or ".join(f'"{number} {unit}"' for unit in usual)
    if not isinstance(text, str):
        raise ValueError(f"needs a unit in a string, such as {example}")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a number and a unit, such as {example}")
    number, unit = match.groups()
    if unit not in units:
        meant = _MEANT.get(unit.lower())
        hint = f"did you mean {meant!r}? " if meant in units else ""
        raise ValueError(f"unit {unit!r} does not fit here; {hint}one of {', '.join(units)}")
    return Fraction(number), unit


def time_cycles(text: object, clock_hz: int) -> int:
    """Whole cycles of a clock of `clock_hz` in `text` ("40 cycles", "25 us"), rounded up; ValueError if it is
    no time."""
    number, unit = split_quantity(text, TIME_UNITS)
    if unit in CYCLE_UNITS:
        if number.denominator != 1:
            raise ValueError("cycles are whole numbers")
        return int(number)
    return math.ceil(number * NS_PER_UNIT[unit] * clock_hz / 1_000_000_000)


def time_ns(text: object, clock_hz: int) -> float:
    """Nanoseconds in `text`; cycles are of a clock of `clock_hz`. ValueError if it is no time."""
    number, unit = split_quantity(text, TIME_UNITS)
    if unit in CYCLE_UNITS:
        return float(number * 1_000_000_000 / clock_hz)
    return float(number * NS_PER_UNIT[unit])


def size_bytes(text: object) -> int:
    """Whole bytes in `text` ("64 B", "2 KiB"); ValueError if it is no size."""
    number, unit = split_quantity(text, tuple(BYTES_PER_UNIT))
    total = number * BYTES_PER_UNIT[unit]
    if total.denominator != 1:
        raise ValueError("bytes are whole numbers")
    return int(total)
