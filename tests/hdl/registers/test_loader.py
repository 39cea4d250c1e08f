"""Finding and compiling register maps: names, messages, and what is refused."""

import subprocess
import sys

import pytest

from hdl.registers import RegisterMapError, known_macs, load

GOOD = "addrmap toy {{ reg {{ field {{ sw = rw; hw = r; {0} }} A[3:0] = 1; }} R @0x4; }};"


def test_a_map_is_found_by_its_file_name(tmp_path):
    assert "at91ether" in known_macs()
    (tmp_path / "toy.rdl").write_text(GOOD.format(""))
    (tmp_path / "_common.rdl").write_text("")
    assert known_macs(tmp_path) == ("toy",)
    toy = load("toy", tmp_path)
    assert toy.offset("R") == 4 and toy["R"].reset == 1 and toy.descriptors == {}
    assert load("toy", tmp_path) is toy


def test_an_unknown_mac_is_refused_with_the_known_ones():
    with pytest.raises(RegisterMapError) as error:
        load("e1000")
    assert str(error.value) == (f"there is no register map e1000.rdl for MAC 'e1000' in hdl/registers; "
                                f"there is one for {', '.join(known_macs())}")


@pytest.mark.parametrize("text, message", [
    ("addrmap toy { reg { field {} A[3:0] = 1 } R; };", r"toy\.rdl does not compile:\n.*toy\.rdl:1: error"),
    (GOOD.format("").replace("toy", "tay"), r"toy\.rdl defines no addrmap 'toy'; it defines tay"),
    (GOOD.format("") + GOOD.format("").replace("toy", "entry"),
     r"addrmap 'entry' should be named toy_<descriptor>"),
    (GOOD.format("paritycheck;"), r"toy\.R\.A: property paritycheck is not supported by the register bank"),
    (GOOD.format("onwrite = wuser;").replace("} R", "} external R"),
     r"toy\.R\.A: onwrite = wuser is not supported; it can be woclr, woset"),
])
def test_what_is_wrong_is_named(tmp_path, text, message):
    (tmp_path / "toy.rdl").write_text(text)
    with pytest.raises(RegisterMapError, match=message):
        load("toy", tmp_path)


def test_arrays_and_register_files_become_plain_registers(tmp_path):
    (tmp_path / "toy.rdl").write_text(
        "regfile queue { reg { field {} A[15:0] = 0; } HEAD @0; reg { field {} A[15:0] = 0; } TAIL @4; };"
        "addrmap toy { queue Q[2] @0x100 += 0x40; };")
    assert [(register.name, register.offset) for register in load("toy", tmp_path)] == [
        ("Q0_HEAD", 0x100), ("Q0_TAIL", 0x104), ("Q1_HEAD", 0x140), ("Q1_TAIL", 0x144)]


def test_the_number_of_a_register_file_can_be_put_last(tmp_path):
    (tmp_path / "toy.rdl").write_text(
        "property index_last { type = boolean; component = regfile; };"
        "regfile entry { index_last = true; reg { field {} A[15:0] = 0; } HIGH @0;"
        " external reg { field {} A[15:0] = 0; } LOW @4; };"
        "addrmap toy { entry ENTRY[2] @0x100 += 8; };")
    assert [(register.name, register.offset, register.external) for register in load("toy", tmp_path)] == [
        ("ENTRY_HIGH0", 0x100, False), ("ENTRY_LOW0", 0x104, True),
        ("ENTRY_HIGH1", 0x108, False), ("ENTRY_LOW1", 0x10C, True)]


def test_the_maps_come_without_amaranth():
    code = "import sys, hdl.registers as r; r.load('at91ether'); assert 'amaranth' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
