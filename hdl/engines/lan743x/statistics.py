"""The statistics counters.

All counters of a frame count in the same cycle, so they are registers and not a memory. A simulator sees
them only when they move: each is an increment under a condition, and the read multiplexer waits for a read.

Ref: docs/engines/lan743x.md, section 8; sheet lan743x, section 3 (statistics).
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.registers import load

from .events import LENGTH_WIDTH, OFFSET_WIDTH, Reason

__all__ = ["TX_LENGTH_WIDTH", "RxStatistics", "Statistics", "TxStatistics"]

COUNTER_WIDTH = 32
TX_LENGTH_WIDTH = LENGTH_WIDTH + 1
SIZES = {64: "64_BYTE", 127: "65_127_BYTE", 255: "128_255_BYTE", 511: "256_511_BYTES", 1023: "512_1023_BYTE",
         1518: "1024_1518_BYTE", None: "GREATER_1518_BYTE"}
"""Size classes: the longest frame in bytes, FCS included, and how the registers call them."""


class RxStatistics(wiring.Signature):
    """What is counted of a received frame, seen from the MAC.

    Members
    -------
    end, reason: pulse in e + 1: what became of the frame.
    crc_ok: its FCS is right.
    length: bytes, FCS included.
    group, broadcast: kind of destination; broadcast is a group too.
    """

    def __init__(self):
        super().__init__({
            "end": Out(1), "reason": Out(Reason), "crc_ok": Out(1), "length": Out(LENGTH_WIDTH),
            "group": Out(1), "broadcast": Out(1),
        })


class TxStatistics(wiring.Signature):
    """What is counted of a frame sent, seen from the sender.

    Members
    -------
    end, length, group, broadcast: pulse in F of a data frame; as for reception.
    pause: pulse in F of a pause frame.
    """

    def __init__(self):
        super().__init__({
            "end": Out(1), "length": Out(TX_LENGTH_WIDTH), "group": Out(1), "broadcast": Out(1),
            "pause": Out(1),
        })


class Statistics(wiring.Component):
    """The counters and their read side.

    Members
    -------
    rx, tx: what has ended in this cycle.
    clear: all counters are 0 from the next cycle on, whatever ends in this one.
    read, address, data: a read of the register at this byte address, and its value in the same cycle; 0
        without `read`, and for registers that count nothing here.
    """

    rx: In(RxStatistics())
    tx: In(TxStatistics())
    clear: In(1)
    read: In(1)
    address: In(OFFSET_WIDTH)
    data: Out(COUNTER_WIDTH)

    def elaborate(self, platform):
        m = Module()
        self._counters: dict[str, Signal] = {}
        rx, tx = self.rx, self.tx
        with m.If(rx.end):
            self._judge(m)
        with m.If(tx.end):
            self._sort(m, "TX", tx)
        with m.If(tx.pause):
            self._count(m, "TX_PAUSE_FRAMES")
        with m.If(self.clear):
            m.d.sync += [counter.eq(0) for counter in self._counters.values()]
        registers = load("lan743x")
        with m.If(self.read), m.Switch(self.address[2:]):
            for name, counter in self._counters.items():
                with m.Case(registers.offset(f"STAT_{name}") >> 2):
                    m.d.comb += self.data.eq(counter)
        return m

    def _count(self, m: Module, name: str, amount=1) -> None:
        """Add to the counter STAT_<name>, under the conditions around the call."""
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = Signal(COUNTER_WIDTH, name=name.lower())
        m.d.sync += counter.eq(counter + amount)

    def _judge(self, m: Module) -> None:
        """Which counter of reception a frame goes to."""
        rx = self.rx
        with m.Switch(rx.reason):
            with m.Case(Reason.GOOD):
                self._sort(m, "RX", rx)
            with m.Case(Reason.CODE):
                self._count(m, "RX_ALIGNMENT_ERRORS")
            with m.Case(Reason.SHORT):
                self._either(m, rx.crc_ok, "RX_UNDERSIZE_FRAME_ERRORS", "RX_FRAGMENT_ERRORS")
            with m.Case(Reason.LONG):
                self._either(m, rx.crc_ok, "RX_OVERSIZE_FRAME_ERRORS", "RX_JABBER_ERRORS")
            with m.Case(Reason.CRC):
                self._count(m, "RX_FCS_ERRORS")
            with m.Case(Reason.PAUSE):
                self._count(m, "RX_PAUSE_FRAMES")
            with m.Case(Reason.FCT_OFF, Reason.OVERFLOW):
                self._count(m, "RX_DROPPED_FRAMES")

    def _either(self, m: Module, condition, yes: str, no: str) -> None:
        with m.If(condition):
            self._count(m, yes)
        with m.Else():
            self._count(m, no)

    def _sort(self, m: Module, way: str, frame) -> None:
        """A frame that was received or sent whole: by destination, by size, and in all."""
        kinds = {"BROADCAST": frame.broadcast, "MULTICAST": frame.group & ~frame.broadcast,
                 "UNICAST": ~frame.group}
        for kind, applies in kinds.items():
            with m.If(applies):
                self._count(m, f"{way}_{kind}_FRAMES")
                self._count(m, f"{way}_{kind}_BYTE_COUNT", frame.length)
        for place, (longest, size) in enumerate(SIZES.items()):
            if longest is None:
                branch = m.Else()
            else:
                branch = (m.Elif if place else m.If)(frame.length <= longest)
            with branch:
                self._count(m, f"{way}_{size}_FRAMES")
        self._count(m, f"{way}_TOTAL_FRAMES")
