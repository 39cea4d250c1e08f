"""The lan743x map against the tables of its reference sheet, as they stand there."""

import pytest

from hdl.registers import load

REGISTERS = """
    ID_REV 0x000: ID@31:16 CHIP_REV@15:0
    FPGA_REV 0x004: REV@31:0
    HW_CFG 0x010: LRST@1
    PMT_CTL 0x014: ETH_PHY_RST@4 READY@7
    DP_SEL 0x024: SELECT@4:0 DPRDY@31
    DP_CMD 0x028: WRITE@0
    DP_ADDR 0x02C: ADDRESS@31:0
    DP_DATA_0 0x030: DATA@31:0
    FCT_RX_CTL 0x0AC: EN@31:28 DIS@27:24 RESET@23:20
    FCT_TX_CTL 0x0C4: EN@28 DIS@24 RESET@20
    MAC_CR 0x100: MII_EN@19 EEE_EN@17 ADD@12 ASD@11 CNTR_RST@5 DPX@3 SPEED@2:1 RST@0
    MAC_RX 0x104: MAX_SIZE@29:16 RXD@1 RXEN@0
    MAC_TX 0x108: TXD@1 TXEN@0
    MAC_FLOW 0x10C: TX_FCEN@30 RX_FCEN@29 FCPT@15:0
    MAC_RX_ADDRH 0x118: ADDRESS@15:0
    MAC_RX_ADDRL 0x11C: ADDRESS@31:0
    MAC_MII_ACC 0x120: PHY_ADDR@15:11 MIIRINDA@10:6 MII_WRITE@1 MII_BUSY@0
    MAC_MII_DATA 0x124: DATA@15:0
    RFE_CTL 0x508: TCP_UDP_COE@12 IP_COE@11 AB@10 AM@9 AU@8 MCAST_HASH@3 DA_PERFECT@1
    RFE_RSS_CFG 0x554: RSS_ENABLE@0 RSS_HASH_STORE@1 RSS_QUEUE_ENABLE@2 IPV4@8 TCP_IPV4@9 UDP_IPV4@10
    INT_STS 0x780: RX@27:24 TX@16 SW_GP@9 PTP@7 MAS@0
    INT_SET 0x784: SW_GP@9
    INT_EN_SET 0x788: RX@27:24 TX@16 SW_GP@9 PTP@7 MAS@0
    INT_EN_CLR 0x78C: RX@27:24 TX@16 SW_GP@9 PTP@7 MAS@0
    INT_STS_R2C 0x790: RX@27:24 TX@16 SW_GP@9 PTP@7 MAS@0
    INT_VEC_EN_SET 0x794: VECTORS@7:0
    INT_VEC_EN_CLR 0x798: VECTORS@7:0
    INT_VEC_EN_AUTO_CLR 0x79C: VECTORS@7:0
    INT_VEC_MAP0 0x7A0: RX0@3:0 RX1@7:4 RX2@11:8 RX3@15:12
    INT_VEC_MAP1 0x7A4: TX0@3:0
    INT_VEC_MAP2 0x7A8: OTHER@31:0
    INT_MOD_MAP0 0x7B0: RX0@3:0 RX1@7:4 RX2@11:8 RX3@15:12
    INT_MOD_MAP1 0x7B4: TX0@3:0
    INT_MOD_MAP2 0x7B8: OTHER@31:0
    PTP_CMD_CTL 0xA00: RESET@0 DISABLE@1 ENABLE@2 CLOCK_READ@3 CLOCK_LOAD@4
    PTP_CLOCK_SEC 0xA14: SEC@31:0
    PTP_CLOCK_NS 0xA18: NS@29:0
    PTP_CLOCK_SUBNS 0xA1C: VALUE@31:0
    DMAC_CFG 0xC00: COAL_EN@16 MAX_READ_REQ@6:4 MAX_DSPACE@1:0
    DMAC_COAL_CFG 0xC04: TIMER_LIMIT@31:20 TIMER_TX_START@19 FLUSH_INTS@18 INT_EXIT_COAL@17 CSR_EXIT_COAL@16
    DMAC_COAL_CFG 0xC04: TX_THRES@15:8 RX_THRES@7:0
    DMAC_OBFF_CFG 0xC08: TX_THRES@15:8 RX_THRES@7:0
    DMAC_CMD 0xC0C: SWR@31 TX_SWR@24 START_T@20 STOP_T@16 RX_SWR@11:8 START_R@7:4 STOP_R@3:0
    DMAC_INT_STS 0xC10: RXFRM@19:16 TX_IOC@0
    DMAC_INT_EN_SET 0xC14: RXFRM@19:16 TX_IOC@0
    DMAC_INT_EN_CLR 0xC18: RXFRM@19:16 TX_IOC@0
"""
"""Sections 2 and 3: name, offset, fields with their bits."""

ARRAYS = """
    GPIO_CFG 4 0x050 4:
    FCT_FLOW 4 0x0E0 4: OFF_THRESHOLD@14:8 REQ_EN@7 ON_THRESHOLD@6:0
    RFE_ADDR_FILT_HI 33 0x400 8: VALID@31 ADDRESS@15:0
    RFE_ADDR_FILT_LO 33 0x404 8: ADDRESS@31:0
    RFE_HASH_KEY 10 0x558 4: KEY@31:0
    RFE_INDX 32 0x580 4: ENTRIES@31:0
    INT_MOD_CFG 8 0x7C0 4: INTERVAL@15:0
"""
"""The numbered registers: name, how many, first offset, distance, fields."""

RX_CHANNEL = """
    CFG_A 0x00: WB_ON_INT_TMR@30 WB_THRES@28:24 PF_THRES@20:16 PF_PRI_THRES@12:8 HP_WB_EN@5
    CFG_B 0x04: TS_ALL_RX@29 TS_DESCR_EN@28 PAD@25:24 RDMABL_512@18 RING_LEN@15:0
    BASE_H 0x08: ADDRESS@31:0
    BASE_L 0x0C: ADDRESS@31:0
    HEAD_WB_H 0x10: ADDRESS@31:0
    HEAD_WB_L 0x14: ADDRESS@31:0
    HEAD 0x18: INDEX@15:0
    TAIL 0x1C: INDEX@15:0 SET_TOP_INT_EN@30 SET_TOP_INT_VEC_EN@29
    CFG_C 0x24: TOP_INT_EN_AUTO_CLR@6 INT_EN_R2C@4 DMA_INT_STS_AUTO_CLR@3 INT_STS_R2C_MODE@2:0
"""
TX_CHANNEL = """
    CFG_A 0x00: HP_WB_ON_INT_TMR@30 TMR_HPWB_SEL_IOC@28 PF_THRES@20:16 PF_PRI_THRES@12:8 HP_WB_EN@5
    CFG_A 0x00: HP_WB_THRES@3:0
    CFG_B 0x04: TDMABL_512@18 RING_LEN@15:0
    BASE_H 0x08: ADDRESS@31:0
    BASE_L 0x0C: ADDRESS@31:0
    HEAD_WB_H 0x10: ADDRESS@31:0
    HEAD_WB_L 0x14: ADDRESS@31:0
    HEAD 0x18: INDEX@15:0
    TAIL 0x1C: INDEX@15:0 SET_DMAC_INT_EN@31 SET_TOP_INT_EN@30 SET_TOP_INT_VEC_EN@29
    CFG_C 0x24: TOP_INT_EN_AUTO_CLR@6 DMA_INT_EN_AUTO_CLR@5 INT_EN_R2C@4 DMA_INT_STS_AUTO_CLR@3
    CFG_C 0x24: INT_STS_R2C_MODE@2:0
"""
"""The channel blocks: offset in the block."""

ACCESS = {
    "ID_REV.ID": "RO", "HW_CFG.LRST": "W1S", "FCT_RX_CTL.EN": "W1S", "FCT_TX_CTL.DIS": "W1S",
    "MAC_RX.RXD": "W1C", "MAC_TX.TXD": "W1C", "MAC_RX.MAX_SIZE": "RW", "INT_STS.SW_GP": "W1C",
    "INT_STS.RX": "RO", "INT_SET.SW_GP": "W1S", "INT_EN_SET.RX": "W1S", "INT_EN_CLR.RX": "W1C",
    "INT_STS_R2C.SW_GP": "RO", "INT_VEC_EN_SET.VECTORS": "W1S", "INT_VEC_EN_CLR.VECTORS": "W1C",
    "INT_VEC_EN_AUTO_CLR.VECTORS": "RW", "DMAC_CMD.RX_SWR": "W1S", "DMAC_CMD.START_R": "W1S",
    "DMAC_INT_STS.RXFRM": "W1C", "DMAC_INT_EN_SET.TX_IOC": "W1S", "DMAC_INT_EN_CLR.TX_IOC": "W1C",
    "RX0_HEAD.INDEX": "RO", "RX0_TAIL.INDEX": "RW", "RX0_TAIL.SET_TOP_INT_EN": "SC",
    "TX0_CFG_A.HP_WB_EN": "RW", "MAC_CR.CNTR_RST": "SC", "MAC_CR.RST": "W1S", "PTP_CMD_CTL.DISABLE": "SC",
    "PTP_CMD_CTL.ENABLE": "W1S",
    "STAT_RX_FCS_ERRORS.COUNT": "RO", "PMT_CTL.READY": "RO",
}

RESETS = {"ID_REV": 0x74300010, "PMT_CTL": 0x80, "DP_SEL": 0x80000000, "MAC_RX": 1518 << 16, "MAC_CR": 0xC,
          "MAC_RX_ADDRH": 0xFFFF, "MAC_RX_ADDRL": 0xFFFFFFFF}
"""What a read returns after reset, of the registers that do not read 0."""


@pytest.fixture(scope="module")
def lan():
    return load("lan743x")


def rows(table):
    for row in table.strip().splitlines():
        head, fields = row.strip().split(":", 1)
        found = []
        for word in fields.split():
            name, bits = word.split("@")
            msb, _, lsb = bits.partition(":")
            found.append((name, int(msb), int(lsb or msb)))
        yield head.split(), found


def check(register, offset, fields):
    assert register.offset == offset, register.name
    for name, msb, lsb in fields:
        assert (register[name].lsb, register[name].msb) == (lsb, msb), f"{register.name}.{name}"


def test_registers_are_those_of_the_sheet(lan):
    for (name, offset), fields in rows(REGISTERS):
        check(lan[name], int(offset, 16), fields)


def test_numbered_registers_are_those_of_the_sheet(lan):
    for (name, count, first, distance), fields in rows(ARRAYS):
        for number in range(int(count)):
            check(lan[f"{name}{number}"], int(first, 16) + number * int(distance), fields)
        assert f"{name}{count}" not in lan


@pytest.mark.parametrize("prefix, count, base, table", [
    ("RX", 4, 0xC40, RX_CHANNEL), ("TX", 1, 0xD40, TX_CHANNEL)])
def test_channels_are_those_of_the_sheet(lan, prefix, count, base, table):
    for channel in range(count):
        for (name, offset), fields in rows(table):
            check(lan[f"{prefix}{channel}_{name}"], base + 0x40 * channel + int(offset, 16), fields)
    assert f"{prefix}{count}_TAIL" not in lan


@pytest.mark.parametrize("path, access", ACCESS.items())
def test_access(lan, path, access):
    assert lan.referred(path)[1].access == access


def test_reset_values(lan):
    assert {register.name: register.reset for register in lan if register.reset} == RESETS


def test_statistics(lan):
    counters = [register for register in lan if register.name.startswith("STAT_")]
    assert [counter.offset for counter in counters] == [
        *range(0x1200, 0x1260, 4), 0x127C, *range(0x1280, 0x12E4, 4), 0x12FC]
    assert all(counter.external and counter["COUNT"].width == 32 for counter in counters)
    assert [register for register in lan if register.external] == counters
    places = {"STAT_RX_FCS_ERRORS": 0x1200, "STAT_RX_DROPPED_FRAMES": 0x1218, "STAT_RX_TOTAL_FRAMES": 0x1254,
              "STAT_TX_FCS_ERRORS": 0x1280, "STAT_TX_UNICAST_BYTE_COUNT": 0x12A0,
              "STAT_TX_TOTAL_FRAMES": 0x12D8}
    assert {name: lan.offset(name) for name in places} == places


def test_one_mask_has_two_addresses(lan):
    for mask in ("INT_EN", "INT_VEC_EN", "DMAC_INT_EN", "PTP_INT_EN"):
        assert lan[f"{mask}_CLR"].alias_of == f"{mask}_SET"
    assert lan["INT_SET"].alias_of == lan["INT_STS_R2C"].alias_of == "INT_STS"
    for alias in (register for register in lan if register.alias_of):
        for field in alias.fields:
            kept = lan.primary(alias)[field.name]
            assert (kept.lsb, kept.width, kept.hwset, kept.hwclr, kept.precedence) == (
                field.lsb, field.width, field.hwset, field.hwclr, field.precedence), alias.name


def test_tables_that_are_written_once_are_no_concern_of_the_engine(lan):
    passive = {register.name for register in lan if register.passive}
    assert {f"RFE_ADDR_FILT_HI{number}" for number in range(33)} <= passive
    assert {f"RFE_INDX{number}" for number in range(32)} <= passive
    assert {"RX0_BASE_H", "TX0_HEAD_WB_H", "GPIO_CFG0"} <= passive
    assert not passive & {"RX0_BASE_L", "RX0_HEAD", "RX0_TAIL", "TX0_CFG_A", "INT_MOD_CFG0", "INT_STS"}


def test_descriptors(lan):
    def masks(descriptor, word):
        return {field.name: field.mask for field in lan.descriptor(descriptor)[word].fields}

    assert set(lan.descriptors) == {"rx_descriptor", "rx_extension", "tx_descriptor", "tx_extension"}
    for descriptor in lan.descriptors.values():
        assert descriptor.size_bytes == descriptor.dtype.itemsize == 16
        assert [(word.name, word.offset) for word in descriptor] == [
            ("DATA0", 0), ("DATA1", 4), ("DATA2", 8), ("DATA3", 12)]
    assert masks("rx_descriptor", "DATA0") == {
        "FS": 1 << 31, "LS": 1 << 30, "FRAME_LENGTH": 0x3FFF0000, "OWN": 1 << 15, "EXT": 1 << 14,
        "BUF_LENGTH": 0x3FFF}
    assert masks("rx_descriptor", "DATA1") == {
        "ADDRESS": 0xFFFFFFFF, "IP_CSUM_ERROR": 1 << 17, "TCP_UDP_CSUM_ERROR": 1 << 16, "CSUM": 0xFFFF}
    assert masks("rx_extension", "DATA0") == {"OWN": 1 << 15, "EXT": 1 << 14, "BUF_LENGTH": 0x3FFF}
    assert masks("rx_extension", "DATA1") == {"TS_SEC": 0xFFFFFFFF}
    assert masks("rx_extension", "DATA2") == {"TS_NS": 0x3FFFFFFF}
    assert masks("tx_descriptor", "DATA0") == {
        "DTYPE": 3 << 30, "FS": 1 << 29, "LS": 1 << 28, "EXT": 1 << 27, "IOC": 1 << 26, "ICE": 1 << 22,
        "IPE": 1 << 21, "TPE": 1 << 20, "FCS": 1 << 17, "TSE": 1 << 16, "BUF_LENGTH": 0xFFFF}
    assert masks("tx_descriptor", "DATA3") == {"FRAME_LENGTH_MSS": 0x3FFF0000}
    assert masks("tx_extension", "DATA0") == {
        "DTYPE": 3 << 30, "LSO": 1 << 21, "PAY_LENGTH": 0xFFFFF}
