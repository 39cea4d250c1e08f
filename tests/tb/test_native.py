"""The native library by itself, called as the HDL would call it."""

import ctypes
import zlib

import numpy as np
import pytest

from model.bus import BusTiming
from model.events import EVENT
from model.host.world import CsrPort
from tb.build import BUILD
from tb.native import READ, WRITE, Native, layout
from tb.native.compile import compile_native

INCR_WORDS = 1 << 3 | 2
"""AXI shape {burst, size}: incrementing, 4 bytes a beat."""
DV = 1 << 4


@pytest.fixture(scope="module")
def library():
    return str(compile_native(BUILD, vpi=False).shared)


@pytest.fixture
def native(library):
    return Native(1 << 16, library)


@pytest.fixture
def hdl(library, native):
    """The functions that the HDL calls: 64-bit words in and out."""
    functions = ctypes.CDLL(library)

    def call(name, *arguments):
        function = getattr(functions, name)
        function.restype = ctypes.c_uint64
        return function(*map(ctypes.c_uint64, arguments))
    return call


def test_events_have_the_layout_of_the_model(native, hdl):
    for k in range(10_000):
        hdl("rb_event", k << 33, k % 65536, 1, k, k << 40)
    events = native.events()
    assert events.dtype == EVENT and len(events) == 10_000
    assert events[9_999].tolist() == (9_999 << 33, 9_999, 1, 9_999, 9_999 << 40)
    assert native.events(9_998)["index"].tolist() == [9_998, 9_999]


def test_a_full_log_is_an_error_and_keeps_what_it_has(native, hdl):
    native.set_limit("events", 5000)
    for k in range(5010):
        hdl("rb_event", k, 1, 0, 0, 0)
    assert len(native.events()) == 5000
    assert native.errors() == {"events_dropped": 10}
    native.set_limit("events", 0)


def test_queue_of_register_accesses_keeps_order_and_time(native, hdl):
    native.set_csr_latency(3)
    port = CsrPort(3)
    taken, ordinals = [], []
    for k in range(1000):
        operation = READ if k % 3 == 0 else WRITE
        taken.append(native.csr_push(operation, 4 * k % 4096, k, k % 16, 20 + k // 10))
        ordinals.append(native.csr_ordinal())
    assert taken == [port.take(20 + k // 10) for k in range(1000)]
    for k in range(1000):
        assert hdl("rb_csr_due") == taken[k]
        assert hdl("rb_csr_data") & 0xFFFF_FFFF == k
        assert hdl("rb_csr_take") == (k % 3 == 0) << 40 | k % 16 << 32 | 4 * k % 4096
        if k % 3 == 0:
            assert native.csr_collect(ordinals[k]) is None
            hdl("rb_csr_answer", k ^ 0xFFFF_FFFF)
            assert native.csr_collect(ordinals[k]) == k ^ 0xFFFF_FFFF
            assert native.csr_collect(ordinals[k]) is None
    assert hdl("rb_csr_due") == layout.NEVER


def test_bursts_draw_the_jitter_of_the_model(native, hdl):
    settings = {"read_latency": 4, "write_latency": 2, "jitter": 9, "seed": 12345}
    native.set_bus(**settings, errors=[(1, True, 3)], log_bursts=True)
    timing = BusTiming(**settings, errors=frozenset({(1, True, 3)}))
    for k in range(50):
        requester = k * k % 2
        begin, _ = timing.read(requester, 100 * k)
        assert hdl("rb_bus_read_open", 100 * k, requester, 0x100, 4, INCR_WORDS) == begin
        hdl("rb_bus_read_begin", begin)
        hdl("rb_bus_read_end", begin + 3)
        last, reply, failed = timing.write(requester, 100 * k + 50, 1)
        hdl("rb_bus_write_open", 100 * k + 50, requester, 0x200, 1, INCR_WORDS)
        hdl("rb_bus_write_data", 0, 0, k, 15)
        assert hdl("rb_bus_write_close", last, 1) == (2 if failed else 0) << 62 | reply
    assert native.bursts()["response"].sum() == 2 and native.errors() == {}


@pytest.mark.parametrize("width", [4, 8, 16])
def test_unaligned_bursts_and_strobes(native, hdl, width):
    hdl("rb_bus_width", width)
    native.mem[:] = np.arange(native.mem.size) % 251
    shape = 1 << 3 | width.bit_length() - 1
    before = native.mem.copy()
    hdl("rb_bus_read_open", 5, 0, 0x102, 3, shape)
    hdl("rb_bus_read_begin", 9)
    for beat in range(3):
        for lane in range((width + 7) // 8):
            word = hdl("rb_bus_read_data", beat, lane).to_bytes(8, "little")[:width]
            assert word == before[0x100 + beat * width + 8 * lane:][:min(width, 8)].tobytes()
    hdl("rb_bus_write_open", 20, 0, 0x202, 2, shape)
    for beat in range(2):
        for lane in range((width + 7) // 8):
            strobe = 0xFF & (0xFC if (beat, lane) == (0, 0) else 0xFF) if width > 4 else (0xC, 0x3)[beat]
            hdl("rb_bus_write_data", beat, lane, 0xEEEE_EEEE_EEEE_EEEE, strobe)
    hdl("rb_bus_write_close", 22, 1)
    changed = np.flatnonzero(native.mem != before)
    end = 0x206 if width == 4 else 0x200 + 2 * width
    assert changed.tolist() == [k for k in range(0x202, end) if before[k] != 0xEE]


def test_accesses_outside_memory_never_wrap(native, hdl):
    native.mem[:] = 0xAA
    for address in (0xFFFC, 0x1_0000, 2**32 - 4):
        hdl("rb_bus_read_open", 1, 0, address, 1, INCR_WORDS)
        hdl("rb_bus_read_begin", 2)
        assert hdl("rb_bus_read_data", 0, 0) == (0xAAAA_AAAA if address == 0xFFFC else 0)
        hdl("rb_bus_write_open", 1, 0, address, 1, INCR_WORDS)
        hdl("rb_bus_write_data", 0, 0, 0, 15)
        hdl("rb_bus_write_close", 3, 1)
    assert native.errors() == {"memory_errors": 4, "memory_errors_first": 0x1_0000}
    assert np.flatnonzero(native.mem == 0).tolist() == [0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF]


@pytest.mark.parametrize(("address", "beats", "shape"), [
    (0xFF8, 4, INCR_WORDS), (0, 4, 2 << 3 | 2), (0, 1, 1 << 3 | 3),
], ids=["across 4 KiB", "WRAP", "beat wider than the bus"])
def test_bursts_against_the_rules_are_counted(native, hdl, address, beats, shape):
    hdl("rb_bus_write_open", 77, 0, address, beats, shape)
    assert native.errors() == {"bus_errors": 1, "bus_errors_first": 77}


def test_player_and_checker(native, hdl):
    body = bytes(range(60))
    data = body + zlib.crc32(body).to_bytes(4, "little")
    native.set_program(np.frombuffer(data * 2, np.uint8), np.array([64, 64]), np.array([5, 3]))
    assert hdl("rb_mii_start") == 5
    tick, word = 1, 0
    while not word >> 6 & 1:
        word = hdl("rb_mii_play")
        for _ in range((word >> 32) + 1):
            hdl("rb_mii_check", tick + 2, tick, word & 0x3F)
            tick += 2
    frames = native.frames()
    assert frames["flags"].tolist() == [layout.FRAME_FCS_OK] * 2
    assert frames["gap"].tolist() == [layout.FIRST_GAP, 3]
    assert native.frame_bytes().tobytes() == data * 2
    assert frames["sfd_cycle"].tolist() == [31, 31 + 2 * (128 + 3 + 16)]
    assert frames["end_cycle"].tolist() == [31 + 2 * 129, 31 + 2 * (128 + 3 + 16 + 129)]


def test_wrong_settings_say_what_would_be_right(native):
    with pytest.raises(ValueError, match="beat_interval = 0"):
        native.set_bus(beat_interval=0)
    with pytest.raises(ValueError, match="bus speed = 3: expected one of read_latency"):
        native.set_bus(speed=3)
    with pytest.raises(ValueError, match=r"outstanding = 257: .*at most 256"):
        native.set_bus(outstanding=257)
    with pytest.raises(ValueError, match="at most 256 bits"):
        native.set_straps(1 << 256)
    with pytest.raises(ValueError, match="add up to 12, but there are 11 bytes"):
        native.set_program(np.zeros(11, np.uint8), np.array([6, 6]), np.array([1, 1]))
    with pytest.raises(ValueError, match="a gap of 0 symbols"):
        native.set_program(np.zeros(12, np.uint8), np.array([6, 6]), np.array([1, 0]))
