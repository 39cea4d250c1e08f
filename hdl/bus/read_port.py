"""Read port with several accesses outstanding: several requesters, the read half of one AXI4 manager.

Timing, for a request in cycle w in which the port is free and fewer than `tags` reads are open:
    granted in w; address phase from w+1, its handshake in cycle a; free, and able to grant, in a+1;
    beats from a+1 on, never refused (the requester has reserved room), the last one in d;
    the read is open from w+1 to d.
Beats are told apart by their identifier, so bursts of different requesters may overlap and overtake each
other; those of one requester come back in order, which AXI promises.

Ref: IHI 0022, A5.3 (ordering); docs/engines/lan743x.md, section 2.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4, Burst, Response
from hdl.bus.port import MOST_BEATS

__all__ = ["MOST_TAGS", "ReadPort", "ReadRequester", "join_halves"]

MOST_TAGS = 256
"""Reads that may be open, at most."""


class ReadRequester(wiring.Signature):
    """One requester's lane, seen from the requester.

    Parameters
    ----------
    addr_width, data_width: of the bus.

    Members
    -------
    request: asks for a burst in this cycle; the next three count in the cycle of `granted`.
    urgent: the request is of the requester's urgent kind.
    addr: byte address of the first beat, aligned to the bus.
    beats: 1 .. 256.
    granted: the request is accepted in this cycle.
    addressed: handshake of the address phase of the burst granted last.
    beat: `rdata` is a beat of the requester's.
    rdata: data of the read.
    done: with `beat`: it is the last of its burst.
    error: with `done`: any response of the burst was other than OKAY.
    """

    def __init__(self, addr_width: int = 32, data_width: int = 32):
        self.addr_width = addr_width
        self.data_width = data_width
        super().__init__({
            "request": Out(1), "urgent": Out(1), "addr": Out(addr_width), "beats": Out(range(MOST_BEATS + 1)),
            "granted": In(1), "addressed": In(1), "beat": In(1), "rdata": In(data_width),
            "done": In(1), "error": In(1),
        })

    def __eq__(self, other):
        return (isinstance(other, ReadRequester)
                and (self.addr_width, self.data_width) == (other.addr_width, other.data_width))

    def __repr__(self):
        return f"ReadRequester(addr_width={self.addr_width}, data_width={self.data_width})"


class ReadPort(wiring.Component):
    """The port.

    Parameters
    ----------
    addr_width, data_width, id_width: of the bus.
    ids: each lane's identifier on the bus.
    priority: (lane, whether only its urgent requests count), the most urgent first. A lane may be listed
        twice: once for its urgent requests, later for all.

    Raises ValueError for identifiers that are not distinct or too large, and for lanes that `priority` leaves
    out.

    Members
    -------
    lanes: one `ReadRequester` for each identifier.
    tags: reads that may be open at a time.
    bus: AXI4 manager, of which only the read half is driven.
    idle: no read is open.
    """

    def __init__(self, addr_width: int, data_width: int, id_width: int, ids: tuple[int, ...],
                 priority: tuple[tuple[int, bool], ...]):
        self.ids = tuple(ids)
        self.priority = tuple((int(lane), bool(urgent)) for lane, urgent in priority)
        if len(set(self.ids)) != len(self.ids) or not all(0 <= i < 1 << id_width for i in self.ids):
            raise ValueError(f"ReadPort: ids must be distinct and less than {1 << id_width}, not {ids!r}")
        if {lane for lane, urgent in self.priority if not urgent} != set(range(len(self.ids))):
            raise ValueError(f"ReadPort: priority must list each of {len(self.ids)} lanes without the "
                             f"condition of urgency, not {priority!r}")
        super().__init__({
            "lanes": In(ReadRequester(addr_width, data_width)).array(len(self.ids)),
            "tags": In(range(MOST_TAGS + 1), init=1),
            "bus": Out(AXI4(addr_width, data_width, id_width)),
            "idle": Out(1, init=1),
        })

    def elaborate(self, platform):
        m = Module()
        bus, lanes = self.bus, self.lanes
        grant = Signal(len(lanes))
        asking = Signal(len(lanes))  # whose address phase it is, one bit each
        free = Signal(init=1)
        open_reads = Signal(range(MOST_TAGS + 1))
        failed = Signal(len(lanes))  # a beat of the lane's burst at hand was bad
        last = Signal()

        with m.If(free & (open_reads < self.tags)):
            for place, (number, urgent) in enumerate(self.priority):
                wanted = lanes[number].request & lanes[number].urgent if urgent else lanes[number].request
                with (m.Elif if place else m.If)(wanted):
                    m.d.comb += grant.eq(1 << number)
                    m.d.sync += [bus.araddr.eq(lanes[number].addr), bus.arlen.eq(lanes[number].beats - 1),
                                 bus.arid.eq(self.ids[number])]
        m.d.comb += [
            bus.arsize.eq(bus.signature.size), bus.arburst.eq(Burst.INCR), bus.rready.eq(1),
            bus.arvalid.eq(~free), last.eq(bus.rvalid & bus.rlast), self.idle.eq(open_reads == 0),
        ]
        with m.If(grant.any()):
            m.d.sync += [free.eq(0), asking.eq(grant)]
        with m.If(bus.arvalid & bus.arready):
            m.d.sync += free.eq(1)
        with m.If(grant.any() ^ last):
            with m.If(last):
                m.d.sync += open_reads.eq(open_reads - 1)
            with m.Else():
                m.d.sync += open_reads.eq(open_reads + 1)

        bad = Signal()
        m.d.comb += bad.eq(bus.rresp != Response.OKAY)
        for number, lane in enumerate(lanes):
            m.d.comb += [
                lane.granted.eq(grant[number]),
                lane.addressed.eq(bus.arvalid & bus.arready & asking[number]),
                lane.rdata.eq(bus.rdata),
                lane.error.eq(failed[number] | bad),
            ]
            with m.If(bus.rvalid & (bus.rid == self.ids[number])):
                m.d.comb += [lane.beat.eq(1), lane.done.eq(bus.rlast)]
                m.d.sync += failed[number].eq((failed[number] | bad) & ~bus.rlast)
        return m


def join_halves(m: Module, manager, *, reads, writes) -> None:
    """Make one AXI4 manager of two: the read half of the one and the write half of the other.

    Parameters
    ----------
    m: module being elaborated.
    manager: the engine's own port, an `AXI4` interface object as seen from inside (`self.bus`).
    reads, writes: AXI4 managers of submodules, of the same widths.

    Raises ValueError if the widths differ.
    """
    for half, other in (("reads", reads), ("writes", writes)):
        if other.signature != manager.signature:
            raise ValueError(f"join_halves: {half} is {other.signature!r}, the manager "
                             f"{manager.signature!r}")
    for name, member in manager.signature.members.items():
        half = getattr(reads if name.startswith(("ar", "r")) else writes, name)
        own = getattr(manager, name)
        m.d.comb += own.eq(half) if member.flow is Out else half.eq(own)
