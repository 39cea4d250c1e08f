"""The whole engine in Amaranth's simulator: registers, host memory with several reads outstanding and the
wire around it, and its tap written down.

Cycle c is the interval that ends with the simulator's c-th clock edge, counted from 0. What should happen
when is computed in the tests, from the timing specification.
"""

import functools
import operator

from amaranth.hdl import ClockDomain

from hdl.engines.lan743x import Engine
from hdl.registers import load
from tests.hdl.engines.simulated import Event, Simulated

RESET_CYCLES = 8
CLOCK_PERIOD_S = 8e-9
FIRST_ACCESS = 16
REGISTERS = load("lan743x")
PREFACE = bytes([0x55] * 7 + [0xD5])
RX_RING, TX_RING, HEADS = 0x2000, 0x3000, 0x1000
"""Addresses of the rings (channel k's receive ring is 0x400 further) and of the heads, a word each: transmit
channel first. The first 256 bytes of the memory are where messages end up, whose addresses wrap."""
MESSAGES = 0xFEE0_0000
RING_LEN = 8
RX_VECTOR, TX_VECTOR = 2, 1
"""Vectors that `EngineBench.bring_up` maps; receive channel k has RX_VECTOR + k."""


@functools.cache
def _simulated(rx_channels: int) -> Simulated:
    return Simulated(Engine(rx_channels=rx_channels), CLOCK_PERIOD_S)


class EngineBench:
    """One run of the engine.

    Parameters
    ----------
    rx_channels: channels that are built.
    straps: field by name, the others 0.
    memory: options of `AxiMemory.restart`.

    Attributes
    ----------
    memory: host memory; `memory.data` may be filled before `run`.
    events: what the tap said, in order.
    mdio_line: level of the management line while the engine does not drive it.
    mdio: (cycle, level) of the management wires at each rise of MDC.
    wire: (cycle in which it was loaded, byte, TX_ER) for every byte on TXD.
    reads: (offset, value) of the register reads, in order.
    """

    def __init__(self, *, rx_channels: int = 1, straps: dict[str, int] | None = None, **memory):
        self.rx_channels = rx_channels
        self._simulated = _simulated(rx_channels)
        self.memory = self._simulated.memory
        self.memory.data[:] = bytes(len(self.memory.data))
        self.memory.restart(**{"most_beats": 128 + 1, "outstanding": 16} | memory)
        self.straps = straps or {}
        self.events: list[Event] = []
        self.mdio_line = 1
        self.mdio: list[tuple[int, int]] = []
        self.wire: list[tuple[int, int, int]] = []
        self.reads: list[tuple[int, int]] = []
        self.next_access = FIRST_ACCESS
        self._accesses: list[tuple[int, int, int | None]] = []
        self._rx: dict[int, tuple[int, int]] = {}

    def write(self, register: str, value: int = 0, *, cycle: int = 0, **fields: int) -> int:
        """A write, of a value or of fields, that the engine takes in `cycle`, or as soon as it can behind the
        access before, two cycles later. Returns the cycle."""
        return self._access(cycle, register, REGISTERS.pack(register, base=value, **fields))

    def read(self, register: str, *, cycle: int = 0) -> int:
        """A read, likewise."""
        return self._access(cycle, register, None)

    def _access(self, cycle: int, register: str, value: int | None) -> int:
        cycle = max(cycle, self.next_access)
        self.next_access = cycle + 2
        self._accesses.append((cycle, REGISTERS.offset(register), value))
        return cycle

    def receive(self, s: int, data: bytes, *, error_at: int = -1) -> int:
        """A frame (with FCS) whose SFD is sampled in `s`. Returns e, the first cycle behind it.

        Parameters
        ----------
        error_at: byte with which RX_ER is up; -1 for none.
        """
        for number, byte in enumerate(PREFACE + data, start=s + 1 - len(PREFACE)):
            self._rx[number] = (byte, int(number == s + 1 + error_at and error_at >= 0))
        return s + 1 + len(data)

    def bring_up(self, *, rx_fields: dict[str, int] | None = None, tx_fields: dict[str, int] | None = None,
                 interrupts: bool = True) -> int:
        """Everything that a frame needs each way, promiscuous; interrupts without moderation, from vectors
        that mask themselves. The tails are left alone. Returns the cycle of the first access that may follow.

        Parameters
        ----------
        rx_fields, tx_fields: of CFG_A, CFG_B and CFG_C, over thresholds of 7 (head), 16 and 4 (prefetch), a
            ring of `RING_LEN` entries and long bursts.
        interrupts: enable them.
        """
        rx = {"WB_THRES": 7, "PF_THRES": 16, "PF_PRI_THRES": 4, "HP_WB_EN": 1, "RDMABL_512": 1,
              "RING_LEN": RING_LEN} | (rx_fields or {})
        tx = {"HP_WB_THRES": 7, "PF_THRES": 16, "PF_PRI_THRES": 4, "HP_WB_EN": 1, "TDMABL_512": 1,
              "RING_LEN": RING_LEN} | (tx_fields or {})
        for k in range(self.rx_channels):
            self._open(f"RX{k}", RX_RING + 0x400 * k, HEADS + 4 + 4 * k, rx)
        self._open("TX0", TX_RING, HEADS, tx)
        if interrupts:
            every = (1 << self.rx_channels) - 1
            vectors = sum(RX_VECTOR + k << 4 * k for k in range(self.rx_channels))
            for name, value in (("INT_VEC_MAP0", vectors), ("INT_VEC_MAP1", TX_VECTOR),
                                ("INT_VEC_EN_SET", 0xFF), ("INT_VEC_EN_AUTO_CLR", 0xFF),
                                ("INT_MOD_MAP0", 0xFFFF), ("INT_MOD_MAP1", 0xF)):
                self.write(name, value)
            self.write("INT_EN_SET", MAS=1, SW_GP=1, TX=1, RX=every)
            self.write("DMAC_INT_EN_SET", TX_IOC=1, RXFRM=every)
        every = (1 << self.rx_channels) - 1
        self.write("RFE_CTL", AU=1, AM=1, AB=1)
        self.write("FCT_RX_CTL", EN=every)
        self.write("FCT_TX_CTL", EN=1)
        self.write("MAC_RX", RXEN=1, MAX_SIZE=1518)
        self.write("MAC_TX", TXEN=1)
        self.write("DMAC_CMD", START_R=every, START_T=1)
        return self.next_access

    def _open(self, channel: str, ring: int, head: int, fields: dict[str, int]) -> None:
        self.write(f"{channel}_BASE_L", ring)
        self.write(f"{channel}_HEAD_WB_L", head)
        for name in ("CFG_A", "CFG_B", "CFG_C"):
            register = f"{channel}_{name}"
            mine = {key: value for key, value in fields.items() if key in REGISTERS[register]}
            self.write(register, **mine)

    def post(self, number: int, buffer: int, length: int, *, own: bool = True, channel: int = 0) -> None:
        """Fill an entry of a receive ring."""
        self.store(RX_RING + 0x400 * channel + 16 * number, own << 15 | length, buffer, 0, 0)

    def post_tx(self, number: int, buffer: int, length: int, **flags: int) -> None:
        """Fill an entry of the transmit ring: FS, LS, IOC, FCS and so on by name."""
        layout = REGISTERS.descriptor("tx_descriptor")["DATA0"]
        word = sum(layout[name].place(value) for name, value in ({"BUF_LENGTH": length} | flags).items())
        self.store(TX_RING + 16 * number, word, buffer, 0, length << 16)

    def store(self, addr: int, *words: int) -> None:
        """Words into the memory, before the run."""
        for number, word in enumerate(words):
            self.memory.data[addr + 4 * number:addr + 4 * number + 4] = word.to_bytes(4, "little")

    def word(self, addr: int) -> int:
        return int.from_bytes(self.memory.data[addr:addr + 4], "little")

    def sent(self) -> list[tuple[int, bytes]]:
        """(cycle in which the first byte was loaded, whole bytes after the SFD) of each frame on the wire."""
        frames: list[tuple[int, list[int]]] = []
        for cycle, byte, _ in self.wire:
            if not frames or cycle != frames[-1][0] + len(frames[-1][1]):
                frames.append((cycle, []))
            frames[-1][1].append(byte)
        for _, content in frames:
            assert bytes(content[:len(PREFACE)]) == PREFACE[:len(content)]
        return [(t, bytes(content[len(PREFACE):])) for t, content in frames]

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def cycles(self, name: str) -> list[int]:
        return [event.cycle for event in self.named(name)]

    def run(self, cycles: int) -> "EngineBench":
        """Cycles 0 to `cycles`."""
        self.cycles_to_run = cycles
        self._simulated.run(self)
        return self

    async def stimulate(self, ctx, engine: Engine, domain: ClockDomain) -> None:
        """Inputs of cycle c are set at the edge that begins it."""
        csr, phy = engine.csr, engine.phy
        accesses = sorted(self._accesses, key=operator.itemgetter(0))
        ctx.set(domain.rst, 1)
        ctx.set(engine.straps, self.straps)
        for name in ("bready", "rready"):
            ctx.set(getattr(csr, name), 1)
        ctx.set(engine.mdio.i, self.mdio_line)
        cycle, strobed, receiving = 0, False, False
        async for _ in ctx.tick():
            cycle += 1
            if cycle == RESET_CYCLES:
                ctx.set(domain.rst, 0)
                ctx.set(engine.straps, dict.fromkeys(self.straps, 0))  # they are latched by now
            if cycle in self._rx or receiving:
                receiving = cycle in self._rx
                rxd, error = self._rx.get(cycle, (0, 0))
                ctx.set(phy.rxd, rxd)
                ctx.set(phy.rx_er, error)
                ctx.set(phy.rx_dv, int(receiving))
            if strobed:
                for name in ("awvalid", "wvalid", "arvalid"):
                    ctx.set(getattr(csr, name), 0)
                strobed = False
            if accesses and accesses[0][0] <= cycle:
                due, offset, value = accesses.pop(0)
                assert due == cycle, f"an access in {due} was given too late, or two in one cycle"
                strobed = True
                if value is None:
                    ctx.set(csr.araddr, offset)
                    ctx.set(csr.arvalid, 1)
                else:
                    ctx.set(csr.awaddr, offset)
                    ctx.set(csr.wdata, value)
                    ctx.set(csr.wstrb, 0b1111)
                    ctx.set(csr.awvalid, 1)
                    ctx.set(csr.wvalid, 1)

    async def watch(self, ctx, engine: Engine) -> None:
        phy, simulated = engine.phy, self._simulated
        lanes = list(engine.tap.signature.lanes)
        mdio = engine.mdio
        trigger = ctx.tick().sample(simulated.valids, simulated.values, phy.tx_en, phy.txd, phy.tx_er,
                                    mdio.mdc, mdio.o, mdio.oe)
        cycle, mdc_before = 0, 0
        async for _, _, valid, values, tx_en, txd, tx_er, mdc, level, driven in trigger:
            for number, name in enumerate(lanes if valid else ()):
                if valid >> number & 1:
                    what = {
                        part: values >> start & (1 << width) - 1
                        for part, start, width in simulated.places[name]
                    }
                    self.events.append(Event(cycle, name, **what))
                    if name == "csr_read":
                        self.reads.append((what["index"], what["data"]))
            if tx_en:
                self.wire.append((cycle - 1, txd, tx_er))
            if mdc and not mdc_before:
                self.mdio.append((cycle, level if driven else self.mdio_line))
            mdc_before = mdc
            cycle += 1
            if cycle > self.cycles_to_run:
                return
