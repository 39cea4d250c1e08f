"""What runs inside the simulator for `make sim`: the same session as in the golden world, on the RTL.

The scenario and its traffic come pickled beside the job; the host's outcome goes back the same way, with a
checksum of each page of host memory for the comparison with the golden world's.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from model.host.world import World
from model.session import play
from tb.postmortem import page_sums, register_dump

SESSION_FILE, OUTCOME_FILE = "session.pickle", "outcome.npz"


async def scenario(world: World, folder: str) -> dict[str, Any]:
    """Run the session in `folder`: {"pages": checksum by page, "registers": texts if it stopped}."""
    session = pickle.loads((Path(folder) / SESSION_FILE).read_bytes())
    outcome = await play(world, session["scenario"], session["tx"], session["rx"])
    pages = page_sums(world.mem)
    outcome.save(Path(folder) / OUTCOME_FILE)
    registers = []
    if outcome.finding_counts.keys() & {"hang", "tx_stopped"}:
        registers = await register_dump(world, session["scenario"].mac)
    return {"pages": pages, "registers": registers}
