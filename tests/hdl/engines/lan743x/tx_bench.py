"""The transmit channel in Amaranth's simulator, with the read port in front of a memory, the channel's state
as the registers keep it, and everything that comes out written down by cycle.

Cycle c is the interval that ends with the simulator's edge number c, counted from 0. What should happen is
computed in the tests, from the timing specification.
"""

import dataclasses
import functools
import random
import zlib
from collections.abc import Callable, Iterable

from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator

from hdl.bus.read_port import ReadPort
from hdl.engines.lan743x.tx_channel import DATA_ID, DESCRIPTOR_ID, TxChannel
from hdl.registers import load
from tests.hdl.engines.lan743x.read_memory import ReadMemory

DESCRIPTOR = load("lan743x").descriptor("tx_descriptor")
RING = 0x1000
PREFACE = bytes([0x55] * 7 + [0xD5])
GAP_CYCLES = 12
PULSES = ("stopped", "fail", "was_reset", "cause", "fct_was_reset", "txd_set")
STATES = {"initial": (0, 0), "running": (1, 0), "pending": (0, 1), "stopped": (0, 0)}
"""(running, stop_pending)"""


def fcs(data: bytes) -> bytes:
    """The frame check sequence in the order of the wire."""
    return zlib.crc32(data).to_bytes(4, "little")


def pattern(length: int, seed: int = 1) -> bytes:
    """Some bytes; the first makes a unicast address."""
    return bytes([2 * seed & 254, *random.Random(seed).randbytes(max(length - 1, 0))])[:length]


@dataclasses.dataclass(frozen=True)
class Event:
    cycle: int
    name: str
    index: int = 0
    data: int = 0


class _Simulated:
    """The channel, elaborated once; every run of a `TxBench` starts it from reset."""

    def __init__(self):
        self.dut = TxChannel()
        m = Module()
        m.submodules.dut = self.dut
        m.submodules.port = port = ReadPort(32, 32, 4, (DATA_ID, DESCRIPTOR_ID),
                                            ((1, True), (0, False), (1, False)))
        self.bus, self.tags = port.bus, port.tags
        for outer, lane in ((self.dut.data, port.lanes[0]), (self.dut.descriptors, port.lanes[1])):
            for name in ("request", "urgent", "addr", "beats"):
                m.d.comb += getattr(lane, name).eq(getattr(outer, name))
            for name in ("granted", "addressed", "beat", "rdata", "done", "error"):
                m.d.comb += getattr(outer, name).eq(getattr(lane, name))
        parts, self.places = [], {}
        for name in self.dut.tap.signature.lanes:
            lane, self.places[name] = getattr(self.dut.tap, name), []
            for part in ("index", "data"):
                if hasattr(lane, part):
                    self.places[name].append((part, sum(map(len, parts)), len(getattr(lane, part))))
                    parts.append(getattr(lane, part))
        self.valids, self.values = Signal(len(self.places)), Signal(sum(map(len, parts)))
        self.pulses = Signal(len(PULSES))
        statistics = self.dut.statistics
        self.counted = Signal(32)
        m.d.comb += [
            self.valids.eq(Cat(getattr(self.dut.tap, name).valid for name in self.places)),
            self.values.eq(Cat(parts)),
            self.pulses.eq(Cat(getattr(self.dut, name) for name in PULSES)),
            self.counted.eq(Cat(statistics.end, statistics.pause, statistics.group, statistics.broadcast,
                                statistics.length)),
        ]
        self.script: TxBench | None = None
        self._simulator = Simulator(m)
        self._simulator.add_clock(8e-9)
        self._simulator.add_testbench(self._play)
        self._fresh = True

    def run(self, script: "TxBench") -> None:
        self.script = script
        if not self._fresh:  # before the first run a reset would lose the coroutine
            self._simulator.reset()
        self._fresh = False
        self._simulator.run()

    async def _play(self, ctx) -> None:
        await self.script.play(ctx, self)


_simulated = functools.cache(_Simulated)


class TxBench:
    """One run.

    Parameters
    ----------
    ring_len: of the ring at `RING`.
    stride: DMAC_CFG.MAX_DSPACE.
    latency: cycles from the cycle after the address handshake to the first beat.
    rng: the bus pauses at random, and of the two requesters' reads either may come first.
    tags: reads that may be open.
    errors: (requester, ordinal) of the reads that fail.
    settings: other inputs of the channel from the start on.

    Attributes
    ----------
    when: the cycle in which the driver writes the entries that follow.
    events: what the tap said.
    pulses: cycles by name of the outputs in PULSES.
    wire: (cycle t of the first preamble byte, bytes after the SFD) of the frames sent.
    done: (cycle, `entries_done`) whenever it was not 0.
    counted: (cycle, pause frame?, length, group, broadcast).
    heads: (first cycle, HEAD).
    states: (first cycle, state).
    """

    def __init__(self, *, ring_len: int = 64, stride: int = 0, latency: int = 0,
                 rng: random.Random | None = None, tags: int = 8,
                 errors: Iterable[tuple[int, int]] = (), **settings: int):
        self.memory = ReadMemory(latency=latency, rng=rng, tags=tags, errors=errors)
        self.ring_len, self.stride = ring_len, stride
        self.settings = {"base": RING, "ring_len": ring_len, "stride": stride, "pf_thres": 16,
                         "pf_pri_thres": 4, "burst_512": 1, "txen": 1, "fct_enabled": 1} | settings
        self.entries = 0
        self.when = 0
        self._actions: dict[int, list[tuple[str, object]]] = {}
        self._buffer_at = 0x8000

    def at(self, cycle: int, **inputs: int) -> None:
        """Inputs of the channel that change to this in `cycle`. `want` and `pause` are up for that cycle
        only; `start`, `stop`, `swr` are writes of DMAC_CMD, `tail` one of TX_TAIL, taken in `cycle`."""
        self._actions.setdefault(cycle, []).extend(inputs.items())

    def put(self, addr: int, data: bytes) -> None:
        self.memory.data[addr:addr + len(data)] = data

    def entry(self, addr: int, length: int, **flags: int) -> None:
        """The next entry of the ring."""
        at = RING + (self.entries % self.ring_len) * (16 << self.stride)
        word0 = sum(DESCRIPTOR.field("DATA0", name).place(value)
                    for name, value in {"BUF_LENGTH": length, **flags}.items())
        words = b"".join(word.to_bytes(4, "little") for word in (word0, addr, 0, 0))
        self._actions.setdefault(self.when, []).append(("entry", (at, words)))
        self.entries += 1

    def frame(self, *parts: bytes, offset: int = 0, flag: int = 1, ioc: int = 1) -> bytes:
        """Entries and buffers of a frame, one for each part; the first buffer begins `offset` bytes behind a
        multiple of 1024, the others anywhere. Returns its bytes."""
        for number, part in enumerate(parts):
            addr = self._buffer_at + (offset + number * 3)
            self.put(addr, part)
            last = number == len(parts) - 1
            self.entry(addr, len(part), FS=int(number == 0), LS=int(last), FCS=flag, IOC=ioc & last)
            self._buffer_at = (addr + len(part) + 1023) // 1024 * 1024
        return b"".join(parts)

    def start(self, cycle: int = 10) -> int:
        """START and TAIL at the end of what is in the ring, taken in `cycle`. Returns the cycle in which the
        first prefetch can be granted."""
        self.at(cycle, start=1, tail=self.entries % self.ring_len)
        return cycle + 1

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def cycles(self, name: str) -> list[int]:
        return [event.cycle for event in self.named(name)]

    def run(self, cycles: int, until: Callable[["TxBench"], bool] = lambda bench: False) -> "TxBench":
        """Cycles 0 to `cycles` - 1, or to the first after which `until` holds."""
        self.limit, self.until = cycles, until
        self.events: list[Event] = []
        self.pulses: dict[str, list[int]] = {name: [] for name in PULSES}
        self.wire: list[tuple[int, bytes]] = []
        self.done: list[tuple[int, int]] = []
        self.counted: list[tuple[int, bool, int, int, int]] = []
        self.heads: list[tuple[int, int]] = []
        self.states: list[tuple[int, str]] = []
        _simulated().run(self)
        return self

    async def play(self, ctx, simulated: _Simulated) -> None:
        dut, bus = simulated.dut, simulated.bus
        for name, value in self.settings.items():
            ctx.set(getattr(dut, name), value)
        ctx.set(simulated.tags, self.memory.tags)
        state, resetting, tail = "initial", 0, 0
        self.memory.restart()
        sent: list[tuple[int, int]] = []  # (cycle after the load, byte)
        names = list(simulated.places)
        pulse = Cat(dut.entries_done, dut.head, dut.tx_en, dut.txd, dut.tx_er)
        for cycle in range(self.limit):
            command: set[str] = set()
            ctx.set(Cat(dut.want, dut.pause), 0)
            written = None
            for name, value in self._actions.get(cycle, ()):
                if name in ("start", "stop", "swr"):
                    command.add(name)
                elif name == "tail":
                    written = value
                elif name == "entry":
                    self.put(*value)
                else:
                    ctx.set(getattr(dut, name), value)
            running, stop_pending = STATES[state]
            ctx.set(Cat(dut.running, dut.stop_pending, dut.resetting),
                    running | stop_pending << 1 | resetting << 2)
            ctx.set(dut.tail, tail)
            self.memory.serve(ctx, bus, cycle)

            valids, values = ctx.get(simulated.valids), ctx.get(simulated.values)
            for number, name in enumerate(names if valids else ()):
                if valids >> number & 1:
                    self.events.append(Event(cycle, name, **{
                        part: values >> start & (1 << width) - 1
                        for part, start, width in simulated.places[name]}))
            word = ctx.get(simulated.pulses)
            up = {name for number, name in enumerate(PULSES) if word >> number & 1}
            for name in up:
                self.pulses[name].append(cycle)
            word = ctx.get(pulse)
            if word & 0xFFFF:
                self.done.append((cycle, word & 0xFFFF))
            if not self.heads or self.heads[-1][1] != word >> 16 & 0xFFFF:
                self.heads.append((cycle, word >> 16 & 0xFFFF))
            assert not word >> 41, "tx_er is never up"
            if word >> 32 & 1:
                sent.append((cycle - 1, word >> 33 & 0xFF))
            elif sent:
                data = bytes(byte for _, byte in sent)
                assert data[:8] == PREFACE and sent[-1][0] - sent[0][0] == len(sent) - 1
                self.wire.append((sent[0][0], data[8:]))
                sent = []
            word = ctx.get(simulated.counted)
            if word & 3:
                assert word & 3 != 3
                self.counted.append((cycle, bool(word & 2), word >> 4, word >> 2 & 1, word >> 3 & 1))

            before = state
            if "fail" in up and state == "running":
                state = "pending"
            if "stopped" in up:
                state = "stopped"
            if "stop" in command and before == "running":
                state = "pending"
            if "start" in command:
                state = "running"
            if "was_reset" in up:
                state, resetting, tail = "initial", 0, 0
            if "swr" in command:
                resetting = 1
            if written is not None:
                tail = written
            if not self.states or self.states[-1][1] != state:
                self.states.append((cycle + 1, state))
            if self.until(self):
                return
            await ctx.tick()
