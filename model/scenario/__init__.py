"""Scenario files: what to run, on which machine, and what must show. Read strictly, found by folder."""

from model.scenario.find import find_scenario, scenario_names, select
from model.scenario.findings import BREACHES, FINDINGS, Expect, Verdict, meaning, verdict
from model.scenario.load import load_scenario
from model.scenario.part import Part, load_part, macs
from model.scenario.schema import (
                                   Action,
                                   BusError,
                                   BusOptions,
                                   CsrOptions,
                                   Damage,
                                   Pause,
                                   RxTraffic,
                                   Scenario,
                                   ScenarioFile,
                                   Span,
                                   TxTraffic,
)

__all__ = ["BREACHES", "FINDINGS", "Action", "BusError", "BusOptions", "CsrOptions", "Damage", "Expect",
           "Part", "Pause", "RxTraffic", "Scenario", "ScenarioFile", "Span", "TxTraffic", "Verdict",
           "find_scenario",
           "load_part", "load_scenario", "macs", "meaning", "scenario_names", "select", "verdict"]
