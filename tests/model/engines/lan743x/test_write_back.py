"""When heads are written, and in which order heads and messages leave (section 6)."""

import pytest

from model.engines.lan743x.events import Kind
from tests.model.engines.lan743x.play import HEADS, Bench, ethernet

US = 125
RX, TX, SW_GP = 1 << 24, 1 << 16, 1 << 9
FRAME_CYCLES = 8 + 64
QUIET = 300
"""Idle symbols between frames, more than a frame takes to its ring."""


def receiving(count, gaps=QUIET, channels=1, interrupts=None, straps=None, c=None, ring=8, tail=None, **a):
    bench = Bench([ethernet()] * count, gaps=gaps, channels=channels, **(straps or {}))
    if interrupts is not None:
        bench.interrupts(**interrupts)
    bench.receive_ring(ring=ring, tail=tail, a={"PF_THRES": 16, "HP_WB_EN": 1} | a, c=c)
    bench.listen()
    bench.play()
    return bench


def heads(bench, cycles):
    bench.run(cycles)
    return [value for _, _, value in bench.events(Kind.RX_HEAD)]


@pytest.mark.parametrize(("threshold", "written"), [
    (0, [1, 2, 3, 4, 5, 6]), (1, [1, 2, 3, 4, 5, 6]), (2, [2, 4, 6]), (3, [3, 6]), (4, [4]), (7, [])])
def test_a_head_is_written_at_its_threshold(threshold, written):
    bench = receiving(6, WB_THRES=threshold)
    assert heads(bench, 6 * (QUIET + FRAME_CYCLES) + 100) == written
    assert bench.word(HEADS) == (written or [0])[-1]


def test_a_head_goes_round_with_the_ring():
    bench = receiving(7, ring=3, tail=2, WB_THRES=1)
    for tail in (0, 1, 2, 0, 1):
        bench.run(QUIET + FRAME_CYCLES + 60)
        for n in range(3):
            bench.entry(0x1000 + 16 * n, 0x8000 | 1600, bench.buffer(n))
        bench.write("RX0_TAIL", INDEX=tail)
    assert heads(bench, 3 * QUIET) == [1, 2, 0, 1, 2, 0, 1]


def test_the_first_head_two_cycles_after_the_entry():
    bench = receiving(1, WB_THRES=1)
    bench.run(QUIET + 200)
    (done,), (head, index, _) = bench.cycles(Kind.RX_DONE), bench.events(Kind.RX_HEAD)[0]
    assert (head, index) == (done + 3, 0), "SCAN in done+1, granted, then the address"
    assert bench.read("RX0_HEAD") == 1


def test_without_hp_wb_en_none_is_written():
    assert heads(receiving(3, WB_THRES=1, HP_WB_EN=0), 3 * QUIET + 400) == []


def test_the_timer_flag_writes_a_head_below_the_threshold():
    """It goes up with the cause, in the first cycle that shows it; here no timer holds it back."""
    bench = receiving(3, WB_THRES=20, WB_ON_INT_TMR=1)
    bench.run(3 * (QUIET + FRAME_CYCLES) + 60)
    done = bench.cycles(Kind.RX_DONE)
    assert [(cycle, value) for cycle, _, value in bench.events(Kind.RX_HEAD)] == [(done[0] + 1 + 3, 1)], \
        "the cause stays: no second edge"


def test_the_timer_flag_goes_up_again_after_the_cause_was_cleared():
    bench = receiving(2, WB_THRES=20, WB_ON_INT_TMR=1)
    bench.run(QUIET + FRAME_CYCLES + 60)
    bench.write("DMAC_INT_STS", RXFRM=1)
    assert heads(bench, QUIET + FRAME_CYCLES) == [1, 2]


def test_the_timer_flag_waits_for_the_timer():
    """The first message restarts the timer; the second frame's cause finds it running."""
    bench = receiving(3, interrupts={"timers": (1, 15, 15), "interval": 7}, c={"DMA_INT_STS_AUTO_CLR": 1},
                      WB_THRES=20, WB_ON_INT_TMR=1)
    bench.run(4 * QUIET + 1000)
    first, second = bench.cycles(Kind.INT_MESSAGE)
    w = first - 1
    expired = w + 1 + 7 * US
    (one, _, _), (two, _, three_frames) = bench.events(Kind.RX_HEAD)
    assert three_frames == 3 and one < first
    # wanted at once in `expired`: granted in the next cycle; B in two+2, then SCAN and the message
    assert (two, second) == (expired + 2, expired + 2 + 2 + 3)


def test_with_heads_late_the_threshold_counts_for_nothing():
    assert heads(receiving(4, WB_THRES=1, straps={"head_wb_late": 1}), 4 * QUIET + 500) == []
    bench = receiving(2, WB_THRES=1, WB_ON_INT_TMR=1, straps={"head_wb_late": 1})
    assert heads(bench, 2 * QUIET + 300) == [1]
    bench = receiving(2, interrupts={}, WB_THRES=1, c={"DMA_INT_STS_AUTO_CLR": 1}, straps={"head_wb_late": 1})
    assert heads(bench, 2 * QUIET + 300) == [1, 2], "they are wanted"


def test_a_wanted_head_goes_before_the_message():
    bench = receiving(2, interrupts={}, c={"DMA_INT_STS_AUTO_CLR": 1}, WB_THRES=20)
    bench.run(2 * QUIET + 400)
    done, messages = bench.cycles(Kind.RX_DONE), bench.cycles(Kind.INT_MESSAGE)
    assert [(cycle, value) for cycle, _, value in bench.events(Kind.RX_HEAD)] == [
        (done[0] + 3, 1), (done[1] + 3, 2)]
    assert messages == [cycle + 3 + 2 + 3 for cycle in done]


def test_a_head_that_nobody_wants_does_not_go():
    """Its vector is not ready: the source is on no vector that is enabled."""
    assert heads(receiving(2, interrupts={"vectors": 1}, WB_THRES=20), 2 * QUIET + 400) == []
    bench = receiving(1, interrupts={"vectors": 1}, WB_THRES=20, c={"DMA_INT_STS_AUTO_CLR": 1})
    bench.run(QUIET + 200)
    c = bench.write("INT_VEC_EN_SET", 0xFF)
    bench.run(30)
    x = c + 1
    assert bench.cycles(Kind.RX_HEAD, Kind.INT_MESSAGE) == [x + 2, x + 2 + 2 + 3]


def test_intx_wants_a_head_before_it_goes_up():
    bench = receiving(1, interrupts={}, WB_THRES=20, straps={"rev_a0": 1})
    bench.run(QUIET + 300)
    (done,) = bench.cycles(Kind.RX_DONE)
    assert bench.cycles(Kind.RX_HEAD) == [done + 3]
    assert bench.events(Kind.INTX) == [(done + 3 + 2 + 3, 1, RX)]


def test_vectors_in_the_order_of_their_numbers_heads_before_all():
    """A frame is sent and received until a mask goes: TX head, RX head, vector 1, vector 2."""
    bench = Bench([ethernet()])
    bench.interrupts(rx=2, tx=1, vectors=0)
    bench.receive_ring(a={"PF_THRES": 16, "HP_WB_EN": 1, "WB_THRES": 20}, c={"DMA_INT_STS_AUTO_CLR": 1})
    bench.transmit_ring(a={"PF_THRES": 16, "HP_WB_EN": 1, "HP_WB_THRES": 15}, c={"DMA_INT_STS_AUTO_CLR": 1})
    bench.outgoing(0)
    bench.listen()
    bench.play()
    bench.write("TX0_TAIL", INDEX=1)
    bench.run(300)
    c = bench.write("INT_VEC_EN_SET", 0xFF)
    bench.run(60)
    x = c + 1
    assert [(cycle, kind) for kind in (Kind.TX_HEAD, Kind.RX_HEAD) for cycle in bench.cycles(kind)] == [
        (x + 2, Kind.TX_HEAD), (x + 7, Kind.RX_HEAD)], "B after two cycles, SCAN, grant, address"
    assert bench.events(Kind.INT_MESSAGE) == [(x + 12, 1, TX), (x + 17, 2, RX)]
    assert (bench.word(HEADS + 0x40), bench.word(HEADS)) == (1, 1)


@pytest.mark.parametrize("by_ioc", [0, 1])
def test_the_transmit_heads_timer_flag(by_ioc):
    """By pending entries, or by the cause of an entry with IOC."""
    bench = Bench()
    bench.transmit_ring(a={"PF_THRES": 16, "HP_WB_EN": 1, "HP_WB_THRES": 15, "HP_WB_ON_INT_TMR": 1,
                           "TMR_HPWB_SEL_IOC": by_ioc})
    bench.outgoing(0, IOC=0)
    bench.outgoing(1, IOC=1)
    bench.write("TX0_TAIL", INDEX=2)
    bench.run(400)
    ends = bench.cycles(Kind.TX_DONE)
    expected = [(ends[1] + 4, 2)] if by_ioc else [(ends[0] + 4, 1), (ends[1] + 4, 2)]
    assert [(cycle, head) for cycle, _, head in bench.events(Kind.TX_HEAD)] == expected


def test_a_message_is_taken_back_for_a_head_that_becomes_wanted():
    """SW_GP and TX share a vector. The message for SW_GP waits behind a long burst of the mover, a frame is
    sent meanwhile: its head goes first, and one message stands for both."""
    def waiting(set_at=None):
        bench = Bench([ethernet(600)])
        bench.interrupts(tx=0, timers=(15, 15, 4))
        bench.write("INT_MOD_CFG4", 50)
        bench.write("DMAC_INT_EN_CLR", RXFRM=1)
        bench.receive_ring()
        bench.transmit_ring(a={"PF_THRES": 16, "HP_WB_EN": 1, "HP_WB_THRES": 15},
                            c={"DMA_INT_STS_AUTO_CLR": 1})
        bench.outgoing(0, 60)
        bench.listen()
        start = bench.play()
        bench.write("TX0_TAIL", INDEX=1, at=start + 12 + 8 + 600 - 50)
        if set_at is not None:
            bench.write("INT_SET", SW_GP, at=set_at)
        bench.run(500)
        return bench

    bench = waiting()
    (burst, *_), (f,) = bench.cycles(Kind.RX_WRITE), bench.cycles(Kind.TX_DONE)
    free = burst + 1 + 128 + 1
    assert burst < f < free, "the frame ends while the port is taken"
    bench = waiting(f - 10)
    assert bench.events(Kind.TX_HEAD) == [(free + 1, 0, 1)], "the first one of the port in d+1"
    assert bench.events(Kind.INT_MESSAGE)[0][1:] == (0, SW_GP | TX)
    assert bench.cycles(Kind.INT_MESSAGE)[0] > free + 1


# CFG_A written while entries are pending: a condition looks at registers as seen in its cycle.

@pytest.mark.parametrize(("before", "after"), [
    ({"WB_THRES": 1, "HP_WB_EN": 0}, {"WB_THRES": 1, "HP_WB_EN": 1}), ({"WB_THRES": 5}, {"WB_THRES": 2})])
def test_a_head_is_due_in_the_cycle_after_cfg_a_says_so(before, after):
    bench = receiving(2, **before)
    bench.run(2 * QUIET + 300)
    assert bench.events(Kind.RX_HEAD) == []
    c = bench.write("RX0_CFG_A", **({"PF_THRES": 16, "HP_WB_EN": 1} | after))
    bench.run(20)
    assert bench.events(Kind.RX_HEAD) == [(c + 1 + 2, 0, 2)]


def test_the_timer_flag_does_not_go_up_for_a_cause_from_before_its_enable():
    bench = receiving(2, WB_THRES=20)
    bench.run(2 * QUIET + 300)
    bench.write("RX0_CFG_A", PF_THRES=16, HP_WB_EN=1, WB_THRES=20, WB_ON_INT_TMR=1)
    bench.write("INT_EN_SET", 0)
    bench.run(20)
    assert bench.events(Kind.RX_HEAD) == []
