"""Keeps pytest out of the simulator's process while cocotb is loaded: nearly half of a run's start-up time.

cocotb 2.1 imports pytest for the names of a few exceptions and for its rewriting of assertions. No test here
declares such exceptions, and the rewriting is switched off (COCOTB_REWRITE_ASSERTION_FILES is empty, see
tb.simulate). So an entry point that runs before cocotb's own (PYGPI_USERS) puts empty modules in pytest's
place; tb.sim_main, which cocotb loads last, calls `restore`, and pytest can be imported again.
"""

from __future__ import annotations

import sys
import types
from importlib import import_module
from typing import Any

ENTRY_POINTS = ("tb.lean:hold_pytest_back", "cocotb.logging:_configure",
                "cocotb._init:init_package_from_simulation", "cocotb.regression:_run_regression")
"""What PYGPI_USERS is to say: cocotb's own entry points behind the one of this file."""


class _NoException(Exception):
    """Stands for pytest's exceptions; nothing raises or names it."""


_CONTENTS = {
    "pytest": {"RaisesExc": _NoException, "RaisesGroup": _NoException,
               "raises": types.SimpleNamespace(Exception=_NoException)},
    "_pytest": {},
    "_pytest.assertion": {"install_importhook": None},
    "_pytest.config": {"Config": None},
}
"""What cocotb takes from each module."""

_held_back: dict[str, types.ModuleType] = {}


def hold_pytest_back() -> None:
    """Put nearly empty modules in the place of pytest's, unless it is loaded already."""
    if "pytest" in sys.modules or "_pytest" in sys.modules:
        return
    for name, contents in _CONTENTS.items():
        module = types.ModuleType(name)
        vars(module).update(contents)
        _held_back[name] = sys.modules[name] = module


def restore() -> None:
    """Let `import pytest` find the real one from now on; the stand-in hands out what else pytest has."""
    def real(name: str) -> Any:
        return getattr(import_module("pytest"), name)

    if "pytest" in _held_back:
        _held_back["pytest"].__getattr__ = real   # cocotb asks for more names if a test of its own fails
    for name, module in _held_back.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _held_back.clear()
