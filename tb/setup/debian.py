"""What the bench needs of the system beyond Python packages, how to see whether it is there, and apt-get
where allowed."""

from __future__ import annotations  # an older Python must come as far as the message about its age

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections import namedtuple
from pathlib import Path

Need = namedtuple("Need", "package present why")
"""Members: Debian `package`, `present()` tells whether it is there, `why` it is needed."""

_MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"


def has_header(name: str) -> bool:
    """True if the C++ compiler finds the header."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return False
    run = subprocess.run([compiler, "-E", "-x", "c++", "-"], input=f"#include <{name}>\n", text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return run.returncode == 0


def has_shared_libpython() -> bool:
    """True if this Python's shared library can be loaded: cocotb starts an interpreter inside the simulator
    with it."""
    name = f"libpython{_MINOR}.so.1.0"
    for candidate in (str(Path(sysconfig.get_config_var("LIBDIR") or "/") / name), name):
        try:
            ctypes.CDLL(candidate)
            return True
        except OSError:
            continue
    return False


def has_venv() -> bool:
    """True if `python -m venv` can put pip into an environment; Debian ships that part apart."""
    return importlib.util.find_spec("venv") is not None and importlib.util.find_spec("ensurepip") is not None


REQUIRED = (
    Need("python3-venv", has_venv, "makes .venv"),
    Need(f"libpython{_MINOR}", has_shared_libpython, "cocotb runs Python inside the simulator"),
    Need("g++", lambda: shutil.which("c++") or shutil.which("g++"), "Verilator compiles models"),
    Need("make", lambda: shutil.which("make"), "Verilator compiles models"),
)
"""Without these nothing runs."""

USEFUL = (
    Need("iverilog", lambda: shutil.which("iverilog") and shutil.which("vvp"),
         "the second simulator, SIM=icarus and SIM=both"),
    Need("liblz4-dev", lambda: has_header("lz4.h"), "waves from Verilator"),
    Need("zlib1g-dev", lambda: has_header("zlib.h"), "waves from Verilator"),
)
"""Without these some things do not run, and say so."""

WAVES = (*USEFUL[1:], Need("gtkwave", lambda: shutil.which("gtkwave"), "shows waves"))
"""What `make waves` needs on top."""


def advice(missing: list[Need]) -> str:
    """One line that says what to install."""
    reasons = "; ".join(f"{need.package}: {need.why}" for need in missing)
    packages = " ".join(need.package for need in missing)
    return f"missing, install as root: apt-get install {packages} ({reasons})"


def root_prefix() -> list[str] | None:
    """What to put before a command that needs root: nothing for root, sudo where it asks no password, None if
    neither."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        quiet = subprocess.DEVNULL
        if subprocess.call(["sudo", "-n", "true"], stdin=quiet, stdout=quiet, stderr=quiet) == 0:
            return ["sudo", "-n"]
    return None


def provide(needs: tuple[Need, ...], run) -> list[Need]:
    """Install what is missing of `needs` where that is allowed; what is missing still.

    Parameters: `run` takes a command and returns its exit status (and keeps its output).
    """
    missing = [need for need in needs if not need.present()]
    if not missing or shutil.which("apt-get") is None:
        return missing
    prefix = root_prefix()
    if prefix is None:
        return missing
    packages = [need.package for need in missing]
    print(f"set-up: installing Debian packages: {' '.join(packages)} ...", flush=True)
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    install = [*apt, "install", "--no-install-recommends"]
    if run(install + packages):
        # a fresh machine has no package lists, or old ones
        run([*apt, "update"])
        if run(install + packages):
            for package in packages:
                # one that cannot be had must not keep the others out
                run([*install, package])
    importlib.invalidate_caches()
    return [need for need in missing if not need.present()]
