"""The `actions` of a scenario: what is done to the machine while it works."""

from model.scenario.part import Part
from model.scenario.reader import TableReader
from model.scenario.schema import Action

ACTIONS = ("down", "up", "mtu", "irqs_off", "busy", "slow_reader")
LASTING = ("irqs_off", "busy", "slow_reader")
_MAX_CYCLES = 2**40


def read_actions(top: TableReader, part: Part) -> tuple[Action, ...]:
    """The actions in the order of their times; BenchError for a key that an action does not take, or one it
    lacks."""
    actions, clock_hz = [], part.clock_hz
    for row in top.tables("actions"):
        at_cycle = row.cycles("at", clock_hz, 0, _MAX_CYCLES)
        do = row.choice("do", ACTIONS)
        action = Action(at_cycle, do, row.cycles("for", clock_hz, 1, _MAX_CYCLES) if do in LASTING else 0,
                        row.cycles("cost", clock_hz, 1, _MAX_CYCLES) if do == "slow_reader" else 0,
                        row.size("mtu", 46, part.mtu_max_bytes) if do == "mtu" else 0)
        row.done()
        if actions and at_cycle < actions[-1].at_cycle:
            raise row.fault("at", row.raw("at"), "actions stand in the order of their times")
        actions.append(action)
    return tuple(actions)
