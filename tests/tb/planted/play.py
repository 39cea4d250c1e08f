"""Does the steps of a script, inside the simulator and in the golden world alike.

Imports little: each simulator process loads it anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MEMORY_BYTES = 1 << 16


async def play(world: Any, steps: list[list[Any]]) -> None:
    """Fill memory and do `steps` (see `script.Script`). What is read shows in the event log."""
    world.mem[:MEMORY_BYTES] = (np.arange(MEMORY_BYTES) * 37 + 11).astype(np.uint8)
    for what, *arguments in steps:
        if what == "sleep":
            await world.sleep(*arguments)
        elif what == "write":
            world.csr_write(*arguments)
        elif what == "read":
            await world.csr_read(*arguments)
        elif what == "words":
            address, words, times = arguments
            block = np.tile(np.array(words, "<u4").view(np.uint8), times)
            world.mem[address:address + len(block)] = block
        elif what == "read_if":
            line, offset = arguments
            if world.irq(line).level():
                await world.csr_read(offset)
        else:
            world.wire_start()
