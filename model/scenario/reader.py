"""Strict reading of one TOML table: every key is asked for by type and range, and a key that nobody asked for
is an error."""

import difflib
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from model.errors import BenchError
from model.scenario import units

_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a string",
               dict: "a table", list: "a list"}
_REQUIRED = object()


def nearest(word: str, known: Iterable[str]) -> str:
    """Text that proposes what `word` may have meant and lists what is known."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1)
    listed = ", ".join(known) if known else "none at all"
    return (f"did you mean {close[0]!r}? " if close else "") + f"known: {listed}"


def read_toml(path: Path) -> dict[str, Any]:
    """The file's tables; BenchError if it cannot be read or is no TOML (with the line that the parser
    names)."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BenchError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BenchError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{path}: not valid TOML: {error}") from error


class TableReader:
    """Reads the keys of one table and remembers which were asked for.

    Parameters: `table`; `file` and `key` (dotted, "" at the top) for messages; `rename` maps a dotted key to
    the one that the user wrote (a variant's value stands in another table than the one it lands in).
    """

    def __init__(self, table: dict[str, Any], file: object, key: str = "",
                 rename: Callable[[str], str] = lambda dotted: dotted):
        self._table, self.file, self.key, self._rename = table, file, key, rename
        self._asked: set[str] = set()

    def dotted(self, key: str) -> str:
        return f"{self.key}.{key}" if self.key else key

    def fault(self, key: str, value: object, right: str) -> BenchError:
        """The error to raise for `key`."""
        return BenchError.of(self.file, self._rename(self.dotted(key)), value, right)

    def has(self, key: str) -> bool:
        return key in self._table

    def keys(self) -> list[str]:
        return list(self._table)

    def raw(self, key: str, default: Any = _REQUIRED) -> Any:
        """The value as TOML gave it; BenchError if it is missing and has no default."""
        self._asked.add(key)
        if key not in self._table:
            if default is _REQUIRED:
                raise BenchError(f"{self.file}: {self._rename(self.dotted(key))} is missing")
            return default
        return self._table[key]

    def typed(self, key: str, kind: type, default: Any = _REQUIRED) -> Any:
        """The value, which must be of exactly that type (a bool is no int here)."""
        value = self.raw(key, default)
        if key in self._table and type(value) is not kind:
            raise self.fault(key, value, f"expected {_TYPE_NAMES[kind]}")
        return value

    def text(self, key: str, default: Any = _REQUIRED) -> str:
        value = self.typed(key, str, default)
        if key in self._table and not value.strip():
            raise self.fault(key, value, "expected some text")
        return value

    def integer(self, key: str, low: int, high: int, default: Any = _REQUIRED) -> int:
        value = self.typed(key, int, default)
        if key in self._table and not low <= value <= high:
            raise self.fault(key, value, f"out of range, {low} to {high}")
        return value

    def choice(self, key: str, known: Iterable[str], default: Any = _REQUIRED) -> str:
        value = self.typed(key, str, default)
        if key in self._table and value not in known:
            raise self.fault(key, value, nearest(value, known))
        return value

    def _quantity(self, key: str, convert: Callable[[Any], Any], low: float, high: float, unit: str,
                  default: Any) -> Any:
        value = self.raw(key, default)
        if key not in self._table:
            return value
        try:
            number = convert(value)
        except ValueError as error:
            raise self.fault(key, value, str(error)) from error
        if not low <= number <= high:
            raise self.fault(key, value, f"out of range, {low} to {high} {unit}")
        return number

    def cycles(self, key: str, clock_hz: int, low: int, high: int, default: Any = _REQUIRED) -> int:
        """A time in whole cycles of the engine's clock."""
        return self._quantity(key, lambda text: units.time_cycles(text, clock_hz), low, high, "cycles",
                              default)

    def nanoseconds(self, key: str, clock_hz: int, low: float, high: float,
                    default: Any = _REQUIRED) -> float:
        """A time in ns."""
        return self._quantity(key, lambda text: units.time_ns(text, clock_hz), low, high, "ns", default)

    def size(self, key: str, low: int, high: int, default: Any = _REQUIRED) -> int:
        """A size in bytes."""
        return self._quantity(key, units.size_bytes, low, high, "B", default)

    def words(self, key: str, known: Iterable[str] | None, default: Any = _REQUIRED) -> tuple[str, ...]:
        """A list of different words, each one of `known` (any word if None)."""
        value = self.typed(key, list, default)
        for word in value:
            if not isinstance(word, str):
                raise self.fault(key, word, "expected a list of strings")
            if known is not None and word not in known:
                raise self.fault(key, word, nearest(word, known))
        if len(set(value)) != len(value):
            raise self.fault(key, value, "names something twice")
        return tuple(value)

    def table(self, key: str) -> "TableReader":
        """The sub-table; an empty one if it is missing."""
        return TableReader(self.typed(key, dict, {}), self.file, self.dotted(key), self._rename)

    def tables(self, key: str) -> list["TableReader"]:
        """An array of tables; none if it is missing."""
        rows = self.typed(key, list, [])
        for row in rows:
            if not isinstance(row, dict):
                raise self.fault(key, row, "expected a list of tables")
        return [TableReader(row, self.file, f"{self.dotted(key)}[{n}]", self._rename) for n,
                row in enumerate(rows)]

    def done(self) -> None:
        """BenchError for the first key that nobody asked for, naming the nearest that exists here."""
        for key in self._table:
            if key not in self._asked:
                raise BenchError(f"{self.file}: unknown key {self._rename(self.dotted(key))!r}: "
                                 f"{nearest(key, self._asked)}")
