"""Behind one lane of generation 1 lan743x delivers what the busier direction of the link, or the wire, has
room for, to 3 %.

The bound is computed here from pcie-bench's formulas (Neugebauer et al., SIGCOMM 2018) alone; nothing of the
bench's own link is used for it. A frame's data and ring entries are counted by hand from what the driver
configures. How often a head, a message or a register access goes with a frame depends on when things happen:
those are counted in the event log.
"""

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import pytest

from model.engines.lan743x.events import Kind
from model.scenario import Span
from model.session import golden
from model.traffic import rx_program, tx_program
from tb.runner import EVENTS_FILE
from tests.tb.runs import run, scenario

# The link, of which the anchors give the TLP rate: raw x (1 - 8/ACK limit - 8/FC guide - 4/1538).
RAW_BYTES_PER_S = 2.5e9 * 8 / 10 / 8
ACK_LIMIT = FC_GUIDE = 237
"""Symbol times, for one lane of generation 1 and payloads of 128 bytes."""
TLP_BYTES_PER_S = RAW_BYTES_PER_S * (1 - 8 / ACK_LIMIT - 8 / FC_GUIDE - 4 / 1538)
MWR, MRD, CPLD = 24, 24, 20
MPS, MRRS, RCB = 128, 512, 64

# What the driver configures, and where the kernel puts a frame in memory.
BURST = 512
"""RDMABL_512 and TDMABL_512: bursts end at its multiples."""
FRAME_AT = 32 + 2
"""In a block of memory: NET_SKB_PAD, and NET_IP_ALIGN or the engine's PAD."""
FCS, PAD = 4, 2
ENTRY, BATCH = 16, 16
"""Bytes of a ring entry, and the entries that one prefetch brings to a cache of 32 below PF_THRES = 16."""
BUFFER = {"mtu": 1500 + 14 + 4 + 2, "9k": 9216 + 14 + 4 + 2}
WIRE_BYTES_PER_S, WIRE_OVERHEAD = 125e6, 20

WITHIN = 0.03
OVERLOADED = {"rx_overrun", "frames_dropped"}
"""What a run has to find where more is received than goes up."""


def words(address, size):
    """Address and bytes of the 32-bit words that hold these bytes."""
    first = address // 4 * 4
    return first, ceil((address + size - first) / 4) * 4


def write(address, size):
    """Bytes (up, down) of a write to memory."""
    _, payload = words(address, size)
    return np.array([payload + MWR * ceil(payload / MPS), 0])


def read(address, size):
    """Bytes (up, down) of a read of memory: requests up, a completion for each block of RCB bytes down."""
    first, payload = words(address, size)
    pieces = (first + payload - 1) // RCB - first // RCB + 1
    return np.array([MRD * ceil(payload / MRRS), payload + CPLD * pieces])


REGISTER_WRITE = np.array([0, MWR + 4])
REGISTER_READ = np.array([CPLD + 4, MRD])
WORD = write(0, 4)
"""A head or a message."""


def bursts(size):
    """(address in a block, bytes) of the bursts of a frame or buffer."""
    at, end = FRAME_AT, FRAME_AT + size
    while at < end:
        following = min(at // BURST * BURST + BURST, end)
        yield at, following - at
        at = following


ENTRY_READ = read(0, BATCH * ENTRY) / BATCH


def received(size, entries=1, buffer_bytes=0):
    """Bytes (up, down) of a received frame: data (or the whole buffer), entries and their prefetch."""
    stored = max(size, buffer_bytes - PAD)
    data = sum(write(at, part) for at, part in bursts(stored))
    return data + entries * (write(0, ENTRY) + ENTRY_READ)


def sent(size):
    """Bytes (up, down) of a frame to be sent: its data and its entry."""
    return sum(read(at, part) for at, part in bursts(size - FCS)) + ENTRY_READ


def by_timing(events):
    """Bytes (up, down) of what comes with the frames as the moment has it."""
    count = np.bincount(events["kind"], minlength=max(Kind) + 1)
    return ((count[Kind.RX_HEAD] + count[Kind.TX_HEAD] + count[Kind.INT_MESSAGE]) * WORD
            + count[Kind.CSR_WRITE] * REGISTER_WRITE + count[Kind.CSR_READ] * REGISTER_READ)


def carried(events):
    """Bytes (up, down) of a whole log, from the addresses in it."""
    total = by_timing(events)
    for kind, of, unit in ((Kind.RX_WRITE, write, 1), (Kind.TX_FETCH, read, 1),
                           (Kind.RX_PREFETCH, read, ENTRY), (Kind.TX_PREFETCH, read, ENTRY)):
        for data in events["data"][events["kind"] == kind].tolist():
            total = total + of(data & 0xFFFF_FFFF, (data >> 32) * unit)
    return total + np.count_nonzero(events["kind"] == Kind.RX_WB) * write(0, ENTRY)


@dataclass(frozen=True)
class Measured:
    """A steady stretch: `seconds`, frames a second each way (`tx`, `rx`), bytes (up, down) of the link, and
    what each limit alone would have needed for it (`needed`, seconds by "up", "down" and "wire")."""

    seconds: float
    tx: float
    rx: float
    link_bytes: np.ndarray
    needed: dict[str, float]

    @property
    def limit(self):
        return max(self.needed, key=self.needed.get)

    @property
    def of_bound(self):
        """The measured rate as a part of the bound."""
        return self.needed[self.limit] / self.seconds


def steady(events, sides):
    """Bounds of the stretch in cycles: frame ends at two interrupts, a third of them from the beginning and
    the last for which there are frames left on each side. Whole periods of the driver lie between them."""
    kind, cycle = events["kind"], events["cycle"]
    ends = cycle[kind == (Kind.RX_DONE if "rx" in sides else Kind.TX_DONE)]
    supply = {"rx": kind == Kind.RX_SFD, "tx": (kind == Kind.CSR_WRITE) & (events["index"] == 0xD5C)}
    last = min(cycle[supply[side]][-1] for side in sides)
    message = events[(kind == Kind.INT_MESSAGE) & (cycle > ends[0]) & (cycle < last)]
    message = message["cycle"][message["index"] == message["index"][-1]]
    assert len(message) > 3, "a run too short to tell"
    return [int(ends[np.searchsorted(ends, at)]) for at in (message[len(message) // 3], message[-1])]


def measure(chosen, events):
    """The steady stretch of a run, and the bounds for it."""
    traffic = {name: side for name, side in (("tx", chosen.tx), ("rx", chosen.rx)) if side}
    begin, end = steady(events, traffic)
    inside = events[(events["cycle"] > begin) & (events["cycle"] <= end)]
    frames = {"tx": np.count_nonzero(inside["kind"] == Kind.TX_DONE),
              "rx": np.count_nonzero(inside["kind"] == Kind.RX_DONE)}
    size = {name: side.size_bytes.low for name, side in traffic.items()}
    link_bytes = by_timing(inside)
    if "rx" in traffic:
        whole = BUFFER[chosen.flags["buffers"]] if chosen.straps["write_whole_buffer"] else 0
        link_bytes = link_bytes + frames["rx"] * received(size["rx"], 1 + chosen.flags["timestamps"], whole)
    if "tx" in traffic:
        link_bytes = link_bytes + frames["tx"] * sent(size["tx"])
    up, down = link_bytes / TLP_BYTES_PER_S
    wire = max(frames[name] * (size[name] + WIRE_OVERHEAD) / WIRE_BYTES_PER_S for name in traffic)
    seconds = (end - begin) / chosen.clock_hz
    return Measured(seconds, frames["tx"] / seconds, frames["rx"] / seconds, link_bytes,
                    {"up": up, "down": down, "wire": wire})


def measured(folder, chosen, frames):
    """Run RTL and golden, which have to agree, and measure. The link has carried what the log says."""
    result, left = run(folder, replace(chosen, wire_limit_ppm={}), tx=frames, rx=frames)
    assert result.events_off == 0 and set(result.found) <= OVERLOADED, result.detail
    events = np.load(left / EVENTS_FILE)
    cycle_bytes = TLP_BYTES_PER_S / chosen.clock_hz
    of_link = [result.link_utilisation[way] * result.cycles * cycle_bytes for way in ("up", "down")]
    assert carried(events) == pytest.approx(of_link, rel=1e-4)
    return measure(chosen, events), result.found


def with_flags(chosen, **flags):
    return replace(chosen, flags={**chosen.flags, **flags})


def with_size(chosen, mtu_bytes):
    """The scenario with the largest frames of another MTU, both ways."""
    size = Span(mtu_bytes + 18, mtu_bytes + 18)
    return replace(chosen, mtu_bytes=mtu_bytes, tx=replace(chosen.tx, size_bytes=size),
                   rx=replace(chosen.rx, size_bytes=size))


SHORT_RING = {"tx_ring": 128}
"""Fewer entries than frames: doorbells have to come as frames go."""
CASES = [
    ("link_rx_64", "plain", 2100, {}, "wire"),
    ("link_rx_64", "timestamps", 8000, {}, "up"),
    ("link_tx_64", "gen1_x1", 3500, {}, "wire"),
    ("link_both_64", "gen1_x1", 5000, {}, "down"),
    ("link_rx_1518", "plain", 260, {}, "wire"),
    ("link_rx_1518", "timestamps", 260, {}, "wire"),
    ("link_tx_1518", "gen1_x1", 400, SHORT_RING, "wire"),
    ("link_both_1518", "gen1_x1", 400, SHORT_RING, "wire"),
    ("link_rx_64", "whole_buffer", 3000, {}, "up"),
    ("link_rx_1518", "whole_buffer", 200, {}, "up"),
]
"""Scenario, variant, frames, flags other than its own, and what limits."""


def judge(got, found, limit):
    assert got.limit == limit
    assert 1 - WITHIN < got.of_bound < 1.003
    assert OVERLOADED.issubset(found) == (limit != "wire")


@pytest.mark.parametrize(("name", "variant", "frames", "flags", "limit"), CASES)
def test_the_rate_is_that_of_the_busiest_direction(tmp_path, name, variant, frames, flags, limit):
    chosen = with_flags(scenario(name, variant, "lan743x"), **flags)
    judge(*measured(tmp_path, chosen, frames), limit)


def test_jumbo_frames_fit_both_ways(tmp_path):
    chosen = with_size(scenario("link_both_1518", "gen1_x1", "lan743x"), 9000)
    judge(*measured(tmp_path, with_flags(chosen, rx_ring=64, tx_ring=32), 100), "wire")


def predicted(chosen, frames):
    """The same from the golden world alone, which the runs above hold to the RTL's cycles."""
    chosen = replace(chosen, wire_limit_ppm={})
    programs = (program(chosen, frames) if side else None
                for program, side in ((tx_program, chosen.tx), (rx_program, chosen.rx)))
    return measure(chosen, golden(chosen, *programs).events)


def test_what_time_stamps_miss_is_due_to_doorbells_in_a_row():
    """A host without costs refills after each interrupt all that came in 400 us and writes RX_TAIL every 8
    entries: 125 packets, which no answer may overtake, and so long the engine lives on its cache. The limit
    itself is reached if RX_TAIL is written every 64 entries and the ring outlasts the interval."""
    stock = scenario("link_rx_64", "timestamps", "lan743x")
    seldom = predicted(with_flags(stock, rx_ring=4096, tail_every=64), 5000)
    assert seldom.limit == "up" and seldom.of_bound == pytest.approx(1, abs=0.001)
    often = predicted(with_flags(stock, rx_ring=4096), 5000)
    assert often.of_bound < 0.985


def test_what_both_directions_miss_is_due_to_tags():
    """Eight reads of a small frame each do not always cover the way there and back, which is longer while
    writes queue; fifteen do."""
    stock = scenario("link_both_64", "gen1_x1", "lan743x")
    more = predicted(replace(stock, straps={**stock.straps, "tags": 15}), 4000)
    assert more.limit == "down" and 0.99 < more.of_bound < 1.003


def test_the_formulas_are_those_of_the_anchors():
    """Gb/s: of packets, and of 64-byte frames (60 without FCS) written and read."""
    assert pytest.approx(1.86, abs=0.005) == TLP_BYTES_PER_S * 8e-9
    for of, direction, gbps in ((write, 0, 1.33), (read, 1, 1.39)):
        assert 60 / of(0, 60)[direction] * TLP_BYTES_PER_S * 8e-9 == pytest.approx(gbps, abs=0.01)


def test_packets_by_hand():
    """68 bytes of words hold 64 at an odd place; 478 + 512 + 512 + 12 are 4 requests and 25 completions."""
    assert received(64).tolist() == [24 + 68 + 24 + 16 + 24 / 16, 16 + 4 * 20 / 16]
    assert sent(64).tolist() == [24 + 24 / 16, 64 + 2 * 20 + 16 + 4 * 20 / 16]
    assert sent(1518).tolist() == [4 * 24 + 24 / 16, 1516 + 25 * 20 + 16 + 4 * 20 / 16]
    assert received(1518, 1, 9236)[0] == 9236 + 73 * 24 + 24 + 16 + 24 / 16
