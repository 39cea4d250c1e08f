"""The framer in half duplex: deferral, collision, jam, backoff (timing specification, section 3.4)."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hdl.mac.mii_bench import Frame, TxBench, first_tick, nibbles, odd_tick

GAP = 48
SLOT = 256
PREFACE = [0x5] * 15 + [0xD]
JAM = [0x5] * 8
T = 1
"""Start tick of the first frame."""


@pytest.fixture(scope="module")
def bench() -> TxBench:
    return TxBench()


@pytest.fixture(scope="module")
def short_slots() -> TxBench:
    """Slots of two ticks: sixteen collisions take 20,000 cycles instead of more than a million."""
    return TxBench(slot_ticks=2)


def backoff_slots(collisions: int) -> list[int]:
    """Slots after each of the first `collisions` collisions since reset, one step at a time."""
    state, slots = 0xACE1, []
    for number in range(1, collisions + 1):
        for _ in range(16):
            stages = {n: state >> (n - 1) & 1 for n in (16, 15, 13, 4)}
            state = (state << 1 | stages[16] ^ stages[15] ^ stages[13] ^ stages[4]) & 0xFFFF
        slots.append(state % (1 << min(number, 10)))
    return slots


def test_a_collision_at_every_nibble(bench: TxBench) -> None:
    data = bytes(range(1, 4))
    frame = Frame(data, ncrc=True)
    end = T + 32 + 4 * len(data)
    slots = backoff_slots(1)[0]
    plan = PREFACE + nibbles(data)
    for col in range(T, end + 3):
        trace = bench.run([frame], 700, duplex=False, col=[col])
        if not odd_tick(col) or not T + 2 <= col <= end:
            assert (trace.at["hit"], trace.at["jam"], trace.at["done"]) == ([], [], [end]), col
            continue
        jam = max(col, T + 32)
        fall = jam + 16
        assert (trace.at["hit"], trace.at["jam"]) == ([col], [jam]), col
        assert trace.at["collision"] == trace.at["retry"] == [fall], col
        assert trace.status[fall]["collisions"] == 1
        taken = [T + 32 + 4 * i for i in range(len(data)) if T + 32 + 4 * i < jam]
        again = max(fall + GAP, fall + slots * SLOT)
        assert trace.at["take"] == taken + [again + 32 + 4 * i for i in range(len(data))], col
        assert trace.at["sfd"] == [T + 30, again + 30]
        assert trace.at["began"] == [T, again], col
        assert trace.at["done"] == [again + 32 + 4 * len(data)]
        status = trace.status[again + 32 + 4 * len(data)]
        assert (status["whole"], status["collisions"], status["crc"]) == (1, 1, zlib.crc32(data))
        sequence = plan[:(jam - T) // 2] + JAM
        wire = [nibble for nibble in sequence for _ in range(2)]
        assert trace.wire[T + 1:fall + 1] == wire and trace.wire[fall + 1] is None, col


def test_col_in_several_ticks_of_the_preamble_jams_once(bench: TxBench) -> None:
    cols = [T + 4, T + 6, T + 32, T + 40, T + 48]
    trace = bench.run([Frame(b"abc")], 200, duplex=False, col=cols)
    assert (trace.at["hit"], trace.at["jam"], trace.at["collision"]) == ([T + 4, T + 6], [T + 32], [T + 48])


def test_full_duplex_knows_neither_carrier_nor_collision(bench: TxBench) -> None:
    frame = Frame(b"abc", ncrc=True)
    end = T + 32 + 12
    trace = bench.run([frame, frame], 200, crs=lambda cycle: True, col=range(200))
    assert trace.at["began"] == [T, end + GAP]
    assert (trace.at["hit"], trace.at["jam"]) == ([], [])
    assert all(trace.status[cycle]["deferred"] == trace.status[cycle]["no_carrier"] == 0
               for cycle in trace.at["done"])


@pytest.mark.parametrize(("offset", "late"), [(254, False), (256, True), (258, True), (400, True)])
def test_a_late_collision_releases_the_frame(bench: TxBench, offset: int, late: bool) -> None:
    frame, following = Frame(bytes(120)), Frame(b"z", ncrc=True)
    fall = T + offset + 16
    trace = bench.run([frame, following], fall + 400, duplex=False, col=[T + offset])
    assert trace.at["collision"] == [fall]
    assert (trace.at["done"][:1] == [fall]) is late
    assert (trace.at["retry"] == []) is late
    if late:
        status = trace.status[fall]
        assert (status["late"], status["excess"], status["whole"], status["collisions"]) == (1, 0, 0, 1)
        # The next frame has no collisions yet and waits only for the gap.
        assert trace.at["began"][1] == fall + GAP
        assert trace.status[trace.at["done"][1]]["collisions"] == 0


def test_backoff_of_three_collisions_at_full_slots(bench: TxBench) -> None:
    frame = Frame(b"hello", ncrc=True)
    starts, slots = [T], backoff_slots(3)
    for number in range(3):
        fall = starts[-1] + 32 + 16
        starts.append(max(fall + GAP, fall + slots[number] * SLOT))
    trace = bench.run([frame], starts[-1] + 100, duplex=False, col=[t + 2 for t in starts[:3]])
    assert trace.at["began"] == starts
    assert trace.status[trace.at["done"][0]]["collisions"] == 3


def test_sixteen_collisions(short_slots: TxBench) -> None:
    frames = [Frame(b"hello", ncrc=True), Frame(b"next", ncrc=True)]
    slots, starts = backoff_slots(17), [T]
    for number in range(15):
        fall = starts[-1] + 48
        starts.append(max(fall + GAP, fall + slots[number] * 4))
    last = starts[-1] + 48
    second = last + GAP
    third = max(second + 48 + GAP, second + 48 + (slots[16] & 1) * 4)
    trace = short_slots.run(frames, third + 100, duplex=False, col=[t + 2 for t in [*starts, second]])
    assert trace.at["began"] == [*starts, second, third]
    assert trace.at["collision"] == [t + 48 for t in [*starts, second]]
    assert [trace.status[t + 48]["collisions"] for t in starts] == list(range(1, 17))
    assert trace.at["done"][0] == last and last not in trace.at["retry"]
    assert (trace.status[last]["excess"], trace.status[last]["late"]) == (1, 0)
    # The second frame counts from one again; the register goes on (17th step of sixteen).
    assert trace.status[second + 48]["collisions"] == 1
    assert trace.status[trace.at["done"][1]]["whole"] == 1


@pytest.mark.parametrize("delay", [400, 401])
def test_the_next_attempt_waits_for_the_frame_to_be_ready(bench: TxBench, delay: int) -> None:
    fall = T + 48
    assert backoff_slots(1)[0] * SLOT < delay
    trace = bench.run([Frame(b"abc", ncrc=True, delay=delay)], fall + 800, duplex=False, col=[T + 2])
    assert trace.at["began"] == [T, first_tick(fall + 1 + delay)]


@pytest.mark.parametrize("how", ["forget", "te"])
def test_a_dropped_frame_takes_its_backoff_along(how: str, short_slots: TxBench) -> None:
    frames = [Frame(b"abc", ncrc=True), Frame(b"next", ncrc=True)]
    slots, starts = backoff_slots(10), [T]
    number = next(n for n, r in enumerate(slots) if r * 4 > 200)
    for r in slots[:number]:
        starts.append(max(starts[-1] + 48 + GAP, starts[-1] + 48 + r * 4))
    drop = starts[-1] + 48 + 100
    options = {"forget": [drop]} if how == "forget" else {"te": lambda cycle: not drop <= cycle < drop + 2}
    trace = short_slots.run(frames, drop + 300, duplex=False, col=[t + 2 for t in starts], **options)
    resumed = drop + (1 if how == "forget" else 2)
    assert trace.at["began"][:len(starts) + 1] == [*starts, first_tick(resumed)]
    assert trace.status[trace.at["done"][0]]["collisions"] == 0


@pytest.mark.parametrize("until", [1, 2, 3, 20, 21, 50])
@pytest.mark.parametrize("ready", [0, 30, 90, 200])
def test_deferring(bench: TxBench, until: int, ready: int) -> None:
    """CRS is up in cycles 0 .. until: the gap counts from the last tick with it."""
    trace = bench.run([Frame(b"abc", ncrc=True)], 400, ready=ready, duplex=False,
                      crs=lambda cycle: cycle <= until)
    carrier = until if odd_tick(until) else until - 1
    start = max(carrier + GAP, first_tick(ready))
    assert trace.at["began"] == [start]
    end = start + 32 + 12
    assert trace.status[end]["deferred"] == (first_tick(ready) < carrier + GAP)
    assert trace.status[end]["no_carrier"] == 1


def test_carrier_at_the_start_tick_holds_the_frame(bench: TxBench) -> None:
    trace = bench.run([Frame(b"abc", ncrc=True)], 200, ready=11, duplex=False, crs=lambda cycle: cycle == 11)
    assert trace.at["began"] == [11 + GAP]


def test_carrier_between_ticks_is_not_seen(bench: TxBench) -> None:
    trace = bench.run([Frame(b"abc", ncrc=True)], 200, ready=11, duplex=False,
                      crs=lambda cycle: not odd_tick(cycle))
    assert trace.at["began"] == [11]


def test_carrier_after_a_frame_restarts_the_gap(bench: TxBench) -> None:
    frame = Frame(b"abc", ncrc=True)
    end = T + 32 + 12
    trace = bench.run([frame, frame, frame], 500, duplex=False, crs=lambda cycle: T < cycle <= end + 4)
    assert trace.at["began"][1] == end + 4 + GAP
    done = trace.at["done"]
    assert [trace.status[cycle]["deferred"] for cycle in done] == [0, 1, 0]


@pytest.mark.parametrize("gone", [None, 30, 32, 34, 40, 44, 45, 46])
def test_carrier_sense_error(bench: TxBench, gone: int | None) -> None:
    """One tick of T_0 .. F without CRS is enough."""
    end = T + 32 + 12
    trace = bench.run([Frame(b"abc", ncrc=True)], 120, duplex=False,
                      crs=lambda cycle: cycle > T and (gone is None or cycle != T + gone))
    inside = gone is not None and 32 <= gone <= 44 and gone % 2 == 0
    assert trace.at["done"] == [end]
    assert trace.status[end]["no_carrier"] == inside


def test_a_missing_carrier_is_forgotten_with_its_frame(bench: TxBench) -> None:
    frame = Frame(b"abc", ncrc=True)
    end = T + 32 + 12
    second = end + GAP
    trace = bench.run([frame, frame], 200, duplex=False, crs=lambda cycle: cycle > second)
    assert trace.at["done"] == [end, second + 32 + 12]
    assert [trace.status[cycle]["no_carrier"] for cycle in trace.at["done"]] == [1, 0]


def test_a_bus_error_at_the_end_wins_over_a_collision_there(bench: TxBench) -> None:
    """With COL up in F the frame does not end there, so that F is no release and the cut takes effect."""
    end = T + 32 + 12
    trace = bench.run([Frame(b"abc", ncrc=True)], end + 30, duplex=False, abort=[end], col=[end])
    assert (trace.at["cut"], trace.at["done"], trace.at["hit"]) == ([end], [end], [])
    assert (trace.status[end]["aborted"], trace.status[end]["whole"]) == (1, 0)


cycles_in_a_frame = st.integers(0, 420)


@settings(max_examples=60, deadline=None)
@given(length=st.integers(1, 75), ncrc=st.booleans(), starve=st.none() | st.integers(0, 74),
       off=st.none() | st.integers(T + 1, 420), abort=st.none() | cycles_in_a_frame,
       cols=st.lists(cycles_in_a_frame, max_size=3, unique=True))
def test_what_comes_first_ends_the_frame(length: int, ncrc: bool, starve: int | None, off: int | None,
                                         abort: int | None, cols: list[int]) -> None:
    """TE, bus error, collision, underrun and the regular end against each other, in any cycle."""
    never = 10_000
    starve = starve if starve is not None and starve < length else None
    body = starve if starve is not None else length if ncrc else max(length, 60)
    end = T + 32 + 4 * (body + 4 * (starve is not None or not ncrc))
    off_at = first_tick(off) if off is not None else never
    error_at = first_tick(abort) if abort is not None and abort > T else never
    ticks = sorted(col for col in cols if odd_tick(col) and T + 2 <= col <= end)
    cut = min(off_at, error_at)
    hits = [col for col in ticks if col < cut]
    jam = end_jam = never
    if hits and hits[0] <= end:
        jam = max(hits[0], T + 32)
        end_jam = jam + 16
    plain_end = end if jam == never and end not in ticks else never
    stop = min(off_at, error_at, end_jam, plain_end)
    if stop == off_at:
        cause = "te"
    elif stop == plain_end:
        cause = "end"
    elif stop == error_at:
        cause = "abort"
    else:
        cause = "collision"

    frame = Frame(bytes(range(length)), ncrc, starve)
    trace = shared().run(
        [frame], stop + 3, duplex=False, col=cols, abort=[] if abort is None else [abort],
        te=lambda cycle: off is None or not off <= cycle < off + 2)
    assert trace.at["began"] == [T]
    # Hits after the jam has begun do not count.
    assert trace.at["hit"] == [col for col in hits if col <= T + 30 or col == jam]
    assert trace.at["jam"] == [jam] * (jam < min(stop, off_at, error_at))
    due = never if starve is None else T + 32 + 4 * starve
    assert trace.at["underrun"] == [due] * (due < min(stop, jam))
    limit = min(stop, jam)
    assert trace.at["take"] == [c for i in range(length if starve is None else starve)
                                if (c := T + 32 + 4 * i) < limit]
    assert trace.at["cut"] == [stop] * (cause in ("te", "abort"))
    assert trace.at["collision"] == [stop] * (cause == "collision")
    late = cause == "collision" and hits[0] >= T + 256
    assert trace.at["done"] == [stop] * (cause in ("end", "abort") or late)
    assert trace.wire[stop] is not None and trace.wire[stop + 1] is None
    status = trace.status[stop]
    assert status["whole"] == (cause == "end" and starve is None)
    assert status["starved"] == (cause == "end" and starve is not None)
    assert status["late"] == late
    assert status["aborted"] == (cause == "abort")
    assert status["count"] == len([i for i in range(body) if T + 32 + 4 * i < limit])
    sent = frame.data[:starve].ljust(body, b"\0")[:status["count"]]
    assert status["crc"] == zlib.crc32(sent)


_shared: list[TxBench] = []


def shared() -> TxBench:
    """One bench for all examples: hypothesis and function fixtures do not mix."""
    if not _shared:
        _shared.append(TxBench())
    return _shared[0]
