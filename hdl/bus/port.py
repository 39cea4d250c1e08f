"""DMA port with one access outstanding: several requesters, one AXI4 manager.

This is what an AHB master looks like behind an AXI bridge: nothing else starts before the response is in.

Timing, for a request in cycle w with the port idle in w:
    granted in w; address phase from w+1, its handshake in cycle a;
    read: beats from a+1 on, never refused (the requester has reserved room), the last one in d;
    write: beats offered from a+1 on, one a cycle as the subordinate takes them (the requester has them
        ready), response in d;
    idle again, and able to grant, in d+1.
"""

from amaranth.hdl import Array, Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.arbiter import FixedPriorityArbiter
from hdl.bus.axi4 import AXI4, Burst, Response

__all__ = ["DmaPort", "Requester"]

MOST_BEATS = 256
"""Of an INCR burst in AXI4."""


class Requester(wiring.Signature):
    """One requester's lane, seen from the requester.

    Parameters
    ----------
    addr_width, data_width: of the bus.

    Members
    -------
    request: asks for a burst, in every cycle until `granted`; the next five hold in that cycle.
    write: 1 write, 0 read.
    addr: byte address of the first beat, aligned to the bus.
    beats: 1 .. 256.
    wdata, wstrb: the beat of a write that is offered now; the next one from the cycle after `beat` on.
    granted: the request is accepted in this cycle.
    addressed: handshake of the address phase.
    beat: read: `rdata` is a beat, take it; write: the offered beat is taken.
    rdata: data of a read.
    done: last beat of a read, or response of a write.
    error: with `done`: any response of the burst was other than OKAY.
    """

    def __init__(self, addr_width: int, data_width: int):
        self.addr_width = addr_width
        self.data_width = data_width
        super().__init__({
            "request": Out(1), "write": Out(1), "addr": Out(addr_width), "beats": Out(range(MOST_BEATS + 1)),
            "wdata": Out(data_width), "wstrb": Out(data_width // 8),
            "granted": In(1), "addressed": In(1), "beat": In(1), "rdata": In(data_width),
            "done": In(1), "error": In(1),
        })

    def __eq__(self, other):
        return (isinstance(other, Requester)
                and (self.addr_width, self.data_width) == (other.addr_width, other.data_width))

    def __repr__(self):
        return f"Requester(addr_width={self.addr_width}, data_width={self.data_width})"


class DmaPort(wiring.Component):
    """The port.

    Parameters
    ----------
    addr_width, data_width, id_width: of the bus.
    priority: the requesters' numbers, the most urgent first.
    ids: identifier of each requester's bursts; its number if left out.

    Members
    -------
    lanes: one `Requester` each.
    bus: AXI4 manager.
    idle: nothing is outstanding: a request would be granted in this cycle.
    """

    def __init__(self, addr_width: int, data_width: int, id_width: int, priority: tuple[int, ...],
                 ids: tuple[int, ...] | None = None):
        self.priority = tuple(priority)
        if len(self.priority) > 1 << id_width:
            raise ValueError(f"DmaPort: {len(self.priority)} requesters need more than id_width = {id_width}")
        self.ids = tuple(range(len(self.priority)) if ids is None else ids)
        if len(set(self.ids)) != len(self.priority) or not set(self.ids) <= set(range(1 << id_width)):
            raise ValueError(f"DmaPort: ids = {ids!r} must be {len(self.priority)} different numbers of "
                             f"{id_width} bits")
        super().__init__({
            "lanes": In(Requester(addr_width, data_width)).array(len(self.priority)),
            "bus": Out(AXI4(addr_width, data_width, id_width)),
            "idle": Out(1, init=1),
        })

    def elaborate(self, platform):
        m = Module()
        bus, lanes = self.bus, self.lanes
        m.submodules.arbiter = arbiter = FixedPriorityArbiter(self.priority)

        owner = Signal.like(arbiter.owner)
        ident = owner
        if self.ids != tuple(range(len(lanes))):
            ident = Array(Const(value, len(bus.awid)) for value in self.ids)[owner]
        busy = Signal(len(lanes))  # `owner` again, one bit each while an access is open
        beats_left = Signal(8)  # of a write, behind the one being offered
        writing, responding, failed = Signal(), Signal(), Signal()

        m.d.comb += [
            arbiter.requests.eq(Cat(lane.request for lane in lanes)),
            arbiter.enable.eq(self.idle),
            bus.awid.eq(ident), bus.arid.eq(ident), bus.araddr.eq(bus.awaddr), bus.arlen.eq(bus.awlen),
            bus.awsize.eq(bus.signature.size), bus.arsize.eq(bus.signature.size),
            bus.awburst.eq(Burst.INCR), bus.arburst.eq(Burst.INCR),
            bus.wvalid.eq(writing), bus.wlast.eq(beats_left == 0),
            bus.rready.eq(1), bus.bready.eq(1),
            bus.wdata.eq(Array(lane.wdata for lane in lanes)[owner]),
            bus.wstrb.eq(Array(lane.wstrb for lane in lanes)[owner]),
        ]

        addressed, beat, done = Signal(), Signal(), Signal()
        bad = Signal()
        m.d.comb += [
            addressed.eq((bus.arvalid & bus.arready) | (bus.awvalid & bus.awready)),
            beat.eq(bus.rvalid | (writing & bus.wready)),
            done.eq((bus.rvalid & bus.rlast) | (responding & bus.bvalid)),
            bad.eq((bus.rvalid & (bus.rresp != Response.OKAY)) | (responding & (bus.bresp != Response.OKAY))),
        ]
        for number, lane in enumerate(lanes):
            m.d.comb += [
                lane.granted.eq(arbiter.grant[number]),
                lane.addressed.eq(busy[number] & addressed),
                lane.beat.eq(busy[number] & beat),
                lane.rdata.eq(bus.rdata),
                lane.done.eq(busy[number] & done),
                lane.error.eq(failed | bad),
            ]

        with m.If(arbiter.grant.any()):
            write = Array(lane.write for lane in lanes)[arbiter.owner]
            beats = Array(lane.beats for lane in lanes)[arbiter.owner]
            m.d.sync += [
                self.idle.eq(0), owner.eq(arbiter.owner), busy.eq(arbiter.grant), failed.eq(0),
                bus.awaddr.eq(Array(lane.addr for lane in lanes)[arbiter.owner]),
                bus.awlen.eq(beats - 1), bus.awvalid.eq(write), bus.arvalid.eq(~write),
            ]
        with m.If(addressed):
            m.d.sync += [
                bus.awvalid.eq(0), bus.arvalid.eq(0),
                writing.eq(bus.awvalid), beats_left.eq(bus.awlen),
            ]
        with m.If(writing & bus.wready):
            m.d.sync += beats_left.eq(beats_left - 1)
            with m.If(bus.wlast):
                m.d.sync += [writing.eq(0), responding.eq(1)]
        with m.If(bad):
            m.d.sync += failed.eq(1)
        with m.If(done):
            m.d.sync += [self.idle.eq(1), busy.eq(0), responding.eq(0)]
        return m
