"""The receiver, cycle by cycle: how frames end, and what the mover makes of them. Section 4 of the timing
specification."""

import random

import pytest

from tests.hdl.engines.at91ether.bench import LIST, REGISTERS, EngineBench, Event, fcs

GOOD, BNA, OVERRUN, CRC, ALIGN, CODE, LONG, SHORT, FILTER, RE_OFF, BUS, STALLED = range(12)
ISR, RSR, CTL = (REGISTERS[name] for name in ("ISR", "RSR", "CTL"))
BUFFER = 0x3000
START = 101
COUNTERS = ("OK", "SEQE", "ALE", "DRFC", "ROV", "CDE", "ELR", "RJB", "USF")
TO_ALL = b"\xff" * 6


def frame(length: int, seed: int = 1, to: bytes = TO_ALL) -> bytes:
    """With a right FCS, `length` bytes in all."""
    body = (to + random.Random(seed).randbytes(length))[:max(0, length - 4)]
    return body + fcs(body)


def complete(s: int, byte: int) -> int:
    """b_i, the tick that completes byte i."""
    return s + 4 + 4 * byte


def end_of(s: int, length: int, odd: bool = False) -> int:
    """e, the tick that finds RX_DV down."""
    return s + 4 * length + (4 if odd else 2)


def receive(
    data: bytes,
    *,
    straps: dict | None = None,
    cfg: dict | None = None,
    entries: int = 1,
    owned: bool = False,
    memory: dict | None = None,
    **wire,
) -> tuple[EngineBench, int]:
    bench = EngineBench(straps=straps, **(memory or {}))
    for number in range(entries):
        bench.entry(number, BUFFER + 0x600 * number, wrap=number == entries - 1, owned=owned)
    bench.bring_up(**(cfg or {}))
    return bench, bench.receive(START, data, **wire)


def counters(bench: EngineBench, cycle: int) -> None:
    """Read all receive counters, ISR and RSR, from `cycle` on; `read_back` gives what is not 0."""
    for number, name in enumerate((*COUNTERS, "ISR", "RSR")):
        bench.read(cycle + 2 * number, name)


def read_back(bench: EngineBench) -> dict[str, int]:
    values = [value for _, value in bench.reads[-len(COUNTERS) - 2:]]
    return {name: value for name, value in zip((*COUNTERS, "ISR", "RSR"), values, strict=True) if value}


@pytest.mark.parametrize(
    ("length", "damage", "wire", "reason", "counter"),
    [
        (64, None, {}, GOOD, "OK"),
        (65, None, {}, GOOD, "OK"),
        (66, None, {}, GOOD, "OK"),
        (67, None, {}, GOOD, "OK"),
        (64, None, {"odd": True}, GOOD, "OK"),
        (64, 30, {}, CRC, "SEQE"),
        (64, 30, {"odd": True}, ALIGN, "ALE"),
        (63, None, {}, SHORT, "USF"),
        (63, 30, {}, SHORT, "USF"),
        (12, 10, {}, SHORT, "USF"),
        (64, None, {"error_at": 63}, CODE, "CDE"),
        (63, 30, {"error_at": 0, "odd": True}, CODE, "CDE"),
    ],
)
def test_status_at_the_end_of_the_carrier(length, damage, wire, reason, counter):
    data = bytearray(frame(length))
    if damage is not None:
        data[damage] ^= 0x10
    bench, s = receive(bytes(data), **wire)
    e = end_of(s, length, "odd" in wire)
    counters(bench, e + 40)
    bench.run(e + 80)
    assert bench.named("rx_end") == [Event(e + 1, "rx_end", 0, length | reason << 32)]
    seen = read_back(bench)
    assert seen.pop(counter) == 1
    if reason == GOOD:
        assert seen == {"ISR": ISR.pack(RCOM=1), "RSR": RSR.pack(REC=1)}
        padded = bytes(data).ljust(-(-length // 4) * 4, b"\0")
        assert bench.memory.data[BUFFER:BUFFER + len(padded)] == padded
        assert bench.word(LIST + 4) == length | 1 << 31
    else:
        assert seen == {} and not bench.named("rx_wb1") and bench.word(LIST) == BUFFER | 2
        # the last write's response is in by then or the mover waits: the end is seen in the cycle after it
        # is recorded
        drop, = bench.named("rx_drop")
        busy = [burst.done for burst in bench.memory.bursts if burst.done > e]
        assert drop == Event(max([e + 1, *busy]) + 1, "rx_drop", 0, reason)


@pytest.mark.parametrize("length", range(6))
def test_a_frame_without_an_address_is_short(length):
    bench, s = receive(b"\xff" * length)
    bench.run(s + 60)
    e = end_of(s, length)
    assert bench.named("rx_end") == [Event(e + 1, "rx_end", 0, length | SHORT << 32)]
    # OWN takes until s+4, and MOVE in s+5 waits for the end
    assert bench.named("rx_drop") == [Event(max(e + 2, s + 5), "rx_drop", 0, SHORT)]


def test_a_frame_for_somebody_else_ends_with_the_address():
    bench, s = receive(frame(64, to=b"\x02\0\0\0\0\x09"))
    counters(bench, s + 400)
    bench.run(s + 430)
    decision = complete(s, 5) + 1
    assert bench.named("rx_end") == [Event(decision, "rx_end", 0, 6 | FILTER << 32)]
    assert bench.named("rx_drop") == [Event(decision + 1, "rx_drop", 0, FILTER)]
    assert read_back(bench) == {}


@pytest.mark.parametrize(("length", "big", "ends", "damage"), [
    (1519, 0, LONG, None), (1519, 0, LONG, 7), (1536, 1, GOOD, None)])
def test_the_longest_frame(length, big, ends, damage):
    data = bytearray(frame(length))
    if damage is not None:
        data[damage] ^= 1
    bench, s = receive(bytes(data), cfg={"BIG": big})
    e = end_of(s, length)
    counters(bench, e + 60)
    bench.run(e + 90)
    limit = 1536 if big else 1518
    if ends == GOOD:
        assert bench.named("rx_end") == [Event(e + 1, "rx_end", 0, length)] and read_back(bench)["OK"] == 1
        assert bench.memory.data[BUFFER:BUFFER + length] == data
    else:
        end = complete(s, limit) + 1
        assert bench.named("rx_end") == [Event(end, "rx_end", 0, limit + 1 | LONG << 32)]
        assert read_back(bench) == ({"ELR": 1} if damage is None else {"RJB": 1})


@pytest.mark.parametrize(("fifo_words", "byte"), [(0, 31), (7, 31), (4, 19), (1, 7)])
def test_overrun_in_the_cycle_of_the_push_that_finds_no_room(fifo_words, byte):
    """The bus does not answer in time: word `fifo_words` is pushed after its last byte, and finds the level
    full."""
    bench, s = receive(frame(64), straps={"fifo_words": fifo_words}, memory={"read_latency": 400})
    counters(bench, s + 600)
    bench.run(s + 640)
    p = complete(s, byte) + 1
    assert bench.named("rx_end") == [Event(p, "rx_end", 0, byte + 1 | OVERRUN << 32)]
    own, = bench.cycles("rx_own")
    assert bench.named("rx_drop") == [Event(own + 1, "rx_drop", 0, OVERRUN)]
    assert read_back(bench) == {"ROV": 1, "ISR": ISR.pack(ROVR=1), "RSR": RSR.pack(OVR=1)}


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_the_last_cycle_in_which_a_burst_may_free_room(late):
    """Word 7 is pushed in p. The first W beat frees a word: in p-1 it helps, in p it does not.

    OWN is asked for in s+2 and answered in s+4 + latency; MOVE one later finds seven words if word 6 is in:
    the latency is chosen so that the first beat is in p-1+late.
    """
    s = START + 30
    p = complete(s, 31) + 1
    first_beat = p - 1 + late
    bench, s = receive(frame(64), memory={"read_latency": first_beat - 3 - (s + 4)})
    bench.run(p + 10)
    assert bench.cycles("rx_write")[0] == first_beat - 1
    assert bench.cycles("rx_end") == ([p] if late > 0 else [])


def test_a_last_part_word_can_overrun():
    """29 bytes: seven words fill the FIFO, the eighth is a part word pushed at the end."""
    bench, s = receive(frame(29), memory={"read_latency": 400})
    bench.run(s + 200)
    assert bench.named("rx_end") == [Event(end_of(s, 29) + 1, "rx_end", 0, 29 | OVERRUN << 32)]


def test_three_frames_in_a_row_behind_a_slow_bus():
    """Two may be open; the third is missed at its SFD, which is not when the first one's end is known but
    its release."""
    bench, s = receive(frame(16), memory={"read_latency": 500})
    gap = 2 * 24
    s2 = bench.receive(end_of(s, 16) + gap, frame(16, 2))
    s3 = bench.receive(end_of(s2, 16) + gap, frame(16, 3))
    counters(bench, s3 + 900)
    bench.run(s3 + 930)
    assert [event.cycle for event in bench.named("rx_sfd")] == [s, s2]
    assert bench.named("rx_miss") == [Event(s3, "rx_miss", 2, OVERRUN)]
    # 4 + 4 words: the second frame's last word finds room for three only
    assert [(event.index, event.data >> 32) for event in bench.named("rx_end")] == [(0, SHORT), (1, OVERRUN)]
    assert read_back(bench)["ROV"] == 2 and read_back(bench)["USF"] == 1


@pytest.mark.parametrize("offset", [-20, -1, 0, 1, 40])
def test_re_cleared_about_the_sfd(offset):
    bench, s = receive(frame(64))
    c = START + 30 + offset
    bench.write(c, "CTL", 0)
    bench.run(s + 400)
    if offset < 0:
        assert not bench.named("rx_sfd") and not bench.named("rx_miss") and not bench.named("rx_end")
    else:
        bytes_complete = max(0, (c - s - 4) // 4 + 1) if c > s + 4 else 0
        assert bench.named("rx_end") == [Event(c + 1, "rx_end", 0, bytes_complete | RE_OFF << 32)]
        assert [event.data for event in bench.named("rx_drop")] == [RE_OFF]
