"""The whole engine in Amaranth's simulator: registers, host memory and the wire around it, and its tap
written down.

Cycle c is the interval that ends with the simulator's c-th clock edge, counted from 0; ticks are the odd
cycles, as in the bench. What should happen when is computed in the tests, from the timing specification.
"""

import functools
import operator
import zlib

from amaranth.hdl import ClockDomain

from hdl.engines.at91ether import Engine
from hdl.registers import load
from tests.hdl.engines.simulated import Event, Simulated

RESET_CYCLES = 8
CLOCK_PERIOD_S = 20e-9
REGISTERS = load("at91ether")
LIST = 0x2000
"""Address of the receive list."""


def fcs(data: bytes) -> bytes:
    """The frame check sequence in the order of the wire."""
    return zlib.crc32(data).to_bytes(4, "little")


def first_tick(cycle: int) -> int:
    """The first tick not before `cycle`."""
    return cycle | 1


@functools.cache
def _simulated() -> Simulated:
    return Simulated(Engine(), CLOCK_PERIOD_S)


class EngineBench:
    """One run of the engine.

    Parameters
    ----------
    straps: field by name, the others 0.
    memory: options of `AxiMemory.restart`.

    Attributes
    ----------
    memory: host memory; `memory.data` may be filled before `run`.
    events: what the tap said, in order.
    wire: (cycle of the tick in which it was loaded, nibble) for every nibble on txd.
    reads: (offset, value) of the register reads, in order.
    """

    def __init__(self, *, straps: dict[str, int] | None = None, **memory):
        self._simulated = _simulated()
        self.memory = self._simulated.memory
        self.memory.data[:] = bytes(len(self.memory.data))
        self.memory.restart(most_beats=4, **memory)
        self.straps = straps or {}
        self.events: list[Event] = []
        self.wire: list[tuple[int, int]] = []
        self.reads: list[tuple[int, int]] = []
        self._accesses: list[tuple[int, int, int | None, int]] = []
        self._frames: list[tuple[int, bytes, bool, int]] = []
        self._pins: list[tuple[int, str, int]] = []

    def write(self, cycle: int, register: str, value: int, strobes: int = 0b1111) -> None:
        """A write that the engine takes in `cycle`. Accesses are given in the order of their cycles, two
        apart."""
        self._accesses.append((cycle, REGISTERS.offset(register), value, strobes))

    def read(self, cycle: int, register: str) -> None:
        """A read that the engine takes in `cycle`."""
        self._accesses.append((cycle, REGISTERS.offset(register), None, 0))

    def pin(self, cycle: int, name: str, value: int) -> None:
        """Set an input of the PHY's (crs, col, link), seen from `cycle` on."""
        self._pins.append((cycle, name, value))

    def receive(self, first_tick: int, data: bytes, *, odd: bool = False, error_at: int = -1) -> int:
        """A frame (with FCS) whose first preamble nibble is sampled in `first_tick`. Returns s, the tick of
        its SFD.

        Parameters
        ----------
        odd: a spare nibble at the end.
        error_at: byte during whose nibbles RX_ER is up; -1 for none.
        """
        assert first_tick % 2 == 1
        self._frames.append((first_tick, data, odd, error_at))
        return first_tick + 30

    def bring_up(self, *, te: bool = True, re: bool = True, mask: int = 0, **cfg: int) -> None:
        """CFG (FD and BIG, and what is given), RBQP at the receive list, IER and CTL, in cycles 16 to 22."""
        self.write(16, "CFG", REGISTERS.pack("CFG", **{"FD": 1, "BIG": 1, "CLK": 2} | cfg))
        self.write(18, "RBQP", LIST)
        self.write(20, "IER", mask)
        self.write(22, "CTL", REGISTERS.pack("CTL", TE=te, RE=re, MPE=1))

    def entry(self, number: int, buffer: int, *, wrap: bool = False, owned: bool = False) -> None:
        """Fill an entry of the receive list: `owned` by the driver (the engine may not fill it)."""
        at = LIST + 8 * number
        self.memory.data[at:at + 4] = (buffer | wrap << 1 | owned).to_bytes(4, "little")

    def word(self, addr: int) -> int:
        return int.from_bytes(self.memory.data[addr:addr + 4], "little")

    def hand_over(self, cycle: int, addr: int, length: int, *, ncrc: bool = False) -> int:
        """TAR in `cycle`, TCR two cycles later, which is returned."""
        self.write(cycle, "TAR", addr)
        self.write(cycle + 2, "TCR", REGISTERS.pack("TCR", LEN=length, NCRC=ncrc))
        return cycle + 2

    def sent(self) -> list[tuple[int, bytes]]:
        """(cycle of the first preamble nibble's tick, whole bytes after the SFD) of each frame on the
        wire."""
        frames: list[tuple[int, list[int]]] = []
        for cycle, nibble in self.wire:
            if not frames or cycle != frames[-1][0] + 2 * len(frames[-1][1]):
                frames.append((cycle, []))
            frames[-1][1].append(nibble)
        for _, nibbles in frames:
            assert nibbles[:16] == ([0x5] * 15 + [0xD])[:len(nibbles)]
        return [(t, bytes(a | b << 4 for a, b in zip(nibbles[16::2], nibbles[17::2], strict=False)))
                for t, nibbles in frames]

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def cycles(self, name: str) -> list[int]:
        return [event.cycle for event in self.named(name)]

    def _nibbles(self) -> dict[int, tuple[int, int]]:
        """(rxd, rx_er) by the tick that samples it."""
        wire = {}
        for first_tick, data, odd, error_at in self._frames:
            preface = [0x5] * 15 + [0xD]
            nibbles = [
                *preface,
                *(half for byte in data for half in (byte & 15, byte >> 4)),
                *([0] if odd else []),
            ]
            for number, nibble in enumerate(nibbles):
                in_byte = (number - len(preface)) // 2 if number >= len(preface) else -2
                wire[first_tick + 2 * number] = (nibble, int(in_byte == error_at))
        return wire

    def run(self, cycles: int) -> "EngineBench":
        """Cycles 0 to `cycles`."""
        self.cycles_to_run = cycles
        self._simulated.run(self)
        return self

    async def stimulate(self, ctx, engine: Engine, domain: ClockDomain) -> None:
        """Inputs of cycle c are set at the edge that begins it."""
        csr, phy = engine.csr, engine.phy
        nibbles, pins = self._nibbles(), sorted(self._pins)
        accesses = sorted(self._accesses, key=operator.itemgetter(0))
        ctx.set(domain.rst, 1)
        ctx.set(engine.straps, self.straps)
        for name in ("bready", "rready"):
            ctx.set(getattr(csr, name), 1)
        cycle = 0
        async for _ in ctx.tick():
            cycle += 1
            if cycle == RESET_CYCLES:
                ctx.set(domain.rst, 0)
                ctx.set(engine.straps, dict.fromkeys(self.straps, 0))  # they are latched by now
            ctx.set(phy.tick, cycle % 2)
            if cycle % 2 == 0:  # changes at the end of a tick, is sampled in the next one
                rxd, error = nibbles.get(cycle + 1, (0, 0))
                ctx.set(phy.rxd, rxd)
                ctx.set(phy.rx_er, error)
                ctx.set(phy.rx_dv, int(cycle + 1 in nibbles))
            while pins and pins[0][0] <= cycle:
                ctx.set(getattr(phy, pins[0][1]), pins.pop(0)[2])
            for name in ("awvalid", "wvalid", "arvalid"):
                ctx.set(getattr(csr, name), 0)
            if accesses and accesses[0][0] <= cycle:
                due, offset, value, strobes = accesses.pop(0)
                assert due == cycle, f"an access in {due} was given too late, or two in one cycle"
                if value is None:
                    ctx.set(csr.araddr, offset)
                    ctx.set(csr.arvalid, 1)
                else:
                    ctx.set(csr.awaddr, offset)
                    ctx.set(csr.wdata, value)
                    ctx.set(csr.wstrb, strobes)
                    ctx.set(csr.awvalid, 1)
                    ctx.set(csr.wvalid, 1)

    async def watch(self, ctx, engine: Engine) -> None:
        tap, phy = engine.tap, engine.phy
        simulated = self._simulated
        lanes = list(tap.signature.lanes)
        trigger = ctx.tick().sample(simulated.valids, simulated.values, phy.tick, phy.tx_en, phy.txd)
        cycle, last_tick = 0, -1
        async for _, _, valid, values, tick, tx_en, txd in trigger:
            for number, name in enumerate(lanes if valid else ()):
                if valid >> number & 1:
                    what = {
                        part: values >> start & (1 << width) - 1
                        for part, start, width in simulated.places[name]
                    }
                    self.events.append(Event(cycle, name, **what))
                    if name == "csr_read":
                        self.reads.append((what["index"], what["data"]))
            if tick:
                if tx_en:
                    self.wire.append((last_tick, txd))
                last_tick = cycle
            cycle += 1
            if cycle > self.cycles_to_run:
                return
