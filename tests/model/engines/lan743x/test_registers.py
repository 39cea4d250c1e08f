"""What the golden engine's registers keep, clear and give back, in cycles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.lan743x.events import Kind
from tests.model.engines.lan743x.play import REGISTERS, Bench, ethernet

CALM = settings(deadline=None, max_examples=40)
WORD = st.integers(0, 2**32 - 1)
STORED = {"MAC_RX_ADDRL": 0xFFFFFFFF, "MAC_RX_ADDRH": 0xFFFF, "MAC_FLOW": 0x6000FFFF, "FCT_FLOW0": 0x7FFF,
          "RFE_CTL": 0x1F0A, "RFE_ADDR_FILT_LO7": 0xFFFFFFFF, "RFE_ADDR_FILT_HI32": 0x8000FFFF,
          "INT_VEC_MAP0": 0xFFFF, "INT_MOD_MAP2": 0xFFFFFFFF, "INT_MOD_CFG7": 0xFFFF, "DMAC_CFG": 0x10073,
          "DMAC_COAL_CFG": 0xFFFFFFFF, "DMAC_OBFF_CFG": 0xFFFF, "RX0_BASE_H": 0xFFFFFFFF,
          "RX0_CFG_A": 0x5F1F1F20, "TX0_CFG_A": 0x501F1F2F, "RX0_CFG_B": 0x3304FFFF, "TX0_CFG_C": 0x7F,
          "RX0_CFG_C": 0x5F, "GPIO_CFG0": 0xFFF0FFF}
"""Bits that come back."""
RESET = {"ID_REV": 0x74300010, "FPGA_REV": 0, "MAC_RX_ADDRL": 0xFFFFFFFF, "MAC_RX_ADDRH": 0xFFFF,
         "MAC_RX": 1518 << 16, "PMT_CTL": 0x80, "DMAC_CMD": 0, "INT_STS": 0, "INT_EN_SET": 0}
SHARED = {"INT_EN": 0x0F010281, "INT_VEC_EN": 0xFF, "DMAC_INT_EN": 0xF0001}
"""Masks with a register that sets and one that clears."""
SELF_CLEARING = [("HW_CFG", "LRST"), ("PMT_CTL", "ETH_PHY_RST"), ("MAC_CR", "RST")]
MICROSECOND = 125


@pytest.mark.parametrize("name", RESET)
def test_reset(name):
    assert Bench().read(name) == RESET[name]


def test_the_older_revision():
    assert Bench(rev_a0=1).read("ID_REV") == 0x74300000


@CALM
@given(st.sampled_from(sorted(STORED)),
       st.lists(st.tuples(WORD, st.integers(0, 15)), min_size=1, max_size=4))
def test_what_is_stored_comes_back_byte_by_byte(name, writes):
    bench = Bench()
    expected = bench.read(name).to_bytes(4, "little")
    for value, strobe in writes:
        bench.write(name, value, strobe=strobe)
        expected = bytes(value >> 8 * n & 0xFF if strobe >> n & 1 else expected[n] for n in range(4))
    assert bench.read(name) == int.from_bytes(expected, "little") & STORED[name]


@CALM
@given(st.sampled_from(sorted(SHARED)), st.lists(st.tuples(st.booleans(), WORD), max_size=6))
def test_masks_are_set_and_cleared_by_two_registers(name, writes):
    bench, expected = Bench(), 0
    for setting, value in writes:
        bench.write(name + ("_SET" if setting else "_CLR"), value)
        expected = (expected | value if setting else expected & ~value) & SHARED[name]
        assert (bench.read(name + "_SET"), bench.read(name + "_CLR")) == (expected, 0)


@pytest.mark.parametrize("offset", [0x008, 0x3FC, 0x600, 0x1FFC])
def test_offsets_that_are_not_mapped(offset):
    bench = Bench()
    bench.to(5)
    bench.engine.csr_write(5, offset, 0xFFFFFFFF, 0xF)
    bench.to(7)
    assert bench.engine.csr_read(7, offset) == 0
    assert bench.events(Kind.CSR_WRITE, Kind.CSR_READ) == [
        (5, offset, 0xFFFFFFFF | 0xF << 32), (7, offset, 0)]


def test_an_access_is_an_event_with_value_and_strobe():
    bench = Bench()
    c = bench.write("RFE_CTL", 0x12345678, strobe=5)
    d = bench.write("RFE_CTL", 0xFFFFFFFF, strobe=0)
    r = bench.read("RFE_CTL")
    offset = REGISTERS.offset("RFE_CTL")
    assert r == 0x12345678 & 0x00FF00FF & STORED["RFE_CTL"]
    assert bench.events(Kind.CSR_WRITE, Kind.CSR_READ) == [
        (c, offset, 0x12345678 | 5 << 32), (d, offset, 0xFFFFFFFF), (d + 2, offset, r)]


@pytest.mark.parametrize(("name", "field"), SELF_CLEARING)
def test_bits_that_read_1_for_a_microsecond(name, field):
    bench = Bench()
    assert bench.get(name, field) == 0
    c = bench.write(name, **{field: 1})
    for cycle, up in ((c + 1, 1), (c + MICROSECOND, 1), (c + MICROSECOND + 1, 0), (c + 1000, 0)):
        assert bench.get(name, field, cycle) == up, cycle - c
    c = bench.write(name, **{field: 1})
    bench.write(name, **{field: 1}, at=c + 50)
    bench.write(name, 0, at=c + 60)
    assert [bench.get(name, field, c + n) for n in (50 + MICROSECOND, 51 + MICROSECOND)] == [1, 0]


def test_the_part_is_ready_while_its_phy_is_reset():
    bench = Bench()
    bench.write("PMT_CTL", ETH_PHY_RST=1)
    assert bench.read("PMT_CTL") == 0x90


# DMAC_INT_STS: latched, write 1 to clear.

def frame_done(offset=None):
    """One frame received; DMAC_INT_STS of RXFRM cleared `offset` cycles from the edge that sets it. Returns
    (bench, RX_DONE's cycle)."""
    bench = Bench([ethernet()])
    bench.receive_ring()
    bench.listen()
    bench.play()
    if offset is None:
        bench.run(200)
        return bench, bench.cycles(Kind.RX_DONE)[0]
    done = frame_done()[1]
    bench.write("DMAC_INT_STS", RXFRM=1, at=done + offset)
    return bench, done


@pytest.mark.parametrize(("offset", "left"), [(-1, 1), (0, 1), (1, 0)])
def test_a_cause_that_arrives_in_the_cycle_of_the_clear_is_kept(offset, left):
    bench, done = frame_done(offset)
    assert bench.get("DMAC_INT_STS", "RXFRM", done + 3) == left


def test_causes_are_cleared_by_writing_1():
    bench, _ = frame_done()
    assert bench.get("DMAC_INT_STS", "RXFRM") == 1
    bench.write("DMAC_INT_STS", TX_IOC=1, RXFRM=0b1110)
    assert bench.get("DMAC_INT_STS", "RXFRM") == 1
    bench.write("DMAC_INT_STS", RXFRM=1)
    assert bench.read("DMAC_INT_STS") == 0


def test_the_cause_shows_in_the_cycle_after_the_entry_is_written():
    done = frame_done()[1]
    for cycle, up in ((done, 0), (done + 1, 1)):
        bench = Bench([ethernet()])
        bench.receive_ring()
        bench.listen()
        bench.play()
        assert bench.get("DMAC_INT_STS", "RXFRM", cycle) == up


# RXD and TXD.

def test_rxd_of_an_idle_receiver_is_set_once_at_the_edge_after_the_next_cycle():
    bench = Bench()
    c = bench.write("MAC_RX", RXEN=1)
    c = bench.write("MAC_RX", RXEN=0)
    assert [bench.get("MAC_RX", "RXD", c + n) for n in (1, 2)] == [0, 1]
    bench.write("MAC_RX", RXD=1)
    assert bench.get("MAC_RX", "RXD") == 0
    bench.run(50)
    assert bench.get("MAC_RX", "RXD") == 0
    c = bench.write("MAC_RX", RXEN=1)
    c = bench.write("MAC_RX", RXEN=0)
    bench.write("MAC_RX", RXD=1, at=c + 1)
    assert bench.get("MAC_RX", "RXD") == 1, "the set wins"


@pytest.mark.parametrize("before", [1, 2, 30])
def test_rxd_waits_for_the_frame_under_way(before):
    def listening():
        bench = Bench([ethernet(), ethernet()])
        bench.listen(AU=1)
        bench.play()
        return bench

    bench = listening()
    bench.run(200)
    decided = bench.cycles(Kind.RX_END)[0]
    bench = listening()
    bench.write("MAC_RX", RXEN=0, MAX_SIZE=1518, at=decided - before)
    assert [bench.get("MAC_RX", "RXD", decided + n) for n in (0, 1)] == [0, 1]
    bench.run(200)
    assert bench.cycles(Kind.RX_END) == [decided], "the frame under way is completed, the next one ignored"


def sending():
    bench = Bench()
    bench.transmit_ring()
    bench.outgoing(0)
    bench.outgoing(1)
    bench.write("TX0_TAIL", INDEX=2)
    return bench


@pytest.mark.parametrize("before", [1, 2, 30])
def test_txd_waits_for_the_frame_being_sent(before):
    bench = sending()
    bench.run(200)
    end = bench.cycles(Kind.TX_DONE)[0]
    bench = sending()
    bench.write("MAC_TX", TXEN=0, at=end - before)
    assert [bench.get("MAC_TX", "TXD", end + n) for n in (0, 1)] == [0, 1]
    bench.write("MAC_TX", TXD=1)
    assert bench.get("MAC_TX", "TXD") == 0
    bench.run(300)
    assert len(bench.cycles(Kind.TX_SFD)) == 1
    c = bench.write("MAC_TX", TXEN=1)
    bench.run(100)
    assert bench.cycles(Kind.TX_SFD)[1] == c + 1 + 7


@pytest.mark.parametrize("after", [0, 1])
def test_txd_at_the_end_of_a_frame_is_that_of_an_idle_sender(after):
    bench = sending()
    bench.run(200)
    end = bench.cycles(Kind.TX_DONE)[0]
    bench = sending()
    c = bench.write("MAC_TX", TXEN=0, at=end + after)
    assert [bench.get("MAC_TX", "TXD", c + n) for n in (1, 2)] == [0, 1]


# FCT.

def test_fct_shows_enabled_and_dis_wins():
    bench = Bench(channels=4)
    bench.write("FCT_RX_CTL", EN=0b1011)
    assert bench.read("FCT_RX_CTL") == 0b1011 << 28
    bench.write("FCT_RX_CTL", DIS=0b0010)
    bench.write("FCT_RX_CTL", EN=0b0101, DIS=0b0001)
    assert bench.read("FCT_RX_CTL") == 0b1100 << 28
    bench.write("FCT_TX_CTL", EN=1)
    assert bench.read("FCT_TX_CTL") == 1 << 28
    bench.write("FCT_TX_CTL", EN=1, DIS=1)
    assert bench.read("FCT_TX_CTL") == 0


def test_a_reset_of_an_idle_fifo_takes_one_cycle():
    for name, field in (("FCT_RX_CTL", "RESET"), ("FCT_TX_CTL", "RESET")):
        bench = Bench()
        c = bench.write(name, **{field: 1})
        assert [bench.get(name, field, c + n) for n in (1, 2)] == [1, 0]


# Tails.

def test_a_tail_sets_the_masks_that_it_names():
    bench = Bench()
    bench.write("INT_VEC_MAP0", RX0=3)
    bench.write("INT_VEC_MAP1", TX0=5)
    masks = ("INT_EN_SET", "INT_VEC_EN_SET", "DMAC_INT_EN_SET")
    bench.write("RX0_TAIL", INDEX=0x123)
    assert [bench.read(name) for name in (*masks, "RX0_TAIL")] == [0, 0, 0, 0x123]
    c = bench.write("RX0_TAIL", INDEX=7, SET_TOP_INT_EN=1, SET_TOP_INT_VEC_EN=1)
    assert [bench.read(masks[0], c + 1), *(bench.read(name) for name in (*masks[1:], "RX0_TAIL"))] == [
        1 << 24, 1 << 3, 0, 7]
    bench.write("TX0_TAIL", SET_DMAC_INT_EN=1)
    assert [bench.read(name) for name in masks] == [1 << 24, 1 << 3, 1]
    bench.write("TX0_TAIL", SET_TOP_INT_EN=1, SET_TOP_INT_VEC_EN=1)
    assert [bench.read(name) for name in masks] == [1 << 24 | 1 << 16, 1 << 3 | 1 << 5, 1]


def test_the_older_revisions_tails_set_nothing():
    bench = Bench(rev_a0=1)
    bench.write("TX0_TAIL", 0xE0000002)
    assert [bench.read(name) for name in ("INT_EN_SET", "INT_VEC_EN_SET", "DMAC_INT_EN_SET", "TX0_TAIL")] == [
        0, 0, 0, 2]
