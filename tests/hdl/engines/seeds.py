"""Which seeds the random regressions run."""

import os

VARIABLE = "RINGBENCH_RANDOM_SEEDS"


def seeds(usual: str) -> list[int]:
    """Seeds and ranges of them, as "1-8,25": the environment's RINGBENCH_RANDOM_SEEDS, else `usual`."""
    found: list[int] = []
    for part in os.environ.get(VARIABLE, usual).split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
