"""A receive channel with its ports in Amaranth's simulator: host memory, frames as the MAC would hand them
over, the channel's state as the registers would keep it, and its tap written down.

Cycle c is the interval that ends with the simulator's c-th clock edge, counted from 0. What should happen
when is computed in the tests, from the timing specification.
"""

import dataclasses
import functools
import random

from amaranth.hdl import Cat, ClockDomain, Module, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

from hdl.bus.axi4 import AXI4
from hdl.bus.port import DmaPort
from hdl.bus.read_port import ReadPort, join_halves
from hdl.engines.lan743x.rx_channel import RxChannel
from tests.hdl.bus.axi_memory import AxiMemory

RING, BUFFERS = 0x2000, 0x4000
BUFFER_BYTES = 0x800
MEMORY_BYTES = 1 << 17
FIFO_WORDS = 1024
OWN = 1 << 15


@dataclasses.dataclass(frozen=True, order=True)
class Event:
    cycle: int
    name: str
    index: int = 0
    data: int = 0


class _Top(wiring.Component):
    bus: wiring.Out(AXI4(32, 32, 4))

    def __init__(self):
        super().__init__()
        self.channel = RxChannel(0, FIFO_WORDS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.channel = channel = self.channel
        m.submodules.reads = reads = ReadPort(32, 32, 4, (0,), ((0, True), (0, False)))
        m.submodules.writes = writes = DmaPort(32, 32, 4, (0,))
        wiring.connect(m, channel.descriptors, reads.lanes[0])
        wiring.connect(m, channel.data, writes.lanes[0])
        join_halves(m, self.bus, reads=reads.bus, writes=writes.bus)
        m.d.comb += reads.tags.eq(8)
        return m


class _Simulated:
    """The channel, elaborated once; every run of a `ChannelBench` starts it from reset."""

    def __init__(self):
        self.top = _Top()
        module = Module()
        module.domains.sync = self.domain = ClockDomain()
        module.submodules.top = self.top
        self._gather(module)
        self.memory = AxiMemory(self.top.bus, MEMORY_BYTES)
        self.script: ChannelBench | None = None
        self._simulator = Simulator(module)
        self._simulator.add_clock(8e-9)
        self.memory.add_to(self._simulator)
        self._simulator.add_testbench(self._drive)
        self._fresh = True

    def _gather(self, module: Module) -> None:
        """All lanes in two signals: the simulator samples those much faster than expressions."""
        tap, parts, self.places = self.top.channel.tap, [], {}
        for name in tap.signature.lanes:
            lane, self.places[name] = getattr(tap, name), []
            for part in ("index", "data"):
                if hasattr(lane, part):
                    self.places[name].append((part, sum(map(len, parts)), len(getattr(lane, part))))
                    parts.append(getattr(lane, part))
        self.valids, self.values = Signal(len(self.places)), Signal(sum(map(len, parts)))
        module.d.comb += [
            self.valids.eq(Cat(getattr(tap, name).valid for name in self.places)),
            self.values.eq(Cat(parts)),
        ]

    def run(self, script: "ChannelBench") -> None:
        self.script = script
        if not self._fresh:
            self._simulator.reset()
        self._fresh = False
        self._simulator.run()

    async def _drive(self, ctx) -> None:
        await self.script.drive(ctx, self)


_simulated = functools.cache(_Simulated)
DEFAULTS = {
    "base": RING, "ring_len": 8, "tail": 0, "pf_thres": 16, "pf_pri_thres": 4, "burst_512": 1,
    "fct_enabled": 1, "capacity": FIFO_WORDS,
}


class ChannelBench:
    """One run of the channel.

    Parameters
    ----------
    memory: options of `AxiMemory.restart`.
    settings: inputs of the channel from the start, besides those of `DEFAULTS`.

    Attributes
    ----------
    events: what the tap said, in order.
    pulses: (cycle, name) of stopped, fail, was_reset, fct_was_reset, entries_done, cause.
    used, head: their values by cycle.
    """

    PULSES = ("stopped", "fail", "was_reset", "fct_was_reset", "entries_done", "cause")

    def __init__(self, *, memory: dict | None = None, **settings: int):
        self._simulated = _simulated()
        self.memory = self._simulated.memory
        self.memory.data[:] = bytes(MEMORY_BYTES)
        self.memory.restart(**(memory or {}))
        self.settings = DEFAULTS | settings
        self.stride = 16 << self.settings.get("stride", 0)
        self.events: list[Event] = []
        self.pulses: list[tuple[int, str]] = []
        self.used: list[int] = []
        self.head: list[int] = []
        self.drops: list[tuple[int, bool, bool]] = []
        self._actions: list[tuple[int, str, int]] = []
        self._frames: list[tuple[int, bytes, int, int]] = []

    def post(self, index: int, address: int | None = None, length: int = BUFFER_BYTES, *,
             own: bool = True) -> int:
        """Fill a ring entry; returns the buffer's address."""
        address = BUFFERS + index * BUFFER_BYTES if address is None else address
        words = (length | (OWN if own else 0), address, 0xAAAA, 0xBBBB)
        at = RING + index * self.stride
        self.memory.data[at:at + 16] = b"".join(word.to_bytes(4, "little") for word in words)
        return address

    def entry(self, index: int) -> tuple[int, ...]:
        """The words of an entry as they are in memory."""
        at = RING + index * self.stride
        return tuple(int.from_bytes(self.memory.data[at + 4 * n:at + 4 * n + 4], "little") for n in range(4))

    def at(self, cycle: int, action: str, value: int = 1) -> None:
        """In this cycle: `start`, `stop`, `reset`, `fct_reset` or `tail` is written (takes effect in the
        next), or an input of the channel has a new value."""
        self._actions.append((cycle, action, value))

    def frame(self, end: int, data: bytes, seconds: int = 0, nanoseconds: int = 0) -> bytes:
        """The frame is decided and, if there is room, committed in cycle `end` (e+1 of the page). Its words
        come one a cycle, faster than from a wire."""
        self._frames.append((end, data, seconds, nanoseconds))
        return data

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def cycles(self, name: str) -> list[int]:
        return [event.cycle for event in self.named(name)]

    def pulse_cycles(self, name: str) -> list[int]:
        return [cycle for cycle, what in self.pulses if what == name]

    def run(self, cycles: int) -> "ChannelBench":
        self.cycles_to_run = cycles
        self._simulated.run(self)
        return self

    def _stream(self) -> dict[int, dict[str, int]]:
        """What the MAC says in each cycle."""
        says: dict[int, dict[str, int]] = {}
        for end, data, seconds, nanoseconds in self._frames:
            words = [data[i:i + 4] for i in range(0, len(data), 4)]
            begin = end - len(words)  # s
            assert all(cycle not in says for cycle in range(begin, end + 1)), "frames overlap"
            says[begin] = {"sfd": 1, "seconds": seconds, "nanoseconds": nanoseconds}
            for number, word in enumerate(words):
                says[begin + 1 + number] = {
                    "word": 1, "data": int.from_bytes(word, "little"), "index": number,
                }
            says[end] |= {"end": 1, "length": len(data)}
        return says

    async def drive(self, ctx, simulated: _Simulated) -> None:
        channel, rx = simulated.top.channel, simulated.top.channel.rx
        says, actions = self._stream(), sorted(self._actions, key=lambda action: action[0])
        for name, value in self.settings.items():
            ctx.set(getattr(channel, name), value)
        running, pending, resetting, fct_reset = 0, 0, 0, 0
        for cycle in range(self.cycles_to_run + 1):
            now: dict[str, int] = {}
            while actions and actions[0][0] <= cycle:
                due, name, value = actions.pop(0)
                assert due == cycle
                if name in ("start", "stop", "reset", "fct_reset", "tail"):
                    now[name] = value
                else:
                    ctx.set(getattr(channel, name), value)
            ctx.set(channel.tail_written, int("tail" in now))
            ctx.set(channel.tail_next, now.get("tail", 0))
            said = says.get(cycle, {})
            for name in ("sfd", "word", "end"):
                ctx.set(getattr(rx, name), said.get(name, 0))
            for name in said.keys() - {"sfd", "word", "end"}:
                ctx.set(getattr(rx, name), said[name])
            off, lost = ctx.get(rx.off), ctx.get(rx.lost)
            ctx.set(rx.commit, int("end" in said and not off and not lost))
            if "end" in said:
                self.drops.append((cycle, bool(off), bool(lost)))
            self._watch(ctx, simulated, cycle)
            saw = {name: ctx.get(getattr(channel, name)) for name in self.PULSES}
            self.pulses += [(cycle, name) for name, value in saw.items() if value]
            await ctx.tick()
            # the registers that the channel does not keep itself
            if saw["fail"] and (running or pending):
                running, pending = 0, 1
            if saw["stopped"] or saw["was_reset"]:
                running = pending = 0
            if saw["was_reset"]:
                resetting = 0
                ctx.set(channel.tail, 0)
            if saw["fct_was_reset"]:
                fct_reset = 0
            if "stop" in now and running:
                running, pending = 0, 1
            if "start" in now:
                running, pending = 1, 0
            resetting |= "reset" in now
            fct_reset |= "fct_reset" in now
            if "tail" in now:
                ctx.set(channel.tail, now["tail"])
            for name, value in (("running", running), ("stop_pending", pending),
                                ("resetting", int(resetting)), ("fct_reset", int(fct_reset))):
                ctx.set(getattr(channel, name), value)

    def _watch(self, ctx, simulated: _Simulated, cycle: int) -> None:
        channel = simulated.top.channel
        self.used.append(ctx.get(channel.used))
        self.head.append(ctx.get(channel.head))
        valid = ctx.get(simulated.valids)
        if valid:
            values = ctx.get(simulated.values)
            for number, (name, places) in enumerate(simulated.places.items()):
                if valid >> number & 1:
                    what = {part: values >> start & (1 << width) - 1 for part, start, width in places}
                    self.events.append(Event(cycle, name, **what))


def payload(length: int, seed: int = 1) -> bytes:
    """Bytes that tell each other apart."""
    return random.Random(seed).randbytes(length)
