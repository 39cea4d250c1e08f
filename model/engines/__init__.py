"""Golden engines: each MAC's engine as predicted from its timing specification (`docs/engines/<mac>.md`),
never from RTL.

A MAC is a package here, found by its name; it offers `Engine` (see `model/engines/at91ether/engine.py` for
the face that the golden world expects) and `Kind`, the numbers of its events.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from model.errors import BenchError


def known() -> list[str]:
    """Names of the MACs that have a golden engine."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(mac: str) -> ModuleType:
    """The package of `mac`; BenchError if there is none."""
    if mac not in known():
        raise BenchError(f"model/engines: no MAC named {mac!r}; known are {', '.join(known())}")
    return importlib.import_module(f"{__name__}.{mac}")
