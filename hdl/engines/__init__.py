"""The engines: one package a MAC, found by looking into this folder. A new MAC is a new package and no edit
here."""

import importlib
import pkgutil
from types import ModuleType

__all__ = ["load", "names"]


def names() -> list[str]:
    """The MACs that have an engine, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(mac: str) -> ModuleType:
    """The engine package of a MAC. Its `Engine` is the top component, to be made without arguments.

    Parameters
    ----------
    mac: name of the package, e.g. "at91ether".

    Raises
    ------
    ValueError
        There is no such engine; the text names those that there are.
    """
    if mac not in names():
        raise ValueError(f"hdl/engines: no engine for MAC {mac!r}; there are: {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{mac}")
