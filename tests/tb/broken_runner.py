"""tb.runner on an engine with one output cut off, for the watchdog. Importable by worker processes."""

from dataclasses import replace
from pathlib import Path
from unittest import mock

from tb import runner
from tb.build import Built, build
from tb.design import Design, Recipe, engine_recipe
from tb.runspec import RunResult, RunSpec

CUT = {201: "bus__arvalid", 202: "csr__rvalid", 203: "irq"}
"""Output of the engine that stays 0, by the scenario's seed."""


def _design(mac: str, output: str) -> Design:
    """The engine in a shell that hands on everything but one output."""
    whole = engine_recipe(mac).make()
    name, ports = whole.sidecar["name"], whole.sidecar["ports"]
    declared = ",\n".join(f"  {about['direction']} [{about['width'] - 1}:0] {port}"
                          for port, about in ports.items())
    connected = ",\n".join(f"    .{port}({port if port != output else ''})" for port in ports)
    shell = (f"module {name}(\n{declared}\n);\n  {name}_whole whole (\n{connected}\n  );\n"
             f"  assign {output} = 0;\nendmodule\n")
    verilog = whole.verilog.replace(f"module {name}(", f"module {name}_whole(", 1)
    return replace(whole, name=f"{mac}_without_{output}", verilog=verilog + shell)


def _build(mac: str, simulator: str, output: str, waves: bool) -> Built:
    recipe = Recipe(f"{mac}_without_{output}", [*engine_recipe(mac).files, Path(__file__)],
                    lambda: _design(mac, output))
    return build(recipe, simulator, waves=waves)


def prepare(mac: str, simulator: str, waves: bool, parameters: dict[str, int]) -> None:
    """Nothing: which engine it is depends on the run."""


def run_one(spec: RunSpec) -> RunResult:
    """As tb.runner's, on the engine that the scenario's seed asks for."""
    output = CUT[spec.scenario.seed]
    with mock.patch.object(runner, "build_engine",
                           lambda mac, simulator, waves, parameters: _build(mac, simulator, output, waves)):
        return runner.run_one(spec)
