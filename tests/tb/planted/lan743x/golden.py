"""Changes of the golden lan743x engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.tb.planted.mutant import Change, Package

GOLDEN = Package("model.engines.lan743x", "tests/tb/planted/lan743x/numbers_*.py")
constant, text = GOLDEN.constant, GOLDEN.text
BUS_TIMING = "model.bus:BusTiming"


def in_engine(old: str, new: str) -> Change:
    """A change of what joins the machines."""
    return text("engine:Engine.__init__", old, new)


def later(place: str, call: str, cycle: str) -> Change:
    """A call in a function takes place a cycle later: `call`, the statement as it stands there, `cycle`, the
    name of its cycle."""
    shifted = call.replace(f", {cycle})", f", {cycle} + 1)")
    return text(place, call, f"self.engine.kernel.call_at(4 * ({cycle} + 1) + 3, lambda: {shifted})")


def both(*changes: Change) -> Change:
    """Several changes at once."""
    @contextmanager
    def change() -> Iterator[None]:
        with ExitStack() as stack:
            for each in changes:
                stack.enter_context(each())
            yield
    return change
