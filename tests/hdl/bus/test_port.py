"""The DMA port: the table of the timing specification's section 2, cycle by cycle, and its ties."""

import dataclasses

import pytest
from amaranth.sim import Simulator

from hdl.bus.port import DmaPort
from tests.hdl.bus.axi_memory import AxiMemory

TX, RX = 0, 1
SIGNALS = ("granted", "addressed", "beat", "done", "error")


@dataclasses.dataclass
class Access:
    """One access that a requester wants from cycle `wants` on; the cycles of what it sees are collected in
    `seen`."""

    requester: int
    wants: int
    addr: int
    beats: int
    write: bool = False
    seen: dict[str, list[int]] = dataclasses.field(default_factory=lambda: {name: [] for name in SIGNALS})
    data: list[int] = dataclasses.field(default_factory=list)


def run(accesses: list[Access], **memory_options) -> AxiMemory:
    """Each requester makes its accesses in order; one `wants` cycle after the other."""
    dut = DmaPort(32, 32, id_width=1, priority=(RX, TX))
    memory = AxiMemory(dut.bus, 1 << 14, **memory_options)
    memory.data[:] = bytes(i * 7 & 255 for i in range(len(memory.data)))

    def requester(number: int):
        lane, mine = dut.lanes[number], [access for access in accesses if access.requester == number]

        async def process(ctx):
            cycle, work, at_work = 0, list(mine), False
            async for _, _, *seen, rdata in ctx.tick().sample(
                *(getattr(lane, name) for name in SIGNALS), lane.rdata
            ):
                granted, _, beat, done, _ = seen
                if work and (at_work or granted):
                    access = work[0]
                    for name, value in zip(SIGNALS, seen, strict=True):
                        if value and (name != "error" or done):
                            access.seen[name].append(cycle)
                    if beat:
                        access.data.append(rdata)
                        ctx.set(lane.wdata, 0x1000 + len(access.data))
                    at_work = not done
                    if done:
                        work.pop(0)
                cycle += 1
                ready = bool(work) and not at_work and cycle >= work[0].wants
                ctx.set(lane.request, ready)
                if ready:
                    ctx.set(lane.addr, work[0].addr)
                    ctx.set(lane.beats, work[0].beats)
                    ctx.set(lane.write, work[0].write)
                    ctx.set(lane.wdata, 0x1000)

        return process

    async def clock(ctx):
        await ctx.tick().repeat(120)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    memory.add_to(simulator)
    simulator.add_process(requester(TX))
    simulator.add_process(requester(RX))
    simulator.add_testbench(clock)
    simulator.run()
    return memory


@pytest.mark.parametrize(("latency", "interval", "beats"), [(0, 1, 4), (0, 1, 1), (5, 1, 3), (2, 3, 4)])
def test_read_takes_the_cycles_of_the_specification(latency, interval, beats):
    access = Access(TX, wants=5, addr=0x104, beats=beats)
    memory = run([access], read_latency=latency, beat_interval=interval)
    first = 6 + 1 + latency
    each = [first + interval * n for n in range(beats)]
    assert access.seen == {"granted": [5], "addressed": [6], "beat": each, "done": each[-1:], "error": []}
    assert access.data == [
        int.from_bytes(memory.data[0x104 + 4 * n : 0x108 + 4 * n], "little") for n in range(beats)
    ]
    assert [burst.requester for burst in memory.bursts] == [TX]


@pytest.mark.parametrize(("latency", "interval", "beats"), [(0, 1, 4), (0, 1, 1), (5, 1, 3), (2, 3, 4)])
def test_write_takes_the_cycles_of_the_specification(latency, interval, beats):
    access = Access(RX, wants=5, addr=0x204, beats=beats, write=True)
    dut_lanes = run([access], write_latency=latency, beat_interval=interval)
    each = [7 + interval * n for n in range(beats)]
    assert access.seen == {
        "granted": [5], "addressed": [6], "beat": each, "done": [each[-1] + 1 + latency], "error": []}
    # the lane gave no strobes: nothing is written
    assert dut_lanes.data[0x204] == 0x204 * 7 & 255


def test_rx_wins_a_tie_and_tx_is_granted_in_the_cycle_after_the_response():
    tx, rx = Access(TX, 5, 0x100, 4), Access(RX, 5, 0x200, 2)
    run([tx, rx])
    assert rx.seen["granted"] == [5] and rx.seen["done"] == [6 + 2]
    assert tx.seen["granted"] == [9]


def test_whoever_asked_first_keeps_the_port():
    tx, rx = Access(TX, 5, 0x100, 4), Access(RX, 6, 0x200, 1)
    run([tx, rx])
    assert tx.seen["done"] == [6 + 4] and rx.seen["granted"] == [11]


def test_rx_starves_tx_for_as_long_as_it_asks():
    tx, *rx = Access(TX, 5, 0x100, 1), *(Access(RX, 5, 0x200, 1) for _ in range(3))
    run([tx, *rx])
    assert [access.seen["granted"] for access in rx] == [[5], [8], [11]] and tx.seen["granted"] == [14]


@pytest.mark.parametrize("write", [False, True])
def test_an_error_is_seen_with_the_end_of_its_burst_only(write):
    bad, good = Access(TX, 5, 0x100, 4, write), Access(TX, 5, 0x100, 4, write)
    run([bad, good], errors=[(TX, write, 0)])
    assert bad.seen["error"] == bad.seen["done"] and len(bad.seen["beat"]) == 4
    assert good.seen["error"] == [] and len(good.seen["done"]) == 1


def test_more_requesters_than_identifiers_are_refused():
    with pytest.raises(ValueError, match="3 requesters need more than id_width = 1"):
        DmaPort(32, 32, id_width=1, priority=(0, 1, 2))


def test_identifiers_of_ones_own():
    port = DmaPort(32, 32, id_width=4, priority=(1, 0), ids=(0, 6))
    memory, simulator = AxiMemory(port.bus), Simulator(port)

    async def ask(ctx):
        ctx.set(port.lanes[1].beats, 1)
        ctx.set(port.lanes[1].request, 1)
        await ctx.tick().until(port.lanes[1].granted)
        ctx.set(port.lanes[1].request, 0)
        await ctx.tick().until(port.lanes[1].done)

    simulator.add_clock(1e-8)
    memory.add_to(simulator)
    simulator.add_testbench(ask)
    simulator.run()
    assert [burst.requester for burst in memory.bursts] == [6]


@pytest.mark.parametrize("ids", [(0,), (3, 3), (0, 16)])
def test_identifiers_that_do_not_tell_the_requesters_apart_are_refused(ids):
    with pytest.raises(ValueError, match="must be 2 different numbers of 4 bits"):
        DmaPort(32, 32, id_width=4, priority=(1, 0), ids=ids)
