"""The table's lines, on a terminal and elsewhere."""

import io

import pytest
from rich.console import Console

from model.scenario import Expect
from tb.results import as_json
from tb.table import RunTable, cells, rate, verdict_text
from tests.tb.support import console
from tests.tb.test_results import result


def test_small_frames_by_packets_and_large_by_bits():
    small = result(frames=2, bytes=128, side_pps={"tx": 148_809.5})
    assert rate(as_json(small, Expect())) == "tx 148,810 pps"
    large = result(frames=1, bytes=1518, side_pps={"tx": 1.0, "rx": 1.0},
                   side_goodput_mbps={"tx": 97.529, "rx": 1.5})
    assert rate(as_json(large, Expect())) == "tx 97.53 rx 1.50 Mb/s"
    assert rate(as_json(result(frames=0, bytes=0), Expect())) == "-"
    in_the_ring_only = result(frames=0, bytes=0, side_pps={"rx": 1.0}, side_goodput_mbps={"rx": 1.5})
    assert rate(as_json(in_the_ring_only, Expect())) == "rx 1.50 Mb/s"


def test_columns():
    data = as_json(result(cycles_per_frame=6152.0, events_compared=1234), Expect())
    assert cells(data)[5:] == ["6,152.00", "-", "1,234", "0"]


@pytest.mark.parametrize(("found", "expect", "text"), [
    ([], Expect(), "PASS clean"),
    (["rx_bna"], Expect(frozenset({"rx_bna"})), "PASS shows rx_bna"),
    (["rx_bna"], Expect(), "FAIL found rx_bna"),
    ([], Expect(frozenset({"rx_bna"})), "FAIL did not find rx_bna"),
])
def test_verdicts(found, expect, text):
    assert verdict_text(as_json(result(found=found), expect)) == text


def test_plain_lines_where_there_is_no_terminal():
    out = console()
    with RunTable(1, out, [("a_rather_long_scenario_name", "v")]) as table:
        table.running("something")
        table.add(as_json(result(found=["hang"], detail=[f"line {n}" for n in range(20)]), Expect()))
    text = out.file.getvalue()
    lines = text.splitlines()
    assert "\x1b" not in text and len(lines) == 10
    assert lines[0].index("verdict") == lines[1].index("FAIL found hang")
    assert lines[2] == "    line 12" and lines[-1] == "    line 19"


def test_the_columns_hold_gigabit_line_rate_both_ways():
    out = console()
    data = as_json(result(frames=2, bytes=128, side_pps={"tx": 1_488_095.2, "rx": 1_488_095.2}), Expect())
    with RunTable(1, out, [("s", "v")]) as table:
        table.add(data)
    header, line = out.file.getvalue().splitlines()
    assert "tx 1,488,095 rx 1,488,095 pps" in line
    assert header.index("verdict") == line.index("PASS clean")


def test_progress_on_a_terminal():
    out = Console(file=io.StringIO(), width=120, force_terminal=True, color_system="standard")
    with RunTable(2, out, [("s", "v")]) as table:
        table.running("m/s.v.verilator")
        table.add(as_json(result(), Expect()))
    text = out.file.getvalue()
    assert "\x1b[" in text and "1/2" in text and "PASS clean" in text
