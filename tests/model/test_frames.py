"""Frames in bulk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import bus, frames
from model.frames import FrameSet

PEER = np.frombuffer(frames.address("02:00:00:00:00:02"), np.uint8)
STATION = frames.address("02:00:00:00:00:01")


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_the_hash_is_the_bus_models_hash_over_arrays(numbers):
    assert frames.mix(np.array(numbers, np.uint64)).tolist() == [bus.mix(number) for number in numbers]


@given(seed=st.integers(0, 2**32 - 1), low=st.integers(0, 100), span=st.integers(0, 1000))
def test_draws_stay_in_range_and_begin_alike(seed, low, span):
    longer = frames.draw(seed, 1, 50, low, low + span)
    assert longer.min() >= low and longer.max() <= low + span
    assert np.array_equal(frames.draw(seed, 1, 20, low, low + span), longer[:20])


def test_draws_of_other_purpose_or_seed_are_unrelated():
    draws = [frames.draw(seed, purpose, 1000, 0, 2**31) for seed in (1, 2) for purpose in (1, 2)]
    for n, one in enumerate(draws):
        for other in draws[:n]:
            assert np.count_nonzero(one == other) < 3


def test_draws_are_even():
    counts = np.bincount(frames.draw(7, 3, 40_000, 0, 3))
    assert len(counts) == 4 and counts.min() > 9_600 and counts.max() < 10_400


def test_fcs_of_a_known_frame():
    # the CRC-32 check value: of the digits 1 to 9 it is 0xCBF43926
    assert frames.fcs(b"123456789") == bytes.fromhex("2639f4cb")


@given(st.binary(min_size=14, max_size=1514))
def test_a_wire_image_is_padded_and_has_a_right_fcs(frame):
    image = frames.wire_image(frame)
    assert len(image) == max(64, len(frame) + 4)
    assert image[:len(frame)] == frame and not any(image[len(frame):60])
    assert frames.fcs_is_right(image)
    assert not frames.fcs_is_right(image[:-1] + bytes([image[-1] ^ 1]))


def test_made_frames():
    length = np.array([60, 18, 1514])
    made = frames.make_frames(length, PEER, STATION, seed=3, purpose=1)
    assert len(made) == 3 and made.length.tolist() == [60, 18, 1514]
    for ordinal in range(3):
        frame = made.bytes(ordinal)
        assert frame[:6] == PEER.tobytes() and frame[6:12] == STATION
        assert int.from_bytes(frame[12:14], "big") == frames.ETHERTYPE_EXPERIMENTAL
        assert int.from_bytes(frame[14:18], "big") == ordinal
    payload = made[2][18:]
    assert len(np.unique(payload)) > 240, "contents are noise"
    again = frames.make_frames(length, PEER, STATION, seed=3, purpose=1)
    other = frames.make_frames(length, PEER, STATION, seed=4, purpose=1)
    assert np.array_equal(made.data, again.data) and not np.array_equal(made.data, other.data)


def test_a_frame_without_room_for_its_header():
    with pytest.raises(ValueError, match="needs 18 bytes for header and ordinal, not 17"):
        frames.make_frames(np.array([60, 17]), PEER, STATION, 1, 1)


def test_sets_of_separate_frames():
    frame_set = FrameSet.of([b"abc", b"", b"de"])
    assert [frame_set.bytes(n) for n in range(3)] == [b"abc", b"", b"de"]
    assert len(FrameSet.of([])) == 0
