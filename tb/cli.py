"""The command line behind make: sim, waves, report, bench, list. Options and make's variables are the same
things."""

import ctypes
import os
import signal
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from model.scenario import find_scenario, load_part, macs, scenario_names
from tb.plan import Request, request_from
from tb.sim import guarded, simulate, the_runner

_PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that comes when the parent ends."""

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
                  help="Co-simulation bench for the rings between an Ethernet MAC and its driver.")

Mac = Annotated[str, typer.Option("--mac", envvar="MAC", help="one MAC, or several with commas (all)")]
ScenarioName = Annotated[str, typer.Option("--scenario", envvar="SCENARIO",
                                           help="names, or paths of scenario files (all)")]
Variant = Annotated[str, typer.Option("--variant", envvar="VARIANT", help="variants with commas (all)")]
Sim = Annotated[str, typer.Option("--sim", envvar="SIM", help="verilator, icarus or both")]
Frames = Annotated[str, typer.Option("--frames", envvar="FRAMES",
                                     help="so many frames instead of the scenario's number")]
Pcap = Annotated[str,
                 typer.Option("--pcap", envvar="PCAP",
                              help="a capture to replay instead of the scenario's traffic")]
Waves = Annotated[str, typer.Option("--waves", envvar="WAVES", help="1: write waves too")]


def _console() -> Console:
    return Console(highlight=False)


def _end(action: Callable[[], int]) -> None:
    status = guarded(action, Console(stderr=True))
    raise typer.Exit(status)


def _request(mac: str, scenario: str, variant: str, sim: str, frames: str, pcap: str, waves: str) -> Request:
    return request_from({"MAC": mac, "SCENARIO": scenario, "VARIANT": variant, "SIM": sim, "FRAMES": frames,
                         "PCAP": pcap,
                         "WAVES": waves})


@app.command()
def sim(mac: Mac = "", scenario: ScenarioName = "", variant: Variant = "", sim: Sim = "", frames: Frames = "",
        pcap: Pcap = "", waves: Waves = "") -> None:
    """Run scenarios, one line each; exit status 1 if a verdict differs from what the scenario expects, 2 on
    bad input."""
    _end(lambda: simulate(_request(mac, scenario, variant, sim, frames, pcap, waves), the_runner, _console()))


@app.command()
def waves(mac: Mac = "", scenario: ScenarioName = "", variant: Variant = "", sim: Sim = "",
          frames: Frames = "",
          pcap: Pcap = "") -> None:
    """Run one variant with waves and open them in GTKWave, or say where they are if there is no display."""
    from tb.show import show_waves
    _end(lambda: show_waves(_request(mac, scenario, variant, sim, frames, pcap, "1"), the_runner, _console(),
                            bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))))


@app.command()
def report() -> None:
    """Write build/report/index.html from the results of the runs so far."""
    from tb.report import write_report
    from tb.runspec import BUILD

    def action() -> int:
        _console().print(str(write_report(BUILD)), soft_wrap=True)
        return 0
    _end(action)


@app.command()
def bench(mac: Mac = "", frames: Frames = "") -> None:
    """Measure simulated cycles per second with the driver in the loop, and frames per second of the golden
    world."""
    from tb.bench import measure
    _end(lambda: measure(_request(mac, "", "", "", frames, "", ""), the_runner, _console()))


@app.command(name="list")
def list_scenarios(mac: Mac = "") -> None:
    """List MACs, their scenarios with variants, and what each expects."""
    def action() -> int:
        console = _console()
        for name in request_from({"MAC": mac}).macs or macs():
            console.print(f"{name}: {load_part(name).title}", style="bold", soft_wrap=True)
            for scenario in scenario_names(name):
                file = find_scenario(name, scenario)
                console.print(f"  {scenario}: {file.title}", soft_wrap=True, markup=False)
                expected = [f"{variant.variant} ({variant.expect})" for variant in file.variants.values()]
                console.print(f"      {', '.join(expected)}", soft_wrap=True, markup=False, style="dim")
        return 0
    _end(action)


def _end_with_make() -> None:
    """Ask the kernel for a SIGTERM when the make that started this process ends, killed outright even."""
    if os.environ.pop("RINGBENCH_MAKE", "") == str(os.getppid()):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def main() -> None:
    """Entry point of `python -m tb.cli`."""
    # `timeout make sim`, `kill` of make or a closed terminal must leave as little behind as Ctrl-C
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    _end_with_make()
    app()


if __name__ == "__main__":
    main()
