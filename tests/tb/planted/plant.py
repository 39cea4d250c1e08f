"""Plants delays into every transition of an engine's state machines, without the RTL's knowledge.

While `planted` holds, Amaranth's `Module` gives each transition of an FSM a way round: with the transition's
number on the straps it is taken some cycles late, through a state in which nothing happens. With number 0 the
engine is as it was. Everything else is the shipped RTL. `Module` may not be subclassed, so the three of its
members that build FSMs are wrapped. State machines that are plain registers are for registers.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

SELECT_BITS, CYCLES_BITS = 8, 8


@dataclass(frozen=True, order=True)
class Transition:
    """From state `source` to `target` in the FSM that the Python module `module` elaborates, or of its
    `register`."""

    module: str
    source: str
    target: str
    register: str = ""

    def __str__(self) -> str:
        machine = self.module.rpartition(".")[2] + (f".{self.register}" if self.register else "")
        return f"{machine}:{self.source}>{self.target}"


class Plants:
    """The wrapped members, the control signals, and the numbers of the transitions met so far.

    Parameters: `package`, the beginning of the names of the modules whose FSMs get plants.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.numbers: dict[Transition, int] = {}
        self.select = Signal(SELECT_BITS, name="plant_select")
        self.cycles = Signal(CYCLES_BITS, name="plant_cycles")
        self._state: dict[int, str] = {}
        self._ways: dict[int, dict[Transition, int]] = {}
        self._originals = {name: Module.__dict__[name] for name in ("FSM", "State", "next")}

    def number(self, transition: Transition) -> int:
        """The transition's number on the straps. ValueError if there are more than the straps can name."""
        number = self.numbers.setdefault(transition, len(self.numbers) + 1)
        if number >> SELECT_BITS:
            raise ValueError(f"{transition} is no. {number}: SELECT_BITS of {__name__} is too small")
        return number

    def install(self) -> None:
        """Wrap `Module`."""
        original = self._originals

        @contextmanager
        def fsm(m: Module, *args: object, **kwargs: object) -> Iterator[object]:
            self._ways[id(m)] = {}
            with original["FSM"](m, *args, **kwargs) as built:
                yield built
                for transition in self._ways.pop(id(m)):
                    with original["State"](m, str(transition)):
                        left = Signal(CYCLES_BITS, name="plant_left")
                        m.d.sync += left.eq(left + 1)
                        with m.If(left + 1 >= self.cycles):
                            m.d.sync += left.eq(0)
                            original["next"].fset(m, transition.target)

        @contextmanager
        def state(m: Module, name: str) -> Iterator[None]:
            with original["State"](m, name):
                self._state[id(m)] = name
                yield

        def set_next(m: Module, target: str) -> None:
            module = sys._getframe(1).f_globals["__name__"]
            if not module.startswith(self.package) or id(m) not in self._ways:
                original["next"].fset(m, target)
                return
            transition = Transition(module, self._state[id(m)], target)
            number = self.number(transition)
            self._ways[id(m)][transition] = number
            with m.If(self.select == number):
                original["next"].fset(m, str(transition))
            with m.Else():
                original["next"].fset(m, target)

        Module.FSM, Module.State = fsm, state
        Module.next = property(original["next"].fget, set_next)

    def remove(self) -> None:
        """Give `Module` its own members back."""
        for name, member in self._originals.items():
            setattr(Module, name, member)


class Register(Protocol):
    """A state machine that is a plain register; see registers.py."""

    def planted(self, plants: Plants) -> object:
        """A context in which the component that has it is elaborated with the plants."""


class Front(Protocol):
    """What stands between an engine and the wire; its strap fields are `fields`, name and bits."""

    fields: dict[str, int]

    def connect(self, m: Module, engine: wiring.Component, outside: wiring.Component, straps: object) -> None:
        """Wire the engine's `phy` up with the outside's; `straps` has its fields, latched."""


@contextmanager
def planted(package: str = "hdl.", registers: Iterable[Register] = ()) -> Iterator[Plants]:
    """While this holds, what the modules of `package` elaborate has the plants, and so have `registers`."""
    plants = Plants(package)
    plants.install()
    try:
        with ExitStack() as stack:
            for register in registers:
                stack.enter_context(register.planted(plants))
            yield plants
    finally:
        plants.remove()


def planted_engine(mac: str, plants: Plants, parameters: dict[str, int] | None = None,
                   front: Front | None = None) -> wiring.Component:
    """The engine of `mac`, its class called with `parameters`, with more fields on its straps: plant_select
    (a transition's number), plant_cycles (1 or more), and those of `front`, if there is one."""
    engine = import_module(f"hdl.engines.{mac}").Engine(**parameters or {})
    members = dict(engine.signature.members)
    own = engine.straps.shape()
    more = {"plant_select": SELECT_BITS, "plant_cycles": CYCLES_BITS} | (front.fields if front else {})
    straps = data.StructLayout({name: field.shape for name, field in own} | more)
    members["straps"] = In(straps)

    class Planted(wiring.Component):
        def __init__(self) -> None:
            super().__init__(wiring.Signature(members))

        def elaborate(self, platform: object) -> Module:
            m = Module()
            m.submodules.engine = engine
            latched = Signal(data.StructLayout(more), reset_less=True)
            m.d.sync += latched.as_value().eq(self.straps.as_value()[own.size:])
            m.d.comb += [plants.select.eq(latched.plant_select), plants.cycles.eq(latched.plant_cycles)]
            for name in members:
                if name == "straps":
                    m.d.comb += engine.straps.as_value().eq(self.straps.as_value()[:own.size])
                elif name == "phy" and front:
                    front.connect(m, engine, self, latched)
                elif isinstance(getattr(self, name), Signal):
                    m.d.comb += getattr(self, name).eq(getattr(engine, name))
                else:
                    wiring.connect(m, getattr(engine, name), wiring.flipped(getattr(self, name)))
            return m

    return Planted()
