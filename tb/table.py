"""The table of `make sim`: one line a run, in order, with progress below it on a terminal and plain lines
elsewhere."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from tb.results import judge

_WIDTHS = {"mac": 9, "scenario": 17, "variant": 14, "simulator": 9, "rate": 29, "cycles/frame": 12,
           "golden": 12,
           "events": 8, "off": 5}
_RIGHT = ("rate", "cycles/frame", "golden", "events", "off")
_SMALL_FRAME_BYTES = 128
"""Below this the packet rate says more than the goodput."""
_DETAIL_LINES = 8


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.2f}"


def rate(data: dict[str, Any]) -> str:
    """Goodput, or packets per second where frames are small, of each direction that has a rate."""
    if not data["side_pps"]:
        return "-"
    # Frames may have been in the ring (a rate) and none have come up (the driver dropped them all).
    if data["frames"] and data["bytes"] / data["frames"] < _SMALL_FRAME_BYTES:
        return " ".join(f"{name} {value:,.0f}" for name, value in data["side_pps"].items()) + " pps"
    return " ".join(f"{name} {value:,.2f}" for name, value in data["side_goodput_mbps"].items()) + " Mb/s"


def cells(data: dict[str, Any]) -> list[str]:
    """The columns of a run before the verdict, as text."""
    return [data["mac"], data["scenario"], data["variant"], data["simulator"], rate(data),
            _number(data["cycles_per_frame"]), _number(data["golden_cycles_per_frame"]),
            f"{data['events_compared']:,}", f"{data['events_off']:,}"]


def verdict_text(data: dict[str, Any]) -> str:
    """PASS or FAIL, and what was found or missed."""
    judged = judge(data)
    if judged.passed:
        return "PASS " + (f"shows {', '.join(judged.found)}" if judged.found else "clean")
    return f"FAIL {judged}"


class RunTable:
    """Prints runs as they come. Use as a context manager.

    Parameters: `total` runs to come; `console` where to print; `names` (scenario, variant) pairs to come,
    which set the widths of their columns.
    """

    def __init__(self, total: int, console: Console, names: Iterable[tuple[str, str]] = ()):
        self._console, self._total = console, total
        names = list(names)
        self._widths = dict(_WIDTHS)
        for column, place in (("scenario", 0), ("variant", 1)):
            self._widths[column] = max([len(column), *(len(pair[place]) for pair in names)])
        self._progress = None
        if console.is_terminal:
            self._progress = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                                      TimeElapsedColumn(), console=console, transient=True)
            self._task = self._progress.add_task("starting", total=total)

    def __enter__(self) -> "RunTable":
        if self._progress is not None:
            self._progress.start()
        self._line(list(self._widths), "verdict", "bold")
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _line(self, values: list[str], last: str, style: str = "") -> None:
        padded = [value.rjust(width) if name in _RIGHT else value.ljust(width)
                  for (name, width), value in zip(self._widths.items(), values, strict=True)]
        text = Text("  ".join(padded) + "  ")
        text.append(last, "red bold" if last.startswith("FAIL") else "green"
                    if last.startswith("PASS") else "")
        text.stylize(style)
        self._console.print(text, soft_wrap=True, highlight=False)

    def running(self, label: str) -> None:
        """Say what is being done, where there is a progress display."""
        if self._progress is not None:
            self._progress.update(self._task, description=label)

    def note(self, text: str) -> None:
        """A line of its own."""
        self._console.print(Text(text), soft_wrap=True, highlight=False)

    def add(self, data: dict[str, Any]) -> None:
        """The line of one run, and below it why, if it failed."""
        self._line(cells(data), verdict_text(data))
        if data["verdict"] != "pass":
            if data["first_divergence"]:
                self.note(f"    first divergence: {data['first_divergence']}")
            for reason in data["detail"][-_DETAIL_LINES:]:
                self.note(f"    {reason}")
        if self._progress is not None:
            self._progress.advance(self._task)
