"""A small scenario as text, and ways to change one line of it."""

from pathlib import Path

from model.scenario import Scenario, load_scenario

SMALL = """
mac = "at91ether"
title = "Both ways"
why = "A scenario for tests."
platform = "free"
variants = ["depth1", "depth2"]
expect = "clean"

[traffic.tx]
frames = 4
size = "64 B"

[traffic.rx]
frames = 5
size = "600 B"
gap = "wire"
"""


GIGABIT = SMALL.replace("at91ether", "lan743x").replace('"depth1", "depth2"', '"before", "merged"')
"""The same of a part on GMII behind PCIe."""


def write(folder: Path, text: str = SMALL, name: str = "mine") -> Path:
    """A scenario file with that text; its path."""
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def changed(old: str, new: str, text: str = SMALL) -> str:
    """The text with `old`, which has to be in it, replaced."""
    assert old in text
    return text.replace(old, new)


def loaded(folder: Path, text: str = SMALL, variant: str = "depth1") -> Scenario:
    """One variant of a scenario with that text."""
    return load_scenario(write(folder, text)).variants[variant]
