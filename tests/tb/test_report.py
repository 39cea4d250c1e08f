"""The page of `make report`."""

from html.parser import HTMLParser

import pytest

from model.errors import BenchError
from model.scenario import Expect
from tb.report import page, write_report
from tb.results import as_json, write_result
from tests.tb.test_results import result

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Checker(HTMLParser):
    """Every element that is opened is closed, in order, and nothing is fetched from outside."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not {"src", "href"} & dict(attrs).keys()
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def two():
    good = as_json(result(cycle_account={"wire": 8, "idle": 2}, cpu_account={"stack": 50.0}), Expect())
    bad = as_json(result(variant="w", found=["golden_differs"], first_divergence="a < b & c",
                         detail=["<script>"],
                         cycle_account={"wire": 5, "<bus>": 5}), Expect())
    return [good, bad]


def test_the_page_is_whole_and_self_contained():
    checker = Checker()
    text = page(two())
    checker.feed(text)
    assert checker.open == [] and "script" not in checker.tags
    assert "http" not in text
    assert "2 runs: 1 as expected, 1 not" in text
    assert "first divergence: a &lt; b &amp; c" in text and "&lt;script&gt;" in text
    assert "width:80.000%" in text and "wire: 8 (80.0 %)" in text
    assert "stack: 50 (100.0 %)" in text
    assert "golden_differs" in text


def test_what_was_busy():
    busy = as_json(result(wire_utilisation={"rx": 0.5}, bus_utilisation=0.25, reader_goodput_mbps=1203.456,
                          link_utilisation={"up": 0.9871, "down": 0.02}, irqs=7, mmio_reads=12,
                          mmio_writes=3456), Expect())
    idle = as_json(result(variant="idle"), Expect())
    text = page([busy, idle])

    def row(name):
        table = text.partition("<h2>What was busy</h2>")[2]
        cells = table.partition(f"<td>{name}</td>")[2].partition("</tr>")[0]
        return cells.replace("<td class=n>", "").split("</td>")[:-1]

    assert row("m s v (verilator)") == ["-", "50.0 %", "25.0 %", "98.7 %", "2.0 %", "1,203.46",
                                        "7", "12", "3,456"]
    assert row("m s idle (verilator)") == ["-", "-", "0.0 %", "-", "-", "-", "0", "0", "0"]


def test_a_page_without_failures_or_accounts():
    checker = Checker()
    text = page([as_json(result(), Expect())])
    checker.feed(text)
    assert checker.open == [] and "Not as expected" not in text and "CPU" not in text


def test_from_the_results_on_disk(tmp_path):
    for data in two():
        write_result(tmp_path, data)
    path = write_report(tmp_path)
    assert path == tmp_path / "report" / "index.html"
    assert path.read_text(encoding="utf-8") == page(two())
    assert list(path.parent.iterdir()) == [path]


def test_what_is_not_a_stock_scenario_is_marked():
    stock = result(source="model/scenarios/m/s.toml")
    assert "s *" not in page([as_json(stock, Expect())])
    text = page([as_json(stock, Expect()),
                 as_json(result(source="/x/s.toml", pcap="<a>.pcap", frames_asked=1), Expect())])
    assert text.count("<td>s *</td>") == 1
    assert "m s v (verilator): PCAP=&lt;a&gt;.pcap, scenario file /x/s.toml, FRAMES=1" in text


def test_nothing_to_report(tmp_path):
    with pytest.raises(BenchError, match="holds no results yet: run `make sim` first"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []
