"""The MII player and checker: what is played comes back through the dummy engine with every length, gap and
flag."""

import zlib

import numpy as np
import pytest

from tb.build import build
from tb.job import Program
from tb.native.layout import FIRST_GAP, FRAME_ERROR, FRAME_FCS_OK, FRAME_ODD, PLAY_ERROR, PLAY_ODD

TICK_CYCLES = 2
PREAMBLE = 15


def frame(length: int, seed: int = 0) -> bytes:
    """A frame of `length` bytes with its FCS."""
    body = np.random.default_rng(seed).integers(0, 256, length - 4, dtype=np.uint8).tobytes()
    return body + zlib.crc32(body).to_bytes(4, "little")


def program(frames: list[bytes], gaps: list[int], flags: list[int] | None = None) -> Program:
    return Program(np.frombuffer(b"".join(frames), np.uint8), np.array([len(each) for each in frames]),
                   np.array(gaps), None if flags is None else np.array(flags))


def first_preamble_loaded(started: int, gap: int) -> int:
    """Tick cycle at whose end the first preamble nibble is loaded: tick number `gap` from cycle started + 1
    on."""
    first_tick = started + 1 | 1
    return first_tick + TICK_CYCLES * gap


@pytest.mark.parametrize("start_after", [1, 2])
def test_frames_come_back_in_time(run, start_after, dummy_engine):
    lengths, gaps = [64, 65, 5, 1518, 60], [24, 24, 1, 30, 200]
    frames = [frame(length, length) for length in lengths]
    outcome = run("loop", {"start_after": start_after, "cycles": 8000}, program(frames, gaps))
    assert outcome.errors == {}
    nibbles = outcome.events[outcome.events["kind"] == dummy_engine.KINDS["rx_nibble"]]
    loaded = first_preamble_loaded(outcome.result, gaps[0])
    assert nibbles["cycle"][0] == loaded + TICK_CYCLES          # sampled one tick after it is loaded
    for k, (record, sent) in enumerate(zip(outcome.frames, frames, strict=True)):
        # The dummy loads each nibble one tick after the player has.
        sfd = loaded + TICK_CYCLES * (PREAMBLE + 1)
        assert (record["sfd_cycle"], record["end_cycle"]) == (sfd, sfd + TICK_CYCLES * (2 * len(sent) + 1))
        assert record["gap"] == (gaps[k] if k else FIRST_GAP)
        assert (record["preamble"], record["flags"]) == (PREAMBLE, FRAME_FCS_OK)
        assert outcome.frame_bytes[record["offset"]:][:record["length"]].tobytes() == sent
        if k + 1 < len(gaps):
            loaded += TICK_CYCLES * (PREAMBLE + 1 + 2 * len(sent) + gaps[k + 1])


def test_flags_and_bad_frames(run):
    good = frame(64)
    broken = good[:10] + bytes([good[10] ^ 1]) + good[11:]
    frames = [good, broken, good, good, good[:3]]
    flags = [PLAY_ODD, 0, PLAY_ERROR | 7 << 8, PLAY_ODD | PLAY_ERROR | 63 << 8, 0]
    outcome = run("loop", {"start_after": 1, "cycles": 2000}, program(frames, [1] * 5, flags))
    assert outcome.frames["flags"].tolist() == [FRAME_FCS_OK | FRAME_ODD, 0, FRAME_FCS_OK | FRAME_ERROR,
                                                FRAME_FCS_OK | FRAME_ODD | FRAME_ERROR, 0]
    assert outcome.frames["length"].tolist() == [64, 64, 64, 64, 3]
    assert outcome.frames["gap"].tolist() == [FIRST_GAP, 1, 1, 1, 1]


def test_both_simulators_record_the_same(run_on, dummy_engine):
    lengths = np.random.default_rng(4).integers(5, 300, 40).tolist()
    gaps = np.random.default_rng(5).integers(1, 60, 40).tolist()
    outcomes = [run_on(build(dummy_engine.recipe(), simulator))(
        "loop", {"start_after": 3, "cycles": 40_000}, program([frame(length) for length in lengths], gaps))
        for simulator in ("verilator", "icarus")]
    assert np.array_equal(outcomes[0].frames, outcomes[1].frames) and len(outcomes[0].frames) == 40
    assert np.array_equal(outcomes[0].events, outcomes[1].events)


def test_the_phy_answers_at_its_address_only(run):
    found = run("mdio", {"phy": 0, "writes": [[4, 0x0141], [0, 0x2100]],
                         "reads": [0, 1, 2, 3, 4, 5, 9]}).result
    assert [value >> 16 for value in found] == [0b10] * 7       # a pulled-up bit, then the PHY's zero
    assert [value & 0xFFFF for value in found] == [0x2100, 0x786D, 0x5242, 0x0001, 0x0141, 0x4101, 0]
    assert run("mdio", {"phy": 1, "writes": [], "reads": [1]}).result == [0x3FFFF]
    unplugged = run("mdio", {"phy": 0, "writes": [[0, 0x8000]], "reads": [0, 1, 5]}, phy_link=False).result
    assert [value & 0xFFFF for value in unplugged] == [0x3100, 0x7849, 0]
