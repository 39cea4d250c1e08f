"""What went wrong on the modelled machine, noted instead of raised, so that a hazard plays out to its end."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Finding:
    """Members: `name` (one of `model.scenario.findings`), `cycle` in which it was seen, `text` with the
    particulars."""

    name: str
    cycle: int
    text: str

    def as_dict(self) -> dict[str, str | int]:
        """For JSON."""
        return asdict(self)


class Findings:
    """The findings of one run, in order of time; the first `limit` of each name in full, all of them
    counted."""

    def __init__(self, limit: int = 100) -> None:
        self.limit = limit
        self.noted: list[Finding] = []
        self.counts: dict[str, int] = {}

    def note(self, name: str, cycle: int, text: str) -> None:
        """Add one."""
        self.counts[name] = self.counts.get(name, 0) + 1
        if self.counts[name] <= self.limit:
            self.noted.append(Finding(name, cycle, text))
