"""What tests of the command line share: a console that keeps its text, and a way to call the whole of `make
sim`."""

import io
from pathlib import Path

from rich.console import Console

from tb.plan import request_from
from tb.sim import guarded, simulate
from tests.model.scenario.support import SMALL, changed, write
from tests.tb import fake_runner


def alive(pid: int) -> bool:
    """True if the process runs: one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def console() -> Console:
    """Not a terminal, and as wide as it gets."""
    return Console(file=io.StringIO(), width=300, highlight=False)


def scenario_with_seed(folder: Path, seed: int, name: str = "mine", variants: str = '["depth1"]') -> Path:
    """A small scenario whose seed tells the fake runner what to do."""
    text = changed('variants = ["depth1", "depth2"]', f"variants = {variants}\nseed = {seed}", SMALL)
    return write(folder, text, name)


def call_sim(build: Path, **variables: str) -> tuple[int, str, str]:
    """`make sim` with the fake runner: exit status, what it printed, what it complained of."""
    out, err = console(), console()
    status = guarded(lambda: simulate(request_from(variables, build), lambda: fake_runner, out), err)
    return status, out.file.getvalue(), err.file.getvalue()
