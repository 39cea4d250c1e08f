"""The GMII player and checker, and the gigabit PHY: what is played comes back through the dummy engine."""

import ctypes
import zlib

import numpy as np
import pytest

from model.frames import FrameSet
from model.phy import Phy
from model.traffic import RxProgram, rx_schedule
from tb.build import BUILD, build
from tb.job import Program
from tb.native import Native
from tb.native.compile import compile_native
from tb.native.layout import FIRST_GAP, FRAME_ERROR, FRAME_FCS_OK, FRAME_NO_SFD, PLAY_ERROR

PREAMBLE_BYTES, SFD = 7, 0xD5


def frame(length: int, seed: int = 0) -> bytes:
    """A frame of `length` bytes with its FCS."""
    body = np.random.default_rng(seed).integers(0, 256, length - 4, dtype=np.uint8).tobytes()
    return body + zlib.crc32(body).to_bytes(4, "little")


def program(frames: list[bytes], gaps: list[int], flags: list[int] | None = None) -> Program:
    return Program(np.frombuffer(b"".join(frames), np.uint8), np.array([len(each) for each in frames]),
                   np.array(gaps), None if flags is None else np.array(flags))


def schedule(frames: list[bytes], gaps: list[int], started: int):
    """The golden world's: when the engine samples what is played."""
    count = len(frames)
    no, yes = np.zeros(count, bool), np.ones(count, bool)
    played = RxProgram(FrameSet.of(frames), np.array(gaps, np.int64), no, np.full(count, -1), yes, yes, 0,
                       symbol_bits=8)
    return rx_schedule(played, started, tick_cycles=1)


@pytest.mark.parametrize("start_after", [1, 2])
def test_frames_come_back_in_the_cycles_of_the_schedule(run_on_link, dummy_engine, start_after):
    lengths, gaps = [64, 65, 5, 1518, 60, 71, 4], [24, 12, 1, 30, 200, 8, 7]
    frames = [frame(length, length) for length in lengths]
    outcome = run_on_link("loop", {"start_after": start_after, "cycles": 2500}, program(frames, gaps))
    assert outcome.errors == {}
    expected = schedule(frames, gaps, outcome.result)
    seen = outcome.events[outcome.events["kind"] == dummy_engine.KINDS["rx_nibble"]]
    sampled = [cycle for first, end in zip(expected.carrier, expected.end, strict=True)
               for cycle in range(first, end)]
    assert seen["cycle"].tolist() == sampled
    shown = b"".join(b"\x55" * PREAMBLE_BYTES + bytes([SFD]) + each for each in frames)
    assert bytes(seen["data"].astype(np.uint8)) == shown
    # The dummy loads each byte in the cycle in which it samples it.
    assert outcome.frames["sfd_cycle"].tolist() == expected.sfd.tolist()
    assert outcome.frames["end_cycle"].tolist() == expected.end.tolist()
    assert outcome.frames["gap"].tolist() == [FIRST_GAP, *gaps[1:]]
    for record, sent in zip(outcome.frames, frames, strict=True):
        assert (record["preamble"], record["flags"]) == (PREAMBLE_BYTES, FRAME_FCS_OK)
        assert outcome.frame_bytes[record["offset"]:][:record["length"]].tobytes() == sent


def test_flags_and_bad_frames(run_on_link):
    good = frame(64)
    broken = good[:10] + bytes([good[10] ^ 1]) + good[11:]
    frames = [good, broken, good, good, good[:3]]
    flags = [PLAY_ERROR | 7 << 8, 0, PLAY_ERROR | 8 << 8, PLAY_ERROR | 63 << 8, 0]
    outcome = run_on_link("loop", {"start_after": 1, "cycles": 600}, program(frames, [1] * 5, flags))
    with_error = FRAME_FCS_OK | FRAME_ERROR
    assert outcome.frames["flags"].tolist() == [with_error, 0, with_error, with_error, 0]
    assert outcome.frames["length"].tolist() == [64, 64, 64, 64, 3]
    assert outcome.frames["gap"].tolist() == [FIRST_GAP, 1, 1, 1, 1]


def test_both_simulators_record_the_same(run_on, dummy_engine):
    lengths = np.random.default_rng(4).integers(5, 300, 60).tolist()
    gaps = np.random.default_rng(5).integers(1, 60, 60).tolist()
    outcomes = [run_on(build(dummy_engine.recipe(on_link=True), simulator))(
        "loop", {"start_after": 3, "cycles": 14_000}, program([frame(length) for length in lengths], gaps))
        for simulator in ("verilator", "icarus")]
    assert np.array_equal(outcomes[0].frames, outcomes[1].frames) and len(outcomes[0].frames) == 60
    assert np.array_equal(outcomes[0].events, outcomes[1].events)
    assert (outcomes[0].frames["flags"] == FRAME_FCS_OK).all()


@pytest.fixture
def hdl():
    """The functions that the HDL calls, of a library without a simulator, and its Python side."""
    library = str(compile_native(BUILD, vpi=False).shared)
    native, functions = Native(1 << 12, library), ctypes.CDLL(library)

    def call(name, *arguments):
        function = getattr(functions, name)
        function.restype = ctypes.c_uint64
        return function(*map(ctypes.c_uint64, arguments))
    return native, call


def test_receive_errors_are_at_their_bytes(hdl):
    native, call = hdl
    sent = frame(21)
    for at in range(21):
        native.set_program(np.frombuffer(sent, np.uint8), np.array([21]), np.array([5]),
                           np.array([PLAY_ERROR | at << 8]))
        assert call("rb_gmii_start") == 5
        played, errors = b"", []
        while (word := call("rb_gmii_play")) & 15:
            count = word & 15
            errors += [len(played) + k for k in range(count) if word >> 4 + k & 1]
            played += call("rb_gmii_bytes").to_bytes(8, "little")[:count]
        assert played[:8] == b"\x55" * 7 + b"\xD5" and played[8:] == sent and errors == [8 + at]


def test_a_frame_without_sfd_and_one_with_a_short_preamble(hdl):
    native, call = hdl
    call("rb_gmii_check", 100, 8, 0x5555_5555_5555_5555, 0, 0)
    call("rb_gmii_check", 108, 2, 0x5555, 0, 1)
    sent = frame(20)
    data = b"\x55\xD5" + sent
    for k in range(0, 22, 8):
        piece = data[k:k + 8]
        call("rb_gmii_check", 200 + k, len(piece), int.from_bytes(piece, "little"), 0, len(piece) < 8)
    first, second = native.frames()
    assert (first["flags"], first["preamble"], first["length"]) == (FRAME_NO_SFD, 10, 0)
    assert first["end_cycle"] == 109
    assert (second["flags"], second["preamble"], second["gap"]) == (FRAME_FCS_OK, 1, 90)
    assert (second["sfd_cycle"], second["end_cycle"]) == (200, 221)
    assert native.frame_bytes().tobytes() == sent


def test_the_gigabit_phy_answers_at_its_address_only(run_on_link):
    registers, golden = [0, 1, 2, 3, 4, 5, 9, 10, 15], Phy(address=1, gigabit=True)
    golden.write(1, 9, 0x0100)
    found = run_on_link("mdio", {"phy": 1, "writes": [[9, 0x0100]], "reads": registers}).result
    assert [value >> 16 for value in found] == [0b10] * len(registers)       # the PHY drives the turnaround
    assert [value & 0xFFFF for value in found] == [golden.read(1, register) for register in registers]
    assert run_on_link("mdio", {"phy": 0, "writes": [], "reads": [1]}).result == [0x3FFFF]
    half = run_on_link("mdio", {"phy": 1, "writes": [], "reads": [5, 10]}, half_duplex=True).result
    slow = Phy(half_duplex=True, address=1, gigabit=True)
    assert [value & 0xFFFF for value in half] == [slow.read(1, 5), slow.read(1, 10)]
