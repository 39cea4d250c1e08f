"""Simulators around the dummy engine, built once and kept in the build folder."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tb.build import Built, build
from tb.job import Job, Outcome, Program
from tb.simulate import simulate

HERE = Path(__file__).resolve().parent


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"tests_tb_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


dummy = _load("dummy")


@pytest.fixture(scope="session")
def dummy_engine() -> Any:
    """The module that describes the dummy engine."""
    return dummy


@pytest.fixture(scope="session", params=["verilator", "icarus"])
def built(request: pytest.FixtureRequest) -> Built:
    """The dummy engine with a 32-bit bus, in each simulator."""
    return build(dummy.recipe(), request.param)


@pytest.fixture(params=["verilator", "icarus"])
def run_on_link(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Outcome]:
    """The same as `run` for the dummy that is a part on a link, in each simulator."""
    return runner(build(dummy.recipe(on_link=True), request.param), tmp_path)


@pytest.fixture
def run(built: Built, tmp_path: Path) -> Callable[..., Outcome]:
    """run(entry, arguments, program=None, **job fields) in a simulator."""
    return runner(built, tmp_path)


@pytest.fixture
def run_verilator(tmp_path: Path) -> Callable[..., Outcome]:
    """The same in Verilator alone: for what a test of both simulators' logs carries over to the other."""
    return runner(build(dummy.recipe(), "verilator"), tmp_path)


def runner(built: Built, folder: Path) -> Callable[..., Outcome]:
    """What `run` is, for this simulator and folder."""
    def run(entry: str, arguments: dict[str, Any] | None = None, program: Program | None = None,
            **job: Any) -> Outcome:
        if "prepare" in job:
            job["prepare"] = f"jobs:{job['prepare']}"
        given = Job(f"jobs:{entry}", arguments or {}, memory_bytes=1 << 16, paths=[str(HERE)], **job)
        return simulate(built, given, program, timeout_s=60, folder=folder)
    return run


@pytest.fixture
def run_on(tmp_path: Path) -> Callable[..., Callable[..., Outcome]]:
    """run_on(built) is `run` for another simulator."""
    return lambda built: runner(built, tmp_path / built.directory.name)
