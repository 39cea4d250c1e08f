"""The pages and the C header that are written from a map."""

import shutil
import subprocess

import pytest

from hdl.registers import known_macs, load
from hdl.registers.cheader import c_header
from hdl.registers.docs import markdown, write_pages


def test_a_page_names_every_register_and_field():
    at91 = load("at91ether")
    page = markdown(at91)
    for register in at91:
        assert f"| {register.offset:#04x} | {register.name} | {register.reset:#x} |" in page
        section = page.split(f"### {register.name} ")[1].split("\n### ")[0]
        for field in register.fields:
            assert f"| {field.name} | {field.access} | {field.reset:#x} |" in section
    assert "| 7 | TBNQ | RO | 0x0 | vendor header: TBNQ; only on mstar, else 0 |" in page
    assert "| 23:0 | COUNT | RC | 0x0 | counter, stops at its largest value; cleared by CTL.CSR |" in page
    assert "| 1 | WRAP | rw | r | last entry: the next one is at the base |" in page


def test_the_page_and_the_header_of_numbered_registers():
    lan = load("lan743x")
    page, header = markdown(lan), c_header(lan)
    assert [line for line in page.splitlines() if line.startswith("### ") and " at 0x" in line] == [
        f"### {register.name} at {register.offset:#04x}" for register in lan]
    macros = [line.split()[1] for line in header.splitlines() if line.startswith("#define")]
    assert len(macros) == len(set(macros))
    assert "#define LAN743X_RX3_TAIL 0xd1cu" in header
    assert "#define LAN743X_RFE_ADDR_FILT_HI5_VALID_MASK 0x80000000u" in header
    assert "#define LAN743X_RX_DESCRIPTOR_DATA0_OWN_SHIFT 15" in header
    assert "#define LAN743X_TX_DESCRIPTOR_SIZE 16u" in header


def test_a_page_is_written_for_every_mac(tmp_path):
    pages = write_pages(tmp_path / "registers")
    assert [page.stem for page in pages] == list(known_macs())
    assert all(page.read_text(encoding="utf-8").startswith("# Registers of ") for page in pages)


@pytest.mark.skipif(not shutil.which("gcc"), reason="no C compiler (gcc)")
def test_the_header_compiles_and_says_what_the_map_says(tmp_path):
    at91 = load("at91ether")
    (tmp_path / "at91ether.h").write_text(c_header(at91))
    (tmp_path / "try.c").write_text(
        '#include <stdio.h>\n#include "at91ether.h"\n'
        'int main(void) { printf("%x %x %d %u", AT91ETHER_TCR, AT91ETHER_TSR_FREE_MASK, '
        "AT91ETHER_TSR_FREE_SHIFT, AT91ETHER_RX_DESCRIPTOR_SIZE); return 0; }\n")
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", "try", "try.c"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "try"], capture_output=True, text=True, check=True).stdout
    assert out == "10 f0000000 28 8"
