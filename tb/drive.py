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
from tb.postmortem import page_sums

SESSION_FILE, OUTCOME_FILE = "session.pickle", "outcome.npz"


async def scenario(world: World, folder: str) -> dict[str, Any]:
    """Run the session in `folder`; returns {"pages": checksum by page}."""
    session = pickle.loads((Path(folder) / SESSION_FILE).read_bytes())
    outcome = await play(world, session["scenario"], session["tx"], session["rx"])
    outcome.save(Path(folder) / OUTCOME_FILE)
    return {"pages": page_sums(world.mem)}
