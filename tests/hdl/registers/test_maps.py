"""Look-up, packing and numpy views of register maps."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdl.registers import Descriptor, Field, Register, RegisterMap, RegisterMapError, load

CONTROL = Register("CONTROL", 0x10, 32, 32, kernel_name="CTRL", fields=(
    Field("GO", 0, 1), Field("MODE", 4, 3, reset=5), Field("LEN", 16, 16)))
LIST = Register("LIST", 0x14, 32, 32, (Field("BASE", 2, 30, sw="w"), Field("CURRENT", 2, 30, sw="r", hw="w")))
MAP = RegisterMap("part", (CONTROL, LIST), size_bytes=0x18)
ENTRY = Descriptor("entry", size_bytes=16, registers=(
    Register("ADDRESS", 0, 64, 64, (Field("BYTES", 0, 64),)),
    Register("FLAGS", 8, 32, 32, (Field("OWN", 31, 1), Field("LEN", 0, 14)))))


def test_look_up():
    assert MAP.offset("CONTROL") == MAP.offset("CTRL") == 0x10
    assert MAP.field("CONTROL", "MODE").mask == 0x70
    assert MAP.field("CONTROL", "MODE").shift == 4
    assert MAP.field("CONTROL", "MODE").msb == 6
    assert MAP.at(0x12) is CONTROL and MAP.at(0x20) is None
    assert [register.name for register in MAP] == ["CONTROL", "LIST"]
    assert "CONTROL" in MAP and "GO" in MAP["CONTROL"] and "STOP" not in MAP["CONTROL"]


@pytest.mark.parametrize("act, text", [
    (lambda: MAP["CONTROLL"], "part has no register 'CONTROLL'; it has CONTROL, CTRL"),
    (lambda: MAP.field("CONTROL", "MODEL"), "register CONTROL has no field 'MODEL'; it has MODE"),
    (lambda: MAP.descriptor("entry"), "part has no descriptor 'entry'; it has none"),
    (lambda: MAP.pack("CONTROL", MODE=8), "register CONTROL: field MODE is 3 bits wide: 8 is not in 0..7"),
    (lambda: MAP.pack("CONTROL", MODE=-1), "register CONTROL: field MODE is 3 bits wide: -1 is not in 0..7"),
    (lambda: MAP.pack("CONTROL", base=1 << 32),
     "register CONTROL is 32 bits wide: base 0x100000000 does not fit"),
    (lambda: MAP.unpack("CONTROL", 1 << 32), "register CONTROL is 32 bits wide: 0x100000000 does not fit"),
    (lambda: MAP.pack("LIST", BASE=1, CURRENT=1),
     "register LIST: field CURRENT shares bits with another one given"),
])
def test_errors_name_what_was_given_and_what_would_be_right(act, text):
    with pytest.raises(RegisterMapError) as error:
        act()
    assert str(error.value) == text


@given(st.integers(0, 1), st.integers(0, 7), st.integers(0, 0xFFFF))
def test_unpack_undoes_pack(go, mode, length):
    word = MAP.pack("CONTROL", GO=go, MODE=mode, LEN=length)
    assert MAP.unpack("CONTROL", word) == {"GO": go, "MODE": mode, "LEN": length}


def test_pack_keeps_the_other_bits_of_a_base():
    assert MAP.pack("CONTROL", base=0xABCD0075, MODE=0) == 0xABCD0005


def test_only_readable_fields_are_unpacked():
    assert MAP.unpack("LIST", 0x1000) == {"CURRENT": 0x400}


def test_reset_is_what_a_read_returns():
    assert CONTROL.reset == 0x50


def test_registers_that_a_build_leaves_out_become_passive():
    lan = load("lan743x")
    one = lan.passive("RX[123]_*")
    changed = [register.name for register in one if register not in lan.registers]
    assert len(changed) == 21 and {name[:4] for name in changed} == {"RX1_", "RX2_", "RX3_"}
    assert all(one[name].passive for name in changed) and not one["RX0_TAIL"].passive
    assert one["RX3_TAIL"].reset == 0 and one.field("RX3_TAIL", "INDEX").access == "RW"
    assert one.descriptors is lan.descriptors and one.offset("RX3_TAIL") == lan.offset("RX3_TAIL")


@pytest.mark.parametrize("pattern, text", [
    ("RX9_*", r"lan743x has no register 'RX9_\*'"),
    ("INT_EN_SET", "lan743x: INT_EN_CLR refers to INT_EN_SET, which cannot be made passive"),
    ("INT_EN_CLR", "lan743x: INT_EN_CLR is an alias or external; it cannot be made passive"),
    ("STAT_RX_T*", "lan743x: STAT_RX_TOTAL_FRAMES is an alias or external; it cannot be made passive"),
])
def test_what_cannot_be_made_passive(pattern, text):
    with pytest.raises(RegisterMapError, match=text):
        load("lan743x").passive(pattern)


def test_descriptor_is_a_numpy_view_of_memory():
    memory = numpy.zeros(64, dtype=numpy.uint8)
    ring = memory[16:48].view(ENTRY.dtype)
    assert len(ring) == 2
    ENTRY.put(ring[1], "ADDRESS", "BYTES", 0x8877665544332211)
    ENTRY.put(ring[1], "FLAGS", "LEN", 60)
    ENTRY.put(ring[1], "FLAGS", "OWN", 1)
    assert memory[32:44].tolist() == [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 60, 0, 0, 0x80]
    assert ENTRY.get(ring, "FLAGS", "OWN").tolist() == [0, 1]
    ENTRY.put(ring[1], "FLAGS", "OWN", 0)
    assert ENTRY.get(ring[1], "FLAGS", "LEN") == 60 and ENTRY.get(ring[1], "FLAGS", "OWN") == 0
    with pytest.raises(RegisterMapError, match=r"field LEN is 14 bits wide: 16384 is not in 0\.\.16383"):
        ENTRY.put(ring[0], "FLAGS", "LEN", 1 << 14)
