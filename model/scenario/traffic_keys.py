"""The `traffic` tables of a scenario file: what is sent, what the wire plays."""

from pathlib import Path

from model.flows import DATAGRAM_BYTES
from model.frames import FCS_BYTES
from model.scenario.part import Part
from model.scenario.reader import TableReader
from model.scenario.schema import DAMAGES, DESTINATIONS, Burst, Damage, Pause, RxTraffic, Span, TxTraffic

FRAME_OVERHEAD_BYTES = 18
"""Ethernet header and FCS: what a frame has beyond the MTU."""
PROJECT = Path(__file__).resolve().parent.parent.parent
MAX_FRAMES = 10_000_000
MAX_FLOWS = 10_000
MIN_GAP_BYTES = 12
"""The wire's own gap, IEEE 802.3 interFrameGap: 96 bit times."""
_MAX_GAP_BYTES = 10_000_000
_MAX_START_CYCLES = 2**40


def read_tx(table: TableReader, part: Part, mtu_bytes: int) -> TxTraffic:
    """`traffic.tx`; BenchError on any value that is wrong."""
    frames, frames_long, size, pcap = _common(table, part, mtu_bytes)
    interval = table.cycles("interval", part.clock_hz, 0, _MAX_START_CYCLES, 0)
    table.done()
    return TxTraffic(frames, frames_long, size, pcap, interval)


def read_rx(table: TableReader, part: Part, mtu_bytes: int) -> RxTraffic:
    """`traffic.rx`; BenchError on any value that is wrong."""
    frames, frames_long, size, pcap = _common(table, part, mtu_bytes)
    start = table.cycles("start", part.clock_hz, 0, _MAX_START_CYCLES, 0)
    gap = _gap(table)
    if isinstance(table.raw("destination", "station"), list):
        destinations = table.words("destination", DESTINATIONS)
        if not destinations:
            raise table.fault("destination", [], "expected at least one")
    else:
        destinations = (table.choice("destination", DESTINATIONS, "station"),)
    damage = []
    for row in table.tables("damage"):
        damage.append(Damage(row.integer("frame", 0, (frames or MAX_FRAMES) - 1),
                             row.choice("kind", DAMAGES)))
        if damage[-1].kind == "odd" and part.symbol_bits != 4:
            raise row.fault("kind", "odd", "an odd nibble needs a wire of nibbles (MII)")
        row.done()
    flows = table.integer("flows", 1, MAX_FLOWS, 0)
    if flows and (pcap is not None or size.low < DATAGRAM_BYTES + FCS_BYTES):
        raise table.fault("flows", flows, f"needs frames made here, of at least {DATAGRAM_BYTES + FCS_BYTES} "
                                          "bytes")
    pauses = []
    for row in table.tables("pauses"):
        pauses.append(Pause(row.integer("frame", 0, (frames or MAX_FRAMES) - 1),
                            row.integer("quanta", 0, 0xFFFF)))
        row.done()
    burst = None
    if table.has("burst"):
        row = table.table("burst")
        burst = Burst(row.integer("frames", 1, MAX_FRAMES), row.size("pause", MIN_GAP_BYTES, _MAX_GAP_BYTES))
        row.done()
    table.done()
    return RxTraffic(frames, frames_long, size, pcap, gap, start, destinations, tuple(damage),
                     burst, flows, tuple(pauses))


def _common(table: TableReader, part: Part, mtu_bytes: int) -> tuple[int | None, int | None, Span,
                                                                     Path | None]:
    pcap = _pcap(table)
    if pcap is not None:
        for key in ("size", "sizes"):
            if table.has(key):
                raise table.fault(key, table.raw(key),
                                  "the capture says the sizes; take away this key or `pcap`")
        frames = table.integer("frames", 1, MAX_FRAMES, None)
    else:
        frames = table.integer("frames", 1, MAX_FRAMES)
    frames_long = table.integer("frames_long", frames or 1, MAX_FRAMES, None)
    return frames, frames_long, _size(table, part, mtu_bytes, pcap), pcap


def _size(table: TableReader, part: Part, mtu_bytes: int, pcap: Path | None) -> Span:
    low, high = part.frame_min_bytes, min(part.frame_max_bytes, mtu_bytes + FRAME_OVERHEAD_BYTES)
    if pcap is not None:
        return Span(low, high)
    if table.has("size") == table.has("sizes"):
        raise table.fault("size", table.raw("size", None),
                          'expected either size = "64 B" or sizes = { min = ..., max = ... }')
    if isinstance(table.raw("size", None), dict):
        raise table.fault("size", table.raw("size"),
                          "did you mean sizes = { min = ..., max = ... }? size is one fixed size")
    if table.has("size"):
        fixed = table.size("size", low, high)
        return Span(fixed, fixed)
    sizes = table.table("sizes")
    smallest = sizes.size("min", low, high)
    span = Span(smallest, sizes.size("max", smallest, high), sizes.typed("sweep", bool, False))
    sizes.done()
    return span


def _gap(table: TableReader) -> Span:
    gap = table.raw("gap", "wire")
    if gap == "wire":
        return Span(MIN_GAP_BYTES, MIN_GAP_BYTES)
    if isinstance(gap, dict):
        sub = table.table("gap")
        low = sub.size("min", MIN_GAP_BYTES, _MAX_GAP_BYTES)
        span = Span(low, sub.size("max", low, _MAX_GAP_BYTES))
        sub.done()
        return span
    fixed = table.size("gap", MIN_GAP_BYTES, _MAX_GAP_BYTES)
    return Span(fixed, fixed)


def _pcap(table: TableReader) -> Path | None:
    if not table.has("pcap"):
        return None
    named = table.text("pcap")
    for base in (Path(str(table.file)).parent, PROJECT):
        if (base / named).is_file():
            return (base / named).resolve()
    raise table.fault("pcap", named, "no such file, neither beside the scenario nor in the project")
