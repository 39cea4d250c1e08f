"""`make waves`: one run with waves, then GTKWave on them, with a save file that names FSM states."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from model.errors import BenchError
from tb.plan import Request, plan
from tb.results import write_result
from tb.sim import Runner, building, checked
from tb.table import RunTable
from tb.workers import run_all


def show_waves(request: Request, load: Callable[[], Runner], console: Console, display: bool) -> int:
    """Run the first variant that fits and show its waves.

    Parameters: `display` whether a window can be opened; without one, or without GTKWave, only the paths are
    printed. Exit status as for `make sim`; BenchError for bad input.
    """
    if not request.scenarios and request.pcap is None:
        raise BenchError("SCENARIO: waves are of one run: name its scenario, such as "
                         "make waves MAC=at91ether SCENARIO=tx_600")
    specs = plan(replace(request, waves=True))
    spec = specs[0]
    if len(specs) > 1:
        console.print(f"{len(specs)} runs fit; taking the first, {spec.label} "
                      f"(VARIANT= and SIM= choose another)", soft_wrap=True)
    runner = load()
    with RunTable(1, console, [(spec.scenario.name, spec.scenario.variant)]) as table:
        with building(table, spec.scenario.mac, spec.simulator):
            runner.prepare(spec.scenario.mac, spec.simulator, True, spec.scenario.parameters)
        [(_, result)] = run_all([spec], runner.run_one, started=lambda one: table.running(one.label))
        data = checked(spec, result)
        write_result(request.build, data)
        table.add(data)
    status = 0 if data["verdict"] == "pass" else 1
    if data["waves_file"] is None or not Path(data["waves_file"]).is_file():
        console.print("the run left no waves", style="red")
        return 1
    files = [data["waves_file"]] + ([data["save_file"]] if data["save_file"] else [])
    if display and shutil.which("gtkwave"):
        log = request.build / "gtkwave.log"
        with log.open("w") as output:
            subprocess.Popen(["gtkwave", *files], stdin=subprocess.DEVNULL, stdout=output,
                             stderr=subprocess.STDOUT, start_new_session=True)
        console.print(f"opening GTKWave: gtkwave {' '.join(files)}", soft_wrap=True)
        console.print(f"if no window comes up, {log} says why", soft_wrap=True)
    else:
        lacking = "display" if shutil.which("gtkwave") else "GTKWave"
        console.print(f"no {lacking} here; look at them with: gtkwave {' '.join(files)}", soft_wrap=True)
    return status
