"""Compiles the native library in its three forms, once for each version of its sources.

`object`: all of it as one object file, to be linked into a Verilator program; `shared`: a shared object for
use without a simulator; `vpi`: the module that Icarus loads, with the glue of vpi.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tb import cache, tools

HERE = Path(__file__).resolve().parent
FLAGS = ["-std=c11", "-O3", "-fPIC", "-Wall", "-Wextra", "-Werror"]


@dataclass(frozen=True)
class Library:
    """Files of the compiled library. Members: `object`, `shared`, `vpi` (None without Icarus)."""

    object: Path
    shared: Path
    vpi: Path | None


def sources() -> list[Path]:
    """All files that the library is made of."""
    return cache.tree(HERE, (".c", ".h"))


def compile_native(root: Path, *, vpi: bool) -> Library:
    """The library under `root`/native, compiled if it is not there.

    Parameters: `root` the build folder; `vpi` whether Icarus's module is wanted, too. Raises BenchError
    without a C compiler, or without Icarus's header if that is wanted.
    """
    gcc = tools.program("gcc")
    include = tools.icarus_include() if vpi else None
    files = [path for path in sources() if path.suffix == ".c" and path.name != "vpi.c"]

    def make(folder: Path) -> None:
        log = folder / "build.log"
        objects = []
        for path in files:
            objects.append(f"{path.stem}.o")
            tools.run([gcc, *FLAGS, "-c", str(path), "-o", objects[-1]], folder, log)
        tools.run([gcc, "-r", "-nostdlib", "-o", "ringbench_native.o", *objects], folder, log)
        tools.run([gcc, "-shared", "-o", "ringbench_native.so", *objects], folder, log)
        if vpi:
            tools.run([gcc, *FLAGS, f"-I{include}", "-c", str(HERE / "vpi.c"), "-o", "vpi.o"], folder, log)
            tools.run([gcc, "-shared", "-o", "ringbench.vpi", *objects, "vpi.o"], folder, log)

    key = cache.digest(*sources(), " ".join(FLAGS), gcc, str(include))
    folder = root / "native" / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    cache.made(folder, make)
    return Library(folder / "ringbench_native.o", folder / "ringbench_native.so",
                   folder / "ringbench.vpi" if vpi else None)
