"""The at91ether map against the tables of its reference sheet, as they stand there."""

import re

import pytest

from hdl.registers import load

REGISTERS = """
    CTL 0x00 0x000: LB0 LBL1 RE2 TE3 MPE4 CSR5 INCSTAT6 WES7 BP8
    CFG 0x04 0x800: SPD0 FD1 BR2 CAF4 NBC5 MTI6 UNI7 BIG8 EAE9 CLK11:10 RTY12 RMII13
    SR 0x08 0x4: LINK0 MDIO1 IDLE2
    TAR 0x0C 0: ADDRESS31:0
    TCR 0x10 0: LEN10:0 NCRC15
    TSR 0x14 0x18: OVR0 COL1 RLE2 IDLE3 BNQ4 COMP5 UND6
    RBQP 0x18 0: BASE31:2
    RSR 0x20 0: BNA0 REC1 OVR2
    ISR 0x24 0: DONE0 RCOM1 RBNA2 TOVR3 TUND4 RTRY5 TBRE6 TCOM7 TIDLE8 LINK9 ROVR10 ABT11
    IER 0x28 0: DONE0 RCOM1 RBNA2 TOVR3 TUND4 RTRY5 TBRE6 TCOM7 TIDLE8 LINK9 ROVR10 ABT11
    IDR 0x2C 0: DONE0 RCOM1 RBNA2 TOVR3 TUND4 RTRY5 TBRE6 TCOM7 TIDLE8 LINK9 ROVR10 ABT11
    IMR 0x30 0xFFF: DONE0 RCOM1 RBNA2 TOVR3 TUND4 RTRY5 TBRE6 TCOM7 TIDLE8 LINK9 ROVR10 ABT11
    MAN 0x34 0: DATA15:0 CODE17:16 REGA22:18 PHYA27:23 RW29:28
    HSL 0x90 0: HASH31:0
    HSH 0x94 0: HASH31:0
    SA1L 0x98 0: ADDRESS31:0
    SA1H 0x9C 0: ADDRESS15:0
    SA4H 0xB4 0: ADDRESS15:0
"""
"""Sections 2 and 3: name, offset, what it reads after reset, fields with their bits."""

STATISTICS = ("FRA40 SCOL44 MCOL48 OK4C SEQE50 ALE54 DTE58 LCOL5C ECOL60 TUE64 CSE68 DRFC6C ROV70 CDE74 "
              "ELR78 RJB7C USF80 SQEE84")
"""Section 3: name and offset in hexadecimal."""

WIDE = {"FRA": 24, "OK": 24, "SCOL": 16, "MCOL": 16, "DTE": 16, "DRFC": 16}
"""Bits of the statistics that have more than 8."""

ACCESS = {
    "TAR.ADDRESS": "RW", "TCR.LEN": "RW", "TSR.OVR": "W1C", "TSR.UND": "W1C", "TSR.IDLE": "RO",
    "TSR.BNQ": "RO", "RSR.REC": "W1C", "ISR.TCOM": "RC", "IER.TCOM": "W1C", "IDR.TCOM": "W1S",
    "IMR.TCOM": "RO", "SR.IDLE": "RO", "CTL.CSR": "SC", "FRA.COUNT": "RC",
}


@pytest.fixture(scope="module")
def at91():
    return load("at91ether")


@pytest.mark.parametrize("row", [row.strip() for row in REGISTERS.strip().splitlines()])
def test_registers_are_those_of_the_sheet(at91, row):
    head, fields = row.split(":", 1)
    name, offset, reset = head.split()
    register = at91[name]
    assert (register.offset, register.reset) == (int(offset, 16), int(reset, 16))
    for word in fields.split():
        field, msb, lsb = re.fullmatch(r"([A-Z]+)(\d+):?(\d+)?", word).groups()
        msb, lsb = int(msb), int(lsb if lsb is not None else msb)
        assert (register[field].lsb, register[field].width) == (lsb, msb - lsb + 1), field


def test_statistics_are_those_of_the_sheet(at91):
    for name, offset in re.findall(r"([A-Z]+)([0-9A-F]{2})(?: |$)", STATISTICS):
        count = at91.field(name, "COUNT")
        assert at91.offset(name) == int(offset, 16), name
        assert count.width == WIDE.get(name, 8), name
        assert count.counter and count.saturate and count.access == "RC" and count.hwclr == "CTL.CSR", name
        assert at91[name].basis == "GK"


@pytest.mark.parametrize("path, access", ACCESS.items())
def test_access(at91, path, access):
    _, field = at91.referred(path)
    assert field.access == access


def test_every_word_can_be_written_in_halves(at91):
    assert {register.accesswidth for register in at91} == {16}


def test_enable_and_disable_act_on_the_mask_the_other_way_round(at91):
    assert at91["IER"].alias_of == at91["IDR"].alias_of == "IMR"
    masks = [f"IMR.{field.name}" for field in at91["IMR"].fields]
    assert [field.masked_by for field in at91["ISR"].fields] == masks


def test_the_traced_status_of_the_mstar_part_is_readable(at91):
    """Section 8: before the first hand-over, and after the fifth, which overran."""
    empty = at91.unpack("TSR", 0x41001FB8)
    assert empty["FREE"] == 4 and empty["IDLE"] == empty["BNQ"] == empty["ALLIDLE"] == 1 and empty["OVR"] == 0
    assert all(empty[f"FIFOIDLE{entry}"] for entry in (1, 2, 3, 4))
    overrun = at91.unpack("TSR", 0xF0000191)
    assert overrun["FREE"] == 15 and overrun["OVR"] == 1 and overrun["BNQ"] == 1 and overrun["ALLIDLE"] == 0
    assert not any(overrun[f"FIFOIDLE{entry}"] for entry in (1, 2, 3, 4))


def test_fields_of_one_variant_only_read_0_elsewhere(at91):
    special = [field for register in at91 for field in register.fields if field.only_on]
    assert {field.only_on for field in special} == {"mstar"}
    assert sum(field.mask for field in special) == 0xF1001F80
    assert all(field.reset == 0 and field.access == "RO" for field in special)


def test_receive_descriptor(at91):
    entry = at91.descriptor("rx_descriptor")
    assert entry.size_bytes == entry.dtype.itemsize == 8
    assert [(word.name, word.offset) for word in entry] == [("WORD0", 0), ("WORD1", 4)]
    assert entry.field("WORD0", "OWNERSHIP").mask == 1
    assert entry.field("WORD0", "WRAP").mask == 2
    assert entry.field("WORD0", "ADDRESS").mask == 0xFFFFFFFC
    assert entry.field("WORD1", "LENGTH").mask == 0x7FF
    flags = ("SA4", "SA3", "SA2", "SA1", "UNKNOWN", "EXTERNAL", "UNICAST", "MULTICAST", "BROADCAST")
    assert [entry.field("WORD1", flag).lsb for flag in flags] == list(range(23, 32))
