"""A golden engine without a host: accesses in cycles of the test's choice, a wire, rings in memory."""

import numpy as np

from hdl.registers import load
from model.bus import BusTiming
from model.engines.lan743x import Engine, Kind
from model.events import EventLog
from model.frames import FrameSet, wire_image
from model.kernel import DRIVER, PHASES, Kernel
from model.link import Link
from model.traffic import RxProgram

REGISTERS = load("lan743x")
TX_ENTRY = REGISTERS.descriptor("tx_descriptor")
CLOCK_HZ = 125_000_000
MEMORY_BYTES = 1 << 18
STATION, OTHER = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
BROADCAST, GROUP = b"\xff" * 6, bytes.fromhex("01005e000005")
RX_RING, TX_RING, HEADS = 0x1000, 0x4000, 0x8000
"""Where the rings begin (the TX ring behind those of the RX channels) and the words for the heads."""
BUFFERS, BUFFER_BYTES, DATA = 0x10000, 0x800, 0x30000
OWN = 0x8000
GAP = 12


def ethernet(length: int = 64, to: bytes = STATION, kind: bytes = b"\x88\xb5", fill: int = 0) -> bytes:
    """A frame of `length` bytes with FCS."""
    body = bytes((fill + n) & 0xFF for n in range(length))
    return wire_image((to + OTHER + kind + body)[:length - 4])


class Bench:
    """Members: `engine`, `mem`, `log`; `messages` (vector, cycle of arrival) and `levels` (of INTx, cycle).

    `frames` on the wire after `gaps` idle symbols (one number for all, or one each), with RX_ER in those of
    `spoilt`.
    """

    def __init__(self, frames=(), gaps=GAP, spoilt=(), channels=1, bus=None, link=None, phy=None, **straps):
        self.kernel, self.log = Kernel(), EventLog()
        self.mem = np.zeros(MEMORY_BYTES, np.uint8)
        self.messages, self.levels = [], []
        count = len(frames)
        rx_er_at = np.full(count, -1, np.int64)
        rx_er_at[list(spoilt)] = 20
        wire = RxProgram(
            frames=FrameSet.of(list(frames)), gap_symbols=np.broadcast_to(np.int64(gaps), count),
            odd=np.zeros(count, bool), rx_er_at=rx_er_at, addressed=np.ones(count, bool),
            intact=np.ones(count, bool), start_cycles=0, symbol_bits=8)
        self.engine = Engine(self.kernel, self.mem, straps, bus or BusTiming(outstanding=8), wire, self.log,
                             phy, Link(link, CLOCK_HZ) if link else None, channels)
        self.engine.attach(self)
        self.cycle = 0

    # What the engine needs of a world.

    def message(self, vector, cycle):
        self.messages.append((vector, cycle))

    def irq_changed(self, level, cycle, line=0):
        self.levels.append((level, cycle))

    # Time and registers.

    def to(self, cycle):
        """Go to the phase of `cycle` in which registers are accessed."""
        time = PHASES * cycle + DRIVER
        if time > self.kernel.now:
            self.kernel.run(until=time)
        self.cycle = cycle

    def run(self, cycles):
        self.to(self.cycle + cycles)

    def write(self, name, value=None, /, at=None, strobe=0xF, **fields):
        """A write, 2 cycles from now or in cycle `at`; returns its cycle."""
        self.to(self.cycle + 2 if at is None else at)
        if value is None:
            value = REGISTERS.pack(name, **fields)
        self.engine.csr_write(self.cycle, REGISTERS.offset(name), value, strobe)
        return self.cycle

    def read(self, name, at=None):
        """A read in the same manner; returns the value."""
        self.to(self.cycle + 2 if at is None else at)
        return self.engine.csr_read(self.cycle, REGISTERS.offset(name))

    def get(self, name, field, at=None):
        """One field of a read."""
        return REGISTERS.field(name, field).extract(self.read(name, at))

    def play(self):
        """Start the wire; returns the cycle."""
        self.run(2)
        self.engine.wire_start(self.cycle)
        return self.cycle

    # What was seen.

    def events(self, *kinds, ring=None):
        """(cycle, index, data) of every event of these kinds so far."""
        return [(cycle, index, data) for cycle, kind, of, index, data in sorted(self.log.records)
                if kind in kinds and ring in (None, of)]

    def cycles(self, *kinds, ring=None):
        return [event[0] for event in self.events(*kinds, ring=ring)]

    def word(self, address):
        return int.from_bytes(self.mem[address:address + 4].tobytes(), "little")

    # Rings.

    def entry(self, address, *words):
        self.mem[address:address + 16] = np.array([*words, 0, 0, 0][:4], "<u4").view(np.uint8)

    def receive_ring(self, ring=8, tail=None, channel=0, buffer=1600, start=True, own=OWN, a=None, c=None,
                     **b):
        """A ring of entries that are ours, an RX channel on it, everything enabled. `a`, `b`, `c`: fields of
        its three CFG registers."""
        base = RX_RING + 0x400 * channel
        for n in range(ring):
            self.entry(base + 16 * n, own | buffer, self.buffer(n, channel))
        prefix = f"RX{channel}_"
        self.write(prefix + "CFG_A", **({"PF_THRES": 16, "PF_PRI_THRES": 4} | (a or {})))
        self.write(prefix + "CFG_B", RING_LEN=ring, RDMABL_512=1, **b)
        self.write(prefix + "CFG_C", **(c or {}))
        self.write(prefix + "BASE_L", base)
        self.write(prefix + "HEAD_WB_L", HEADS + 4 * channel)
        self.write(prefix + "TAIL", INDEX=ring - 1 if tail is None else tail)
        self.write("FCT_RX_CTL", EN=1 << channel)
        if start:
            self.write("DMAC_CMD", START_R=1 << channel)

    def listen(self, **rfe):
        self.write("RFE_CTL", **(rfe or {"AU": 1, "AM": 1, "AB": 1}))
        return self.write("MAC_RX", RXEN=1, MAX_SIZE=1518)

    @staticmethod
    def buffer(index, channel=0):
        return BUFFERS + 0x4000 * channel + BUFFER_BYTES * index

    def transmit_ring(self, ring=8, start=True, send=True, a=None, c=None, **b):
        self.write("TX0_CFG_A", **({"PF_THRES": 16, "PF_PRI_THRES": 4} | (a or {})))
        self.write("TX0_CFG_B", **({"RING_LEN": ring, "TDMABL_512": 1} | b))
        self.write("TX0_CFG_C", **(c or {}))
        self.write("TX0_BASE_L", TX_RING)
        self.write("TX0_HEAD_WB_L", HEADS + 0x40)
        self.write("FCT_TX_CTL", EN=1)
        if send:
            self.write("MAC_TX", TXEN=1)
        if start:
            self.write("DMAC_CMD", START_T=1)

    def outgoing(self, index, length=60, address=DATA, **flags):
        """An entry of the TX ring, by default a whole frame with FCS inserted and IOC."""
        fields = {"FS": 1, "LS": 1, "FCS": 1, "IOC": 1, "BUF_LENGTH": length} | flags
        self.entry(TX_RING + 16 * index, TX_ENTRY["DATA0"].pack(**fields), address)

    def interrupts(self, rx=1, tx=2, timers=(15, 15, 15), interval=0, vectors=0xFF):
        """RX channel 0 on vector `rx`, TX on `tx`, SW_GP on 0; `timers` of the three."""
        self.write("INT_VEC_MAP0", RX0=rx)
        self.write("INT_VEC_MAP1", TX0=tx)
        for n, timer in enumerate(timers):
            self.write(f"INT_MOD_MAP{n}", timer)
        for n in range(3):
            self.write(f"INT_MOD_CFG{n}", interval)
        self.write("INT_VEC_EN_SET", vectors)
        self.write("DMAC_INT_EN_SET", RXFRM=1, TX_IOC=1)
        self.write("INT_EN_SET", MAS=1, RX=1, TX=1, SW_GP=1)


__all__ = ["Bench", "Kind"]
