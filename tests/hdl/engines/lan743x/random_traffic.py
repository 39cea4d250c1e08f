"""Random use of the engine that both worlds can play: straps, bus or link, frames on the wire, and a driver
without sense.

Everything follows from a seed. `act` runs inside the simulator and in the golden world alike; it only needs
of the world `mem`, `csr_write`, `csr_read`, `sleep` and `wire_start`. What the specification leaves open is
not done: rings are not moved or resized while their channel runs.
"""

import dataclasses
import random
import zlib

import numpy as np

from hdl.registers import load
from model.link import LinkTiming

REGISTERS = load("lan743x")
RX_DESCRIPTOR, TX_DESCRIPTOR = REGISTERS.descriptor("rx_descriptor"), REGISTERS.descriptor("tx_descriptor")
RINGS, HEADS, BUFFERS, SENT = 0x1000, 0x800, 0x20000, 0x80000
RING_BYTES = 0x2000
MEMORY_BYTES = 1 << 20
FRAMES = 50
OPERATIONS = 300
STATION = bytes([2, 0, 0, 0, 0, 1])
GROUP = bytes.fromhex("01005e000005")
PAUSE = bytes.fromhex("0180c2000001") + bytes(6) + bytes.fromhex("88080001")
BUFFER_BYTES = 0x800
FLAGS = ("rev_a0", "tail_inclusive", "past_tail", "head_wb_early", "write_whole_buffer", "edge_irq",
         "head_wb_late")
CLOCK_HZ = 125_000_000


@dataclasses.dataclass
class Setup:
    """What is fixed before a run: RX channels, codes of the straps, options of the bus, the link if there is
    one, latency of register accesses, and the wire."""

    rx_channels: int
    straps: dict[str, int]
    bus: dict[str, int]
    errors: list[tuple[int, bool, int]]
    link: LinkTiming | None
    csr_latency_cycles: int
    frames: list[bytes]
    gap_symbols: list[int]
    error_at: list[int]


def setup(seed: int) -> Setup:
    rng = random.Random(seed)
    straps = {name: int(rng.random() < 0.15) for name in FLAGS} | {
        "extra_buffer": rng.choice([0, 0, 0, 1, 2, 3]),
        "tags": rng.choice([0, 0, 1, 2, 3]),
        "rx_fifo_kib": rng.choice([0, 0, 1, 2]),
    }
    bus = {"read_latency": rng.choice([0, 0, 1, 5, 20, 60]), "write_latency": rng.choice([0, 0, 3, 20]),
           "beat_interval": rng.choice([1, 1, 1, 2]), "jitter": rng.choice([0, 0, 10, 100]), "seed": seed,
           "outstanding": rng.choice([16, 16, 1, 2])}
    errors = [(rng.choice([0, 4, 5, 6]), bool(rng.randrange(2)), rng.randrange(80))
              for _ in range(rng.choice([0, 0, 0, 2, 4]))]
    link = None
    if seed % 2:
        link = LinkTiming(mps_bytes=rng.choice([128, 256]), mrrs_bytes=rng.choice([128, 512]),
                          rcb_bytes=rng.choice([64, 128]), up_latency_ns=rng.randrange(8, 300),
                          down_latency_ns=rng.randrange(8, 300), memory_latency_ns=rng.randrange(8, 600),
                          credit_return_ns=rng.randrange(8, 400), posted_headers=rng.randrange(1, 20),
                          posted_data=rng.randrange(16, 70), nonposted_headers=rng.randrange(1, 9),
                          posted_room_bytes=rng.choice([0, 64, 512]))
        bus["beat_interval"] = 1
    frames = [_frame(rng) for _ in range(FRAMES)]
    return Setup(
        channels(seed), straps, bus, errors, link, rng.choice([0, 0, 3, 5]), frames,
        gap_symbols=[rng.choice([12, 12, 12, 8, rng.randrange(8, 300)]) for _ in frames],
        error_at=[rng.randrange(len(frame)) if rng.random() < 0.05 else -1 for frame in frames])


def channels(seed: int) -> int:
    """RX channels of this seed: every third has four."""
    return 4 if seed % 3 == 0 else 1


def _frame(rng: random.Random) -> bytes:
    length = rng.choice([64, 64, rng.randrange(18, 64), rng.randrange(64, 300), rng.randrange(64, 1600),
                         rng.randrange(1, 30)])
    to = rng.choice([b"\xff" * 6, STATION, STATION, STATION, GROUP, rng.randbytes(6)])
    body = to + rng.randbytes(1700)
    if rng.random() < 0.08:
        body = PAUSE + rng.choice([0, 1, 3, 20]).to_bytes(2, "big") + bytes(1700)
    elif rng.random() < 0.5:
        protocol = rng.choice([6, 17, 1])
        fragment = rng.choice([0, 0, 0, 0x2000, 5])
        body = (to + rng.randbytes(6) + b"\x08\x00" + bytes([rng.choice([0x45, 0x45, 0x45, 0x46]), 0])
                + bytes(4) + fragment.to_bytes(2, "big") + bytes([64, protocol, 0, 0]) + rng.randbytes(1600))
    body = body[:max(0, length - 4)]
    frame = bytearray((body + zlib.crc32(body).to_bytes(4, "little"))[:length])
    if rng.random() < 0.08:
        frame[rng.randrange(length)] ^= 1
    return bytes(frame)


async def act(world, seed: int) -> None:
    """Write and read registers at random for a while. What is read shows in the event log."""
    await Driver(world, random.Random(seed + 1), channels(seed)).run()


class Driver:
    """Does anything that a driver could do, with no regard for whether it should."""

    def __init__(self, world, rng: random.Random, rx_channels: int):
        self.world, self.rng = world, rng
        self.channels = [*(f"RX{n}" for n in range(rx_channels)), "TX0"]
        self.stride_code = rng.choice([0, 0, 1, 2, 3])
        self.stride = 16 << self.stride_code
        most = RING_BYTES // self.stride
        self.entries = {name: rng.choice([rng.randrange(2, 9), rng.randrange(2, most)])
                        for name in self.channels}
        self.tails = dict.fromkeys(self.channels, 0)

    def write(self, register: str, value: int = 0, strobes: int = 0xF, **fields: int) -> None:
        if fields:
            value = REGISTERS.pack(register, **fields)
        self.world.csr_write(REGISTERS.offset(register), value, strobes)

    async def run(self) -> None:
        rng = self.rng
        self._fill()
        self._bring_up()
        self.world.wire_start()
        chores = {self._ring: 30, self._post: 20, self._read: 20, self._mask: 12, self._acknowledge: 10,
                  self._control: 5, self._toggle: 4, self._other: 6}
        for _ in range(OPERATIONS):
            await self.world.sleep(rng.choice([1, 1, 2, 3, 5, 10, 30, 100, rng.randrange(1, 400)]))
            chore, = rng.choices(list(chores), chores.values())
            await chore()
        await self.world.sleep(3000)

    # Memory.

    def _ring_base(self, name: str) -> int:
        return RINGS + RING_BYTES * self.channels.index(name)

    def _entry(self, name: str, index: int, words: list[int]) -> None:
        at = self._ring_base(name) + self.stride * index
        entry = b"".join(word.to_bytes(4, "little") for word in words)
        self.world.mem[at:at + 16] = np.frombuffer(entry, np.uint8)

    def _fill(self) -> None:
        mem, rng = self.world.mem, self.rng
        mem[SENT:SENT + 0x20000] = np.frombuffer(rng.randbytes(0x20000), np.uint8)
        for name in self.channels:
            for index in range(self.entries[name]):
                self._fill_entry(name, index)

    def _fill_entry(self, name: str, index: int) -> None:
        rng = self.rng
        if name == "TX0":
            first = rng.random() < 0.7
            last = rng.random() < 0.7
            length = rng.choice([rng.randrange(1, 80), 60, rng.randrange(1, 700),
                                 0 if rng.random() < 0.2 else 1])
            word = TX_DESCRIPTOR.field("DATA0", "BUF_LENGTH").place(length)
            # a frame of more entries than the ring has is beyond the specification
            last = last or index == 0
            for flag, up in (("FS", first), ("LS", last), ("IOC", rng.random() < 0.6),
                             ("FCS", rng.random() < 0.8), ("DTYPE", rng.random() < 0.1 and index != 0),
                             ("EXT", rng.random() < 0.1 and index != 0)):
                word |= TX_DESCRIPTOR.field("DATA0", flag).place(int(up))
            address = SENT + rng.randrange(0x1F000)
        else:
            length = rng.choice([BUFFER_BYTES - 64, rng.randrange(1, 200), rng.randrange(40, 700)])
            word = (RX_DESCRIPTOR.field("DATA0", "BUF_LENGTH").place(length)
                    | RX_DESCRIPTOR.field("DATA0", "OWN").place(int(rng.random() < 0.95)))
            address = BUFFERS + rng.randrange(0x40) * BUFFER_BYTES + rng.choice([0, 0, 2, rng.randrange(64)])
        self._entry(name, index, [word, address, rng.choice([0, 7]), 0])

    # Registers.

    def _bring_up(self) -> None:
        rng = self.rng
        self.write("DMAC_CFG", MAX_DSPACE=self.stride_code)
        for n in range(8):
            self.write(f"INT_MOD_CFG{n}", INTERVAL=rng.choice([0, 0, 1, 2]))
        for which in ("VEC", "MOD"):
            for n in range(3):
                self.write(f"INT_{which}_MAP{n}",
                           sum(rng.choice([0, 1, 2, 3, 15]) << 4 * k for k in range(8)))
        self.write("INT_VEC_EN_AUTO_CLR", rng.getrandbits(8))
        self.write("INT_VEC_EN_SET", 0xFF)
        self.write("INT_EN_SET", RX=0xF, TX=1, SW_GP=1, MAS=1)
        self.write("DMAC_INT_EN_SET", RXFRM=0xF, TX_IOC=1)
        for name in self.channels:
            self._bring_up_channel(name)
        self.write("RFE_CTL", AU=rng.random() < 0.3, AM=rng.random() < 0.2, AB=rng.random() < 0.8,
                   DA_PERFECT=1, MCAST_HASH=rng.randrange(2))
        entry = rng.randrange(33)
        self.write(f"RFE_ADDR_FILT_HI{entry}", int.from_bytes(STATION[4:], "little") | 1 << 31)
        self.write(f"RFE_ADDR_FILT_LO{entry}", int.from_bytes(STATION[:4], "little"))
        self.write("RFE_RSS_CFG", RSS_ENABLE=1, RSS_QUEUE_ENABLE=rng.random() < 0.9, IPV4=rng.random() < 0.8,
                   TCP_IPV4=rng.random() < 0.8, UDP_IPV4=rng.random() < 0.8)
        for n in range(10):
            self.write(f"RFE_HASH_KEY{n}", rng.getrandbits(32))
        for n in range(32):
            self.write(f"RFE_INDX{n}", rng.getrandbits(32))
        self.write("DP_SEL", SELECT=1)
        for n in range(16):
            self.write("DP_ADDR", 128 + n)
            self.write("DP_DATA_0", rng.getrandbits(32))
            self.write("DP_CMD", WRITE=1)
        for n in range(4):
            self.write(f"FCT_FLOW{n}", REQ_EN=rng.randrange(2), ON_THRESHOLD=rng.randrange(1, 6),
                       OFF_THRESHOLD=rng.randrange(3))
        self.write("MAC_FLOW", TX_FCEN=rng.randrange(2), RX_FCEN=rng.randrange(2), FCPT=rng.getrandbits(16))
        self.write("FCT_RX_CTL", EN=0xF)
        self.write("FCT_TX_CTL", EN=1)
        self.write("MAC_RX_ADDRL", rng.getrandbits(32))
        self.write("MAC_RX_ADDRH", rng.getrandbits(16))
        self.write("MAC_RX", RXEN=1, MAX_SIZE=rng.choice([1518, 400, 1522]))
        self.write("MAC_TX", TXEN=1)
        self.write("PTP_CMD_CTL", ENABLE=1)
        self.write("DMAC_CMD", START_R=(1 << len(self.channels) - 1) - 1, START_T=1)

    def _bring_up_channel(self, name: str) -> None:
        rng = self.rng
        self._set_thresholds(name)
        if name == "TX0":
            self.write("TX0_CFG_B", TDMABL_512=rng.randrange(2), RING_LEN=self.entries[name])
        else:
            self.write(f"{name}_CFG_B", RDMABL_512=rng.randrange(2), RING_LEN=self.entries[name],
                       PAD=rng.randrange(4), TS_ALL_RX=rng.randrange(2), TS_DESCR_EN=rng.randrange(2))
        self.write(f"{name}_CFG_C", rng.getrandbits(7))
        self.write(f"{name}_BASE_L", self._ring_base(name))
        self.write(f"{name}_HEAD_WB_L", HEADS + 16 * self.channels.index(name))
        self._move_tail(name, rng.randrange(self.entries[name]))

    def _set_thresholds(self, name: str) -> None:
        """CFG_A: of prefetch and heads; may change while the channel runs."""
        rng = self.rng
        both = {"PF_THRES": rng.choice([0, 1, 4, 16, 31]), "PF_PRI_THRES": rng.choice([0, 2, 4, 31]),
                "HP_WB_EN": rng.random() < 0.9}
        if name == "TX0":
            self.write("TX0_CFG_A", HP_WB_ON_INT_TMR=rng.randrange(2), TMR_HPWB_SEL_IOC=rng.randrange(2),
                       HP_WB_THRES=rng.choice([0, 1, 7, 15]), **both)
        else:
            self.write(f"{name}_CFG_A", WB_ON_INT_TMR=rng.randrange(2), WB_THRES=rng.choice([0, 1, 7, 20]),
                       **both)

    def _move_tail(self, name: str, index: int) -> None:
        rng = self.rng
        self.tails[name] = index
        flags = {"SET_TOP_INT_EN": rng.randrange(2), "SET_TOP_INT_VEC_EN": rng.randrange(2)}
        if name == "TX0":
            flags["SET_DMAC_INT_EN"] = rng.randrange(2)
        self.write(f"{name}_TAIL", INDEX=index, **flags)

    # Chores.

    async def _ring(self) -> None:
        name = self.rng.choice([*self.channels, "TX0"])
        size = self.entries[name]
        step = self.rng.choice([0, 1, 1, 2, self.rng.randrange(size)])
        self._move_tail(name, (self.tails[name] + step) % size)

    async def _post(self) -> None:
        """Fresh entries anywhere, or all that lie before the tail (so that the receiver gets somewhere)."""
        name = self.rng.choice(self.channels)
        size, tail = self.entries[name], self.tails[name]
        count = self.rng.choice([self.rng.randrange(1, 6), min(size, 40)])
        for k in range(count):
            self._fill_entry(name, (tail - 1 - k) % size if count > 5 else self.rng.randrange(size))

    async def _read(self) -> None:
        rng = self.rng
        readable = [register.name for register in REGISTERS if register.readable]
        common = ["INT_STS", "INT_STS_R2C", "DMAC_CMD", "DMAC_INT_STS", "RX0_HEAD", "TX0_HEAD", "INT_EN_SET",
                  "INT_VEC_EN_SET", "STAT_RX_TOTAL_FRAMES", "STAT_TX_TOTAL_FRAMES", "MAC_RX", "MAC_TX"]
        await self.world.csr_read(REGISTERS.offset(rng.choice([rng.choice(common), rng.choice(readable)])))

    async def _mask(self) -> None:
        rng = self.rng
        match rng.randrange(3):
            case 0:
                self.write(rng.choice(["INT_EN_SET", "INT_EN_SET", "INT_EN_CLR"]), RX=rng.getrandbits(4),
                           TX=rng.randrange(2), SW_GP=rng.randrange(2), MAS=rng.random() < 0.3)
            case 1:
                self.write(rng.choice(["INT_VEC_EN_SET", "INT_VEC_EN_SET", "INT_VEC_EN_CLR"]),
                           rng.getrandbits(8))
            case 2:
                self.write(rng.choice(["DMAC_INT_EN_SET", "DMAC_INT_EN_SET", "DMAC_INT_EN_CLR"]),
                           RXFRM=rng.getrandbits(4), TX_IOC=rng.randrange(2))

    async def _acknowledge(self) -> None:
        rng = self.rng
        match rng.randrange(3):
            case 0:
                self.write("DMAC_INT_STS", RXFRM=rng.getrandbits(4), TX_IOC=rng.randrange(2))
            case 1:
                self.write("INT_STS", rng.getrandbits(32))
            case 2:
                self.write("INT_SET", SW_GP=1)

    async def _control(self) -> None:
        """Stop and start, and once in a while reset and set up afresh."""
        rng = self.rng
        name = rng.choice(self.channels)
        side, bit = ("T", 1) if name == "TX0" else ("R", 1 << int(name[2]))
        self.write("DMAC_CMD", **{f"STOP_{side}": bit})
        if rng.random() < 0.7:
            await self.world.sleep(rng.randrange(1, 600))
        if rng.random() < 0.5:
            self.write("DMAC_CMD", **{f"{side}X_SWR": bit})
            await self.world.sleep(rng.randrange(1, 300))
            await self.world.csr_read(REGISTERS.offset("DMAC_CMD"))
            self._move_tail(name, rng.randrange(self.entries[name]))
        self.write("DMAC_CMD", **{f"START_{side}": bit})

    async def _toggle(self) -> None:
        """The MAC or a FIFO off and on, with or without time between."""
        rng = self.rng
        which = rng.randrange(4)
        size = rng.choice([1518, 1518, 400])
        if which == 0:
            self.write("MAC_RX", RXEN=0, RXD=rng.randrange(2), MAX_SIZE=size)
        elif which == 1:
            self.write("MAC_TX", TXEN=0, TXD=rng.randrange(2))
        elif which == 2:
            self.write("FCT_RX_CTL", DIS=rng.getrandbits(4), RESET=rng.getrandbits(4))
        else:
            self.write("FCT_TX_CTL", DIS=rng.randrange(2), RESET=rng.randrange(2))
        if rng.random() < 0.6:
            await self.world.sleep(rng.randrange(1, 400))
        self.write("MAC_RX", RXEN=1, MAX_SIZE=size)
        self.write("MAC_TX", TXEN=1)
        self.write("FCT_RX_CTL", EN=0xF)
        self.write("FCT_TX_CTL", EN=1)

    async def _other(self) -> None:
        rng = self.rng
        match rng.randrange(8):
            case 0:
                self.write("MAC_MII_ACC", MII_BUSY=1, MII_WRITE=rng.randrange(2), PHY_ADDR=rng.choice([0, 1]),
                           MIIRINDA=rng.randrange(16))
            case 1:
                self.write("PTP_CMD_CTL", rng.getrandbits(5))
            case 2:
                self.write(rng.choice(["PTP_CLOCK_SEC", "PTP_CLOCK_NS", "MAC_MII_DATA"]), rng.getrandbits(29))
            case 3:
                self.write(rng.choice(["HW_CFG", "PMT_CTL", "MAC_CR"]), rng.getrandbits(32))
            case 4:
                self.write(rng.choice(["INT_VEC_MAP0", "INT_MOD_MAP0", "INT_VEC_MAP1"]),
                           sum(rng.choice([0, 1, 2, 15]) << 4 * k for k in range(4)))
            case 5:
                self.write("DP_CMD", rng.randrange(2))
            case 7:
                self._set_thresholds(rng.choice(self.channels))
            case 6:
                self.world.csr_write(rng.choice([0x600, 0x1FF0, REGISTERS.offset("GPIO_CFG1")]),
                                     rng.getrandbits(32), rng.choice([0xF, 3, 0]))
