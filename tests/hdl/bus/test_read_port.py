"""The read port: section 2 of the page of lan743x, cycle by cycle; its order, its tags, and beats that come
back mixed."""

import dataclasses

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from hdl.bus.axi4 import AXI4
from hdl.bus.port import DmaPort
from hdl.bus.read_port import ReadPort, join_halves

IDS = (0, 4, 5)
A, DATA, B = range(3)
PRIORITY = ((A, True), (B, True), (DATA, False), (A, False), (B, False))
OKAY, SLVERR = 0, 2


@dataclasses.dataclass
class Wish:
    """A burst that a lane asks for from a cycle on, and the cycles of what it sees."""

    lane: int
    cycle: int
    beats: int = 1
    urgent: bool = False
    addr: int = 0
    granted: int = -1
    addressed: int = -1
    data: list[int] = dataclasses.field(default_factory=list)
    done: int = -1
    error: bool = False


@dataclasses.dataclass(frozen=True)
class Beat:
    """What the subordinate says in a cycle."""

    cycle: int
    identifier: int
    data: int
    last: bool = False
    response: int = OKAY


def run(wishes: list[Wish], beats: list[Beat], *, tags: int = 8, ready=lambda cycle: True, cycles: int = 60):
    """The port with these wishes, in the order of each lane, and these beats. Returns (cycle, id, addr, len)
    of each address phase."""
    dut = ReadPort(32, 32, 4, IDS, PRIORITY)
    phases = []

    async def drive(ctx):
        ctx.set(dut.tags, tags)
        to_ask = {n: [wish for wish in wishes if wish.lane == n] for n in range(len(IDS))}
        to_finish = {n: [] for n in range(len(IDS))}
        answers = {beat.cycle: beat for beat in beats}
        bus = dut.bus
        for cycle in range(cycles):
            for number, lane in enumerate(dut.lanes):
                wish = next(iter(to_ask[number]), None)
                ctx.set(lane.request, int(wish is not None and wish.cycle <= cycle))
                if wish is not None:
                    ctx.set(lane.beats, wish.beats)
                    ctx.set(lane.addr, wish.addr)
                    ctx.set(lane.urgent, wish.urgent)
            ctx.set(bus.arready, int(ready(cycle)))
            beat = answers.get(cycle)
            ctx.set(bus.rvalid, int(beat is not None))
            if beat:
                for name, value in (("rid", beat.identifier), ("rdata", beat.data), ("rlast", beat.last),
                                    ("rresp", beat.response)):
                    ctx.set(getattr(bus, name), value)
            assert ctx.get(bus.rready)
            if ctx.get(bus.arvalid) and ready(cycle):
                phases.append((cycle, ctx.get(bus.arid), ctx.get(bus.araddr), ctx.get(bus.arlen)))
            for number, lane in enumerate(dut.lanes):
                # the address phase and the beats are of bursts granted before this cycle
                if ctx.get(lane.addressed):
                    to_finish[number][-1].addressed = cycle
                if ctx.get(lane.beat):
                    wish = to_finish[number][0]
                    wish.data.append(ctx.get(lane.rdata))
                    if ctx.get(lane.done):
                        wish.done, wish.error = cycle, bool(ctx.get(lane.error))
                        to_finish[number].pop(0)
                if ctx.get(lane.granted):
                    wish = to_ask[number].pop(0)
                    wish.granted = cycle
                    to_finish[number].append(wish)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(drive)
    simulator.run()
    return phases


def test_a_read_is_granted_addressed_and_the_port_free_again():
    wishes = [Wish(DATA, 5, beats=4, addr=0x120), Wish(DATA, 5, beats=128, addr=0x400)]
    phases = run(wishes, [])
    assert [wish.granted for wish in wishes] == [5, 7]
    assert [wish.addressed for wish in wishes] == [6, 8]
    assert phases == [(6, 4, 0x120, 3), (8, 4, 0x400, 127)]


def test_the_address_phase_waits_and_so_does_the_next_grant():
    wishes = [Wish(A, 5), Wish(B, 5)]
    run(wishes, [], ready=lambda cycle: cycle >= 12)
    assert [(wish.granted, wish.addressed) for wish in wishes] == [(5, 12), (13, 14)]


def test_urgent_requests_come_first_then_data_then_the_rest():
    wishes = [Wish(B, 5), Wish(A, 5), Wish(DATA, 5), Wish(B, 5, urgent=True), Wish(A, 8, urgent=True)]
    run(wishes, [])
    # in 5 nothing is urgent; A is the first of the rest in 7, and its urgent wish wins in 9 against B's
    assert [wish.granted for wish in (wishes[2], wishes[1], wishes[4], wishes[0], wishes[3])] == [
        5, 7, 9, 11, 13]
    wishes = [Wish(DATA, 5), Wish(B, 5, urgent=True), Wish(A, 5, urgent=True)]
    run(wishes, [])
    assert [wish.granted for wish in wishes] == [9, 7, 5]


@pytest.mark.parametrize("tags", [1, 2, 3])
def test_no_more_reads_are_open_than_there_are_tags(tags):
    wishes = [Wish(DATA, 5) for _ in range(5)]
    run(wishes, [Beat(30, 4, 1, last=True), Beat(40, 4, 2, last=True)], tags=tags)
    free = [5 + 2 * n for n in range(tags)]
    # closed in the cycle after the last beat
    assert [wish.granted for wish in wishes] == [*free, 31, 41, -1, -1][:5]


def test_beats_find_their_lanes_in_any_order_and_errors_stay_with_their_burst():
    wishes = [Wish(A, 5, beats=2), Wish(DATA, 5, beats=3), Wish(DATA, 6, beats=1)]
    beats = [
        Beat(20, 4, 0x40), Beat(21, 0, 0xA0, response=SLVERR), Beat(22, 4, 0x41),
        Beat(23, 4, 0x42, last=True), Beat(24, 4, 0x50, last=True, response=SLVERR),
        Beat(26, 0, 0xA1, last=True),
    ]
    run(wishes, beats)
    assert [wish.data for wish in wishes] == [[0xA0, 0xA1], [0x40, 0x41, 0x42], [0x50]]
    assert [wish.done for wish in wishes] == [26, 23, 24]
    assert [wish.error for wish in wishes] == [True, False, True]


def test_an_error_does_not_outlive_its_burst():
    wishes = [Wish(B, 5), Wish(B, 5)]
    run(wishes, [Beat(20, 5, 1, last=True, response=SLVERR), Beat(21, 5, 2, last=True)])
    assert [wish.error for wish in wishes] == [True, False]


@pytest.mark.parametrize("ids", [(0, 4, 4), (0, 4, 16)])
def test_identifiers_that_do_not_tell_lanes_apart_are_refused(ids):
    with pytest.raises(ValueError, match="ids must be distinct and less than 16"):
        ReadPort(32, 32, 4, ids, PRIORITY)


def test_a_lane_that_only_urgent_requests_can_use_is_refused():
    with pytest.raises(ValueError, match="must list each of 3 lanes"):
        ReadPort(32, 32, 4, IDS, PRIORITY[:-1])


class _Both(wiring.Component):
    bus: Out(AXI4(32, 32, 4))

    def elaborate(self, platform):
        m = Module()
        m.submodules.reads = self.reads = ReadPort(32, 32, 4, IDS, PRIORITY)
        m.submodules.writes = self.writes = DmaPort(32, 32, 4, (0,))
        join_halves(m, self.bus, reads=self.reads.bus, writes=self.writes.bus)
        m.d.comb += [
            self.reads.tags.eq(1), self.reads.lanes[B].request.eq(1), self.reads.lanes[B].beats.eq(2),
            self.reads.lanes[B].addr.eq(0x40), self.writes.lanes[0].request.eq(1),
            self.writes.lanes[0].write.eq(1), self.writes.lanes[0].addr.eq(0x80),
            self.writes.lanes[0].beats.eq(1), self.writes.lanes[0].wdata.eq(0x1234),
            self.writes.lanes[0].wstrb.eq(0b0110),
        ]
        return m


def test_two_ports_are_the_halves_of_one_manager():
    dut = _Both()
    seen = {}

    async def watch(ctx):
        bus = dut.bus
        await ctx.tick()
        assert ctx.get(bus.arvalid) and ctx.get(bus.awvalid)
        seen.update({name: ctx.get(getattr(bus, name)) for name in ("arid", "araddr", "arlen", "awaddr")})
        ctx.set(bus.awready, 1)
        ctx.set(bus.arready, 1)
        await ctx.tick()
        assert ctx.get(bus.wvalid) and ctx.get(bus.wlast)
        seen.update({name: ctx.get(getattr(bus, name)) for name in ("wdata", "wstrb")})
        ctx.set(bus.rvalid, 1)
        ctx.set(bus.rid, 5)
        ctx.set(bus.rdata, 0x77)
        assert ctx.get(dut.reads.lanes[B].beat) and ctx.get(dut.reads.lanes[B].rdata) == 0x77

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(watch)
    simulator.run()
    assert seen == {"arid": 5, "araddr": 0x40, "arlen": 1, "awaddr": 0x80, "wdata": 0x1234, "wstrb": 0b0110}


def test_halves_of_other_widths_are_refused():
    port = ReadPort(32, 64, 4, IDS, PRIORITY)
    with pytest.raises(ValueError, match=r"reads is .*data_width=64"):
        join_halves(Module(), _Both().bus, reads=port.bus, writes=DmaPort(32, 32, 4, (0,)).bus)
