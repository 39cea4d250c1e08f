"""`make report`: all results in one page that needs nothing but itself."""

import os
import tempfile
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from model.errors import BenchError
from model.scenario.findings import meaning
from tb.results import judge, read_results
from tb.table import cells, verdict_text

_COLUMNS = ("MAC", "scenario", "variant", "simulator", "rate", "cycles a frame", "golden", "events", "off",
            "verdict")
_NUMBERS = range(4, 9)
_LOADS = ("", "wire tx", "wire rx", "bus", "link up", "link down", "reader Mb/s", "interrupts",
          "CSR reads", "CSR writes")
"""Columns of the second table: what was busy, how often the driver was called and went to the registers."""
_HUES = (212, 28, 140, 340, 48, 268, 180, 0, 96, 310)
"""Hues of the bars' parts, in the order in which causes are met: neighbours differ in hue by a third of the
circle."""
_STYLE = Path(__file__).with_name("report.css")


def write_report(build: Path) -> Path:
    """Write build/report/index.html; its path. BenchError if there are no results, or one that is not
    valid."""
    results = read_results(build)
    if not results:
        raise BenchError(f"{build / 'results'}: holds no results yet: run `make sim` first")
    path = build / "report" / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".index.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page(results))
    os.chmod(scratch, 0o644)
    os.replace(scratch, path)
    return path


def page(results: list[dict[str, Any]]) -> str:
    """The whole page as HTML."""
    failed = [data for data in results if data["verdict"] != "pass"]
    events = sum(data["events_compared"] for data in results)
    off = sum(data["events_off"] for data in results)
    summary = (f"{len(results)} runs: {len(results) - len(failed)} as expected, {len(failed)} not. "
               f"{events:,} events compared between RTL and golden engine, {off:,} off.")
    parts = ["<!doctype html><html lang=en><head><meta charset=utf-8>",
             "<meta name=viewport content='width=device-width'>",
             f"<title>ringbench report</title><style>{_STYLE.read_text(encoding='utf-8')}</style>",
             "</head><body>",
             f"<h1>ringbench</h1><p>{escape(summary)}</p>"]
    if failed:
        parts += ["<h2>Not as expected</h2>", *map(_failure, failed)]
    parts.append("<h2>Runs</h2>" + _table(results))
    changed = [data for data in results if oddities(data)]
    if changed:
        parts.append("<p>* not the stock scenario as it stands:</p><ul>"
                     + "".join(f"<li>{escape(_name(data))}: {escape(oddities(data))}</li>"
                               for data in changed)
                     + "</ul>")
    parts.append("<h2>What was busy</h2>" + _loads(results))
    parts.append("<h2>Where the cycles went</h2>" + _accounts(results, "cycle_account"))
    if any(data["cpu_account"] for data in results):
        parts.append("<h2>Where the CPU's time went</h2>" + _accounts(results, "cpu_account"))
    parts.append(_vocabulary(results))
    return "\n".join(parts) + "\n</body></html>\n"


def oddities(data: dict[str, Any]) -> str:
    """How a run differs from the stock scenario of its name: file, capture, number of frames; "" if it does
    not."""
    parts = []
    if data["pcap"] is not None:
        parts.append(f"PCAP={data['pcap']}")
    stock = f"model/scenarios/{data['mac']}/{data['scenario']}.toml"
    if data["source"] not in ("", stock):
        parts.append(f"scenario file {data['source']}")
    if data["frames_asked"] is not None:
        parts.append(f"FRAMES={data['frames_asked']}")
    return ", ".join(parts)


def _table(results: list[dict[str, Any]]) -> str:
    head = "".join(f"<th{' class=n' if n in _NUMBERS else ''}>{escape(name)}</th>" for n,
                   name in enumerate(_COLUMNS))
    rows = []
    for data in results:
        texts = cells(data)
        if oddities(data):
            texts[_COLUMNS.index("scenario")] += " *"
        body = "".join(f"<td{' class=n' if n in _NUMBERS else ''}>{escape(text)}</td>" for n,
                       text in enumerate(texts))
        rows.append(f"<tr>{body}<td class={data['verdict']}>{escape(verdict_text(data))}</td></tr>")
    return (f"<div class=wide><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div>")


def _share(shares: dict[str, float], key: str) -> str:
    return f"{100 * shares[key]:.1f} %" if key in shares else "-"


def _loads(results: list[dict[str, Any]]) -> str:
    """Wire, bus and link, the reader's rate, and what the CPU had to do with the engine."""
    rows = ["".join(f"<th{' class=n' if n else ''}>{name}</th>" for n, name in enumerate(_LOADS))]
    for data in results:
        reader = data["reader_goodput_mbps"]
        texts = [*(_share(data["wire_utilisation"], way) for way in ("tx", "rx")),
                 f"{100 * data['bus_utilisation']:.1f} %",
                 *(_share(data["link_utilisation"], way) for way in ("up", "down")),
                 "-" if reader is None else f"{reader:,.2f}",
                 *(f"{data[key]:,}" for key in ("irqs", "mmio_reads", "mmio_writes"))]
        rows.append(f"<td>{escape(_name(data))}</td>" + "".join(f"<td class=n>{text}</td>" for text in texts))
    return (f"<div class=wide><table><thead><tr>{rows[0]}</tr></thead><tbody>"
            + "".join(f"<tr>{row}</tr>" for row in rows[1:]) + "</tbody></table></div>")


def _name(data: dict[str, Any]) -> str:
    return f"{data['mac']} {data['scenario']} {data['variant']} ({data['simulator']})"


def _failure(data: dict[str, Any]) -> str:
    lines = [f"first divergence: {data['first_divergence']}"] if data["first_divergence"] else []
    text = "\n".join(lines + data["detail"]) or "no particulars"
    return (f"<p><b>{escape(_name(data))}</b>: <span class=fail>{escape(str(judge(data)))}</span>, "
            f"seed {data['seed']}</p>"
            f"<pre>{escape(text)}</pre>")


def _colour(place: int) -> str:
    return f"hsl({_HUES[place % len(_HUES)]} 55% {52 - 12 * (place // len(_HUES) % 3)}%)"


def _accounts(results: list[dict[str, Any]], key: str) -> str:
    """A bar a run, its parts in proportion, with a key of colours above."""
    causes = list(dict.fromkeys(cause for data in results for cause in data[key]))
    colours = {cause: _colour(place) for place, cause in enumerate(causes)}
    legend = "".join(f"<span><i style='background:{colours[cause]}'></i>{escape(cause)}</span>"
                     for cause in causes)
    return f"<p class=key>{legend}</p>" + "".join(_bar(data, data[key], colours) for data in results
                                                  if data[key])


def _bar(data: dict[str, Any], account: dict[str, float], colours: dict[str, str]) -> str:
    total = sum(account.values()) or 1
    parts = "".join(f"<span style='width:{100 * amount / total:.3f}%;background:{colours[cause]}' "
                    f"title='{escape(cause, quote=True)}: {amount:,.0f} "
                    f"({100 * amount / total:.1f} %)'></span>"
                    for cause, amount in account.items() if amount)
    return f"<div class=run><span>{escape(_name(data))}</span><span class=bar>{parts}</span></div>"


def _vocabulary(results: Iterable[dict[str, Any]]) -> str:
    names = sorted({name for data in results for name in data["found"] + data["expect"]})
    if not names:
        return ""
    return "<h2>What was found</h2><dl>" + "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(meaning(name))}</dd>" for name in names) + "</dl>"
