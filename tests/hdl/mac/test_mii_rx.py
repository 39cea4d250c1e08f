"""The deframer: each letter of the timing specification's section 4.1, computed here from s."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hdl.mac.mii_bench import RxBench, fcs, nibbles

IDLE = (0, 0, 0)
PREFACE = [0x5] * 15 + [0xD]
LONGEST_COUNT = 2047


@pytest.fixture(scope="module")
def bench() -> RxBench:
    return RxBench()


def valid(sequence: list[int]) -> list[tuple[int, int, int]]:
    return [(1, nibble, 0) for nibble in sequence]


def tick(number: int) -> int:
    """Cycle of tick `number`."""
    return 2 * number + 1


def pattern(length: int) -> bytes:
    return bytes((11 + 73 * i) & 255 for i in range(length))


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("length", [4, 5, 6, 7, 10, 18, 63, 64, 65, 1518])
def test_every_pulse_of_a_frame(bench: RxBench, length: int, good: bool) -> None:
    body = pattern(length - 4)
    data = body + (fcs(body) if good else bytes(byte ^ 0x10 for byte in fcs(body)))
    trace = bench.run([IDLE] * 3 + valid(PREFACE + nibbles(data)))
    s = tick(3 + 15)
    e = tick(3 + 16 + 2 * length)
    assert trace.sfd == [s]
    assert trace.bytes == [(s + 4 + 4 * i + 1, byte, i + 1) for i, byte in enumerate(data)]
    assert trace.decide == [(s + 4 + 20 + 1, int.from_bytes(data[:6], "little"))] * (length >= 6)
    assert trace.eof == [(e + 1, length, good, False, False)]
    if length >= 6:
        assert trace.held == [int.from_bytes(data[:6], "little")]


@pytest.mark.parametrize("length", [0, 1, 3])
def test_runts_shorter_than_an_fcs(bench: RxBench, length: int) -> None:
    data = pattern(length)
    trace = bench.run(valid(PREFACE + nibbles(data)))
    assert [count for _, _, count in trace.bytes] == list(range(1, length + 1))
    assert trace.eof == [(tick(16 + 2 * length) + 1, length, False, False, False)]


def test_the_count_stays_at_its_maximum(bench: RxBench) -> None:
    """A frame that never ends is not a small one; the FCS is still checked for the jabber statistics."""
    body = pattern(LONGEST_COUNT + 6)
    data = body + fcs(body)
    trace = bench.run(valid(PREFACE + nibbles(data)))
    assert [count for _, _, count in trace.bytes] == [min(i + 1, LONGEST_COUNT) for i in range(len(data))]
    assert trace.eof == [(tick(16 + 2 * len(data)) + 1, LONGEST_COUNT, True, False, False)]


@pytest.mark.parametrize("good", [True, False])
def test_an_odd_nibble(bench: RxBench, good: bool) -> None:
    body = pattern(60)
    data = body + (fcs(body) if good else b"\0\0\0\0")
    trace = bench.run(valid(PREFACE + nibbles(data) + [7]))
    assert trace.eof == [(tick(16 + 129) + 1, 64, good, True, False)]
    assert len(trace.bytes) == 64


@pytest.mark.parametrize(("place", "counts"), [
    (0, False), (14, False), (15, False), (16, True), (17, True), (60, True), (143, True), (144, False)])
def test_rx_er_counts_between_sfd_and_end(bench: RxBench, place: int, counts: bool) -> None:
    body = pattern(60)
    script = valid(PREFACE + nibbles(body + fcs(body))) + [IDLE]
    dv, nibble, _ = script[place]
    script[place] = (dv, nibble, 1)
    # The next frame is not touched by it.
    script += valid(PREFACE + nibbles(body + fcs(body)))
    trace = bench.run(script)
    assert [error for *_, error in trace.eof] == [counts, False]


@pytest.mark.parametrize("head", [
    [0xD], [0x0], [0x5, 0x5, 0x4], [0x5, 0x5, 0xF, 0x5, 0xD], [0x5] * 14 + [0x6, 0xD], [0x7, 0x5, 0x5, 0xD]])
def test_junk_before_the_sfd_hides_the_frame(bench: RxBench, head: list[int]) -> None:
    body = pattern(8)
    rest = [0x5, 0x5, 0xD] + nibbles(body + fcs(body))
    trace = bench.run(valid(head + rest) + [IDLE] + valid(PREFACE + nibbles(body + fcs(body))))
    start = len(head) + len(rest) + 1
    assert trace.sfd == [tick(start + 15)]
    assert len(trace.bytes) == 12 and len(trace.eof) == 1


@pytest.mark.parametrize("preamble", [1, 2, 14, 16, 40])
def test_the_preamble_may_be_short_or_long(bench: RxBench, preamble: int) -> None:
    body = pattern(8)
    trace = bench.run(valid([0x5] * preamble + [0xD] + nibbles(body + fcs(body))))
    assert trace.sfd == [tick(preamble)]
    assert [ok for _, _, ok, _, _ in trace.eof] == [True]


def test_a_carrier_without_a_frame_says_nothing(bench: RxBench) -> None:
    trace = bench.run(valid([0x5] * 15) + [IDLE] * 3)
    assert (trace.sfd, trace.bytes, trace.eof) == ([], [], [])


def test_one_idle_nibble_between_frames(bench: RxBench) -> None:
    body = pattern(9)
    one = valid(PREFACE + nibbles(body + fcs(body))) + [IDLE]
    trace = bench.run(one * 3)
    assert trace.sfd == [tick(15 + len(one) * n) for n in range(3)]
    assert trace.eof == [(tick(len(one) * (n + 1) - 1) + 1, 13, True, False, False) for n in range(3)]


def test_skip_in_any_cycle(bench: RxBench) -> None:
    """From the cycle of the SFD on it ends the reports of the frame, before the SFD it does nothing."""
    body = pattern(6)
    data = body + fcs(body)
    one = valid(PREFACE + nibbles(data)) + [IDLE] * 2
    s, e = tick(15), tick(16 + 2 * len(data))
    later = tick(len(one) - 1) + 1
    for cycle in range(e + 4):
        trace = bench.run(one + one, skip=[cycle])
        assert trace.sfd == [s, s + 2 * len(one)]
        first = [entry for entry in trace.bytes if entry[0] <= later]
        if s <= cycle <= e:
            due = [s + 4 + 4 * i for i in range(10)]
            assert [at for at, _, _ in first] == [b + 1 for b in due if b < cycle], cycle
            assert [at for at, _ in trace.decide] == (
                [s + 25] if s + 24 < cycle else []) + [s + 25 + 2 * len(one)], cycle
            assert [at for at, *_ in trace.eof] == [e + 1 + 2 * len(one)], cycle
        else:
            assert len(first) == 10 and [at for at, *_ in trace.eof] == [e + 1, e + 1 + 2 * len(one)], cycle
        assert trace.eof[-1][2], "the next frame is whole"


def test_ignore_hides_the_frame_in_its_ticks(bench: RxBench) -> None:
    body = pattern(6)
    one = valid(PREFACE + nibbles(body + fcs(body))) + [IDLE]
    trace = bench.run(one, ignore=range(2 * len(one)))
    assert (trace.sfd, trace.eof) == ([], [])
    trace = bench.run(one, ignore=range(0, 2 * len(one), 2))
    assert len(trace.eof) == 1, "between ticks it does not count"
    trace = bench.run(one, ignore=[tick(20)])
    assert trace.eof == [(tick(20) + 1, 2, False, False, False)]


@pytest.mark.parametrize("cycles_per_tick", [1, 3, 5])
def test_time_is_counted_in_ticks(bench: RxBench, cycles_per_tick: int) -> None:
    body = pattern(20)
    data = body + fcs(body)
    trace = bench.run(valid(PREFACE + nibbles(data)), cycles_per_tick=cycles_per_tick)
    s = 16 * cycles_per_tick - 1
    e = s + (2 * len(data) + 1) * cycles_per_tick
    assert trace.sfd == [s]
    due = [s + (2 * i + 2) * cycles_per_tick for i in range(len(data))]
    assert [at for at, _, _ in trace.bytes] == [b + 1 for b in due]
    assert trace.eof == [(e + 1, len(data), True, False, False)]


_shared: list[RxBench] = []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 1, 1, 1, 1, 1, 1]), st.sampled_from([5, 5, 5, 13, 13, 0, 9]),
                          st.sampled_from([0, 0, 0, 1])), max_size=200))
def test_any_nibbles(script: list[tuple[int, int, int]]) -> None:
    """Against the reading of a whole recording, carrier event by carrier event."""
    if not _shared:
        _shared.append(RxBench())
    sfds, ends, complete = [], [], []
    position = 0
    padded = [*script, IDLE]
    while position < len(padded):
        if not padded[position][0]:
            position += 1
            continue
        stop = next(n for n in range(position, len(padded)) if not padded[n][0])
        values = [nibble for _, nibble, _ in padded[position:stop]]
        fives = next((n for n, value in enumerate(values) if value != 5), len(values))
        if 0 < fives < len(values) and values[fives] == 13:
            at = position + fives
            rest = values[fives + 1:]
            data = bytes(low | high << 4 for low, high in zip(rest[::2], rest[1::2], strict=False))
            sfds.append(tick(at))
            complete += [(tick(at + 2 + 2 * i) + 1, byte, i + 1) for i, byte in enumerate(data)]
            ends.append((tick(stop) + 1, len(data), len(data) >= 4 and fcs(data[:-4]) == data[-4:],
                         len(rest) % 2 == 1, any(error for _, _, error in padded[at + 1:stop])))
        position = stop
    trace = _shared[0].run(script)
    assert (trace.sfd, trace.bytes, trace.eof) == (sfds, complete, ends)
