"""A stand-in for the at91ether engine: enough registers, two transmit places and a receive list, at fixed
times.

It knows nothing of buses or the wire. It is there so that host and driver can be tested before, and apart
from, the engines.
"""

from collections import deque

from hdl.registers import load
from model.kernel import EDGE, PHASES

MAP = load("at91ether")
NAMES = {register.offset: register.kernel_name or register.name for register in MAP}
PHY = {1: 1 << 2, 5: 1 << 8}
"""BMSR with link, ANLPAR with 100BASE-TX full duplex."""


def bit(register, field):
    return MAP.field(register, field).mask


class FakeEngine:
    """Members: `log` of (cycle, "R" or "W", register name, value, strobe); `sent` frames as memory held them
    at their end; `sent_cycle`; `overruns`; `values` what each plain register holds; `accesses` rows for
    `dma_check`."""

    def __init__(self, places=2, frame_cycles=200, mstar=False):
        self.places, self.frame_cycles, self.mstar = places, frame_cycles, mstar
        self.log, self.sent, self.sent_cycle = [], [], []
        self.values = {}
        self.accesses = []
        self.isr, self.imr = 0, 0xFFF
        self.queue = deque()
        self.overruns = 0
        self.pointer = 0
        self.started = None
        self.line = False
        self.programme = []

    def attach(self, world):
        self.world, self.kernel = world, world.kernel

    # Registers.

    def csr_write(self, cycle, offset, value, strobe):
        name = NAMES[offset]
        self.log.append((cycle, "W", name, value, strobe))
        mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
        value = self.values[name] = self.values.get(name, 0) & ~mask | value & mask
        if name == "IER":
            self.imr &= ~value
        elif name == "IDR":
            self.imr |= value
        elif name == "RBQP":
            self.pointer = value
        elif name == "TCR" and strobe & 1:
            self.hand_over(cycle)
        elif name == "NCR" and not value & bit("NCR", "TE"):
            self.queue.clear()
        self.update(cycle)

    def csr_read(self, cycle, offset):
        name = NAMES[offset]
        value = self.values.get(name, 0)
        if name == "ISR":
            value, self.isr = self.isr, 0
            self.update(cycle)
        elif name == "IMR":
            value = self.imr
        elif name == "NSR":
            value = bit("NSR", "IDLE") | bit("NSR", "LINK")
        elif name == "MAN":
            value = value & ~0xFFFF | PHY.get(MAP.field("MAN", "REGA").extract(value), 0)
        elif name == "TSR":
            value = self.tsr()
        self.log.append((cycle, "R", name, value, 0xF))
        return value

    def tsr(self):
        held = len(self.queue)
        value = 0 if held else bit("TSR", "IDLE")
        if self.mstar or held < self.places:
            value |= bit("TSR", "BNQ")
        return value | MAP.field("TSR", "FREE").place((self.places - held) % 16) if self.mstar else value

    def cause(self, cycle, *names):
        """Latch causes at the edge that ends `cycle`."""
        self.isr |= sum(bit("ISR", name) for name in names)
        self.update(cycle)

    def update(self, cycle):
        level = bool(self.isr & ~self.imr)
        if level != self.line:
            self.line = level
            self.world.irq_changed(level, cycle + 1)

    # Transmission.

    def hand_over(self, cycle):
        if len(self.queue) == self.places:
            self.overruns += 1
            self.cause(cycle, "TOVR")
            return
        self.queue.append((self.values["TAR"], self.values["TCR"] & 0x7FF))
        if len(self.queue) < self.places:
            self.cause(cycle, "TBRE")
        if len(self.queue) == 1:
            self.begin(cycle)

    def begin(self, cycle):
        end = cycle + self.frame_cycles
        self.kernel.call_at(PHASES * end + EDGE, self.finish, end, self.queue[0])

    def finish(self, cycle, frame):
        if not self.queue or self.queue[0] is not frame:
            return
        address, length = self.queue.popleft()
        self.sent.append(self.world.mem[address:address + length].tobytes())
        self.sent_cycle.append(cycle)
        self.accesses.append((cycle + 1, address, length, False))
        causes = ["TCOM"] + (["TBRE"] if len(self.queue) == self.places - 1 else [])
        self.cause(cycle, *causes)
        if self.queue:
            self.begin(cycle)

    # Reception: `programme` is a list of (cycles after the start, frame bytes).

    def wire_start(self, cycle):
        self.started = cycle
        for after, frame in self.programme:
            self.kernel.call_at(PHASES * (cycle + after) + EDGE, self.receive, cycle + after, frame)

    def receive(self, cycle, frame):
        words = self.world.mem[self.pointer:self.pointer + 8].view("<u4")
        if not self.values.get("NCR", 0) & bit("NCR", "RE"):
            return
        if int(words[0]) & 1:
            self.cause(cycle, "RBNA")
            return
        buffer = int(words[0]) & ~3
        self.world.mem[buffer:buffer + len(frame)] = list(frame)
        self.accesses.append((cycle + 1, buffer, len(frame), True))
        words[1] = len(frame)
        wrap = int(words[0]) & 2
        words[0] |= 1
        self.pointer = self.values["RBQP"] if wrap else self.pointer + 8
        self.cause(cycle, "RCOM")
