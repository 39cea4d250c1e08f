"""Scripts for lan743x: the bring-up that all have, entries of the rings, and a look ahead at what the golden
engine will do, to place an access in a given cycle of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hdl.registers import load
from model.bus import BusTiming
from model.engines import lan743x
from model.engines.lan743x.events import Kind
from model.events import EventLog
from model.host.golden_world import GoldenWorld
from model.kernel import Kernel
from model.link import Link
from model.phy import Phy
from model.traffic import RxProgram
from tests.tb.planted import script
from tests.tb.planted.play import MEMORY_BYTES, play
from tests.tb.planted.script import STATION

REGISTERS = load("lan743x")
RX_CHANNELS = 4
RX, TX = REGISTERS.descriptor("rx_descriptor"), REGISTERS.descriptor("tx_descriptor")
ENTRIES, ENTRY_BYTES = 32, 16
RINGS = {"TX0": 0x1000, "RX0": 0x2000, "RX1": 0x3000, "RX2": 0x4000, "RX3": 0x5000}
HEADS = {name: 0x800 + 16 * place for place, name in enumerate(RINGS)}
BUFFERS, BUFFER_BYTES = 0x8000, 0x800
DATA = 0xC000
"""What is sent lies here and above, what is received from `BUFFERS` on."""
LOOK_AHEAD_CYCLES = 12_000
BASIC = {
    "DMAC_CFG": {"MAX_DSPACE": 0},
    "INT_VEC_MAP0": {"RX0": 0, "RX1": 1, "RX2": 1, "RX3": 1}, "INT_VEC_MAP1": {"TX0": 2},
    "INT_VEC_MAP2": {"OTHER": 3},
    "INT_MOD_MAP0": {"RX0": 15, "RX1": 15, "RX2": 15, "RX3": 15}, "INT_MOD_MAP1": {"TX0": 15},
    "INT_MOD_MAP2": {"OTHER": 15},
    "INT_VEC_EN_SET": {"VECTORS": 0xFF}, "INT_EN_SET": {"RX": 0xF, "TX": 1, "SW_GP": 1, "MAS": 1},
    "DMAC_INT_EN_SET": {"RXFRM": 0xF, "TX_IOC": 1},
    "RFE_CTL": {"AU": 1, "AB": 1},
    "FCT_RX_CTL": {"EN": 0xF}, "FCT_TX_CTL": {"EN": 1},
    "MAC_RX_ADDRL": {"ADDRESS": int.from_bytes(STATION[:4], "little")},
    "MAC_RX_ADDRH": {"ADDRESS": int.from_bytes(STATION[4:], "little")},
    "MAC_RX": {"RXEN": 1, "MAX_SIZE": 1518}, "MAC_TX": {"TXEN": 1},
}
"""Every source has a vector of its own and no timer; whatever is addressed to one station is accepted."""
CHANNEL = {
    "CFG_A": {"HP_WB_EN": 1, "PF_THRES": 4}, "CFG_B": {"RING_LEN": ENTRIES},
    "CFG_C": {"DMA_INT_STS_AUTO_CLR": 1},
}


@dataclass
class Script(script.Script):
    """Members beside the common ones.

    channels: that are set up and started, by name.
    cfg: fields beside or instead of those of `BASIC` and `CHANNEL`, by register; None: not written.
    start: whether they are started.
    heard_as: the wire's program as the golden engine is to see it, (frame, gap), if symbols are hidden.
    """

    registers = REGISTERS
    tick_cycles = 1
    symbol_bits = 8

    channels: tuple[str, ...] = ("TX0", "RX0")
    cfg: dict[str, dict[str, int]] = field(default_factory=dict)
    heard_as: list[tuple[bytes, int]] = field(default_factory=list)
    start: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bus = {"outstanding": 16, "seed": 1} | self.bus
        wanted = {name: dict(fields) for name, fields in BASIC.items()}
        for channel in self.channels:
            wanted |= {f"{channel}_{name}": dict(fields) for name, fields in CHANNEL.items()}
            wanted |= {f"{channel}_BASE_L": {"ADDRESS": RINGS[channel]},
                       f"{channel}_HEAD_WB_L": {"ADDRESS": HEADS[channel]}}
        for name, fields in self.cfg.items():
            wanted.setdefault(name, {}).update(fields)
        for name, fields in wanted.items():
            self.write(name, REGISTERS.pack(name, **fields))
        if self.start:
            self.command(START_T=int("TX0" in self.channels),
                         START_R=sum(1 << int(name[2]) for name in self.channels if name[0] == "R"))
        self.at(self.now + 2 * len(self.steps))

    def engine(self, kernel: Kernel, memory: np.ndarray, log: EventLog, link: Link | None) -> Any:
        bus = BusTiming(**self.bus, errors=frozenset(self.errors))
        straps = {name: code for name, code in self.straps.items() if name != "hide"}
        return lan743x.Engine(kernel, memory, straps, bus, self.heard(), log, Phy(address=1, gigabit=True),
                              link=link, rx_channels=RX_CHANNELS)

    def heard(self) -> RxProgram | None:
        if not self.heard_as:
            return self.program()
        frames, gaps = map(list, zip(*self.heard_as, strict=True))
        return self.program_of(frames, gaps, [False] * len(frames), [-1] * len(frames))

    # Registers.

    def set(self, register: str, **fields: int) -> int:
        """Write fields of a register; returns the cycle."""
        return self.write(register, REGISTERS.pack(register, **fields))

    def set_in(self, cycle: int, register: str, **fields: int) -> int:
        """The same in `cycle`."""
        return self.write_in(cycle, register, REGISTERS.pack(register, **fields))

    def command(self, **fields: int) -> int:
        """Write DMAC_CMD."""
        return self.set("DMAC_CMD", **fields)

    # Rings.

    def tx(self, index: int, length: int, address: int = DATA, **flags: int) -> None:
        """A transmit entry. Of itself it is a frame with FCS and an interrupt."""
        flags = {"FS": 1, "LS": 1, "IOC": 1, "FCS": 1} | flags
        word = sum(TX.field("DATA0", name).place(int(value)) for name, value in flags.items())
        self.words(RINGS["TX0"] + self.stride * index, word | TX.field("DATA0", "BUF_LENGTH").place(length),
                   address,
                   0, 0)

    def rx(self, index: int, length: int = BUFFER_BYTES, *, own: bool = True, channel: str = "RX0",
           address: int | None = None) -> None:
        """A receive entry."""
        word = RX.field("DATA0", "BUF_LENGTH").place(length) | RX.field("DATA0", "OWN").place(int(own))
        at = BUFFERS + BUFFER_BYTES * (index % 8) if address is None else address
        self.words(RINGS[channel] + self.stride * index, word, at, 0, 0)

    @property
    def stride(self) -> int:
        """Bytes from entry to entry."""
        return ENTRY_BYTES << self.cfg.get("DMAC_CFG", {}).get("MAX_DSPACE", 0)

    def tail(self, channel: str, index: int, **flags: int) -> int:
        """Write a tail; returns the cycle."""
        return self.set(f"{channel}_TAIL", INDEX=index, **flags)

    def tail_in(self, cycle: int, channel: str, index: int, **flags: int) -> int:
        """The same in `cycle`."""
        return self.set_in(cycle, f"{channel}_TAIL", INDEX=index, **flags)

    def send(self, *lengths: int, **flags: int) -> int:
        """Frames of one entry each, from entry 0 on; returns the cycle of the tail."""
        for index, length in enumerate(lengths):
            self.tx(index, length, **flags)
        return self.tail("TX0", len(lengths))

    def post(self, count: int, length: int = BUFFER_BYTES, channel: str = "RX0") -> int:
        """Receive entries from entry 0 on; returns the cycle of the tail."""
        for index in range(count):
            self.rx(index, length, channel=channel)
        return self.tail(channel, count)

    # What will be.

    def cycle_of(self, kind: Kind, ordinal: int = 0, ring: int | None = None) -> int:
        """The cycle of an event if nothing more is done but to wait. LookupError if there is none."""
        kernel, memory, log = Kernel(), np.zeros(MEMORY_BYTES, np.uint8), EventLog()
        world = GoldenWorld(self.engine(kernel, memory, log, None), 1, kernel=kernel, mem=memory)
        world.run(play(world, [*self.steps, ["sleep", LOOK_AHEAD_CYCLES]]))
        events = log.array(kernel.cycle)
        cycles = np.sort(events["cycle"][(events["kind"] == kind) & (ring is None or events["ring"] == ring)])
        if ordinal >= len(cycles):
            raise LookupError(f"there are {len(cycles)} {kind.name}")
        return int(cycles[ordinal])

    def end(self, cycles: int) -> Script:
        """Wait for so long; returns the script."""
        self.at(self.now + cycles)
        return self


def varied(make: Callable[..., Script], *arguments: Any, **options: Any) -> Callable[[], Script]:
    """A stimulus of a family."""
    return partial(make, *arguments, **options)
