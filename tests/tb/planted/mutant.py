"""The golden engine with one number of its text, or one of its constants, changed."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import Any

Change = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Number:
    """A number of the specification as the golden engine has it, and a change of it.

    Members: `says`, what it says; `stimulus` in which the change shows; `kind` of the event that differs
    first; `change`, makes a context in which the golden engine has it.
    """

    says: str
    stimulus: str
    kind: IntEnum
    change: Change


@dataclass(frozen=True)
class Package:
    """A golden engine's text and constants. Members: `name`, of its Python package; `where`, the file that
    speaks of them, for error texts."""

    name: str
    where: str

    def constant(self, name: str, by: int = 1, modules: str = "") -> Change:
        """The constant `name`, or each number in it if it is a tuple, changed by `by` in every module that
        has it.

        `modules`: beginning of their names if it is not the package's. LookupError if none has it.
        """
        prefix = modules or self.name

        @contextmanager
        def change() -> Iterator[None]:
            owners = [module for path, module in sorted(sys.modules.items())
                      if path.startswith(prefix) and hasattr(module, name)]
            if not owners:
                raise LookupError(f"no module of {prefix} has {name} any more: bring {self.where} in line")
            before = [getattr(module, name) for module in owners]
            for module, value in zip(owners, before, strict=True):
                setattr(module, name, _more(value, by))
            try:
                yield
            finally:
                for module, value in zip(owners, before, strict=True):
                    setattr(module, name, value)
        return change

    def text(self, place: str, old: str, new: str) -> Change:
        """The function at `place` with `old`, which must occur in its text once, replaced by `new`.

        `place`: "module:Class.method", the module in the package or with its whole name. LookupError if it is
        not there, or its text is another.
        """
        @contextmanager
        def change() -> Iterator[None]:
            function = self._function(place)
            source = textwrap.dedent(inspect.getsource(function))
            times = source.count(old)
            if times != 1:
                raise LookupError(f"{place} has {old!r} {times} times, not once: bring {self.where} in line")
            made: dict[str, FunctionType] = {}
            changed = source.replace(old, new)
            if function.__closure__:   # of a method, by `super`: the cell of its class is called so
                changed = (f"def outer(__class__):\n{textwrap.indent(changed, '    ')}\n"
                           f"    return {function.__name__}\n{function.__name__} = outer(None)\n")
            code = compile(changed, inspect.getfile(function), "exec",
                           flags=annotations.compiler_flag, dont_inherit=True)
            exec(code, function.__globals__, made)
            # The code is exchanged, not the function: who has imported the function has the changed one too.
            made_now = made[function.__name__]
            before, function.__code__ = function.__code__, getattr(made_now, "__func__", made_now).__code__
            try:
                yield
            finally:
                function.__code__ = before
        return change

    def _function(self, place: str) -> FunctionType:
        module, _, path = place.partition(":")
        try:
            return attrgetter(path)(import_module(module if "." in module else f"{self.name}.{module}"))
        except (ImportError, AttributeError) as error:
            raise LookupError(f"there is no {place} any more: bring {self.where} in line") from error


def _more(value: Any, by: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_more(member, by) for member in value)
    return value + by if isinstance(value, int) else value
