"""From a ring onto the wire, by section 5 of the specification, on a bus that answers at once."""

from itertools import pairwise
from zlib import crc32

import pytest

from model.bus import BusTiming
from model.engines.lan743x.events import Kind
from tests.model.engines.lan743x.play import DATA, TX_RING, Bench

GAP, PREAMBLE, FCS = 12, 8, 4
TX_EVENTS = (Kind.TX_PREFETCH, Kind.TX_DESC, Kind.TX_FETCH, Kind.TX_FILL, Kind.TX_SFD, Kind.TX_DONE)


def sending(*entries, bench=None, cycles=600, tail=None, **ring):
    """Entries as keywords of `Bench.outgoing`, their data from a pattern. Returns (bench, c of the tail)."""
    bench = bench or Bench()
    bench.mem[DATA:DATA + 0x8000] = [n * 7 & 0xFF for n in range(0x8000)]
    bench.transmit_ring(**ring)
    for n, fields in enumerate(entries):
        bench.outgoing(n, **fields)
    c = bench.write("TX0_TAIL", INDEX=len(entries) if tail is None else tail)
    bench.run(cycles)
    return bench, c


def content(address, length):
    return bytes((address - DATA + n) * 7 & 0xFF for n in range(length))


def sent(bench):
    """(CRC of the bytes before the FCS, their number) of each frame."""
    return [(data & 0xFFFFFFFF, data >> 32) for _, _, data in bench.events(Kind.TX_DONE)]


def test_a_frame_cycle_by_cycle():
    bench, c = sending({"length": 61, "address": DATA + 2})
    seen = [(kind, *event) for kind in TX_EVENTS for event in bench.events(kind)]
    desc = c + 2 + 4
    x = desc + 1
    w = x + 2
    fill = w + 1 + 16      # bytes 2..62 of 16 words
    t = fill + 1
    f = t + PREAMBLE + 61 + FCS
    assert seen == [
        (Kind.TX_PREFETCH, c + 2, 0, TX_RING | 1 << 32), (Kind.TX_DESC, desc, 0, 1),
        (Kind.TX_FETCH, w + 1, 0, DATA + 2 | 61 << 32), (Kind.TX_FILL, fill, 0, 0),
        (Kind.TX_SFD, t + 7, 0, 0), (Kind.TX_DONE, f, 0, crc32(content(DATA + 2, 61)) | 61 << 32)]
    for name, at_f, behind in (("TX0_HEAD", 0, 1), ("DMAC_INT_STS", 0, 1)):
        bench, _ = sending({"length": 61, "address": DATA + 2}, cycles=1)
        assert [bench.read(name, cycle) for cycle in (f, f + 1)] == [at_f, behind]


@pytest.mark.parametrize(("length", "fcs", "counted", "wire"), [
    (14, 1, 60, 64), (59, 1, 60, 64), (60, 1, 60, 64), (61, 1, 61, 65), (14, 0, 14, 14), (64, 0, 64, 64)])
def test_padding_and_fcs(length, fcs, counted, wire):
    bench, _ = sending({"length": length, "FCS": fcs})
    body = content(DATA, length)
    assert sent(bench) == [(crc32(body.ljust(counted, b"\0")), counted)]
    assert bench.cycles(Kind.TX_DONE)[0] - bench.cycles(Kind.TX_SFD)[0] == 1 + wire


def test_frames_follow_after_the_gap():
    bench, _ = sending(*({"length": 60 + n, "address": DATA + 64 * n} for n in range(4)))
    starts, ends = bench.cycles(Kind.TX_SFD), bench.cycles(Kind.TX_DONE)
    assert [start - 7 - end for start, end in zip(starts[1:], ends, strict=False)] == [GAP] * 3
    assert [index for _, index, _ in bench.events(Kind.TX_DONE)] == [0, 1, 2, 3]


@pytest.mark.parametrize(("long_bursts", "size"), [(1, 512), (0, 128)])
def test_bursts_end_at_multiples_of_their_size(long_bursts, size):
    begin, length = DATA + 34, 1200
    bench, _ = sending({"length": length, "address": begin}, cycles=2000, TDMABL_512=long_bursts,
                       bench=Bench(bus=BusTiming(outstanding=16), tags=15))
    cuts = [begin, *range(begin // size * size + size, begin + length, size), begin + length]
    assert [(data & 0xFFFFFFFF, data >> 32) for _, _, data in bench.events(Kind.TX_FETCH)] == [
        (one, two - one) for one, two in pairwise(cuts)]
    assert {later - earlier for earlier, later in pairwise(bench.cycles(Kind.TX_FETCH))} == {2}
    assert sent(bench) == [(crc32(content(begin, length)), length)]


def test_a_frame_of_several_entries():
    """An extension entry and one without bytes belong to it; IOC of any of them counts; HEAD moves at the
    end, by all."""
    bench, _ = sending(
        {"length": 20, "LS": 0, "IOC": 0}, {"length": 99, "DTYPE": 1, "FS": 0, "LS": 0, "IOC": 0},
        {"length": 0, "FS": 0, "LS": 0}, {"length": 50, "address": DATA + 0x101, "FS": 0, "IOC": 0},
        cycles=20)
    assert bench.read("TX0_HEAD") == 0
    bench.run(300)
    body = content(DATA, 20) + content(DATA + 0x101, 50)
    assert sent(bench) == [(crc32(body), 70)]
    assert bench.read("TX0_HEAD") == 4 and bench.get("DMAC_INT_STS", "TX_IOC") == 1


def test_an_extension_behind_the_data_ends_the_frame():
    """LS with EXT leaves the end to the next entry, of which nothing else counts."""
    bench, _ = sending({"length": 70, "EXT": 1, "IOC": 0}, tail=1)
    assert bench.cycles(Kind.TX_SFD) == []
    bench.outgoing(1, 1400, DTYPE=1, FS=0, LS=0, IOC=1)
    bench.outgoing(2, 61, address=DATA + 0x100)
    bench.write("TX0_TAIL", INDEX=3)
    bench.run(400)
    assert sent(bench) == [(crc32(content(DATA, 70)), 70), (crc32(content(DATA + 0x100, 61)), 61)]
    assert [index for _, index, _ in bench.events(Kind.TX_FETCH)] == [0, 1]
    bench, _ = sending({"length": 70, "EXT": 1, "IOC": 0}, {"length": 9, "DTYPE": 0, "FS": 1, "IOC": 1})
    assert sent(bench) == [(crc32(content(DATA, 70)), 70)], "whatever the next entry is"
    assert bench.read("TX0_HEAD") == 2 and bench.read("DMAC_INT_STS") == 0


def test_the_flags_of_an_extension_do_not_count():
    bench, _ = sending({"length": 20, "LS": 0, "IOC": 0}, {"length": 9, "DTYPE": 1, "FS": 0},
                       {"length": 50, "FS": 0, "IOC": 0})
    assert [length for _, length in sent(bench)] == [70] and bench.read("DMAC_INT_STS") == 0


def test_without_ioc_no_cause():
    bench, _ = sending({"IOC": 0})
    assert bench.read("DMAC_INT_STS") == 0 and bench.read("TX0_HEAD") == 1


def test_a_frame_without_bytes_is_dropped():
    bench, _ = sending({"length": 0}, {"length": 60})
    assert [index for _, index, _ in bench.events(Kind.TX_DROP)] == [0]
    assert [index for _, index, _ in bench.events(Kind.TX_DONE)] == [1] and bench.read("TX0_HEAD") == 2


def test_a_read_that_fails_drops_its_frame_and_stops_the_channel():
    """What was taken behind it is sent, the rest waits for START."""
    bench = Bench(bus=BusTiming(outstanding=8, errors=frozenset({(4, False, 1)})))
    bench, _ = sending({"length": 600}, {"length": 60}, {"length": 60}, bench=bench, cycles=2000)
    # the first frame is two bursts: the second of them fails
    (_, fill, *_) = bench.cycles(Kind.TX_FILL)
    assert bench.events(Kind.TX_ERROR) == [(fill, 4, 0)]
    (drop, number, _), = bench.events(Kind.TX_DROP)
    assert (number, drop) == (0, fill + 1)
    (stopped,) = bench.cycles(Kind.TX_STOPPED)
    assert stopped > drop and bench.get("DMAC_CMD", "STOP_T") == 1
    assert bench.read("TX0_HEAD") == 1 + len(bench.cycles(Kind.TX_DONE))
    bench.write("DMAC_CMD", START_T=1)
    bench.run(600)
    assert bench.read("TX0_HEAD") == 3


def test_the_fifo_holds_8192_words():
    """Frames of 9000 bytes, 2250 words: the fourth waits until the first has left."""
    bench, _ = sending(*({"length": 9000, "address": 0} for _ in range(5)), cycles=11500)
    f = bench.cycles(Kind.TX_DONE)[0]
    words = 0
    for cycle, _, data in bench.events(Kind.TX_FETCH):
        if cycle <= f + 1:
            words += (data >> 32) // 4
    assert 8192 - 128 < words <= 8192
    assert f + 2 in bench.cycles(Kind.TX_FETCH), "held shrinks from F+1 on: granted then, its address next"


# STOP, START, SWR.

def test_a_stop_waits_for_what_is_loaded_and_sent():
    bench, _ = sending({"length": 200}, {"length": 200}, cycles=60)
    bench.write("DMAC_CMD", STOP_T=1)
    bench.run(800)
    ends, (stopped,) = bench.cycles(Kind.TX_DONE), bench.cycles(Kind.TX_STOPPED)
    assert stopped == ends[-1] + 1 and bench.get("DMAC_CMD", "STOP_T") == 1
    assert bench.events(Kind.TX_STOPPED)[0][1] == len(ends) == bench.read("TX0_HEAD") == 2


def test_a_stop_throws_away_a_part_for_which_no_entry_comes():
    bench, _ = sending({"length": 100, "LS": 0}, {"length": 100, "FS": 0, "LS": 1}, tail=1, cycles=200)
    c = bench.write("DMAC_CMD", STOP_T=1)
    bench.run(10)
    assert bench.events(Kind.TX_STOPPED) == [(c + 1, 0, 0)] and bench.engine.tx.held == 0
    bench.write("TX0_TAIL", INDEX=2)
    bench.write("DMAC_CMD", START_T=1)
    bench.run(400)
    assert [(index, data >> 32) for _, index, data in bench.events(Kind.TX_DONE)] == [(1, 200)], \
        "its number is used up, its entries are taken again"


def test_stop_and_start_before_it_has_stopped():
    bench, _ = sending({"length": 1000}, {"length": 100}, cycles=100, tail=1)
    bench.write("DMAC_CMD", STOP_T=1)
    assert (bench.get("DMAC_CMD", "START_T"), bench.get("DMAC_CMD", "STOP_T")) == (1, 1)
    bench.write("DMAC_CMD", START_T=1)
    assert (bench.get("DMAC_CMD", "START_T"), bench.get("DMAC_CMD", "STOP_T")) == (1, 0)
    bench.write("TX0_TAIL", INDEX=2)
    bench.run(1600)
    assert len(bench.cycles(Kind.TX_DONE)) == 2 and bench.cycles(Kind.TX_STOPPED) == []


def test_a_start_in_the_cycle_in_which_it_stops():
    """What came behind the tail meanwhile is prefetched at once."""
    bench, _ = sending({"length": 60}, {"length": 60}, tail=1)
    c = bench.write("DMAC_CMD", STOP_T=1)
    bench.write("DMAC_CMD", START_T=1, at=c + 1)
    assert bench.cycles(Kind.TX_STOPPED) == [c + 1]
    assert (bench.get("DMAC_CMD", "START_T", c + 2), bench.get("DMAC_CMD", "STOP_T")) == (1, 0)
    bench.write("TX0_TAIL", INDEX=2)
    bench.run(300)
    assert len(bench.cycles(Kind.TX_DONE)) == 2


def test_a_software_reset_waits_for_the_frame_being_sent():
    bench, _ = sending({"length": 200}, {"length": 200}, cycles=150)
    (sfd, *_) = bench.cycles(Kind.TX_SFD)
    f = sfd + 1 + 204
    c = bench.write("DMAC_CMD", TX_SWR=1)
    assert sfd < c < f
    assert [bench.get("DMAC_CMD", "TX_SWR", cycle) for cycle in (c + 1, f, f + 1, f + 2)] == [1, 1, 1, 0]
    assert [bench.read(name) for name in ("TX0_HEAD", "TX0_TAIL", "DMAC_CMD")] == [0, 0, 0]
    bench.run(500)
    assert len(bench.cycles(Kind.TX_DONE)) == 1, "the second one is gone"
    bench.write("TX0_TAIL", INDEX=1)
    bench.write("DMAC_CMD", START_T=1)
    bench.run(500)
    assert [index for _, index, _ in bench.events(Kind.TX_DONE)] == [0, 2]


def test_nothing_starts_without_txen_or_the_fifo():
    bench, _ = sending({"length": 60}, send=False)
    assert bench.cycles(Kind.TX_SFD) == []
    bench.write("FCT_TX_CTL", DIS=1)
    bench.write("MAC_TX", TXEN=1)
    bench.run(50)
    assert bench.cycles(Kind.TX_SFD) == []
    c = bench.write("FCT_TX_CTL", EN=1)
    bench.run(100)
    assert bench.cycles(Kind.TX_SFD) == [c + 1 + 7]


def test_a_reset_of_the_fifo_waits_until_it_is_empty():
    bench, _ = sending({"length": 60}, cycles=60)
    bench.write("FCT_TX_CTL", RESET=1)
    bench.run(200)
    (f,) = bench.cycles(Kind.TX_DONE)
    bench, _ = sending({"length": 60}, cycles=60)
    bench.write("FCT_TX_CTL", RESET=1)
    assert [bench.get("FCT_TX_CTL", "RESET", cycle) for cycle in (f, f + 1, f + 2)] == [1, 1, 0]


def test_the_older_revision_has_bursts_of_128_bytes():
    bench, _ = sending({"length": 400}, bench=Bench(rev_a0=1))
    assert [data >> 32 for _, _, data in bench.events(Kind.TX_FETCH)] == [128, 128, 128, 16]
