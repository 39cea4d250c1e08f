"""The mover and its ring: buffer not available, the erratum, wrap, boundaries, bus errors. Section 4.3."""

import pytest
from amaranth.sim import Simulator

from hdl.engines.at91ether.mover import Mover
from tests.hdl.engines.at91ether.bench import LIST, REGISTERS, Event
from tests.hdl.engines.at91ether.test_receive import (
    BNA,
    BUFFER,
    BUS,
    STALLED,
    complete,
    counters,
    end_of,
    frame,
    read_back,
    receive,
)

ISR, RSR, CTL = (REGISTERS[name] for name in ("ISR", "RSR", "CTL"))
RX = 1
GAP = 48


def test_no_buffer_drops_the_frame_and_keeps_the_entry():
    bench, s = receive(frame(64), owned=True)
    e = end_of(s, 64)
    counters(bench, e + 10)
    bench.read(e + 40, "RBQP")
    bench.run(e + 60)
    d = s + 4
    assert bench.named("rx_bna") == [Event(d, "rx_bna", 0, BUFFER | 3)]
    assert bench.named("rx_drop") == [Event(e + 2, "rx_drop", 0, BNA)]
    assert bench.reads.pop()[1] == LIST
    assert read_back(bench) == {"DRFC": 1, "ISR": ISR.pack(RBNA=1), "RSR": RSR.pack(BNA=1)}


@pytest.mark.parametrize("restart", [0, 1])
def test_after_no_buffer_the_receiver_resumes_or_stalls_until_re_toggles(restart):
    bench, s = receive(frame(64), owned=True, straps={"rbna_restart": restart})
    s2 = bench.receive(end_of(s, 64) + GAP, frame(64, 2))
    toggle = end_of(s2, 64) + 4
    for cycle, re in ((toggle, 0), (toggle + 2, 1)):
        bench.write(cycle, "CTL", CTL.pack(RE=re))
    s3 = bench.receive(end_of(s2, 64) + GAP, frame(64, 3))
    counters(bench, end_of(s3, 64) + 40)
    bench.run(end_of(s3, 64) + 80)
    assert bench.cycles("rx_sfd") == ([s, s3] if restart else [s, s2, s3])
    assert bench.named("rx_miss") == ([Event(s2, "rx_miss", 1, STALLED)] if restart else [])
    assert bench.cycles("rx_bna") == [where + 4 for where in ([s, s3] if restart else [s, s2, s3])]
    assert read_back(bench)["DRFC"] == 3


def test_the_list_wraps_to_its_base():
    bench, s = receive(frame(64), entries=2)
    frames, starts = [frame(64)], [s]
    for seed in (2, 3):
        frames.append(frame(64, seed))
        starts.append(bench.receive(end_of(starts[-1], 64) + GAP, frames[-1]))
    bench.read(end_of(starts[1], 64) + 40, "RBQP")  # the third frame is at work
    bench.run(end_of(starts[2], 64) + 80)
    assert [event.index for event in bench.named("rx_done")] == [0, 1]
    assert [(event.index, event.data) for event in bench.named("rx_bna")] == [(0, BUFFER | 1)]
    assert bench.reads[0][1] == LIST
    assert bench.memory.data[BUFFER:BUFFER + 64] == frames[0]
    assert bench.memory.data[BUFFER + 0x600:BUFFER + 0x640] == frames[1]


@pytest.mark.parametrize("words_before", [1, 2, 3])
def test_a_burst_ends_at_4_kib(words_before):
    bench, s = receive(frame(64))
    bench.entry(0, 0x5000 - 4 * words_before, wrap=True)
    bench.run(end_of(s, 64) + 60)
    sizes, left = [words_before], 16 - words_before
    while left:
        sizes.append(min(4, left))
        left -= sizes[-1]
    assert [event.data >> 32 for event in bench.named("rx_write")] == sizes
    assert bench.memory.data[0x5000 - 4 * words_before:][:64] == frame(64)
    # the first burst is asked for when its last word is in, two cycles after the byte; word 0 waits for byte
    # 5
    first = complete(s, 5 if words_before == 1 else 4 * words_before - 1) + 2
    assert bench.cycles("rx_write")[0] == first + 1


def test_a_new_list_starts_at_its_first_entry():
    bench, s = receive(frame(64), entries=2)
    e = end_of(s, 64)
    bench.memory.data[0x800:0x804] = (0x6000).to_bytes(4, "little")
    bench.write(e + 40, "RBQP", 0x803)  # the two low bits are not there
    bench.read(e + 42, "RBQP")
    s2 = bench.receive(e + GAP, frame(64, 2))
    bench.run(end_of(s2, 64) + 60)
    assert bench.reads[0][1] == 0x800
    assert [(event.index, event.data) for event in bench.named("rx_own")] == [(0, BUFFER), (0, 0x6000)]
    assert bench.memory.data[0x6000:0x6040] == frame(64, 2)


@pytest.mark.parametrize(
    ("write", "ordinal", "last"),
    [
        (False, 0, "rx_fetch"),
        (True, 0, "rx_write"),
        (True, 3, "rx_write"),
        (True, 4, "rx_wb1"),
        (True, 5, "rx_wb0"),
    ],
)
def test_a_bus_error_drops_the_frame_and_keeps_the_pointer(write, ordinal, last):
    bench, s = receive(frame(64), memory={"errors": [(RX, write, ordinal)]})
    e = end_of(s, 64)
    s2 = bench.receive(e + GAP, frame(64, 2))
    counters(bench, end_of(s2, 64) + 60)
    bench.run(end_of(s2, 64) + 90)
    assert bench.cycles(last)
    bad = next(burst for burst in bench.memory.bursts if (burst.write, burst.ordinal) == (write, ordinal))
    assert bench.named("rx_abort") == [Event(bad.done, "rx_abort", 0)]
    assert bench.named("rx_drop") == [Event(max(bad.done + 1, e + 2), "rx_drop", 0, BUS)]
    done, = bench.named("rx_done")
    assert done.index == 0 and bench.memory.data[BUFFER:BUFFER + 64] == frame(64, 2)
    assert read_back(bench) == {"OK": 1, "ISR": ISR.pack(RCOM=1, ABT=1), "RSR": RSR.pack(REC=1)}


def test_a_list_without_wrap_ends_after_1024_entries():
    """The mover alone, with empty frames that have ended well and a port that grants at once and is done a
    cycle later."""
    dut = Mover()
    pointers = []

    async def walk(ctx):
        lane = dut.lane
        ctx.set(dut.list_base, 0x10000)
        ctx.set(dut.list_written, 1)
        await ctx.tick()
        ctx.set(dut.list_written, 0)
        ctx.set(dut.open, 1)
        ctx.set(dut.head, {"ended": 1})
        while len(pointers) < 1026:
            request = ctx.get(lane.request)
            if request and not ctx.get(lane.write):
                pointers.append(ctx.get(lane.addr))
            ctx.set(lane.granted, request)
            await ctx.tick()
            ctx.set(lane.done, request)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(walk)
    simulator.run()
    assert pointers == [0x10000 + 8 * (n % 1024) for n in range(1026)]
