"""What a scenario says of a part, as the numbers that the strap pins carry."""

from __future__ import annotations

from collections.abc import Mapping


def encode(codes: Mapping[str, tuple[object, ...]], values: Mapping[str, object]) -> dict[str, int]:
    """Codes of straps: `codes` has the values of each strap in the order of their codes, `values` those
    wanted.

    Raises ValueError for a name or value that the part does not have.
    """
    found = {}
    for name, value in values.items():
        if name not in codes or value not in codes[name]:
            raise ValueError(f"strap {name} = {value!r}: the part has {codes.get(name, tuple(codes))}")
        found[name] = codes[name].index(value)
    return found
