"""A whole engine in Amaranth's simulator with host memory behind it and its tap in reach: what the benches of
all engines share."""

import dataclasses

from amaranth.hdl import Cat, ClockDomain, Module, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

from tests.hdl.bus.axi_memory import AxiMemory


@dataclasses.dataclass(frozen=True, order=True)
class Event:
    cycle: int
    name: str
    index: int = 0
    data: int = 0


class Simulated:
    """An engine, elaborated once; every run of a bench starts it from reset.

    Parameters: `engine`; `clock_period_s`. A bench has the coroutines `stimulate(ctx, engine, domain)` and
    `watch(ctx, engine)`.
    """

    def __init__(self, engine: wiring.Component, clock_period_s: float):
        self.engine = engine
        module = Module()
        module.domains.sync = self.domain = ClockDomain()
        module.submodules.engine = self.engine
        self._gather(module)
        self.memory = AxiMemory(self.engine.bus)
        self.script = None
        self._simulator = Simulator(module)
        self._simulator.add_clock(clock_period_s)
        self.memory.add_to(self._simulator)
        self._simulator.add_process(self._stimulate)
        self._simulator.add_testbench(self._watch)
        self._fresh = True

    def _gather(self, module: Module) -> None:
        """All lanes in two signals: the simulator samples those much faster than expressions."""
        parts, self.places = [], {}
        for name in self.engine.tap.signature.lanes:
            lane, self.places[name] = getattr(self.engine.tap, name), []
            for part in ("index", "data"):
                if hasattr(lane, part):
                    self.places[name].append((part, sum(map(len, parts)), len(getattr(lane, part))))
                    parts.append(getattr(lane, part))
        self.valids, self.values = Signal(len(self.places)), Signal(sum(map(len, parts)))
        module.d.comb += [
            self.valids.eq(Cat(getattr(self.engine.tap, name).valid for name in self.places)),
            self.values.eq(Cat(parts)),
        ]

    def run(self, script) -> None:
        self.script = script
        if not self._fresh:  # a simulator that never ran must not be reset: its coroutines would be lost
            self._simulator.reset()
        self._fresh = False
        self._simulator.run()

    async def _stimulate(self, ctx) -> None:
        await self.script.stimulate(ctx, self.engine, self.domain)

    async def _watch(self, ctx) -> None:
        await self.script.watch(ctx, self.engine)
