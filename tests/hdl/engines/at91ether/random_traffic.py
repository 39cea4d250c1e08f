"""Random use of the engine that both worlds can play: straps, bus, frames on the wire, and a driver without
sense.

Everything follows from a seed. `act` runs inside the simulator and in the golden world alike; it only needs
of the world `mem`, `csr_write`, `csr_read`, `sleep` and `wire_start`.
"""

import dataclasses
import random
import zlib

import numpy as np

from hdl.registers import load

REGISTERS = load("at91ether")
LIST = 0x2000
BUFFERS = 0x4000
MEMORY_BYTES = 1 << 20
FILLED_BYTES = 0x20000
FRAMES = 60
OPERATIONS = 400
STATION = bytes([2, 0, 0, 0, 0, 1])
TE, RE = REGISTERS.pack("CTL", TE=1), REGISTERS.pack("CTL", RE=1)
MPE = REGISTERS.pack("CTL", MPE=1)
LOW, HIGH = 0b0011, 0b1100


@dataclasses.dataclass
class Setup:
    """What is fixed before a run: codes of the straps, options of the bus, latency of register accesses, the
    wire and whether its other end can half duplex only."""

    straps: dict[str, int]
    bus: dict[str, int]
    errors: list[tuple[int, bool, int]]
    csr_latency_cycles: int
    frames: list[bytes]
    gap_symbols: list[int]
    odd: list[bool]
    error_at: list[int]
    half_duplex: bool


def setup(seed: int) -> Setup:
    rng = random.Random(seed)
    bits = ("mstar", "split_commit", "split_latch", "isr_race", "rbna_restart")
    straps = {name: rng.randrange(2) for name in bits} | {
        "depth": rng.randrange(3),
        "ovr_effect": rng.randrange(3),
        "fifo_words": rng.choice([0, 0, 0, *range(1, 8)]),
    }
    bus = {"read_latency": rng.choice([0, 0, 1, 5, 20, 60]), "write_latency": rng.choice([0, 0, 3, 20]),
           "beat_interval": rng.choice([1, 1, 1, 2, 4]), "jitter": rng.choice([0, 0, 10, 100]), "seed": seed}
    errors = [
        (rng.randrange(2), bool(rng.randrange(2)), rng.randrange(60)) for _ in range(rng.choice([0, 0, 3, 6]))
    ]
    frames = [_frame(rng) for _ in range(FRAMES)]
    return Setup(
        straps, bus, errors, rng.choice([0, 0, 3, 5]), frames,
        gap_symbols=[rng.choice([24, 24, 24, 2, 1, rng.randrange(1, 400)]) for _ in frames],
        odd=[rng.random() < 0.1 for _ in frames],
        error_at=[rng.randrange(len(frame)) if rng.random() < 0.05 else -1 for frame in frames],
        half_duplex=half_duplex(seed))


def half_duplex(seed: int) -> bool:
    """Whether the link of this seed is half duplex: every third is."""
    return seed % 3 == 0


def _frame(rng: random.Random) -> bytes:
    length = rng.choice([64, 64, rng.randrange(18, 64), rng.randrange(64, 300), rng.randrange(1, 30)])
    if rng.random() < 0.02:
        length = rng.choice([1518, 1519, 1520, 1536, 1537, 1545])
    to = rng.choice([b"\xff" * 6, STATION, STATION, rng.randbytes(6)])
    body = (to + rng.randbytes(1600))[:max(0, length - 4)]
    frame = bytearray((body + zlib.crc32(body).to_bytes(4, "little"))[:length])
    if rng.random() < 0.1:
        frame[rng.randrange(length)] ^= 1
    return bytes(frame)


async def act(world, seed: int) -> None:
    """Write and read registers at random for a while. What is read shows in the event log."""
    await Driver(world, random.Random(seed + 1), half_duplex(seed)).run()


class Driver:
    """Does anything that a driver could do, with no regard for whether it should."""

    def __init__(self, world, rng: random.Random, half: bool):
        self.world, self.rng = world, rng
        self.entries = rng.randrange(2, 10)
        self.cfg = {"FD": not half} | {name: rng.randrange(2) for name in ("BIG", "CAF", "MTI", "UNI", "NBC")}

    def write(self, register: str, value: int, strobes: int = 0xF) -> None:
        self.world.csr_write(REGISTERS.offset(register), value, strobes)

    async def run(self) -> None:
        rng = self.rng
        self._fill()
        self._bring_up()
        self.world.wire_start()
        chores = {
            self._hand_over: 34,
            self._read: 28,
            self._acknowledge: 7,
            self._mask: 4,
            self._give_back: 14,
            self._toggle: 5,
            self._other: 8,
        }
        for _ in range(OPERATIONS):
            await self.world.sleep(rng.choice([1, 1, 2, 3, 5, 10, 30, 100, rng.randrange(1, 400)]))
            chore, = rng.choices(list(chores), chores.values())
            await chore()
        await self.world.sleep(3000)

    def _fill(self) -> None:
        """Host memory: frames to send are whatever lies there; some receive buffers lie at a 4 KiB
        boundary."""
        mem, rng = self.world.mem, self.rng
        mem[:FILLED_BYTES] = np.frombuffer(rng.randbytes(FILLED_BYTES), np.uint8)
        for number in range(self.entries):
            buffer = BUFFERS + 0x600 * number
            if rng.random() < 0.2:
                buffer = (buffer & ~0xFFF) | 0xFF0
            word = buffer | (2 if number == self.entries - 1 else 0)
            at = LIST + 8 * number
            mem[at:at + 4] = np.frombuffer(word.to_bytes(4, "little"), np.uint8)

    def _bring_up(self) -> None:
        rng = self.rng
        self.write("CFG", REGISTERS.pack("CFG", CLK=rng.randrange(4), **self.cfg))
        self.write("RBQP", LIST)
        self.write("SA1L", int.from_bytes(STATION[:4], "little"))
        self.write("SA1H", int.from_bytes(STATION[4:], "little"))
        self.write("HSL", rng.getrandbits(32))
        self.write("HSH", rng.getrandbits(32))
        self.write("IER", rng.getrandbits(12))
        self.write("CTL", TE | RE | MPE)

    async def _hand_over(self) -> None:
        rng = self.rng
        addr = rng.choice([rng.randrange(0x1000, 0x1F00), 0x11000 - rng.randrange(1, 80),
                           rng.randrange(0x10000, 0x1F000)])
        tcr = REGISTERS.pack("TCR", LEN=rng.choice([rng.randrange(80), 60, rng.randrange(300)]),
                             NCRC=rng.random() < 0.2)
        halves = rng.choice([(0xF,), (0xF,), (0xF,), (HIGH, LOW), (LOW, HIGH)])
        for register, value in (("TAR", addr), ("TCR", tcr)):
            for half in halves:
                self.write(register, value, half)

    async def _read(self) -> None:
        rng = self.rng
        readable = [register.offset for register in REGISTERS if register.readable]
        offset = rng.choice([REGISTERS.offset("ISR"), REGISTERS.offset("TSR"), rng.choice([*readable, 0xFC])])
        await self.world.csr_read(offset)

    async def _acknowledge(self) -> None:
        self.write(self.rng.choice(["TSR", "RSR"]), self.rng.getrandbits(7))

    async def _mask(self) -> None:
        self.write(
            self.rng.choice(["IER", "IDR"]), self.rng.getrandbits(12), self.rng.choice([0xF, 0xF, LOW])
        )

    async def _give_back(self) -> None:
        for number in range(self.entries):
            self.world.mem[LIST + 8 * number] &= 0xFE

    async def _toggle(self) -> None:
        """TE or RE off and on, with or without time between."""
        rng = self.rng
        self.write("CTL", rng.choice([TE, RE, 0]) | MPE)
        if rng.random() < 0.5:
            await self.world.sleep(rng.randrange(1, 60))
        pulses = REGISTERS.pack("CTL", CSR=rng.random() < 0.2, INCSTAT=rng.random() < 0.1)
        self.write("CTL", TE | RE | MPE | pulses)

    async def _other(self) -> None:
        rng = self.rng
        match rng.randrange(5):
            case 0:
                self.write("RBQP", LIST + 8 * rng.choice([0, 0, rng.randrange(self.entries)]))
            case 1:
                self.write(
                    "MAN",
                    REGISTERS.pack(
                        "MAN",
                        SOF=1,
                        RW=rng.choice([1, 2]),
                        REGA=rng.randrange(8),
                        CODE=2,
                        DATA=rng.getrandbits(16),
                    ),
                )
            case 2:
                self.world.csr_write(rng.choice([0x1C, 0x88, 0xFC]), rng.getrandbits(32), 0xF)
            case 3:
                self.write("SA1L", int.from_bytes(STATION[:4], "little"))
                if rng.random() < 0.5:
                    self.write("SA1H", int.from_bytes(STATION[4:], "little"))
            case 4:
                self.write("CFG", REGISTERS.pack("CFG", **(self.cfg | {"BIG": rng.randrange(2)})))
