"""The transmitter in full duplex, cycle by cycle: sections 3.2 and 3.3 of the timing specification.

`plan` is those two sections as a program over cycles; it shares nothing with the RTL.
"""

import dataclasses
import random
import zlib

import pytest

from tests.hdl.engines.at91ether.bench import REGISTERS, EngineBench, Event, fcs, first_tick

TSR, ISR, CTL = (REGISTERS[name] for name in ("TSR", "ISR", "CTL"))
TE_ONLY = CTL.pack(TE=1)


def packet(length: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(length)


@dataclasses.dataclass
class Plan:
    """What one frame does. `starved` is the index of the byte that came too late."""

    fetches: list[tuple[int, int, int]]  # cycle of the handshake, address, beats
    fills: list[int]
    t: int
    end: int
    starved: int | None = None


def plan(
    x: int,
    addr: int,
    length: int,
    *,
    latency: int = 0,
    interval: int = 1,
    capacity: int = 7,
    ncrc: bool = False,
    gap_until: int = 0,
) -> Plan:
    """A frame that is given to the reader in x, alone on a bus of that latency and interval.

    Bursts are asked for as soon as the FIFO has room; word k leaves in the tick of the last byte used of it.
    Both are followed cycle by cycle, as each depends on the other.
    """
    words = (addr % 4 + length + 3) // 4
    base, fetched, freed = addr & ~3, 0, 0
    arrivals: list[int] = []  # cycle of each word's beat
    fetches, fills = [], []
    wait_from, t, starved, end = x + 1, None, None, None
    padded = length if ncrc else max(60, length) + 4
    cycle = x
    while end is None or cycle < end:
        cycle += 1
        level = sum(arrival < cycle for arrival in arrivals) - freed
        if wait_from <= cycle and fetched < words and starved is None:
            room_words = (4096 - (base + 4 * fetched) % 4096) // 4
            beats = min(4, capacity, words - fetched, room_words)
            stopping = (
                t is not None
                and cycle == t + 32 + 4 * _bytes(t, cycle)
                and not level
                and _bytes(t, cycle) < length
            )
            if capacity - level >= beats and not stopping:
                a = cycle + 1
                fetches.append((a, base + 4 * fetched, beats))
                beat_cycles = [a + 1 + latency + interval * n for n in range(beats)]
                arrivals += beat_cycles
                fills.append(beat_cycles[-1])
                fetched += beats
                wait_from = beat_cycles[-1] + 1
        if fills and t is None:
            t = first_tick(max(fills[0] + 1, gap_until))
            end = t + 32 + 4 * padded
        if t is not None and starved is None and cycle >= t + 32 and (cycle - t) % 4 == 0:
            byte = (cycle - t - 32) // 4
            if byte < length:
                if level == 0:
                    starved, end = byte, cycle + 16
                elif byte == length - 1 or (addr + byte) % 4 == 3:
                    freed += 1
    return Plan(fetches, fills, t, end, starved)


def _bytes(t: int, cycle: int) -> int:
    """Index of the byte due in a tick, or due next."""
    return max(0, -(-(cycle - t - 32) // 4))


def check(bench: EngineBench, number: int, plan: Plan, data: bytes, ncrc: bool = False) -> None:
    """Everything the tap and the wire say about one frame."""
    mine = [event for event in bench.events if event.name.startswith("tx_") and event.index == number]

    def cycles(name: str) -> list[int]:
        return [event.cycle for event in mine if event.name == name]

    assert [(event.cycle, event.data) for event in mine if event.name == "tx_fetch"] == [
        (a, addr | beats << 32) for a, addr, beats in plan.fetches]
    assert cycles("tx_fill") == plan.fills
    assert cycles("tx_sfd") == [plan.t + 30]
    sent = data[:plan.starved] if plan.starved is not None or ncrc else data.ljust(60, b"\0")
    assert [event for event in mine if event.name == "tx_underrun"] == (
        []
        if plan.starved is None
        else [Event(plan.t + 32 + 4 * plan.starved, "tx_underrun", number, plan.starved)]
    )
    assert [event for event in mine if event.name == "tx_done"] == [
        Event(plan.end, "tx_done", number, zlib.crc32(sent) | len(sent) << 32)]
    tail = (
        bytes(byte ^ 0xFF for byte in fcs(sent)) if plan.starved is not None else b"" if ncrc else fcs(sent)
    )
    assert (plan.t, sent + tail) in bench.sent()


@pytest.mark.parametrize("seed", range(24))
def test_any_frame_on_any_bus(seed):
    """Alignments, lengths, 4 KiB boundaries, FIFO sizes, and buses of which about a third starve the
    frame."""
    rng = random.Random(seed)
    addr, length = rng.choice([rng.randrange(3000), rng.randrange(4096 - 70, 4096)]), rng.randrange(1, 150)
    ncrc, fifo_words = rng.random() < 0.3, rng.choice([0, 7, 5, 4, 3, 2, 1])
    latency, interval = rng.choice([0, 0, 3, 30, 70]), rng.choice([1, 1, 2, 20])
    bench = EngineBench(straps={"fifo_words": fifo_words}, read_latency=latency, beat_interval=interval)
    data = packet(length)
    bench.memory.data[addr:addr + length] = data
    bench.bring_up()
    x = bench.hand_over(30, addr, length, ncrc=ncrc) + 1
    expected = plan(x, addr, length, ncrc=ncrc, latency=latency, interval=interval, capacity=fifo_words or 7)
    for number, register in enumerate(("TSR", "ISR", "FRA", "TUE")):
        bench.read(expected.end + 10 + 2 * number, register)
    bench.run(expected.end + 200)
    check(bench, 0, expected, data, ncrc)
    whole = expected.starved is None
    assert [value for _, value in bench.reads] == [
        TSR.pack(IDLE=1, BNQ=1, COMP=1, UND=not whole), ISR.pack(TBRE=1, TCOM=1, TIDLE=1, TUND=not whole),
        int(whole), int(not whole)]


def test_two_frames_back_to_back_keep_the_minimum_gap():
    bench = EngineBench()
    first, second = packet(60, 1), packet(61, 2)
    bench.memory.data[0x100:0x100 + 60] = first
    bench.memory.data[0x203:0x203 + 61] = second
    bench.bring_up()
    x = bench.hand_over(30, 0x100, 60) + 1
    c = bench.hand_over(34, 0x203, 61)
    one = plan(x, 0x100, 60)
    two = plan(one.end + 1, 0x203, 61, gap_until=one.end + 48)
    assert two.t == one.end + 48
    for number, register in enumerate(("TSR", "ISR", "TSR")):
        bench.read([c + 2, one.end + 1, two.end + 1][number], register)
    bench.run(two.end + 20)
    check(bench, 0, one, first)
    check(bench, 1, two, second)
    assert [value for _, value in bench.reads] == [
        TSR.pack(IDLE=0, BNQ=0), ISR.pack(TBRE=1, TCOM=1), TSR.pack(IDLE=1, BNQ=1, COMP=1)]


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_hand_over_about_the_cycle_of_a_release(offset):
    """With both places taken a hand-over in F itself is accepted; a cycle earlier it is an overrun."""
    bench = EngineBench()
    bench.bring_up()
    x = bench.hand_over(30, 0x100, 60) + 1
    bench.hand_over(34, 0x200, 60)
    end = plan(x, 0x100, 60).end
    c = bench.hand_over(end + offset - 2, 0x300, 60)
    bench.read(c + 2, "ISR")
    bench.run(c + 10)
    accepted = offset >= 0
    assert bench.cycles("tx_queue")[2:] == [c] * accepted and bench.cycles("tx_overrun") == [c] * (
        not accepted
    )
    assert bench.reads[0][1] == ISR.pack(TBRE=1, TCOM=1, TOVR=not accepted)


@pytest.mark.parametrize("burst", [0, 1, 2, 3])
def test_a_bus_error_ends_the_frame(burst):
    """In the first burst before it is on the wire: released in d+1. Later: cut at the first tick from d+1
    on."""
    bench = EngineBench(errors=[(0, False, burst)])
    data = packet(64)
    bench.memory.data[0x100:0x100 + 64] = data
    bench.bring_up()
    x = bench.hand_over(30, 0x100, 64) + 1
    bench.hand_over(34, 0x200, 60)
    expected = plan(x, 0x100, 64)
    d = expected.fills[burst]
    end = d + 1 if burst == 0 else first_tick(d + 1)
    bench.read(end + 2, "ISR")
    bench.run(end + 100)
    assert [event.index for event in bench.named("tx_abort")] == [0] and bench.cycles("tx_abort") == [d]
    assert bench.cycles("tx_fill")[:burst + 1] == expected.fills[:burst + 1]
    taken = 0 if burst == 0 else max(0, (end - expected.t - 32 + 3) // 4)
    assert bench.named("tx_done")[0] == Event(end, "tx_done", 0, zlib.crc32(data[:taken]) | taken << 32)
    assert bench.named("tx_cut") == [Event(end, "tx_cut", 0, taken)] * (burst > 0)
    assert bench.reads[0][1] == ISR.pack(TBRE=1, TCOM=1, ABT=1)
    # the next frame: fetched from the cycle after the release on
    assert next(event for event in bench.named("tx_fetch") if event.index == 1).cycle == end + 3
    start = first_tick(end + 3 + 4 + 1) if burst == 0 else first_tick(end + 48)
    assert [event.cycle for event in bench.named("tx_sfd") if event.index == 1] == [start + 30]


@pytest.mark.parametrize("offset", range(12))
def test_te_cleared_at_any_time_in_the_frame(offset):
    """Around the first byte: places emptied in c, cut at the first tick from c+1 on, without a release."""
    bench = EngineBench()
    bench.memory.data[0x100:0x100 + 64] = packet(64)
    bench.bring_up()
    x = bench.hand_over(30, 0x100, 64) + 1
    bench.hand_over(34, 0x200, 64)
    t = plan(x, 0x100, 64).t
    c = t + 28 + offset
    bench.write(c, "CTL", 0)
    bench.read(c + 2, "TSR")
    bench.write(c + 4, "CTL", TE_ONLY)
    c3 = bench.hand_over(c + 6, 0x300, 60)
    cut = first_tick(c + 1)
    bench.run(c3 + 150)
    assert bench.named("tx_drop") == [Event(c, "tx_drop", 0, 2)]
    taken = max(0, (cut - t - 32 + 3) // 4)
    assert bench.named("tx_cut") == [Event(cut, "tx_cut", 0, taken)]
    assert not bench.named("tx_done") and bench.reads[0][1] == TSR.pack(IDLE=1, BNQ=1)
    again = plan(c3 + 1, 0x300, 60, gap_until=cut + 48)
    assert bench.named("tx_queue")[2].index == 2
    assert [event.cycle for event in bench.named("tx_sfd") if event.index == 2] == [again.t + 30]


def test_te_cleared_in_the_cycle_of_the_release_and_in_the_one_before():
    for offset in (-1, 0):
        bench = EngineBench()
        bench.bring_up()
        x = bench.hand_over(30, 0x100, 60) + 1
        bench.hand_over(34, 0x200, 60)
        end = plan(x, 0x100, 60).end
        bench.write(end + offset, "CTL", 0)
        bench.run(end + 10)
        released = offset == 0
        assert bench.named("tx_drop") == [
            Event(end + offset, "tx_drop", int(released), 2 - released)]
        assert bench.cycles("tx_done") == [end] * released and bench.cycles("tx_cut") == [end] * (
            not released
        )


def test_lockup_lets_the_frame_being_sent_complete_and_no_other_start():
    bench = EngineBench(straps={"ovr_effect": 2})
    bench.bring_up()
    x = bench.hand_over(30, 0x100, 60) + 1
    for n in range(2):
        bench.hand_over(34 + 4 * n, 0x200, 60)
    end = plan(x, 0x100, 60).end
    bench.write(end + 100, "CTL", 0)
    bench.write(end + 102, "CTL", TE_ONLY)
    c = bench.hand_over(end + 104, 0x300, 60)
    bench.run(c + 10)
    assert bench.cycles("tx_done") == [end]
    assert {event.index for event in bench.named("tx_fetch")} == {0, 2}


def test_length_zero_hands_nothing_over():
    bench = EngineBench()
    bench.bring_up()
    for n in range(3):
        c = bench.hand_over(30 + 4 * n, 0x100, 0)
    bench.read(c + 2, "TSR")
    bench.run(c + 10)
    assert not bench.named("tx_queue") and not bench.named("tx_overrun") and bench.reads[0][1] == TSR.reset


def test_a_frame_waits_for_te():
    bench = EngineBench()
    bench.bring_up(te=False)
    bench.hand_over(30, 0x100, 60)
    bench.write(60, "CTL", TE_ONLY)
    bench.run(80)
    assert bench.cycles("tx_queue") == [32] and bench.cycles("tx_fetch") == [60 + 1 + 2]
