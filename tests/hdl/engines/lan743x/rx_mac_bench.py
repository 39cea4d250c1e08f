"""The receive side of the MAC in Amaranth's simulator, with a PHY that plays frames and FIFOs that say what
they are told to.

Cycle c is the interval that ends with the simulator's edge number c, counted from 0. What should happen is
computed in the tests, from the timing specification.
"""

import dataclasses
import functools
import zlib

from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator

from hdl.engines.lan743x.rx_mac import RxMac
from hdl.registers import load

REGISTERS = load("lan743x")
STATION = bytes([0x02, 0x11, 0x22, 0x33, 0x44, 0x55])
PREFACE = bytes([0x55] * 7 + [0xD5])


def frame(length: int = 64, to: bytes = STATION, body: bytes = b"") -> bytes:
    """A frame of `length` bytes, right FCS included, to an address; `body` begins behind the addresses."""
    filler = bytes((7 * n + 3) & 255 for n in range(length))
    data = (to + STATION + body + filler)[:length - 4]
    return data + zlib.crc32(data).to_bytes(4, "little")


@dataclasses.dataclass(frozen=True)
class End:
    """What happened in e + 1. `commits`: the channels that keep the frame."""

    cycle: int
    number: int
    length: int
    reason: int
    channel: int
    commits: tuple[int, ...]


class _Simulated:
    """The MAC, elaborated once for each number of channels."""

    def __init__(self, rx_channels: int):
        self.dut = dut = RxMac(rx_channels)
        m = Module()
        m.submodules.dut = dut
        first = dut.channels[0]
        self.seen = Signal(256)
        self.fields = {
            "sfd": first.sfd, "word": first.word, "end": first.end, "rxd_set": dut.rxd_set,
            "pause": dut.pause, "tap_sfd": dut.tap.rx_sfd.valid, "tap_end": dut.tap.rx_end.valid,
            "index": first.index, "data": first.data, "length": first.length,
            "sfd_number": dut.tap.rx_sfd.index, "end_number": dut.tap.rx_end.index,
            "end_data": dut.tap.rx_end.data, "quanta": dut.quanta,
            "commit": Cat(channel.commit for channel in dut.channels),
        }
        m.d.comb += self.seen.eq(Cat(self.fields.values()))
        for other in dut.channels:  # all channels are told the same
            assert other.signature == first.signature
        self.simulator = Simulator(m)
        self.simulator.add_clock(8e-9)
        self.simulator.add_testbench(self._play)
        self.script: RxMacBench | None = None
        self.fresh = True

    async def _play(self, ctx) -> None:
        await self.script.play(ctx, self)


_simulated = functools.cache(_Simulated)


class RxMacBench:
    """One run.

    Parameters
    ----------
    rx_channels: 1 to 4.
    settings: inputs from the start on; by default the receiver is on, MAX_SIZE 1518, and nothing but AU and
        AB lets a frame in.

    Attributes
    ----------
    sfds: (cycle, wire number) of RX_SFD.
    words: (cycle, index, data) of the words pushed.
    ends: `End` of each frame.
    rxd: cycles of `rxd_set`.
    pauses: (cycle, quanta).
    stamps: (seconds, nanoseconds) in e + 1.
    counted: (cycle, crc_ok, group, broadcast) in e + 1.
    """

    def __init__(self, rx_channels: int = 1, **settings: int):
        self._simulated = _simulated(rx_channels)
        self.settings = {"rxen": 1, "max_size": 1518, "unicast": 1, "broadcast": 1} | settings
        self._wires: dict[int, tuple[int, int]] = {}
        self._actions: dict[int, list[tuple[str, int]]] = {}
        self._time = 20
        self.last_cycle = 20

    def receive(self, data: bytes, *, gap: int = 12, error_at: int = -1) -> int:
        """A frame on the wire, `gap` cycles after the last one; RX_ER is up with byte `error_at`. Returns
        s."""
        for number, byte in enumerate(PREFACE + data):
            self._wires[self._time + number] = (byte, number - len(PREFACE) == error_at)
        s = self._time + len(PREFACE) - 1
        self._time += len(PREFACE) + len(data) + gap
        self.last_cycle = self._time
        return s

    def at(self, cycle: int, **inputs: int) -> None:
        """Inputs that change to this in `cycle`; `off<n>` and `lost<n>` are those of channel n."""
        self._actions.setdefault(cycle, []).extend(inputs.items())

    def write(self, cycle: int, register: str, value: int, strobe: int = 0b1111) -> None:
        """A register write that is taken in `cycle`."""
        self.at(cycle, csr=(REGISTERS.offset(register), value, strobe))

    def ram(self, cycle: int, address: int, value: int) -> None:
        """A write to the RFE RAM in `cycle`."""
        self.at(cycle, ram=(address, value))

    def entry(self, cycle: int, number: int, address: bytes, *, valid: int = 1) -> None:
        """A perfect filter address, in `cycle` and `cycle` + 2."""
        self.write(cycle, f"RFE_ADDR_FILT_LO{number}", int.from_bytes(address[:4], "little"))
        high = int.from_bytes(address[4:], "little")
        self.write(cycle + 2, f"RFE_ADDR_FILT_HI{number}", high | valid << 31)

    def run(self, cycles: int | None = None) -> "RxMacBench":
        """Cycles 0 to `cycles` - 1, or until everything on the wire is over."""
        self.limit = cycles or self.last_cycle + 20
        self.sfds: list[tuple[int, int]] = []
        self.words: list[tuple[int, int, int]] = []
        self.ends: list[End] = []
        self.rxd: list[int] = []
        self.pauses: list[tuple[int, int]] = []
        self.stamps: list[tuple[int, int]] = []
        self.counted: list[tuple[int, int, int, int]] = []
        simulated = self._simulated
        simulated.script = self
        if not simulated.fresh:  # before the first run a reset would lose the coroutine
            simulated.simulator.reset()
        simulated.fresh = False
        simulated.simulator.run()
        return self

    async def play(self, ctx, simulated: _Simulated) -> None:
        dut, fields = simulated.dut, simulated.fields
        for name in ("broadcast", "multicast", "unicast", "hash", "perfect"):
            ctx.set(getattr(dut, name), 0)
        for name, value in self.settings.items():
            ctx.set(getattr(dut, name), value)
        statistics = dut.statistics
        for cycle in range(self.limit):
            byte, error = self._wires.get(cycle, (0, 0))
            ctx.set(Cat(dut.rxd, dut.rx_er, dut.rx_dv), byte | error << 8 | (cycle in self._wires) << 9)
            ctx.set(Cat(dut.csr_write, dut.ram_write), 0)
            ctx.set(Cat(dut.seconds, dut.nanoseconds), (1000 + cycle) | cycle << 32)
            for name, value in self._actions.get(cycle, ()):
                if name == "csr":
                    ctx.set(Cat(dut.csr_write, dut.csr_addr, dut.csr_data, dut.csr_strobe),
                            1 | value[0] << 1 | value[1] << 14 | value[2] << 46)
                elif name == "ram":
                    ctx.set(Cat(dut.ram_write, dut.ram_address, dut.ram_data),
                            1 | value[0] << 1 | value[1] << 9)
                elif name.startswith(("off", "lost")):
                    ctx.set(getattr(dut.channels[int(name[-1])], name[:-1]), value)
                else:
                    ctx.set(getattr(dut, name), value)
            word, up = ctx.get(simulated.seen), {}
            for name, field in fields.items():
                up[name] = word & (1 << len(field)) - 1
                word >>= len(field)
            assert up["sfd"] == up["tap_sfd"] and up["end"] == up["tap_end"]
            if up["sfd"]:
                self.sfds.append((cycle, up["sfd_number"]))
            if up["word"]:
                self.words.append((cycle, up["index"], up["data"]))
            if up["end"]:
                end = up["end_data"]
                assert end & 0xFFFFFFFF == up["length"] == ctx.get(statistics.length)
                commits = tuple(n for n in range(len(dut.channels)) if up["commit"] >> n & 1)
                self.ends.append(
                    End(cycle, up["end_number"], up["length"], end >> 32 & 255, end >> 40, commits))
                first = dut.channels[0]
                self.stamps.append((ctx.get(first.seconds), ctx.get(first.nanoseconds)))
                self.counted.append((cycle, ctx.get(statistics.crc_ok), ctx.get(statistics.group),
                                     ctx.get(statistics.broadcast)))
            else:
                assert not up["commit"]
            if up["rxd_set"]:
                self.rxd.append(cycle)
            if up["pause"]:
                self.pauses.append((cycle, up["quanta"]))
            await ctx.tick()
