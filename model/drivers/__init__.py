"""The drivers' ring logic, one package a MAC, found by its name.

A package `model.drivers.<mac>` has `VARIANTS` (name -> `Variant`) and `make(host, netdev, variant, flags) ->
Driver`.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from model.errors import BenchError
from model.scenario.reader import nearest


def names() -> list[str]:
    """The MACs that have a driver: the packages in this folder."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(mac: str) -> ModuleType:
    """The driver package of `mac`; BenchError, with the nearest known name, if there is none."""
    if mac not in names():
        raise BenchError(f"no driver for MAC {mac!r}: {nearest(mac, names())}")
    return importlib.import_module(f"{__name__}.{mac}")
