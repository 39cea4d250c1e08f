"""The `link` of a scenario: none, the part's, or another; and that what no link can be is refused."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from model.errors import BenchError
from model.link import LinkTiming
from model.scenario import load_part, load_scenario
from tests.model.scenario.support import GIGABIT, changed, loaded, write

PLAIN = 'platform = "free"'


def with_link(line: str) -> str:
    return changed(PLAIN, f"{PLAIN}\n{line}", GIGABIT)


def test_without_the_key_the_bus_is_ideal(tmp_path):
    assert loaded(tmp_path, GIGABIT, "merged").link is None
    assert loaded(tmp_path, with_link("link = false"), "merged").link is None
    assert load_part("at91ether").link is None


def test_true_is_the_parts_own(tmp_path):
    part = load_part("lan743x").link
    assert loaded(tmp_path, with_link("link = true"), "merged").link == part
    # one lane of 2.5 GT/s (sheet section 1)
    assert (part.generation, part.lanes) == (1, 1)


def test_a_table_changes_what_it_names(tmp_path):
    scenario = loaded(tmp_path, GIGABIT + """
[link]
generation = 2
lanes = 8
mps = "256 B"
mrrs = "1024 B"
rcb = "128 B"
up_latency = "200 ns"
down_latency = "3 cycles"
credit_return = "0 ns"
posted_data = 32
posted_room = "1 KiB"
""", "merged")
    assert scenario.link == replace(
        load_part("lan743x").link, generation=2, lanes=8, mps_bytes=256, mrrs_bytes=1024, rcb_bytes=128,
        up_latency_ns=200, down_latency_ns=24, credit_return_ns=0, posted_data=32, posted_room_bytes=1024)


def test_a_variant_switches_it_off_or_changes_it(tmp_path):
    text = GIGABIT + ("[link]\nmps = '256 B'\n[variant.before]\nlink = false\n"
                      "[variant.posted.link]\nlanes = 4\n")
    text = changed('variants = ["before", "merged"]', 'variants = ["before", "posted", "merged"]', text)
    variants = load_scenario(write(tmp_path, text)).variants
    assert variants["before"].link is None
    assert (variants["posted"].link.lanes, variants["posted"].link.mps_bytes) == (4, 256)
    assert (variants["merged"].link.lanes, variants["merged"].link.mps_bytes) == (1, 256)


def test_the_example_in_the_documentation(tmp_path):
    text = (Path(__file__).resolve().parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    table = text.split("## Link")[1].split("```toml\n")[1].split("```")[0]
    link = loaded(tmp_path, GIGABIT + table, "merged").link
    assert (link.generation, link.lanes) == (2, 8)
    assert (link.mps_bytes, link.mrrs_bytes, link.rcb_bytes) == (256, 1024, 128)
    unchanged = {member: getattr(LinkTiming(), member) for member in
                 ("up_latency_ns", "posted_headers", "posted_room_bytes")}
    assert {member: getattr(link, member) for member in unchanged} == unchanged


@pytest.mark.parametrize(("line", "words"), [
    ("link = 'part'", r"link = 'part': expected true \(the part's own\), false, or a table"),
    ("link = { generation = 3 }", r"link\.generation = 3: one of 1, 2"),
    ("link = { lanes = 3 }", r"link\.lanes = 3: one of 1, 2, 4, 8, 16"),
    ("link = { lanes = 32 }", r"link\.lanes = 32: one of 1, 2, 4, 8, 16"),
    ("link = { mps = 128 }", r'link\.mps = 128: needs a unit .*"128 B"'),
    ("link = { mps = '64 B' }", r"link\.mps = '64 B': out of range, 128 to 512 B"),
    ("link = { mps = '192 B' }", r"link\.mps = '192 B': one of 128 B, 256 B"),
    ("link = { rcb = '96 B' }", r"link\.rcb = '96 B': one of 64 B, 128 B"),
    ("link = { up_latency = 150 }", r"link\.up_latency = 150: needs a unit"),
    ("link = { posted_data = 7 }", r"link\.posted_data = 7: out of range, 8 to 4096"),
    ("link = { posted_headers = 0 }", r"link\.posted_headers = 0: out of range, 1 to"),
    ("link = { mtu = '1 B' }", r"unknown key 'link\.mtu'"),
    ("link = { mps = '1024 B' }", r"link\.mps = '1024 B': out of range, 128 to 512 B"),
])
def test_what_is_no_link(tmp_path, line, words):
    path = write(tmp_path, with_link(line))
    with pytest.raises(BenchError) as caught:
        load_scenario(path)
    assert re.search(words, str(caught.value)), str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_part_that_is_on_no_link(tmp_path):
    with pytest.raises(BenchError, match=r"link = True: at91ether is on no link: leave the key out"):
        loaded(tmp_path, changed(PLAIN, f"{PLAIN}\nlink = true"))
    assert loaded(tmp_path, changed(PLAIN, f"{PLAIN}\nlink = false")).link is None


def test_the_default_of_a_key_is_the_links_own(tmp_path):
    link = loaded(tmp_path, with_link("link = {}"), "merged").link
    assert link == load_part("lan743x").link == LinkTiming()
