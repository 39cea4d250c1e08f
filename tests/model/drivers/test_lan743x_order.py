"""The order and the values of the register accesses at probe, open and stop, against the sheet's sections 3
and 6."""

import pytest

from model.drivers.lan743x import VARIANTS
from model.host.workload import Action
from tests.model.drivers.lan743x_engine import MAP, FakeLan743x, mask
from tests.model.drivers.lan743x_machine import STATION, machine

PROBE = ["R ID_REV", "R FPGA_REV", "R HW_CFG", "W HW_CFG", "R HW_CFG", "W INT_EN_CLR",
         *(f"W GPIO_CFG{n}" for n in range(4)), "R MAC_CR", "W MAC_CR", "R MAC_RX_ADDRH", "R MAC_RX_ADDRL",
         "W MAC_RX_ADDRL", "W MAC_RX_ADDRH", "R PMT_CTL", "W PMT_CTL", "R PMT_CTL", "W RFE_ADDR_FILT_LO0",
         "W RFE_ADDR_FILT_HI0", "W DMAC_CMD", "R DMAC_CMD", "W DMAC_CFG", "W DMAC_COAL_CFG",
         "W DMAC_OBFF_CFG"]
VECTOR_0 = ["R INT_STS_R2C", "W INT_VEC_EN_CLR", "R INT_STS", "W INT_EN_CLR", "W INT_VEC_EN_SET"]
INTERRUPTS = ["W INT_VEC_EN_CLR", *(f"W INT_VEC_MAP{n}" for n in range(3)), "W INT_VEC_EN_SET",
              *(f"W INT_MOD_CFG{n}" for n in range(8)), *(f"W INT_MOD_MAP{n}" for n in range(3)),
              "W INT_EN_SET", "W INT_EN_SET", "W INT_SET", *VECTOR_0, "W INT_EN_CLR", "W INT_VEC_MAP1",
              "W INT_VEC_MAP0",
              "W INT_VEC_EN_AUTO_CLR", "W INT_VEC_EN_SET"]
MDIO = ["R MAC_MII_ACC", "W MAC_MII_ACC", "R MAC_MII_ACC", "R MAC_MII_DATA"]
MAC_AND_PHY = ["R MAC_RX", "W MAC_RX", "R MAC_TX", "W MAC_TX", *MDIO, *MDIO, *MDIO, "R MAC_CR", "W MAC_CR",
               "W MAC_FLOW", "W PTP_LATENCY"]
PTP_AND_RSS = ["R PTP_CMD_CTL", "W PTP_CMD_CTL", "R PTP_CMD_CTL", "W PTP_CLOCK_SEC", "W PTP_CLOCK_NS",
               "W PTP_CLOCK_SUBNS", "W PTP_CMD_CTL", "W INT_EN_SET", "W PTP_INT_EN_SET", "W PTP_CMD_CTL",
               "W RFE_RSS_CFG"]
RX = ["W DMAC_CMD", "R DMAC_CMD", "W RX0_BASE_H", "W RX0_BASE_L", "W RX0_HEAD_WB_H", "W RX0_HEAD_WB_L",
      "W RX0_CFG_A", "R RX0_CFG_B", "W RX0_CFG_B", "W RX0_CFG_C", "W RX0_TAIL", "R RX0_HEAD", "W INT_EN_SET",
      "W DMAC_INT_STS", "W DMAC_INT_EN_SET", "W DMAC_CMD", "W FCT_RX_CTL", "R FCT_RX_CTL", "W FCT_FLOW0",
      "W FCT_RX_CTL"]
TX = ["W FCT_TX_CTL", "R FCT_TX_CTL", "W FCT_TX_CTL", "W DMAC_CMD", "R DMAC_CMD", "W TX0_BASE_H",
      "W TX0_BASE_L",
      "R TX0_CFG_B", "W TX0_CFG_B", "W TX0_CFG_A", "W TX0_HEAD_WB_H", "W TX0_HEAD_WB_L", "R TX0_HEAD",
      "W TX0_TAIL", "W TX0_CFG_C", "W DMAC_INT_EN_SET", "W DMAC_CMD"]
RX_MODE = ["R RFE_CTL", "W RFE_ADDR_FILT_HI1", "W RFE_ADDR_FILT_LO1", "W RFE_ADDR_FILT_HI1", "R DP_SEL",
           "R DP_SEL", "W DP_SEL", *(["W DP_ADDR", "W DP_DATA_0", "W DP_CMD", "R DP_SEL"] * 16), "W RFE_CTL"]
STOP = ["W DMAC_CMD", "R DMAC_CMD", "W DMAC_INT_EN_CLR", "W INT_EN_CLR", "W FCT_TX_CTL", "R FCT_TX_CTL",
        "W FCT_RX_CTL", "R FCT_RX_CTL", "W DMAC_CMD", "R DMAC_CMD", "W DMAC_INT_EN_CLR", "W INT_EN_CLR",
        "W PTP_INT_EN_CLR", "W INT_EN_CLR", "W PTP_CMD_CTL", "R PTP_CMD_CTL",
        "R MAC_TX", "W MAC_TX", "R MAC_TX", "R MAC_RX", "W MAC_RX", "R MAC_RX",
        "W INT_EN_CLR", "W INT_VEC_EN_CLR", "W INT_EN_CLR"]
RING_TAILS = ["W RX0_TAIL"] * (65 // 8)
"""The merged driver's refill writes the tail as it fills the ring for the first time as well."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_bring_up_and_down(variant):
    m = machine(variant)
    m.work()
    tails = RING_TAILS if variant == "merged" else []
    expected = [*PROBE, *INTERRUPTS, *MAC_AND_PHY, *PTP_AND_RSS, *tails, *RX, *TX, *RX_MODE, *STOP]
    assert m.accesses() == expected
    assert m.outcome.finding_counts == {} and m.host.memory.live_blocks == 0


def fields(m, register, number=-1):
    return {name: value for name, value in MAP[register].unpack(m.written(register)[number]).items() if value}


def test_what_is_written():
    m = machine("merged", {"rx_ring": 128, "tx_ring": 64})
    m.work()
    assert m.written("MAC_RX_ADDRL") == [int.from_bytes(STATION[:4], "little")]
    assert fields(m, "RFE_ADDR_FILT_HI0") == {"VALID": 1, "ADDRESS": int.from_bytes(STATION[4:], "little")}
    assert {m.written(f"INT_MOD_CFG{n}")[0] for n in range(8)} == {400}
    assert [m.written(f"INT_MOD_MAP{n}") for n in range(3)] == [[0x5432], [1], [0xFFFFFF]]
    assert fields(m, "DMAC_CFG") == {"MAX_DSPACE": 2, "MAX_READ_REQ": 6, "COAL_EN": 1}
    assert fields(m, "DMAC_COAL_CFG") == {"TIMER_LIMIT": 1, "TIMER_TX_START": 1, "FLUSH_INTS": 1,
                                          "INT_EXIT_COAL": 1, "CSR_EXIT_COAL": 1, "TX_THRES": 10,
                                          "RX_THRES": 12}
    assert fields(m, "RX0_CFG_A") == {"HP_WB_EN": 1, "WB_ON_INT_TMR": 1, "WB_THRES": 7, "PF_THRES": 16,
                                      "PF_PRI_THRES": 4}
    assert fields(m, "RX0_CFG_B") == {"PAD": 2, "RING_LEN": 128, "TS_ALL_RX": 1, "RDMABL_512": 1}
    assert fields(m, "RX0_CFG_C") == {"TOP_INT_EN_AUTO_CLR": 1, "DMA_INT_STS_AUTO_CLR": 1}
    assert m.written("RX0_TAIL")[-1] == 127 and fields(m, "FCT_FLOW0") == {
        "REQ_EN": 1, "ON_THRESHOLD": 0x2A, "OFF_THRESHOLD": 0x0A}
    assert fields(m, "TX0_CFG_A") == {"TMR_HPWB_SEL_IOC": 1, "HP_WB_EN": 1, "HP_WB_ON_INT_TMR": 1,
                                      "PF_THRES": 16, "PF_PRI_THRES": 4, "HP_WB_THRES": 7}
    assert fields(m, "TX0_CFG_B") == {"RING_LEN": 64, "TDMABL_512": 1} and m.written("TX0_TAIL") == [0]
    assert m.written("INT_VEC_MAP1")[-1] == 1 and m.written("INT_VEC_MAP0")[-1] == 2
    assert m.written("INT_VEC_EN_AUTO_CLR") == [1 << 2]
    assert fields(m, "RFE_CTL") == {"AB": 1, "DA_PERFECT": 1}
    assert fields(m, "MAC_CR") == {"MII_EN": 1, "SPEED": 2, "DPX": 1}


def test_without_timestamps_and_with_flow_control():
    m = machine("merged", {"timestamps": False, "pause": True})
    m.work()
    assert "TS_ALL_RX" not in fields(m, "RX0_CFG_B")
    assert fields(m, "MAC_FLOW") == {"TX_FCEN": 1, "RX_FCEN": 1, "FCPT": 0xFFFF}


def test_rev_a0_has_none_of_what_came_with_b0():
    m = machine("merged", {"rev": "a0"}, engine=FakeLan743x(rev_a0=True))
    m.work()
    log = m.accesses()
    assert not any("INT_MOD" in entry or "AUTO_CLR" in entry for entry in log)
    assert fields(m, "RX0_CFG_A") == {"HP_WB_EN": 1}
    assert fields(m, "TX0_CFG_A") == {"HP_WB_EN": 1, "TMR_HPWB_SEL_IOC": 1}
    assert m.written("RX0_CFG_C") == m.written("TX0_CFG_C") == [0]
    assert "RDMABL_512" not in fields(m, "RX0_CFG_B") and "COAL_EN" not in fields(m, "DMAC_CFG")
    assert set(m.outcome.driver) >= {"irqs_vector0"} and "irqs_vector1" not in m.outcome.driver


def test_one_channel_has_every_hash_on_but_neither_key_nor_table_written():
    m = machine("merged")
    m.work()
    assert m.written("RFE_RSS_CFG") == [sum(field.mask for field in MAP["RFE_RSS_CFG"].fields)]
    assert not any("RFE_HASH_KEY" in entry or "RFE_INDX" in entry for entry in m.accesses())


def test_the_self_test_is_masked_and_its_latch_stays():
    for flags, engine in (({}, FakeLan743x()), ({"msix": False}, FakeLan743x()),
                          ({"rev": "a0"}, FakeLan743x(rev_a0=True))):
        m = machine("merged", flags, engine=engine)
        m.work(actions=(Action(100, "down"), Action(2000, "up")))
        assert m.outcome.finding_counts == {} and engine.sw_gp and not m.written("INT_STS")
        assert len(m.written("INT_SET")) == 2


def test_four_channels_have_a_vector_each_and_share_the_flows():
    m = machine("merged", {"rx_channels": 4, "buffers": "mtu"})
    m.work()
    assert m.written("INT_VEC_MAP0")[-1] == 0x5432 and m.written("INT_VEC_EN_AUTO_CLR")[-1] == 0x3C
    starts = [MAP["DMAC_CMD"].unpack(value)["START_R"] for value in m.written("DMAC_CMD")]
    assert [start for start in starts if start] == [1, 2, 4, 8]
    table = b"".join(m.written(f"RFE_INDX{n}")[0].to_bytes(4, "little") for n in range(32))
    assert list(table) == [entry % 4 for entry in range(128)]
    assert len({m.written(f"RX{n}_BASE_L")[0] for n in range(4)}) == 4
    assert fields(m, "RFE_RSS_CFG").keys() >= {"RSS_ENABLE", "RSS_QUEUE_ENABLE", "IPV4", "TCP_IPV4"}
    key = b"".join(m.written(f"RFE_HASH_KEY{n}")[0].to_bytes(4, "little") for n in range(10))
    assert key[:4] == bytes.fromhex("6d5a56da") and m.outcome.finding_counts == {}


def test_the_parts_own_address_is_used_if_it_has_one():
    engine = FakeLan743x()
    engine.values["MAC_RX_ADDRH"], engine.values["MAC_RX_ADDRL"] = 0x0605, 0x04030200
    m = machine(engine=engine)
    m.work()
    assert m.netdev.station == bytes([0, 2, 3, 4, 5, 6])
    assert m.written("RFE_ADDR_FILT_LO0") == [0x04030200]


def test_another_mtu_is_set_before_open():
    m = machine("merged", {"buffers": "mtu"}, mtu_bytes=500)
    m.work()
    assert MAP["MAC_RX"].unpack(m.written("MAC_RX")[0])["MAX_SIZE"] == 518
    assert m.accesses()[len(PROBE):len(PROBE) + 2] == ["R MAC_RX", "W MAC_RX"]


def test_up_again_is_as_up():
    m = machine("before")
    m.work(actions=(Action(100, "down"), Action(5000, "up")))
    opened = [*INTERRUPTS, *MAC_AND_PHY, *PTP_AND_RSS, *RX, *TX, *RX_MODE]
    assert m.accesses() == [*PROBE, *opened, *STOP[:-1], *opened, *STOP]
    assert m.outcome.finding_counts == {} and m.engine.values["MAC_TX"] & mask("MAC_TX", "TXD")
