"""Plants delays into state machines that are plain registers: an enumeration, or a flag.

The register's assignments are taken out of the component that has them, and become what it is to be next;
from there a change goes its way at once, or late if its number is on the straps. An enumeration is in none of
its states meanwhile (it is made a bit wider for that), a flag keeps its old value.
"""

from __future__ import annotations

import enum as plain_enum
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from amaranth.hdl import Const, Fragment, Module, Mux, Signal, unsigned
from amaranth.hdl._ast import Assign, Statement, Switch
from amaranth.lib import enum

from tests.tb.planted.plant import CYCLES_BITS, Plants, Transition

OTHERS = "*"
"""Source and target of what a register does beside its `changes`."""


@dataclass(frozen=True)
class PlainRegister:
    """Members: `module` and `component`, where it is elaborated; `name` of the signal; `states`, the name of
    the enumeration in the module, "" for a flag; `changes` of an enumeration, as "SOURCE>TARGET". What else
    it does is late under the name of `OTHERS`: there should be nothing."""

    module: str
    component: str
    name: str
    states: str = ""
    changes: tuple[str, ...] = ("0>1", "1>0")

    @contextmanager
    def planted(self, plants: Plants) -> Iterator[None]:
        """While this holds, the component is elaborated with a plant for each pair of states."""
        module = import_module(self.module)
        component = getattr(module, self.component)
        original = component.elaborate
        with self._widened(module) as values:
            def elaborate(this: object, platform: object) -> Fragment:
                return self._with_plants(Fragment.get(original(this, platform), platform), plants, values)
            component.elaborate = elaborate
            try:
                yield
            finally:
                component.elaborate = original

    @contextmanager
    def _widened(self, module: object) -> Iterator[dict[str, int]]:
        """The states' values; while this holds, the enumeration has a bit more wherever it was imported."""
        if not self.states:
            yield {"0": 0, "1": 1}
            return
        states = getattr(module, self.states)
        values = {state.name: state.value for state in states}
        width = max(values.values()).bit_length() + 1
        body = plain_enum.EnumType.__prepare__(self.states, (enum.Enum,))
        for name, value in values.items():
            body[name] = value
        wide = enum.EnumType(self.states, (enum.Enum,), body, shape=unsigned(width))
        owners = [owner for owner in list(sys.modules.values())
                  if getattr(owner, "__dict__", {}).get(self.states) is states]
        for owner in owners:
            setattr(owner, self.states, wide)
        try:
            yield values
        finally:
            for owner in owners:
                setattr(owner, self.states, states)

    def _with_plants(self, fragment: Fragment, plants: Plants, values: dict[str, int]) -> Fragment:
        clocked = list(fragment.statements["sync"])
        register, = {id(signal): signal for statement in clocked for signal in statement._lhs_signals()
                     if signal.name == self.name}.values()
        wanted = Signal.like(register, name=f"{self.name}_wanted")
        kept, moved = _split(clocked, register, wanted)
        fragment.statements["sync"].clear()
        fragment.add_statements("sync", *kept)
        fragment.add_statements("comb", wanted.eq(register), *moved)

        m = Module()
        late, hit = Signal(), Signal()
        target, left = Signal.like(register, name="plant_target"), Signal(CYCLES_BITS, name="plant_left")
        known = Signal()
        for change in self.changes:
            source, _, goal = change.partition(">")
            number = plants.number(Transition(self.module, source, goal, self.name))
            with m.If((register == values[source]) & (wanted == values[goal])):
                m.d.comb += [known.eq(1), hit.eq(plants.select == number)]
        if self.states:
            number = plants.number(Transition(self.module, OTHERS, OTHERS, self.name))
            with m.If(~known & (register != wanted) & (plants.select == number)):
                m.d.comb += hit.eq(1)
        nowhere = Const((1 << len(register)) - 1, len(register)) if self.states else register
        moves_on = late & (wanted != register) if self.states else Const(0, 1)
        with m.If(moves_on | (late & (left + 1 >= plants.cycles))):
            m.d.sync += [late.eq(0), left.eq(0), register.eq(Mux(moves_on, wanted, target))]
        with m.Elif(late):
            m.d.sync += left.eq(left + 1)
        with m.Elif(hit):
            m.d.sync += [late.eq(1), target.eq(wanted), register.eq(nowhere)]
        with m.Else():
            m.d.sync += register.eq(wanted)
        for domain, statements in Fragment.get(m, None).statements.items():
            fragment.add_statements(domain, *statements)
        return fragment


def _split(statements: list[Statement], register: Signal,
           wanted: Signal) -> tuple[list[Statement], list[Statement]]:
    """(statements without those that assign to `register`, those alone and to `wanted`)."""
    kept, moved = [], []
    for statement in statements:
        if register not in statement._lhs_signals():
            kept.append(statement)
        elif isinstance(statement, Switch):
            both = [(patterns, *_split(list(body), register, wanted), place)
                    for patterns, body, place in statement.cases]
            for whose, part in ((kept, 1), (moved, 2)):
                whose.append(Switch(statement.test, [(case[0], case[part], case[3]) for case in both],
                                    src_loc=statement.src_loc))
        elif isinstance(statement, Assign) and statement.lhs is register:
            moved.append(wanted.eq(statement.rhs))
        else:
            raise ValueError(f"{register.name} is assigned in parts: {statement!r}")
    return kept, moved
