"""The link in the simulated top and in model.link are the same to the cycle."""

import ctypes
import random
from ctypes import c_uint64 as u64
from dataclasses import replace

import numpy as np
import pytest

from model.errors import BenchError
from model.link import ACK_LIMIT, UNITS, Link, LinkTiming
from tb.build import BUILD, build
from tb.native import Native
from tb.native.compile import compile_native
from tb.native.layout import NEVER
from tests.tb.link_replay import replay

CLOCK_HZ = 125_000_000
SLOW = LinkTiming()
FAST = LinkTiming(generation=2, lanes=8, mps_bytes=256, up_latency_ns=80, down_latency_ns=40)
TIGHT = LinkTiming(posted_headers=2, posted_data=8, nonposted_headers=1, posted_room_bytes=0,
                   credit_return_ns=900, memory_latency_ns=1, mrrs_bytes=128)
LINKS = {"slow": SLOW, "fast": FAST, "tight": TIGHT}


@pytest.fixture(scope="module")
def library():
    return str(compile_native(BUILD, vpi=False).shared)


@pytest.fixture
def native(library):
    return Native(1 << 16, library)


@pytest.fixture
def c(library, native):
    functions = ctypes.CDLL(library)

    def call(name, *arguments):
        function = getattr(functions, f"rb_link_{name}")
        function.restype = ctypes.c_uint64
        return function(*map(ctypes.c_uint64, arguments))
    return call


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("pace", [1, 40, 400], ids=["crowded", "busy", "sparse"])
def test_thousands_of_offers(native, c, name, pace):
    """Rows, credits and posted room of both under the same random offers, often several with one stamp."""
    timing, draw = LINKS[name], random.Random(f"{name} {pace}")
    native.set_link(timing.numbers(CLOCK_HZ))
    link = Link(timing, CLOCK_HZ)
    stamp = fetch = 0
    for _ in range(4000):
        stamp += draw.choice((0, 0, 1, draw.randrange(2 * pace)))
        size, address = 4 * draw.randrange(1, 257), 4 * draw.randrange(1 << 28)
        what = draw.randrange(6)
        if what == 0:
            assert c("register_completion", stamp) == link.register_completion(stamp)
        elif what == 1:
            is_write = draw.randrange(2)
            assert c("register_access", stamp, is_write) == link.register_access(stamp, bool(is_write))
        elif what < 4:
            visible, reply = link.write(stamp, size)
            assert c("write", stamp, size) == visible and c("reply", stamp) == reply >= stamp + 2
        else:
            jitter = draw.randrange(5)
            fetch = link.read(stamp, size, jitter)
            assert c("read", stamp, size, jitter) == fetch > stamp
            assert c("complete", fetch, address, size) == link.complete(fetch, address, size)
    assert native.link_busy_units() == [link.up_busy_units, link.down_busy_units]
    assert link.up_busy_units > 0 < link.down_busy_units


def test_a_new_link_has_forgotten_the_old_one(native, c):
    native.set_link(SLOW.numbers(CLOCK_HZ))
    first = [c("write", 10, 512) for _ in range(5)]
    native.set_link(SLOW.numbers(CLOCK_HZ))
    assert [c("write", 10, 512) for _ in range(5)] == first and len(set(first)) == 5


@pytest.mark.parametrize(("width", "strobes", "payload"), [
    (4, [0b1100, 0b1111, 0b0001], 12), (4, [0, 0b1111, 0b0110], 8), (8, [0xF0, 0xFF, 0x0F], 16),
    (16, [0xFFFF, 0x8000, 0], 32), (4, [0, 0, 0], 4)])
def test_payload_is_whole_words_of_enabled_bytes(native, library, width, strobes, payload):
    hdl = ctypes.CDLL(library)
    native.set_link(SLOW.numbers(CLOCK_HZ))
    hdl.rb_bus_width(u64(width))
    hdl.rb_bus_write_open(u64(90), u64(0), u64(0x200), u64(3), u64(1 << 3 | width.bit_length() - 1))
    for beat, strobe in enumerate(strobes):
        for lane in range((width + 7) // 8):
            hdl.rb_bus_write_data(u64(beat), u64(lane), u64(2**64 - 1), u64(strobe >> 8 * lane & 0xFF))
    hdl.rb_bus_write_close(u64(100), u64(1))
    hdl.rb_bus_book(u64(101))
    link = Link(SLOW, CLOCK_HZ)
    visible, _ = link.write(100, payload)
    assert native.link_busy_units() == [link.up_busy_units, 0]
    hdl.rb_woken(u64(visible - 1), u64(0))
    assert not native.mem.any()
    hdl.rb_woken(u64(visible), u64(0))
    enabled = [0x200 + beat * width + k for beat, strobe in enumerate(strobes) for k in range(width)
               if strobe >> k & 1]
    assert np.flatnonzero(native.mem).tolist() == enabled


@pytest.mark.parametrize(("address", "beats", "size", "payload"), [
    (0x100, 4, 2, 16), (0x102, 4, 2, 16), (0x102, 2, 0, 4), (0x102, 3, 0, 8), (0x106, 2, 1, 8),
    (0x108, 2, 3, 16)])
def test_a_read_asks_for_the_words_that_it_touches(native, library, address, beats, size, payload):
    hdl = ctypes.CDLL(library)
    hdl.rb_bus_event.restype = hdl.rb_bus_book.restype = hdl.rb_bus_read_due.restype = ctypes.c_uint64
    native.set_link(SLOW.numbers(CLOCK_HZ))
    hdl.rb_bus_width(u64(8))
    hdl.rb_bus_read_open(u64(50), u64(0), u64(address), u64(beats), u64(1 << 3 | size))
    link = Link(SLOW, CLOCK_HZ)
    fetch = hdl.rb_bus_book(u64(51))
    assert fetch == link.read(50, payload)
    assert hdl.rb_bus_event(u64(fetch)) == NEVER
    assert hdl.rb_bus_read_due() == link.complete(fetch, address, payload)
    assert native.link_busy_units() == [link.up_busy_units, link.down_busy_units]


def test_numbers_that_are_no_link_are_refused(native):
    numbers = SLOW.numbers(CLOCK_HZ)
    with pytest.raises(ValueError, match="link: speed: missing or unknown"):
        native.set_link(numbers | {"speed": 1})
    with pytest.raises(ValueError, match="link mps = 0"):
        native.set_link(numbers | {"mps": 0})
    with pytest.raises(ValueError, match="posted_data = 7: a packet of 128 bytes needs 8"):
        native.set_link(numbers | {"posted_data": 7})


# What pcie-bench's public model gives for these links, in Gb/s of packets.
@pytest.mark.parametrize(("timing", "gbps"), [(SLOW, 1.86), (FAST, 28.68)])
def test_packet_rate_of_the_anchors(timing, gbps):
    assert timing.raw_bytes_per_s() * timing.share() * 8 / 1e9 == pytest.approx(gbps, abs=0.005)


@pytest.mark.parametrize(("timing", "write_gbps", "read_gbps"), [(SLOW, 1.33, 1.39), (FAST, 20.48, 21.51)])
def test_64_byte_frames_rates_of_the_anchors(timing, write_gbps, read_gbps):
    """The frame without its FCS: payload over the time on the wire, for a thousand bursts offered at once."""
    link = Link(replace(timing, posted_headers=4096, posted_data=4096, nonposted_headers=4096), CLOCK_HZ)
    for _ in range(1000):
        link.write(0, 60)
        link.complete(0, 0x1000, 60)
    rates = [1000 * 60 * 8 * CLOCK_HZ * UNITS / units / 1e9
             for units in (link.up_busy_units, link.down_busy_units)]
    assert rates[0] == pytest.approx(write_gbps, abs=0.01) and rates[1] == pytest.approx(read_gbps, abs=0.01)


@pytest.mark.parametrize(("what", "size", "efficiency"), [
    ("write", 60, 60 / 84), ("write", 300, 300 / 372), ("read", 60, 60 / 80), ("read", 300, 300 / 400)])
def test_bytes_of_headers(what, size, efficiency):
    """60 and 300 bytes: of a write one and three packets, of a read's completions one and five."""
    link = Link(SLOW, CLOCK_HZ)
    if what == "write":
        link.write(0, size)
    else:
        link.complete(0, 0x1000, size)
    wire_bytes = (link.up_busy_units + link.down_busy_units) / link.byte_units
    assert size / wire_bytes == pytest.approx(efficiency)


def test_a_width_without_a_known_limit_is_refused():
    with pytest.raises(BenchError, match="generation, mps, lanes"):
        LinkTiming(generation=1, mps_bytes=1024).share()
    assert all(0.5 < LinkTiming(generation, lanes, mps).share() < 1
               for (generation, mps), row in ACK_LIMIT.items() for lanes in row)


SHUTTLES = {
    "small": {"beats_read": 4, "reads": 40, "beats_write": 1, "writes": 30, "pauses": [3, 1, 40]},
    "large": {"beats_read": 128, "reads": 8, "beats_write": 64, "writes": 16, "pauses": [1, 2, 700]},
    "unlike": {"beats_read": 16, "reads": 64, "beats_write": 17, "writes": 20, "pauses": [1]},
    "often": {"beats_read": 1, "reads": 200, "beats_write": 2, "writes": 120, "pauses": [1, 2, 3, 1, 5]},
}


@pytest.mark.parametrize("shape", SHUTTLES)
@pytest.mark.parametrize("name", LINKS)
def test_the_top_keeps_every_cycle(run_on_link, dummy_engine, name, shape):
    arguments = {"src": 0x1000, "dst": 0x8000} | SHUTTLES[shape]
    outcome = run_on_link("shuttle", arguments, link=LINKS[name].numbers(CLOCK_HZ), prepare="fill",
                          bus={"log_bursts": True, "jitter": 30, "seed": 9},
                          csr_write_latency_cycles=3, csr_read_latency_cycles=5)
    assert outcome.errors == {}
    bursts, accesses = outcome.bursts, outcome.result["accesses"]
    link = Link(LINKS[name], CLOCK_HZ)
    expected = replay(link, bursts, accesses, (3, 5))
    reads, writes = bursts[bursts["write"] == 0], bursts[bursts["write"] == 1]
    assert len(reads) == 2 * arguments["reads"] and len(writes) == arguments["writes"]
    assert writes["reply_cycle"].tolist() == expected.reply
    assert reads["begin_cycle"].tolist() == expected.first
    assert reads["end_cycle"].tolist() == [first + arguments["beats_read"] - 1 for first in expected.first]
    events, kinds = outcome.events, dummy_engine.KINDS
    taken = events["cycle"][np.isin(events["kind"], (kinds["csr_read"], kinds["csr_write"]))]
    assert taken.tolist() == expected.taken
    assert [access[2] for access in accesses if access[0] == "r"] == expected.returned
    assert outcome.link_busy_units == [link.up_busy_units, link.down_busy_units]
    assert expected.ties > 0 or shape != "often", "no two offers had one stamp: choose other pauses"


def test_memory_changes_when_the_packet_is_there(run_on_link):
    """Python polls the words that are written, a word a burst; the engine gets B far earlier."""
    arguments = {"src": 0x1000, "dst": 0x8000, "watch": 0x8000} | SHUTTLES["small"]
    outcome = run_on_link("shuttle", arguments, link=SLOW.numbers(CLOCK_HZ), prepare="fill",
                          bus={"log_bursts": True})
    expected = replay(Link(SLOW, CLOCK_HZ), outcome.bursts, outcome.result["accesses"])
    seen = [max(cycle, expected.visible[0]) for cycle in expected.visible]
    assert outcome.result["changed"] == seen and len(set(seen)) > 20
    assert all(reply < visible for reply, visible in zip(expected.reply, expected.visible, strict=True))


def test_a_read_sees_the_writes_that_have_arrived(run_on_link, dummy_engine):
    """The same words are read and written at once: each beat has what memory held in its burst's M."""
    at = 0x4000
    arguments = {"src": 0x1000, "dst": at, "again_from": at, "beats_read": 1, "reads": 60, "beats_write": 2,
                 "writes": 20, "pauses": [900]}
    outcome = run_on_link("shuttle", arguments, link=SLOW.numbers(CLOCK_HZ), prepare="fill",
                          bus={"log_bursts": True})
    expected = replay(Link(SLOW, CLOCK_HZ), outcome.bursts, outcome.result["accesses"])
    events, kinds = outcome.events, dummy_engine.KINDS
    data = events[events["kind"] == kinds["r"]]["data"][60:].tolist()
    written = events[events["kind"] == kinds["w"]]["data"].tolist()
    visible = [cycle for cycle in expected.visible for _ in range(2)]
    early = late = 0
    for k, fetch in enumerate(expected.fetch[60:]):
        old = at + 4 * k
        new = written[k] if k < 40 else old
        assert data[k] == (new if k < 40 and visible[k] <= fetch else old)
        early, late = early + (data[k] == old), late + (data[k] != old)
    assert early and late


def test_failing_bursts_vanish(run_on_link, dummy_engine):
    """A write that fails is on the wire as any other, and nobody hears of it. A read's beats say it."""
    arguments = {"src": 0x1000, "dst": 0x8000} | SHUTTLES["small"]
    outcome = run_on_link("shuttle", arguments, link=SLOW.numbers(CLOCK_HZ), prepare="fill",
                          keep_memory=[[0x8000, 0x8000 + 120]],
                          bus={"log_bursts": True, "errors": [[3, True, 0], [2, False, 1]]})
    bursts = outcome.bursts
    writes, reads = bursts[bursts["write"] == 1], bursts[bursts["write"] == 0]
    assert not writes["response"].any() and np.count_nonzero(reads["response"]) == 1
    replies = outcome.events[outcome.events["kind"] == dummy_engine.KINDS["b"]]
    assert not replies["data"].any()
    words = outcome.memory[0x8000].view("<u4")
    assert [k for k in range(30) if words[k] == 0x8000 + 4 * k] == [3]
    expected = replay(Link(SLOW, CLOCK_HZ), bursts, outcome.result["accesses"])
    assert writes["reply_cycle"].tolist() == expected.reply


INTERRUPTS = {"data": 0x1000, "dst": 0x3000, "writes": 17, "again": 6}


@pytest.mark.parametrize("link", [None, SLOW, FAST], ids=["ideal", "slow", "fast"])
def test_messages_become_lines(run_on_link, link):
    """Pending from the cycle in which the message is visible, behind all data, to its acknowledgement."""
    outcome = run_on_link("interrupts", INTERRUPTS, prepare="odd", bus={"log_bursts": True},
                          link=None if link is None else link.numbers(CLOCK_HZ))
    assert outcome.errors == {}
    bursts = outcome.bursts
    messages = bursts[bursts["address"] >= 0xFEE0_0000]
    assert len(messages) == 17 + 6
    if link is None:
        arrived = (messages["end_cycle"] + 1).tolist()
    else:
        arrived = replay(Link(link, CLOCK_HZ), bursts, outcome.result["accesses"]).visible[1:]
    woken = outcome.result["woken"]
    assert all(complete for _, complete, _ in woken.values())
    assert [woken[str(line)][2] for line in range(17)] == [False] * 16 + [True]      # a level stays
    assert [woken[str(line)][0] for line in range(17)] == arrived[:17]
    # Two messages while pending are one; acknowledged, it is low at once and stays low.
    assert [later[1:] for later in outcome.result["later"]] == [[True, False, False]] * 3


def test_messages_are_the_same_in_both_simulators(run_on, dummy_engine):
    recipe = dummy_engine.recipe(on_link=True)
    for link in (None, TIGHT.numbers(CLOCK_HZ)):
        outcomes = [run_on(build(recipe, simulator))(
            "interrupts", INTERRUPTS, prepare="odd", link=link,
            bus={"log_bursts": True, "outstanding": 8, "jitter": 7}) for simulator in ("verilator", "icarus")]
        assert np.array_equal(outcomes[0].events, outcomes[1].events) and len(outcomes[0].events) > 100
        assert np.array_equal(outcomes[0].bursts, outcomes[1].bursts)
        assert outcomes[0].result == outcomes[1].result


def test_a_message_to_no_line_is_an_access_outside_memory(run_on_link):
    outcome = run_on_link("shuttle", {"src": 0x1000, "dst": 0xFEE0_0044, "beats_read": 1, "reads": 2,
                                      "beats_write": 1, "writes": 1, "pauses": [9]})
    assert outcome.errors == {"memory_errors": 1, "memory_errors_first": 0xFEE0_0044}
