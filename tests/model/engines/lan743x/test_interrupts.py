"""Causes, masks, moderation, automatic modes and messages, by section 6 of the specification.

A message that nothing stands in the way of: ready in x, its request is granted in x+1, its address
is taken in x+2, its data in x+3; so it arrives at the beginning of x+4.
"""

from itertools import pairwise

import pytest

from model.engines.lan743x.events import Kind
from tests.model.engines.lan743x.play import HEADS, Bench, ethernet

MAS, SW_GP, TX, RX = 1, 1 << 9, 1 << 16, 1 << 24
US = 125
TO_ADDRESS, TO_ARRIVAL = 2, 4


def software(timer=15, interval=0, vector=0, **straps):
    bench = Bench(**straps)
    bench.interrupts(timers=(15, 15, timer), interval=interval)
    bench.write("INT_VEC_MAP2", vector)
    return bench


def test_a_software_interrupt():
    bench = software(vector=6)
    c = bench.write("INT_SET", SW_GP)
    assert bench.read("INT_STS") == SW_GP | MAS
    bench.run(10)
    x = c + 1
    assert bench.events(Kind.INT_MESSAGE)[0] == (x + TO_ADDRESS, 6, SW_GP)
    assert bench.messages[0] == (6, x + TO_ARRIVAL)
    bench.write("INT_STS", SW_GP)
    assert bench.read("INT_STS") == 0 and bench.read("INT_SET") == 0
    count = len(bench.messages)
    bench.run(50)
    assert len(bench.messages) == count


def test_without_a_timer_a_level_is_reported_again_and_again():
    """B comes with the cycle after the data, w+3; SCAN is in w+4, the next grant in w+5."""
    bench = software()
    bench.write("INT_SET", SW_GP)
    bench.run(60)
    cycles = bench.cycles(Kind.INT_MESSAGE)
    assert {later - earlier for earlier, later in pairwise(cycles)} == {5}


@pytest.mark.parametrize("interval", [1, 2, 7])
def test_a_timer_holds_the_next_message_back(interval):
    """Granted in w, expired again from w+1+125*interval on: that cycle is x of the next message."""
    bench = software(timer=1, interval=interval)
    c = bench.write("INT_SET", SW_GP)
    bench.run(3 * US * interval)
    w = c + 2
    steps = US * interval + 2
    assert bench.cycles(Kind.INT_MESSAGE) == [w + 1, w + 1 + steps, w + 1 + 2 * steps]


def test_the_interval_is_that_of_the_grant():
    bench = software(timer=2, interval=4)
    c = bench.write("INT_SET", SW_GP)
    bench.write("INT_MOD_CFG2", 1, at=c + 3)   # w is c+2
    bench.run(1000)
    first, second, third = bench.cycles(Kind.INT_MESSAGE)[:3]
    assert (second - first, third - second) == (4 * US + 2, US + 2)


@pytest.mark.parametrize("nibble", [8, 9, 15])
def test_a_source_without_a_timer_or_a_vector(nibble):
    bench = software(timer=nibble, interval=100)
    bench.write("INT_SET", SW_GP)
    bench.run(30)
    assert len(bench.messages) >= 3, "no timer: not held back"
    bench = software(vector=nibble)
    bench.write("INT_SET", SW_GP)
    bench.run(30)
    assert bench.messages == []


def test_one_timer_for_two_sources_holds_both_back():
    bench = Bench()
    bench.interrupts(tx=2, timers=(15, 3, 3))
    bench.write("INT_MOD_CFG3", 2)
    bench.transmit_ring()
    bench.outgoing(0)
    c = bench.write("INT_SET", SW_GP)
    bench.write("INT_STS", SW_GP, at=c + 4)
    bench.write("TX0_TAIL", INDEX=1)
    bench.run(2 * US + 20)
    (first, vector, sources), (second, *other) = bench.events(Kind.INT_MESSAGE)[:2]
    assert (vector, sources, other) == (0, SW_GP, [2, TX])
    assert bench.cycles(Kind.TX_DONE)[0] < second == first + 2 * US + 2


@pytest.mark.parametrize("mask", ["INT_EN MAS", "INT_EN SW_GP", "INT_VEC_EN"])
def test_a_masked_source_waits_for_its_mask(mask):
    bench = software()
    if mask == "INT_VEC_EN":
        bench.write("INT_VEC_EN_CLR", 1)
    else:
        bench.write("INT_EN_CLR", **{mask.split()[1]: 1})
    bench.write("INT_SET", SW_GP)
    bench.run(40)
    assert bench.messages == []
    c = bench.write(mask.split()[0] + "_SET", 0xFF if mask == "INT_VEC_EN" else SW_GP | MAS)
    bench.run(10)
    assert bench.messages[0] == (0, c + 1 + TO_ARRIVAL)


@pytest.mark.parametrize("masked", ["INT_EN MAS", "INT_EN SW_GP", "INT_VEC_EN", ""])
def test_edges_are_lost_while_masked(masked):
    bench = software(edge_irq=1)
    if masked == "INT_VEC_EN":
        bench.write("INT_VEC_EN_CLR", 1)
    elif masked:
        bench.write("INT_EN_CLR", **{masked.split()[1]: 1})
    bench.write("INT_SET", SW_GP)
    assert bench.read("INT_STS") == (0 if masked else SW_GP | MAS)
    bench.write("INT_EN_SET", MAS | SW_GP)
    bench.write("INT_VEC_EN_SET", 0xFF)
    bench.run(30)
    assert bool(bench.messages) == (not masked)


def test_mas_of_int_sts_is_the_or_of_what_int_en_lets_through():
    bench = Bench()
    bench.write("INT_SET", SW_GP)
    assert bench.read("INT_STS") == SW_GP
    bench.write("INT_EN_SET", SW_GP)
    assert bench.read("INT_STS") == SW_GP | MAS, "without regard to the mask's own MAS"
    assert [bench.read("INT_STS_R2C") for _ in range(2)] == [SW_GP | MAS] * 2, "SW_GP stays"
    bench.write("INT_STS", SW_GP)
    assert bench.read("INT_STS_R2C") == 0


# A frame received and one sent.

def received(c=None, auto_vectors=0, interrupts=None, frames=1, **straps):
    """Frames received with interrupts enabled; the bench a good while later."""
    bench = Bench([ethernet()] * frames, gaps=60, **straps)
    bench.interrupts(**(interrupts or {}))
    bench.write("INT_VEC_EN_AUTO_CLR", auto_vectors)
    bench.receive_ring(c=c, a={"PF_THRES": 16, "HP_WB_EN": 1, "WB_THRES": 1})
    bench.listen()
    bench.play()
    bench.run(300)
    return bench


def test_bytes_entry_head_message_in_that_order():
    bench = received(c={"DMA_INT_STS_AUTO_CLR": 1})
    (done,), (head, _, value), (message, vector, sources) = (
        bench.cycles(Kind.RX_DONE), bench.events(Kind.RX_HEAD)[0], bench.events(Kind.INT_MESSAGE)[0])
    # head: SCAN in done+1, granted, AW; B two cycles after; SCAN, granted, AW
    assert (head, value) == (done + 3, 1)
    assert (message, vector, sources) == (head + 2 + 3, 1, RX)
    assert bench.word(HEADS) == 1
    assert bench.messages == [(1, message + 2)]
    assert bench.read("DMAC_INT_STS") == 0


def test_the_automatic_modes_of_a_message():
    every = ("DMAC_INT_STS", "INT_EN_SET", "INT_VEC_EN_SET", "DMAC_INT_EN_SET")
    before = [1 << 16, MAS | SW_GP | TX | 0xF << 24, 0xFF, 0xF0001]
    for c, vectors, changed in (
            ({"DMA_INT_STS_AUTO_CLR": 1}, 0, {0: 0}),
            ({"TOP_INT_EN_AUTO_CLR": 1}, 0, {1: before[1] & ~RX}),
            ({}, 0b10, {2: 0xFD})):
        bench = Bench([ethernet()])
        bench.interrupts(timers=(0, 15, 15), interval=60)
        bench.write("INT_EN_SET", RX * 0xF)
        bench.write("DMAC_INT_EN_SET", RXFRM=0xF)
        bench.write("INT_VEC_EN_AUTO_CLR", vectors)
        bench.receive_ring(c=c)
        bench.listen()
        bench.play()
        bench.run(300)
        assert bench.messages == [(1, bench.messages[0][1])]
        expected = [changed.get(n, value) for n, value in enumerate(before)]
        assert [bench.read(name) for name in every] == expected, (c, vectors)


def test_the_clears_of_a_message_show_in_the_cycle_after_its_grant():
    def auto():
        bench = Bench([ethernet()])
        bench.interrupts()
        bench.receive_ring(c={"TOP_INT_EN_AUTO_CLR": 1})
        bench.listen()
        bench.play()
        return bench

    bench = auto()
    bench.run(300)
    w = bench.cycles(Kind.INT_MESSAGE)[0] - 1
    bench = auto()
    assert [bench.get("INT_EN_SET", "RX", cycle) & 1 for cycle in (w, w + 1)] == [1, 0]
    bench = auto()
    bench.write("INT_EN_SET", RX=1, at=w)
    assert bench.get("INT_EN_SET", "RX") & 1 == 1, "a set by a write wins over the automatic clear"
    bench = auto()
    bench.write("RX0_TAIL", INDEX=7, SET_TOP_INT_EN=1, at=w)
    assert bench.get("INT_EN_SET", "RX") & 1 == 1, "so does that of a tail"


def test_the_transmit_channels_mask_has_a_mode_of_its_own():
    bench = Bench()
    bench.interrupts()
    bench.transmit_ring(c={"DMA_INT_EN_AUTO_CLR": 1})
    bench.outgoing(0)
    bench.write("TX0_TAIL", INDEX=1)
    bench.run(200)
    assert len(bench.messages) == 1
    assert bench.get("DMAC_INT_EN_SET", "TX_IOC") == 0 and bench.get("DMAC_INT_EN_SET", "RXFRM") == 1
    assert bench.get("DMAC_INT_STS", "TX_IOC") == 1
    c = bench.write("TX0_TAIL", INDEX=1, SET_DMAC_INT_EN=1)
    bench.run(20)
    assert bench.messages[1:] == [(2, c + 1 + TO_ARRIVAL)]


def test_the_older_revision_has_none_of_the_modes():
    bench = received(c={"DMA_INT_STS_AUTO_CLR": 1, "TOP_INT_EN_AUTO_CLR": 1}, auto_vectors=0xFF,
                     rev_a0=1, interrupts={"timers": (0, 15, 15), "interval": 500})
    assert bench.get("DMAC_INT_STS", "RXFRM") == 1 and bench.get("INT_EN_SET", "RX") == 1
    assert bench.read("INT_VEC_EN_SET") == 0xFF and bench.messages == []


@pytest.mark.parametrize("mode", [0, 1, 5])
@pytest.mark.parametrize("mask", [0, 1])
def test_read_to_clear(mode, mask):
    bench = Bench([ethernet()])
    bench.interrupts(vectors=0)
    bench.receive_ring(c={"INT_STS_R2C_MODE": mode, "INT_EN_R2C": mask})
    bench.listen()
    bench.play()
    bench.run(200)
    bench.write("INT_SET", SW_GP)
    assert bench.read("INT_STS") == RX | SW_GP | MAS, "an ordinary read clears nothing"
    c = bench.cycle + 2
    assert bench.read("INT_STS_R2C", c) == RX | SW_GP | MAS
    enabled = MAS | SW_GP | TX | (0 if mask else RX)
    assert bench.read("INT_EN_SET", c + 1) == enabled
    assert bench.read("INT_STS") == SW_GP | MAS | (0 if mode else RX)
    assert bench.read("DMAC_INT_STS") == (0 if mode else 1 << 16)


def test_a_read_to_clear_of_what_is_not_shown():
    """The cause is there, but DMAC_INT_EN keeps it from INT_STS."""
    bench = Bench([ethernet()])
    bench.receive_ring(c={"INT_STS_R2C_MODE": 7, "INT_EN_R2C": 1})
    bench.write("INT_EN_SET", RX=1)
    bench.listen()
    bench.play()
    bench.run(200)
    assert bench.read("INT_STS_R2C") == 0
    assert bench.read("DMAC_INT_STS") == 1 << 16 and bench.read("INT_EN_SET") == RX
    bench.write("DMAC_INT_EN_SET", RXFRM=1)
    assert bench.read("INT_STS_R2C") == RX | MAS
    assert bench.read("DMAC_INT_STS") == 0 and bench.read("INT_EN_SET") == 0


def test_intx_follows_the_active_sources():
    bench = Bench(rev_a0=1)
    bench.interrupts()
    c = bench.write("INT_SET", SW_GP)
    bench.run(30)
    assert bench.events(Kind.INTX) == [(c + 1 + TO_ADDRESS, 1, SW_GP)]
    assert bench.levels == [(True, c + 1 + TO_ARRIVAL)]
    d = bench.write("INT_EN_CLR", MAS=1)
    bench.run(30)
    assert bench.levels[1:] == [(False, d + 1 + TO_ARRIVAL)] and bench.messages == []
    assert bench.events(Kind.INTX)[1:] == [(d + 1 + TO_ADDRESS, 0, 0)]
    assert bench.events(Kind.INT_MESSAGE) == []


def test_a_level_that_is_gone_before_its_message_is_sent_all_the_same():
    bench = Bench(rev_a0=1)
    bench.interrupts()
    c = bench.write("INT_SET", SW_GP)
    bench.write("INT_STS", SW_GP, at=c + 2)
    bench.run(30)
    # chosen in c+1; B of the first in c+5, SCAN in c+6
    assert bench.levels == [(True, c + 1 + TO_ARRIVAL), (False, c + 6 + TO_ARRIVAL)]
