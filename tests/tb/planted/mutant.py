"""The golden engine with one number of its text, or one of its constants, changed."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from types import FunctionType

from model.engines.at91ether.events import Kind

PACKAGE = "model.engines.at91ether"
HERE = "tests/tb/planted/spec_numbers.py"

Change = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Number:
    """A number of the specification as the golden engine has it, and a change of it.

    Members: `says`, what it says; `stimulus` in which the change shows; `kind` of the event that differs
    first; `change`, makes a context in which the golden engine has it.
    """

    says: str
    stimulus: str
    kind: Kind
    change: Change


def constant(name: str, by: int = 1, modules: str = PACKAGE) -> Change:
    """The constant `name`, or each member if it is a tuple, changed by `by` in every module that has it.

    `modules`: beginning of their names. LookupError if none has it.
    """
    @contextmanager
    def change() -> Iterator[None]:
        owners = [module for path, module in sorted(sys.modules.items())
                  if path.startswith(modules) and hasattr(module, name)]
        if not owners:
            raise LookupError(f"no module of {modules} has {name} any more: bring {HERE} in line")
        before = [getattr(module, name) for module in owners]
        for module, value in zip(owners, before, strict=True):
            more = tuple(member + by for member in value) if isinstance(value, tuple) else value + by
            setattr(module, name, more)
        try:
            yield
        finally:
            for module, value in zip(owners, before, strict=True):
                setattr(module, name, value)
    return change


def text(place: str, old: str, new: str) -> Change:
    """The function at `place` with `old`, which must occur in its text once, replaced by `new`.

    `place`: "module:Class.method", the module in the golden engine's package or with its whole name.
    LookupError if it is not there, or its text is another.
    """
    @contextmanager
    def change() -> Iterator[None]:
        function = _function(place)
        source = textwrap.dedent(inspect.getsource(function))
        times = source.count(old)
        if times != 1:
            raise LookupError(f"{place} has {old!r} {times} times, not once: bring {HERE} in line")
        made: dict[str, FunctionType] = {}
        code = compile(source.replace(old, new), inspect.getfile(function), "exec",
                       flags=annotations.compiler_flag, dont_inherit=True)
        exec(code, function.__globals__, made)
        # The code is exchanged, not the function: who has imported the function has the changed one too.
        before, function.__code__ = function.__code__, made[function.__name__].__code__
        try:
            yield
        finally:
            function.__code__ = before
    return change


def _function(place: str) -> FunctionType:
    module, _, path = place.partition(":")
    try:
        return attrgetter(path)(import_module(module if "." in module else f"{PACKAGE}.{module}"))
    except (ImportError, AttributeError) as error:
        raise LookupError(f"there is no {place} any more: bring {HERE} in line") from error
