"""Pause frames: asked for by the fill level of a FIFO, and obeyed (sections 4.1, 7 and 5.2, 5)."""

from itertools import pairwise

import pytest

from model.engines.lan743x.events import Kind, Reason
from model.frames import pause, wire_image
from tests.model.engines.lan743x.play import OTHER, Bench, ethernet

QUANTUM = 64


def filling(count, on, off, length=256, tx_fcen=1, req_en=1):
    """Frames into a FIFO that nobody empties yet."""
    bench = Bench([ethernet(length)] * count, gaps=100)
    bench.receive_ring(ring=32, start=False)
    bench.write("FCT_FLOW0", ON_THRESHOLD=on, OFF_THRESHOLD=off, REQ_EN=req_en)
    bench.write("MAC_FLOW", FCPT=0x1234, TX_FCEN=tx_fcen)
    bench.write("FCT_TX_CTL", EN=1)
    bench.write("MAC_TX", TXEN=1)
    bench.listen()
    bench.play()
    bench.run(count * (length + 120) + 100)
    return bench


def sent(bench):
    return [(cycle, time) for cycle, _, time in bench.events(Kind.TX_PAUSE)]


def test_a_pause_is_asked_for_in_the_cycle_after_the_level_shows():
    """A unit is 512 bytes: two frames of 256. Decided in e+1, seen from e+2 on, wanted from e+3 on; the SFD
    is the last of eight bytes."""
    bench = filling(3, on=1, off=0)
    second = bench.cycles(Kind.RX_END)[1]
    assert sent(bench) == [(second + 2 + 7, 0x1234)]


def test_it_is_taken_back_when_the_level_has_gone_down():
    bench = filling(4, on=2, off=1)
    assert len(sent(bench)) == 1
    bench.write("DMAC_CMD", START_R=1)
    bench.run(900)
    done = bench.cycles(Kind.RX_DONE)
    # 1024 bytes held; 512 after two frames, which shows in the cycle after RX_DONE
    assert sent(bench)[1:] == [(done[1] + 2 + 7, 0)]
    assert len(done) == 4


@pytest.mark.parametrize("off", [{"tx_fcen": 0}, {"req_en": 0}])
def test_not_without_both_enables(off):
    assert sent(filling(3, on=1, off=0, **off)) == []


def test_a_reset_of_the_fifo_ends_it_without_a_frame():
    bench = filling(3, on=1, off=0)
    bench.write("FCT_RX_CTL", RESET=1)
    bench.run(300)
    assert len(sent(bench)) == 1 and bench.engine.flow.xoff == set()


# Obeyed.

def obeying(frames, gaps, rx_fcen=1, entries=10):
    bench = Bench(frames, gaps)
    bench.transmit_ring(ring=16)
    for n in range(entries):
        bench.outgoing(n)
    bench.write("MAC_FLOW", RX_FCEN=rx_fcen)
    bench.listen()
    bench.play()
    bench.write("TX0_TAIL", INDEX=entries)
    bench.run(3000)
    return bench


@pytest.mark.parametrize("quanta", [1, 3, 20])
def test_no_data_frame_starts_in_a_pause(quanta):
    bench = obeying([wire_image(pause(OTHER, quanta))], 60)
    (decided,) = bench.cycles(Kind.RX_END)
    assert bench.events(Kind.RX_END)[0][2] >> 32 == Reason.PAUSE
    starts = [cycle - 7 for cycle in bench.cycles(Kind.TX_SFD)]
    assert len(starts) == 10
    held = range(decided + 1, decided + 1 + QUANTUM * quanta)
    assert not set(starts) & set(held)
    steps = {later - earlier for earlier, later in pairwise(starts)} - {84}
    if quanta > 2:
        assert decided + 1 + QUANTUM * quanta in starts and len(steps) == 1


def test_a_new_pause_replaces_the_old():
    frames = [wire_image(pause(OTHER, 100)), wire_image(pause(OTHER, 2)), wire_image(pause(OTHER, 0))]
    bench = obeying(frames[:2], 60)
    ends = bench.cycles(Kind.RX_END)
    assert ends[1] + 1 + 2 * QUANTUM in [cycle - 7 for cycle in bench.cycles(Kind.TX_SFD)]
    bench = obeying([frames[0], frames[2]], 60)
    assert bench.cycles(Kind.RX_END)[1] + 1 in [cycle - 7 for cycle in bench.cycles(Kind.TX_SFD)]


def test_without_rx_fcen_it_is_a_frame_like_others():
    bench = obeying([wire_image(pause(OTHER, 100))], 60, rx_fcen=0)
    assert bench.events(Kind.RX_END)[0][2] >> 32 == Reason.FCT_OFF
    starts = bench.cycles(Kind.TX_SFD)
    assert {later - earlier for earlier, later in pairwise(starts)} == {84}
