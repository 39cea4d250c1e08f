"""STOP, START, SWR and resets of the FIFO of an RX channel (section 7), and what a bus error stops."""

from model.bus import BusTiming
from model.engines.lan743x.events import Kind, Reason
from tests.model.engines.lan743x.play import Bench, ethernet
from tests.model.engines.lan743x.test_rx_channel import at, ends, received


def state(bench, at=None):
    value = bench.read("DMAC_CMD", at)
    return value >> 4 & 1, value & 1


def test_states_of_an_idle_channel():
    bench = Bench()
    bench.receive_ring(start=False)
    assert state(bench) == (0, 0)
    bench.write("DMAC_CMD", STOP_R=1)
    assert state(bench) == (0, 0), "STOP in the initial state does nothing"
    bench.write("DMAC_CMD", START_R=1)
    bench.run(60)
    c = bench.write("DMAC_CMD", STOP_R=1)
    assert [state(bench, c + n) for n in (1, 2)] == [(1, 1), (0, 1)]
    assert bench.events(Kind.RX_STOPPED) == [(c + 1, 0, 0)]
    bench.write("DMAC_CMD", START_R=1, STOP_R=1)
    assert state(bench) == (0, 1), "with STOP, START does nothing"
    bench.write("DMAC_CMD", START_R=1)
    bench.run(60)
    assert state(bench) == (1, 0)
    assert [data >> 32 for _, _, data in bench.events(Kind.RX_PREFETCH)] == [7, 7], "it empties the cache"


def test_a_stop_lets_the_frame_be_finished():
    bench = Bench([ethernet(64)] * 2, gaps=80)
    bench.receive_ring()
    bench.listen()
    start = bench.play()
    bench.run(80 + 9 + 64 + 8)
    assert not bench.cycles(Kind.RX_DONE) and bench.cycle > start
    bench.write("DMAC_CMD", STOP_R=1)
    bench.run(300)
    (done,) = bench.cycles(Kind.RX_DONE)
    assert bench.events(Kind.RX_STOPPED) == [(done + 1, 1, 0)]
    bench.write("DMAC_CMD", START_R=1)
    bench.run(200)
    assert len(bench.cycles(Kind.RX_DONE)) == 2


def test_a_start_in_the_cycle_in_which_it_stops():
    """STOP in c, stopped in c+1, START in the same: it runs from c+2 on and prefetches anew at once,
    although until then enough is cached."""
    bench = Bench()
    bench.receive_ring(a={"PF_THRES": 2})
    bench.run(60)
    c = bench.write("DMAC_CMD", STOP_R=1)
    bench.write("DMAC_CMD", START_R=1, at=c + 1)
    assert state(bench, c + 2) == (1, 0)
    bench.run(60)
    assert bench.cycles(Kind.RX_STOPPED) == [c + 1] and bench.cycles(Kind.RX_PREFETCH)[1:] == [c + 3]


def test_a_stop_without_entries_begins_the_frame_afresh():
    """Its first buffer is filled, there is no second: stopped at once, the frame stays in the FIFO."""
    frame = ethernet(300)
    bench = received([frame], ring=8, tail=1, buffer=256)
    c = bench.write("DMAC_CMD", STOP_R=1)
    bench.run(10)
    assert bench.events(Kind.RX_STOPPED) == [(c + 1, 1, 0)]
    bench.write("RX0_TAIL", INDEX=4)
    bench.write("DMAC_CMD", START_R=1)
    bench.run(300)
    assert at(bench, 1)[:256] == frame[:256] and at(bench, 2)[:44] == frame[256:]
    assert [(index, data) for _, index, data in bench.events(Kind.RX_DONE)] == [(0, 300)]
    assert [index for _, index, _ in bench.events(Kind.RX_WB)] == [0, 1, 2]


def test_a_software_reset_waits_for_the_access_that_is_open():
    """A slow memory; SWR while a burst is being written."""
    bench = Bench([ethernet(64)], bus=BusTiming(outstanding=8, write_latency=40))
    bench.receive_ring()
    bench.listen()
    bench.play()
    bench.run(110)
    (a,) = bench.cycles(Kind.RX_WRITE)
    d = a + 1 + 15 + 1 + 40
    assert bench.cycle < d
    c = bench.write("DMAC_CMD", RX_SWR=1)
    assert [bench.get("DMAC_CMD", "RX_SWR", cycle) for cycle in (c + 1, d, d + 1, d + 2)] == [1, 1, 1, 0]
    assert [bench.read(name) for name in ("RX0_HEAD", "RX0_TAIL", "DMAC_CMD")] == [0, 0, 0]
    bench.write("RX0_TAIL", INDEX=3)
    bench.write("DMAC_CMD", START_R=1)
    bench.run(300)
    assert [(index, data) for _, index, data in bench.events(Kind.RX_DONE)] == [(0, 64)], "begun afresh"
    assert at(bench)[:64] == ethernet(64)


def test_a_software_reset_of_an_idle_part():
    bench = Bench()
    bench.receive_ring()
    bench.run(60)
    c = bench.write("DMAC_CMD", SWR=1)
    assert [bench.get("DMAC_CMD", "SWR", c + n) for n in (1, 2)] == [1, 0]
    assert bench.get("RX0_TAIL", "INDEX") == 0 and state(bench) == (0, 0)


def test_a_reset_of_the_fifo_empties_it_and_loses_what_comes_in():
    bench = Bench([ethernet(64, fill=n) for n in range(3)], gaps=12)
    bench.receive_ring(start=False)
    bench.listen()
    start = bench.play()
    bench.to(start + 1 + 2 * 84 - 30)
    c = bench.write("FCT_RX_CTL", RESET=1)
    assert [bench.get("FCT_RX_CTL", "RESET", c + n) for n in (1, 2)] == [1, 0]
    bench.run(300)
    assert [reason for _, reason in ends(bench)] == [Reason.GOOD, Reason.FCT_OFF, Reason.GOOD]
    bench.write("DMAC_CMD", START_R=1)
    bench.run(200)
    assert [data for _, _, data in bench.events(Kind.RX_DONE)] == [64]
    assert at(bench)[:64] == ethernet(64, fill=2)


def test_a_burst_that_fails_stops_the_channel_and_the_frame_is_begun_afresh():
    bench = Bench([ethernet(64)], bus=BusTiming(outstanding=8, errors=frozenset({(0, True, 0)})))
    received([ethernet(64)], bench=bench)
    d = bench.cycles(Kind.RX_WRITE)[0] + 16 + 1
    assert bench.events(Kind.RX_ERROR) == [(d, 0, 0)] and bench.events(Kind.RX_STOPPED) == [(d, 0, 0)]
    assert state(bench) == (0, 1) and not bench.cycles(Kind.RX_DONE)
    bench.write("DMAC_CMD", START_R=1)
    bench.run(200)
    assert [(index, data) for _, index, data in bench.events(Kind.RX_DONE)] == [(0, 64)]
