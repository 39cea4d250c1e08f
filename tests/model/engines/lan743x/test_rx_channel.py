"""From the wire into a ring, by section 4 of the specification, on a bus that answers at once: an address in
a, words from a+1 on, B in the cycle after the last word."""

from collections import deque
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.lan743x.events import Kind, Reason
from model.engines.lan743x.rx_channel import RxChannel
from tests.model.engines.lan743x.play import BUFFERS, OWN, RX_RING, Bench, ethernet

CALM = settings(deadline=None, max_examples=200)
FS, LS, EXT = 1 << 31, 1 << 30, 1 << 14
RX_EVENTS = (Kind.RX_SFD, Kind.RX_END, Kind.RX_OWN, Kind.RX_WRITE, Kind.RX_WB, Kind.RX_DONE)


def ends(bench):
    """(frame length, reason) of each frame."""
    return [(data & 0xFFFFFFFF, Reason(data >> 32 & 0xFF)) for _, _, data in bench.events(Kind.RX_END)]


def received(frames, gaps=12, cycles=None, bench=None, **ring):
    bench = bench or Bench(frames, gaps)
    bench.receive_ring(**ring)
    bench.listen()
    bench.play()
    bench.run(cycles or sum(map(len, frames)) + 100 * len(frames) + 200)
    return bench


def at(bench, number=0):
    """Bytes of the buffer `number`."""
    return bench.mem[bench.buffer(number):bench.buffer(number + 1)].tobytes()


def entry(bench, index):
    return tuple(bench.word(RX_RING + 16 * index + 4 * n) for n in range(4))


def test_a_frame_cycle_by_cycle():
    frame = ethernet(66)
    bench = received([frame], PAD=2)
    kinds = [(kind, *event) for kind in RX_EVENTS for event in bench.events(kind)]
    s = kinds[0][1]
    decided = s + 1 + 66 + 1
    x = decided + 1
    m = x + 2              # CHECK in x+1
    w = m + 2
    d = w + 1 + 17 + 1     # 66 bytes from 2 on are 17 words
    z = d + 1
    last = z + 1 + 4 + 1   # granted in z, address in z+1, four words, B
    assert kinds == [
        (Kind.RX_SFD, s, 0, 0), (Kind.RX_END, decided, 0, 66),
        (Kind.RX_OWN, x + 1, 0, OWN | 1600), (Kind.RX_WRITE, w + 1, 0, BUFFERS + 2 | 66 << 32),
        (Kind.RX_WB, z + 1, 0, FS | LS | 66 << 16 | 1600), (Kind.RX_DONE, last, 0, 66)]
    assert at(bench)[:70] == b"\0\0" + frame + b"\0\0"
    assert entry(bench, 0) == (FS | LS | 66 << 16 | 1600, 0, 0, 0)
    assert bench.read("RX0_HEAD") == 1


@pytest.mark.parametrize(("length", "reason"), [(63, Reason.SHORT), (64, Reason.GOOD), (1518, Reason.GOOD),
                                                (1519, Reason.LONG)])
def test_lengths(length, reason):
    frame = ethernet(length) if length > 63 else ethernet(64)[:length]
    assert ends(received([frame])) == [(length, reason)]


def test_the_first_reason_that_applies():
    """Without the enabled FIFO; RX_ER, too short, wrong FCS, not for us."""
    short, wrong, far = ethernet(64)[:40], ethernet(64)[:-1] + b"\0", ethernet(64, bytes(6))
    bench = Bench([short, short, wrong, far, ethernet(64)], spoilt=(0,))
    bench.write("RFE_ADDR_FILT_LO0", 2)
    bench.write("RFE_ADDR_FILT_HI0", ADDRESS=0x0100, VALID=1)
    bench.listen(DA_PERFECT=1)
    bench.play()
    bench.run(600)
    assert [reason for _, reason in ends(bench)] == [Reason.CODE, Reason.SHORT, Reason.CRC, Reason.FILTER,
                                                     Reason.FCT_OFF]


def test_without_rxen_at_the_sfd_a_frame_is_ignored():
    bench = Bench([ethernet()] * 2)
    bench.write("RFE_CTL", AU=1)
    start = bench.play()
    s = start + 1 + 12 + 8
    bench.write("MAC_RX", RXEN=1, MAX_SIZE=1518, at=s)
    bench.run(300)
    assert bench.events(Kind.RX_SFD) == [(s + 64 + 12 + 8, 0, 0)], "seen one cycle later only"


def test_a_frame_over_several_entries():
    """PAD counts in the first buffer only; the last entry has the length."""
    frame = ethernet(300)
    bench = received([frame], buffer=128, PAD=2)
    assert [data for _, _, data in bench.events(Kind.RX_WB)] == [
        FS | 128, 128, LS | 300 << 16 | 128]
    assert at(bench, 0)[:128] == bytes(2) + frame[:126]
    assert at(bench, 1)[:128] == frame[126:254]
    assert at(bench, 2)[:128] == frame[254:].ljust(128, b"\0")
    assert bench.cycles(Kind.RX_OWN)[1] == bench.cycles(Kind.RX_WB)[0] + 4 + 1 + 1 + 1, "B, NEXT, CHECK"


@pytest.mark.parametrize(("long_bursts", "size"), [(1, 512), (0, 128)])
def test_bursts_end_at_multiples_of_their_size(long_bursts, size):
    frame = ethernet(1200)
    bench = Bench([frame])
    bench.receive_ring(PAD=2)
    bench.write("RX0_CFG_B", RING_LEN=8, PAD=2, RDMABL_512=long_bursts)
    bench.listen()
    bench.play()
    bench.run(2000)
    bursts = [(data & 0xFFFFFFFF, data >> 32) for _, _, data in bench.events(Kind.RX_WRITE)]
    begin, end = BUFFERS + 2, BUFFERS + 2 + 1200
    cuts = [begin, *range(begin // size * size + size, end, size), end]
    assert bursts == [(one, two - one) for one, two in pairwise(cuts)]
    assert at(bench)[2:1202] == frame
    steps = [later - earlier for earlier, later in pairwise(bench.cycles(Kind.RX_WRITE))]
    words = [-(-(two - one // 4 * 4) // 4) for one, two in pairwise(cuts)]
    assert steps == [count + 1 + 1 + 1 for count in words[:-1]], "words, B, grant, address"


def test_whole_buffers_are_written_with_zeros():
    bench = Bench([ethernet(64)], write_whole_buffer=1)
    bench.mem[BUFFERS:BUFFERS + 0x800] = 0xEE
    received([ethernet(64)], bench=bench, buffer=256)
    assert at(bench)[:256] == ethernet(64) + bytes(192) and set(at(bench)[256:]) == {0xEE}


def test_every_second_frame_leaves_four_bytes_to_one_more_entry():
    bench = received([ethernet(64, fill=n) for n in range(4)], bench=Bench(
        [ethernet(64, fill=n) for n in range(4)], gaps=60, extra_buffer=2))
    assert [data for _, _, data in bench.events(Kind.RX_WB)] == [
        FS | LS | 64 << 16 | 1600, FS | 1600, LS | 64 << 16 | 1600] * 2
    assert at(bench, 1)[:64] == ethernet(64, fill=1)[:60] + bytes(4)
    assert at(bench, 2)[:4] == ethernet(64, fill=1)[60:]


@pytest.mark.parametrize(("all_frames", "in_entries"), [(0, 1), (1, 0), (1, 1)])
def test_an_extension_entry_if_all_frames_are_stamped(all_frames, in_entries):
    bench = received([ethernet(64)], TS_ALL_RX=all_frames, TS_DESCR_EN=in_entries)
    expected = [FS | LS | 64 << 16 | 1600 | (EXT if all_frames else 0)] + [EXT | 1600] * all_frames
    assert [data & 0xFFFFFFFF for _, _, data in bench.events(Kind.RX_WB)] == expected
    assert len(bench.cycles(Kind.RX_DONE)) == 1 and bench.read("RX0_HEAD") == 1 + all_frames


def test_starved_once_for_each_entry_taken():
    bench = received([ethernet(64, fill=n) for n in range(3)], gaps=100, ring=4, tail=1)
    done = bench.cycles(Kind.RX_DONE)
    assert len(done) == 1
    second_decided = bench.cycles(Kind.RX_END)[1]
    assert bench.events(Kind.RX_STARVED) == [(second_decided + 1, 1, 0)]
    c = bench.write("RX0_TAIL", INDEX=2)
    bench.run(100)
    assert bench.cycles(Kind.RX_PREFETCH)[1] == c + 2
    (_, (again, head, _)) = bench.events(Kind.RX_STARVED)
    assert (again, head) == (bench.cycles(Kind.RX_DONE)[1] + 1, 2)
    bench.write("RX0_TAIL", INDEX=3)
    bench.run(100)
    assert len(bench.cycles(Kind.RX_DONE)) == 3


def test_starved_in_the_midst_of_a_frame():
    bench = received([ethernet(300)], ring=4, tail=1, buffer=128)
    last_word = bench.cycles(Kind.RX_WB)[0] + 5
    assert bench.events(Kind.RX_STARVED) == [(last_word + 1, 1, 0)]


def test_the_head_can_come_before_the_entry():
    """HEAD moves in z, the entry is requested from z+64 on."""
    bench = received([ethernet(64)], bench=Bench([ethernet(64)], head_wb_early=1), cycles=400,
                     a={"PF_THRES": 16, "HP_WB_EN": 1, "WB_THRES": 1})
    written = bench.cycles(Kind.RX_WRITE)[0] + 16 + 1
    z = written + 1
    assert bench.events(Kind.RX_HEAD) == [(z + 1 + 2, 0, 1)]
    assert bench.cycles(Kind.RX_WB) == [z + 64 + 1]


# The FIFO.

@CALM
@given(length=st.integers(1, 80), used=st.integers(0, 40), capacity=st.integers(1, 45),
       frees=st.lists(st.tuples(st.integers(-20, 90), st.integers(1, 12)), max_size=4))
def test_the_overflow_is_that_of_a_fifo_looked_at_in_every_cycle(length, used, capacity, frees):
    """`used` is what is held in the end; before each of `frees`, which come in order, it was so much more."""
    s = 1000
    end = s + 1 + length + 1
    frees = sorted((s + later, words) for later, words in frees if s + later <= end)
    full = False
    pushed = 0
    for cycle in range(s, end + 1):
        last = cycle == end and pushed < -(-length // 4)
        whole = cycle >= s + 5 and (cycle - s - 5) % 4 == 0 and pushed < length // 4
        if whole or last:
            held = used + sum(words for since, words in frees if since > cycle)
            full |= held + pushed >= capacity
            pushed += 1
    assert pushed == -(-length // 4)
    channel = SimpleNamespace(used=used, frees=deque(frees), capacity_words=capacity,
                              _push_cycle=RxChannel._push_cycle)
    assert RxChannel.overflows(channel, s, end, length) == full


def test_a_fifo_that_nobody_empties():
    """1 KiB are 256 words: fifteen frames of 64 bytes, of 16 words, and one more."""
    bench = Bench([ethernet(64)] * 18, rx_fifo_kib=1)
    bench.receive_ring(start=False)
    bench.listen()
    bench.play()
    bench.run(1800)
    assert [reason for _, reason in ends(bench)] == [Reason.GOOD] * 16 + [Reason.OVERFLOW] * 2
    bench.write("DMAC_CMD", START_R=1)
    bench.run(1000)
    assert len(bench.cycles(Kind.RX_DONE)) == 7
