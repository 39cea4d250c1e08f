"""What the tests of the GMII framer and deframer, and of what listens to the latter, share.

As in mii_bench: `TxBench` stands where the engine and the PHY stand and records every pulse and every byte by
cycle; `RxBench` plays a PHY. What should have happened is computed in the tests.
"""

import dataclasses
import zlib
from collections.abc import Callable, Iterable

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from hdl.mac.gmii_rx import GmiiRx
from hdl.mac.gmii_tx import GmiiTx

PREFACE = bytes([0x55] * 7 + [0xD5])
PULSES = ("began", "sfd", "take", "underrun", "done")
STATUS = {"starved": 1, "crc": 32, "count": 14}
LEVELS = ("ready", "busy")

Wire = tuple[int, int, int]
"""(valid or enable, byte, error) in a cycle."""
IDLE: Wire = (0, 0, 0)


def fcs(data: bytes) -> bytes:
    """The frame check sequence in the order of the wire."""
    return zlib.crc32(data).to_bytes(4, "little")


def pattern(length: int, seed: int = 1) -> bytes:
    """Some bytes."""
    return bytes((seed + 37 * i + (i * i >> 3)) & 255 for i in range(length))


def valid(data: bytes) -> list[Wire]:
    """A carrier event with these bytes."""
    return [(1, byte, 0) for byte in data]


def rerun(bench: "TxBench | RxBench | SnoopBench") -> None:
    """Play the script from reset. Before the first run a reset would lose the simulator's coroutine."""
    if not bench.fresh:
        bench.sim.reset()
    bench.fresh = False
    bench.sim.run()


@dataclasses.dataclass
class Frame:
    """A frame for the framer: `starve` is the number of bytes after which the source has none; the frame is
    ready `delay` cycles after the one that follows the end of the frame before."""

    data: bytes
    insert_fcs: bool = True
    starve: int | None = None
    delay: int = 0


@dataclasses.dataclass
class TxTrace:
    """`at[pulse]`: its cycles; `status[cycle]`: the status outputs in it; `levels[name]`: cycles with that
    level up; `wire[cycle]`: TX_EN, TXD, TX_ER."""

    at: dict[str, list[int]]
    status: list[dict[str, int]]
    levels: dict[str, list[int]]
    wire: list[Wire]


class TxBench:
    """A framer with something on all sides, built once and reset for each run."""

    def __init__(self, **parameters: int) -> None:
        self.dut = GmiiTx(**parameters)
        self.sim = Simulator(self.dut)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, frames: Iterable[Frame], cycles: int, *, ready: int = 0,
            start: Callable[[int], bool] = lambda cycle: True) -> TxTrace:
        """Play `frames`, the first ready in cycle `ready`; `start` can hold one back cycle by cycle."""
        self._script = (list(frames), cycles, ready, start)
        rerun(self)
        return self.trace

    async def _play(self, ctx) -> None:
        frames, cycles, ready, start = self._script
        dut = self.dut
        self.trace = trace = TxTrace({name: [] for name in PULSES}, [], {name: [] for name in LEVELS}, [])
        bits = Cat(getattr(dut, name) for name in (*PULSES, *LEVELS))
        status = Cat(getattr(dut, name) for name in STATUS)
        wire = Cat(dut.tx_en, dut.tx_er, dut.txd)
        position, began = 0, False
        for cycle in range(cycles):
            frame = frames[0] if frames else None
            ctx.set(dut.start, frame is not None and cycle >= ready and start(cycle))
            # Right in t, wrong in every other cycle of the frame.
            ctx.set(dut.insert_fcs, frame is not None and (frame.insert_fcs != began))
            there = frame is not None and position < len(frame.data) and position != frame.starve
            ctx.set(dut.valid, there)
            ctx.set(dut.data, frame.data[position] if there else 0xA5)
            ctx.set(dut.last, there and position == len(frame.data) - 1)

            word = ctx.get(wire)
            trace.wire.append((word & 1, word >> 2, word >> 1 & 1))
            word = ctx.get(status)
            fields = {}
            for name, width in STATUS.items():
                fields[name] = word & ((1 << width) - 1)
                word >>= width
            trace.status.append(fields)
            word = ctx.get(bits)
            up = {name for bit, name in enumerate((*PULSES, *LEVELS)) if word >> bit & 1}
            for name in up:
                (trace.at if name in PULSES else trace.levels)[name].append(cycle)
            position += "take" in up
            began |= "began" in up
            if "done" in up:
                position, began = 0, False
                frames.pop(0)
                ready = cycle + 1 + (frames[0].delay if frames else 0)
            await ctx.tick()


@dataclasses.dataclass
class RxTrace:
    """Cycles of the pulses and what was beside them."""

    sfd: list[int]
    bytes: list[tuple[int, int, int]]
    """(cycle, data, count)"""
    decide: list[tuple[int, int]]
    """(cycle, address)"""
    eof: list[tuple[int, int, bool, bool]]
    """(cycle, count, crc_ok, error)"""
    held: list[tuple[int, int, bool, bool]]
    """(address, count, crc_ok, error) in the cycles of `sfd`, that is, of the frame before"""


class RxBench:
    """A deframer with a PHY that plays a list of what is on the wires."""

    def __init__(self) -> None:
        self.dut = GmiiRx()
        self.sim = Simulator(self.dut)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, script: Iterable[Wire], *, skip: Iterable[int] = ()) -> RxTrace:
        """Entry n of `script` is on the wires in cycle n; `skip` is up in the cycles given."""
        self._script = (list(script), set(skip))
        rerun(self)
        return self.trace

    async def _play(self, ctx) -> None:
        script, skip = self._script
        dut = self.dut
        self.trace = trace = RxTrace([], [], [], [], [])
        pulses = Cat(dut.sfd, dut.byte, dut.decide, dut.eof)
        for cycle, (dv, byte, error) in enumerate([*script, IDLE, IDLE]):
            ctx.set(dut.rx_dv, dv)
            ctx.set(dut.rxd, byte)
            ctx.set(dut.rx_er, error)
            ctx.set(dut.skip, cycle in skip)
            seen = ctx.get(pulses)
            if seen & 1:
                trace.sfd.append(cycle)
                trace.held.append((ctx.get(dut.address), ctx.get(dut.count), bool(ctx.get(dut.crc_ok)),
                                   bool(ctx.get(dut.error))))
            if seen & 2:
                trace.bytes.append((cycle, ctx.get(dut.data), ctx.get(dut.count)))
            if seen & 4:
                trace.decide.append((cycle, ctx.get(dut.address)))
            if seen & 8:
                trace.eof.append((cycle, ctx.get(dut.count), bool(ctx.get(dut.crc_ok)),
                                  bool(ctx.get(dut.error))))
            await ctx.tick()


class SnoopBench:
    """`snoop`, which listens to a deframer, behind one; `outputs` are what is recorded of it."""

    def __init__(self, snoop: wiring.Component, outputs: tuple[str, ...]) -> None:
        self.snoop = snoop
        self.rx = GmiiRx()
        self.outputs = outputs
        m = Module()
        m.submodules.rx, m.submodules.snoop = self.rx, snoop
        for name in ("sfd", "byte", "data", "count"):
            m.d.comb += getattr(snoop, name).eq(getattr(self.rx, name))
        self.sim = Simulator(m)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, script: Iterable[Wire],
            inputs: Callable[[int], dict[str, int]] = lambda cycle: {}) -> list[tuple[int, ...]]:
        """The outputs cycle by cycle; entry n of `script` is on the wires in cycle n, and `inputs` says what
        changes of the snoop's own inputs in a cycle."""
        self._script = (list(script), inputs)
        rerun(self)
        return self.trace

    def frame(self, data: bytes, inputs: Callable[[int], dict[str, int]] = lambda cycle: {},
              ) -> list[tuple[int, ...]]:
        """The outputs counted from the cycle in which byte 0 is sampled, up to that of `eof`."""
        return self.run(valid(PREFACE + data), lambda cycle: inputs(cycle - len(PREFACE)))[len(PREFACE):]

    async def _play(self, ctx) -> None:
        script, inputs = self._script
        self.trace = []
        for cycle, (dv, byte, error) in enumerate([*script, IDLE, IDLE]):
            ctx.set(Cat(self.rx.rx_dv, self.rx.rx_er, self.rx.rxd), dv | error << 1 | byte << 2)
            for name, value in inputs(cycle).items():
                ctx.set(getattr(self.snoop, name), value)
            self.trace.append(tuple(ctx.get(getattr(self.snoop, name)) for name in self.outputs))
            await ctx.tick()
