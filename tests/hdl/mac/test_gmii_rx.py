"""The GMII deframer: every pulse, computed here from s and e."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hdl.mac.gmii_bench import IDLE, PREFACE, RxBench, Wire, fcs, pattern, valid


@pytest.fixture(scope="module")
def bench() -> RxBench:
    return RxBench()


def address(data: bytes) -> int:
    return int.from_bytes(data[:6], "little")


@pytest.mark.parametrize("length", [1, 5, 6, 7, 14, 60, 100])
@pytest.mark.parametrize("preamble", [1, 7, 20])
def test_every_pulse_of_a_frame(bench: RxBench, length: int, preamble: int) -> None:
    body = pattern(length)
    data = body + fcs(body)
    trace = bench.run([IDLE] * 3 + valid(b"\x55" * preamble + b"\xd5" + data))
    s = 3 + preamble
    e = s + 1 + len(data)
    assert trace.sfd == [s]
    assert trace.bytes == [(s + 2 + i, byte, i + 1) for i, byte in enumerate(data)]
    assert trace.decide == ([(s + 7, address(data))] if len(data) >= 6 else [])
    assert trace.eof == [(e + 1, len(data), True, False)]


def test_results_stay_until_the_next_sfd(bench: RxBench) -> None:
    """With the shortest pause there can be: a cycle without RX_DV and a byte of preamble."""
    first, second = pattern(20), pattern(9, 3)
    start = valid(b"\x55\xd5" + first + fcs(first))
    trace = bench.run([*start, IDLE, *valid(b"\x55\xd5" + second)])
    e = len(start)
    assert trace.sfd == [1, e + 2]
    assert trace.held[1] == (address(first), 24, True, False)
    assert trace.eof == [(e + 1, 24, True, False), (e + 3 + len(second) + 1, 9, False, False)]
    assert trace.bytes[24][2] == 1, "counted from the start again"


def test_a_frame_without_bytes(bench: RxBench) -> None:
    trace = bench.run([*valid(PREFACE), IDLE, IDLE, *valid(PREFACE + b"\x01"), IDLE])
    assert (trace.sfd, trace.decide) == ([7, 17], [])
    assert trace.bytes == [(19, 1, 1)]
    assert trace.eof == [(9, 0, False, False), (20, 1, False, False)]


@pytest.mark.parametrize("start", [b"\xd5", b"\x55\x57\xd5", b"\x54\x55\xd5", b"\x55\x55\x5d\x55\xd5",
                                   b"\x00"])
def test_what_is_no_preamble_hides_the_rest(bench: RxBench, start: bytes) -> None:
    body = pattern(8)
    trace = bench.run([*valid(start + PREFACE + body), IDLE, *valid(b"\x55\xd5" + body)])
    first = len(start) + len(PREFACE) + len(body) + 1
    assert trace.sfd == [first + 1]
    assert [count for _, _, count in trace.bytes] == list(range(1, 9))
    assert len(trace.eof) == 1


def test_a_preamble_that_breaks_off(bench: RxBench) -> None:
    trace = bench.run([*valid(b"\x55\x55"), IDLE, (0, 0xD5, 0), *valid(b"\xd5\x55\xd5"), IDLE,
                       *valid(b"\x55\xd5")])
    assert (trace.sfd, trace.eof) == ([9], [(11, 0, False, False)])


@pytest.mark.parametrize("at", range(12))
def test_error_counts_between_sfd_and_end(bench: RxBench, at: int) -> None:
    script = [*valid(b"\x55\x55\xd5" + pattern(5)), *[IDLE] * 4]
    script[at] = (*script[at][:2], 1)
    assert bench.run(script).eof == [(9, 5, False, 3 <= at < 8)]


def test_the_error_of_a_frame_is_its_own(bench: RxBench) -> None:
    one = valid(b"\x55\xd5" + pattern(4))
    marked = [*one[:3], (*one[3][:2], 1), *one[4:]]
    assert [error for *_, error in bench.run([*marked, IDLE, *one, IDLE, *marked]).eof] == [True, False, True]


@pytest.mark.parametrize("bit", [0, 7, 100, 511, 512, 543])
def test_a_wrong_bit(bench: RxBench, bit: int) -> None:
    body = pattern(64)
    data = bytearray(body + fcs(body))
    data[bit // 8] ^= 1 << bit % 8
    (result,) = bench.run(valid(PREFACE + data)).eof
    assert result[1:] == (68, False, False)


def test_the_count_stays_at_its_maximum(bench: RxBench) -> None:
    body = bytes(16400)
    trace = bench.run(valid(PREFACE + body + fcs(body)))
    assert [count for _, _, count in trace.bytes] == [min(i + 1, 16383) for i in range(16404)]
    assert trace.eof == [(8 + 16404 + 1, 16383, True, False)]
    assert len(trace.decide) == 1


def test_skip_in_any_cycle(bench: RxBench) -> None:
    """Nothing of the frame after it; between frames it has no effect."""
    body = pattern(6)
    data = body + fcs(body)
    one = [*valid(PREFACE + data), IDLE]
    s, e = 7, 18
    for cycle in range(e + 3):
        trace = bench.run([*one, *one], skip=[cycle])
        skipped = s <= cycle <= e
        first = [at for at, _, _ in trace.bytes if at <= e]
        due = [s + 1 + i for i in range(10)]
        assert first == [b + 1 for b in due if not skipped or b < cycle], cycle
        assert [at for at, *_ in trace.eof] == [e + 1] * (not skipped) + [e + 1 + len(one)], cycle
        assert [at for at, _ in trace.decide] == (
            [s + 7] * (not skipped or s + 6 < cycle) + [s + 7 + len(one)]), cycle
        assert trace.eof[-1][1:] == (10, True, False), "the next frame is whole"


_shared: list[RxBench] = []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 1, 1, 1, 1, 1]),
                          st.sampled_from([0x55, 0x55, 0x55, 0xD5, 0xD5, 0, 0x5D]),
                          st.sampled_from([0, 0, 0, 1])), max_size=150))
def test_any_bytes(script: list[Wire]) -> None:
    """Against the reading of a whole recording, carrier event by carrier event."""
    if not _shared:
        _shared.append(RxBench())
    sfds, ends, received = [], [], []
    position = 0
    padded = [*script, IDLE]
    while position < len(padded):
        if not padded[position][0]:
            position += 1
            continue
        stop = next(n for n in range(position, len(padded)) if not padded[n][0])
        values = bytes(byte for _, byte, _ in padded[position:stop])
        preamble = len(values) - len(values.lstrip(b"\x55"))
        if preamble and values[preamble:preamble + 1] == b"\xd5":
            s = position + preamble
            data = values[preamble + 1:]
            sfds.append(s)
            received += [(s + 2 + i, byte, i + 1) for i, byte in enumerate(data)]
            ends.append((stop + 1, len(data), len(data) >= 4 and fcs(data[:-4]) == data[-4:],
                         any(error for _, _, error in padded[s + 1:stop])))
        position = stop
    trace = _shared[0].run(script)
    assert (trace.sfd, trace.bytes, trace.eof) == (sfds, received, ends)
