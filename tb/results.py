"""Results on disk: one JSON file a run, checked before it is written and after it is read, never
half-written."""

import json
import os
import tempfile
import types
import typing
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from model.errors import BenchError
from model.scenario.findings import BREACHES, FINDINGS, Expect, Verdict, verdict
from tb.runspec import RunResult

_HINTS = typing.get_type_hints(RunResult)
_EXTRA = {"expect": list, "allow": list, "verdict": str, "missing": list, "surplus": list}
"""Keys that a file has beyond the members of RunResult."""


def as_json(result: RunResult, expect: Expect) -> dict[str, Any]:
    """A result as it goes to disk, with what was expected and the verdict. ValueError if it contradicts
    itself."""
    judged = verdict(result.found, expect)
    data = asdict(result) | {"expect": sorted(expect.must), "allow": sorted(expect.may),
                             "verdict": "pass" if judged.passed else "fail",
                             "missing": list(judged.missing), "surplus": list(judged.surplus)}
    problem = fault(data)
    if problem:
        raise ValueError(f"result of {result.mac}/{result.scenario}.{result.variant}.{result.simulator}: "
                         f"{problem}")
    return data


def judge(data: dict[str, Any]) -> Verdict:
    """The verdict of a result as read from disk."""
    return verdict(data["found"], Expect(frozenset(data["expect"]), frozenset(data["allow"])))


def fault(data: dict[str, Any]) -> str | None:
    """What is wrong with a result: a key too many or too few, a value of the wrong type, sums that do not add
    up."""
    known = {member.name for member in fields(RunResult)} | _EXTRA.keys()
    for key in sorted(known ^ data.keys()):
        return f"{key}: {'missing' if key in known else 'unknown key'}"
    for key, value in data.items():
        if not _fits(value, _HINTS.get(key, _EXTRA.get(key))):
            return f"{key} = {value!r}: wrong type"
    unknown = set(data["found"]) - FINDINGS.keys() - BREACHES.keys()
    if unknown:
        return f"found = {sorted(unknown)}: no such finding"
    total = sum(data["cycle_account"].values())
    if data["cycle_account"] and total != data["cycles"]:
        return f"cycle_account: sums to {total}, not to cycles = {data['cycles']}"
    if data["events_off"] > data["events_compared"]:
        return f"events_off = {data['events_off']}: more than events_compared = {data['events_compared']}"
    if data["frames_bad"] > data["frames_checked"]:
        return f"frames_bad = {data['frames_bad']}: more than frames_checked = {data['frames_checked']}"
    return None


def _fits(value: object, hint: object) -> bool:
    origin = typing.get_origin(hint)
    if origin is types.UnionType:
        return any(_fits(value, option) for option in typing.get_args(hint))
    if origin is list:
        return isinstance(value, list) and all(_fits(item, typing.get_args(hint)[0]) for item in value)
    if origin is dict:
        kinds = typing.get_args(hint)
        return isinstance(value, dict) and all(_fits(k, kinds[0]) and _fits(v, kinds[1]) for k,
                                               v in value.items())
    if hint is object:
        return True
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    return type(value) is hint


def path_of(build: Path, mac: str, scenario: str, variant: str, simulator: str) -> Path:
    """Where the result of a run stands."""
    return build / "results" / mac / f"{scenario}.{variant}.{simulator}.json"


def write_json(path: Path, data: object) -> None:
    """Write a file so that a reader sees the old one or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1, allow_nan=False)
            file.write("\n")
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def write_result(build: Path, data: dict[str, Any]) -> Path:
    """Write a result that `as_json` made; its path."""
    path = path_of(build, data["mac"], data["scenario"], data["variant"], data["simulator"])
    write_json(path, data)
    return path


def write_summary(build: Path, results: Iterable[dict[str, Any]]) -> Path:
    """Write the summary of one call: its runs in order, and how many passed; its path."""
    results = list(results)
    passed = sum(data["verdict"] == "pass" for data in results)
    path = build / "results" / "summary.json"
    write_json(path, {"runs": results, "passed": passed, "failed": len(results) - passed})
    return path


def read_results(build: Path) -> list[dict[str, Any]]:
    """All results on disk, by MAC, scenario, variant and simulator. BenchError names a file that is not
    valid."""
    found = []
    for path in sorted((build / "results").glob("*/*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BenchError(f"{path}: cannot be read as JSON: {error}") from error
        problem = fault(data) if isinstance(data, dict) else "expected an object"
        if problem:
            raise BenchError(f"{path}: {problem}; remove it and run `make sim` again")
        found.append(data)
    return found
