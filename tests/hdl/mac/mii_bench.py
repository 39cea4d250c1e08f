"""What the tests of the framer and the deframer share: the ends of their interfaces, cycle by cycle.

`TxBench` stands where the engine stands (ready frames, a byte source) and where the PHY stands; it records
every pulse with its cycle and every nibble. What should have happened is computed in the tests.
"""

import dataclasses
import zlib
from collections.abc import Callable, Iterable

from amaranth.hdl import Cat
from amaranth.sim import Simulator

from hdl.mac.mii_rx import MiiRx
from hdl.mac.mii_tx import MiiTx

PULSES = ("began", "sfd", "take", "underrun", "hit", "jam", "collision", "retry", "cut", "done")
STATUS = {"whole": 1, "starved": 1, "late": 1, "excess": 1, "aborted": 1, "deferred": 1, "no_carrier": 1,
          "collisions": 5, "crc": 32, "count": 11, "taken": 11}


def nibbles(data: bytes) -> list[int]:
    """As on the wire, low nibble first."""
    return [nibble for byte in data for nibble in (byte & 15, byte >> 4)]


def fcs(data: bytes) -> bytes:
    """The frame check sequence in the order of the wire."""
    return zlib.crc32(data).to_bytes(4, "little")


def odd_tick(cycle: int) -> bool:
    """The bench's tick."""
    return cycle % 2 == 1


def first_tick(cycle: int) -> int:
    """The first tick not before `cycle`."""
    return cycle | 1


def rerun(bench: "TxBench | RxBench") -> None:
    """Play the script from reset. Before the first run a reset would lose the simulator's coroutine."""
    if not bench.fresh:
        bench.sim.reset()
    bench.fresh = False
    bench.sim.run()


@dataclasses.dataclass
class Frame:
    """A frame for the framer: `starve` is the number of bytes after which the source has none; the frame is
    ready `delay` cycles after the cycle that follows the end of the one before (or of the last attempt)."""

    data: bytes
    ncrc: bool = False
    starve: int | None = None
    delay: int = 0


@dataclasses.dataclass
class TxTrace:
    """`at[pulse]`: its cycles; `status[cycle]`: the status outputs in a cycle with any pulse; `wire[cycle]`:
    the nibble, or None while TX_EN is down."""

    at: dict[str, list[int]]
    status: dict[int, dict[str, int]]
    wire: list[int | None]


class TxBench:
    """A framer with something on all sides, built once and reset for each run."""

    def __init__(self, **parameters: int) -> None:
        self.dut = MiiTx(**parameters)
        self.sim = Simulator(self.dut)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, frames: Iterable[Frame], cycles: int, *, ready: int = 0,
            tick: Callable[[int], bool] = odd_tick, duplex: bool = True,
            te: Callable[[int], bool] = lambda cycle: True, abort: Iterable[int] = (),
            forget: Iterable[int] = (), crs: Callable[[int], bool] = lambda cycle: False,
            col: Iterable[int] = ()) -> TxTrace:
        """Play `frames`, the first ready in cycle `ready`; the rest are inputs, cycle by cycle."""
        self._script = (list(frames), cycles, ready, tick, duplex, te, set(abort), set(forget), crs, set(col))
        rerun(self)
        return self.trace

    async def _play(self, ctx) -> None:
        frames, cycles, ready, tick, duplex, te, abort, forget, crs, col = self._script
        dut = self.dut
        self.trace = trace = TxTrace({pulse: [] for pulse in PULSES}, {}, [])
        pulses = Cat(getattr(dut, name) for name in PULSES)
        status = Cat(getattr(dut, name) for name in STATUS)
        wire = Cat(dut.txd, dut.tx_en)
        ctx.set(dut.fd, duplex)
        position = 0
        for cycle in range(cycles):
            frame = frames[0] if frames else None
            ctx.set(dut.tick, tick(cycle))
            ctx.set(dut.te, te(cycle))
            ctx.set(dut.abort, cycle in abort)
            ctx.set(dut.forget, cycle in forget)
            ctx.set(dut.crs, crs(cycle))
            ctx.set(dut.col, cycle in col)
            ctx.set(dut.start, frame is not None and cycle >= ready)
            if frame is not None:
                there = position < len(frame.data) and position != frame.starve
                ctx.set(dut.ncrc, frame.ncrc)
                ctx.set(dut.valid, there)
                ctx.set(dut.data, frame.data[position] if there else 0xA5)
                ctx.set(dut.last, there and position == len(frame.data) - 1)

            nibble = ctx.get(wire)
            assert nibble >> 4 or nibble == 0, "TXD is 0 between frames"
            trace.wire.append(nibble & 15 if nibble >> 4 else None)
            seen = ctx.get(pulses)
            if seen:
                word = ctx.get(status)
                fields = trace.status[cycle] = {}
                for name, width in STATUS.items():
                    fields[name] = word & ((1 << width) - 1)
                    word >>= width
                happened = {name for bit, name in enumerate(PULSES) if seen >> bit & 1}
                for name in happened:
                    trace.at[name].append(cycle)
                position += "take" in happened
                if happened & {"done", "cut", "retry"} or (cycle in forget and frame is not None):
                    position = 0
                    if "retry" not in happened:
                        frames.pop(0)
                    ready = cycle + 1 + (frames[0].delay if frames else 0)
            elif cycle in forget and frames:
                position = 0
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
    eof: list[tuple[int, int, bool, bool, bool]]
    """(cycle, count, crc_ok, odd, error)"""
    held: list[int]
    """`address` in the cycles of `eof`"""


class RxBench:
    """A deframer with a PHY that plays a list of (RX_DV, nibble, RX_ER), one a tick, ticks in odd cycles."""

    def __init__(self) -> None:
        self.dut = MiiRx()
        self.sim = Simulator(self.dut)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, script: Iterable[tuple[int, int, int]], *, skip: Iterable[int] = (),
            ignore: Iterable[int] = (), cycles_per_tick: int = 2) -> RxTrace:
        """Entry n of `script` is on the pins in tick n, in cycle (n + 1) * cycles_per_tick - 1; `skip` and
        `ignore` are cycles."""
        self._script = (list(script), set(skip), set(ignore), cycles_per_tick)
        rerun(self)
        return self.trace

    async def _play(self, ctx) -> None:
        script, skip, ignore, cycles_per_tick = self._script
        dut = self.dut
        self.trace = trace = RxTrace([], [], [], [], [])
        pulses = Cat(dut.sfd, dut.byte, dut.decide, dut.eof)
        for cycle in range((len(script) + 2) * cycles_per_tick):
            number, phase = divmod(cycle, cycles_per_tick)
            dv, nibble, error = script[number] if number < len(script) else (0, 0, 0)
            ctx.set(dut.tick, phase == cycles_per_tick - 1)
            ctx.set(dut.rx_dv, dv)
            ctx.set(dut.rxd, nibble)
            ctx.set(dut.rx_er, error)
            ctx.set(dut.skip, cycle in skip)
            ctx.set(dut.ignore, cycle in ignore)
            seen = ctx.get(pulses)
            if seen & 1:
                trace.sfd.append(cycle)
            if seen & 2:
                trace.bytes.append((cycle, ctx.get(dut.data), ctx.get(dut.count)))
            if seen & 4:
                trace.decide.append((cycle, ctx.get(dut.address)))
            if seen & 8:
                trace.held.append(ctx.get(dut.address))
                trace.eof.append((cycle, ctx.get(dut.count), *(bool(ctx.get(bit))
                                                               for bit in (dut.crc_ok, dut.odd, dut.error))))
            await ctx.tick()
