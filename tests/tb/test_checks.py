"""The byte checks find what can happen to a frame, and nothing where nothing happened; rates; mappings."""

import zlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from model.frames import FrameSet
from model.host.dma import INTERVAL, NEVER
from model.traffic import RxProgram
from tb import checks
from tb.native.layout import FIRST_GAP, FRAME, FRAME_ERROR, FRAME_FCS_OK, FRAME_NO_SFD, FRAME_ODD


def on_the_wire(frame: bytes) -> bytes:
    """IEEE 802.3: at least 64 bytes with the FCS, whose bytes go out lowest first."""
    padded = frame + bytes(max(0, 60 - len(frame)))
    crc = zlib.crc32(padded)
    return padded + bytes(crc >> 8 * n & 0xFF for n in range(4))


def outcome(handed=(), delivered=(), hands_up_fcs=True):
    """What the checks look at of an Outcome."""
    return SimpleNamespace(handed=FrameSet.of(list(handed)), delivered=FrameSet.of(list(delivered)),
                           hands_up_fcs=hands_up_fcs)


def recorded(frames, flags=()):
    """Records and bytes as the wire's checker leaves them; `flags` by ordinal where they are not FCS_OK."""
    records = np.zeros(len(frames), FRAME)
    records["length"] = [len(frame) for frame in frames]
    records["offset"] = np.cumsum(records["length"]) - records["length"]
    records["gap"], records["flags"] = FIRST_GAP, FRAME_FCS_OK
    for ordinal, flag in dict(flags).items():
        records["flags"][ordinal] = flag
    return records, np.frombuffer(b"".join(frames), np.uint8)


def sent(handed, wire, flags=(), spoilt=0, unsent=0):
    return checks.check_transmit(outcome(handed), *recorded(wire, flags), spoilt, unsent)


def some_frames(count, size=60):
    """Frames without FCS, each unlike the others."""
    return [bytes([7, n]) + bytes((n * k) & 0xFF for k in range(size - 2)) for n in range(count)]


FRAMES = st.lists(st.binary(min_size=14, max_size=90), min_size=2, max_size=8, unique=True)
CALM = settings(deadline=None, max_examples=60)


@CALM
@given(st.lists(st.binary(min_size=14, max_size=90), max_size=8))
def test_what_went_out_as_it_went_in(handed):
    check = sent(handed, [on_the_wire(frame) for frame in handed])
    assert (check.found, check.checked, check.bad) == ({}, len(handed), 0)


@CALM
@given(FRAMES, st.data())
def test_a_flipped_byte_is_found_even_under_a_right_fcs(handed, data):
    place = data.draw(st.integers(0, len(handed) - 1))
    wire = [on_the_wire(frame) for frame in handed]
    body = bytearray(wire[place][:-4])
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    wire[place] = on_the_wire(bytes(body))
    assume(wire[place] not in [on_the_wire(frame) for frame in handed])
    check = sent(handed, wire)
    assert check.found.keys() == {"corrupt_frame", "lost_frame"} and check.bad == 1
    assert check.found["corrupt_frame"].startswith(f"transmitted frame {place} ")
    assert f"the first is {place};" in check.found["lost_frame"]


@CALM
@given(FRAMES, st.data())
def test_a_lost_frame_is_found(handed, data):
    place = data.draw(st.integers(0, len(handed) - 1))
    wire = [on_the_wire(frame) for frame in handed]
    assume(wire.count(wire[place]) == 1)
    del wire[place]
    check = sent(handed, wire)
    assert check.found.keys() == {"lost_frame"} and f"the first is {place};" in check.found["lost_frame"]
    assert sent(handed, wire, unsent=1).found == {}, "the engine had reported it"


@CALM
@given(FRAMES, st.data())
def test_a_repeated_frame_is_found(handed, data):
    wire = [on_the_wire(frame) for frame in handed]
    assume(len(set(wire)) == len(wire))
    place = data.draw(st.integers(0, len(handed) - 1))
    again = data.draw(st.integers(place + 1, len(handed)))
    check = sent(handed, [*wire[:again], wire[place], *wire[again:]])
    assert check.found.keys() == {"repeated_frame"} and check.bad == 1
    assert f"transmitted frame {again} is frame {place} once more" in check.found["repeated_frame"]


@CALM
@given(FRAMES, st.data())
def test_frames_in_another_order_are_found(handed, data):
    wire = [on_the_wire(frame) for frame in handed]
    assume(len(set(wire)) == len(wire))
    order = data.draw(st.permutations(range(len(wire))))
    assume(order != list(range(len(wire))))
    check = sent(handed, [wire[n] for n in order])
    assert check.found.keys() == {"repeated_frame"}


@pytest.mark.parametrize(("order", "found"), [
    ("ABA", set()), ("BA", {"lost_frame"}), ("AB", {"lost_frame"}), ("AA", {"lost_frame"}),
    ("ABAA", {"repeated_frame"}), ("ABAB", {"repeated_frame"}),
    ("AAB", {"repeated_frame"}),
])
def test_frames_that_are_alike(order, found):
    """Of two equal frames around another either may be lost, and only that: A B A were handed over."""
    a, b = some_frames(2)
    wire = {"A": on_the_wire(a), "B": on_the_wire(b)}
    assert sent([a, b, a], [wire[name] for name in order]).found.keys() == found


@pytest.mark.parametrize("flags", [0, FRAME_FCS_OK | FRAME_ERROR, FRAME_FCS_OK | FRAME_ODD,
                                   FRAME_FCS_OK | FRAME_NO_SFD])
def test_a_damaged_frame_needs_the_engines_word(flags):
    handed = some_frames(3)
    wire = [on_the_wire(frame) for frame in handed]
    check = sent(handed, wire, {1: flags})
    assert check.found.keys() == {"corrupt_frame", "lost_frame"} and (check.checked, check.bad) == (3, 1)
    assert sent(handed, wire, {1: flags}, spoilt=1, unsent=1).found == {}
    assert sent(handed, wire, {1: flags}, spoilt=1).found.keys() == {"lost_frame"}


def played(frames, unwanted=()):
    """A wire's program; ordinals in `unwanted` are not for the station."""
    count = len(frames)
    wanted = np.ones(count, bool)
    wanted[list(unwanted)] = False
    return RxProgram(FrameSet.of(frames), np.full(count, 24), np.zeros(count, bool), np.full(count, -1),
                     wanted, np.ones(count, bool), 0)


def received(program, delivered, hands_up_fcs=True):
    return checks.check_receive(outcome(delivered=delivered, hands_up_fcs=hands_up_fcs), program)


@pytest.mark.parametrize("cut", [0, 4], ids=["with FCS", "FCS cut off"])
def test_what_came_in_as_it_was_played(cut):
    wire = [on_the_wire(frame) for frame in some_frames(5)]
    delivered = [frame[:len(frame) - cut] for frame in wire]
    check = received(played(wire), delivered, hands_up_fcs=not cut)
    assert (check.found, check.checked, check.bad) == ({}, 5, 0)
    assert received(played(wire), delivered, hands_up_fcs=bool(cut)).found.keys() >= {"corrupt_frame"}


@pytest.mark.parametrize("cut", [2, 3, 5])
def test_an_fcs_that_is_cut_off_in_part_spoils_the_frame(cut):
    """A driver that trims too little or too much of it (the fix 3e21a10fdea3 of lan743x)."""
    wire = [on_the_wire(frame) for frame in some_frames(3)]
    check = received(played(wire), [frame[:-cut] for frame in wire], hands_up_fcs=False)
    assert check.found.keys() == {"corrupt_frame", "frames_dropped"} and check.bad == 3


@CALM
@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), st.data())
def test_only_frames_of_one_flow_keep_their_order(flow, data):
    wire = [on_the_wire(frame) for frame in some_frames(len(flow))]
    order = data.draw(st.permutations(range(len(flow))))
    in_order = all(a < b for n, a in enumerate(order) for b in order[n + 1:] if flow[a] == flow[b])
    check = received(replace(played(wire), flow=np.array(flow)), [wire[n] for n in order])
    assert check.found.keys() == (set() if in_order else {"repeated_frame"})


def pause(quanta, station="02:00:00:00:00:01"):
    """IEEE 802.3, annex 31B: to the group address, EtherType 0x8808, opcode 1, the time."""
    return on_the_wire(bytes.fromhex("0180c2000001" + station.replace(":", "") + "88080001")
                       + quanta.to_bytes(2, "big"))


def test_pause_frames_of_the_engines_own():
    frames, data = recorded([*map(on_the_wire, some_frames(2)), pause(0xFFFF), pause(0)])
    frames["sfd_cycle"] = [100, 200, 300, 400]
    pauses = {300: 0xFFFF, 400: 0}
    assert checks.are_pauses(frames, pauses).tolist() == [False, False, True, True]
    assert not checks.are_pauses(frames, {}).any()
    check = checks.check_pauses(frames, data, pauses, "02:00:00:00:00:01")
    assert (check.found, check.checked, check.bad) == ({}, 2, 0)
    for wrong in ({300: 0xFFFE}, {301: 0xFFFF}, {100: 0}):
        check = checks.check_pauses(frames, data, wrong, "02:00:00:00:00:01")
        assert check.found.keys() == {"corrupt_frame"} and check.bad == 1
    assert checks.check_pauses(frames, data, pauses, "02:00:00:00:00:02").bad == 2


@CALM
@given(st.data())
def test_what_can_happen_to_a_received_frame(data):
    wire = [on_the_wire(frame) for frame in some_frames(data.draw(st.integers(2, 7)))]
    place = data.draw(st.integers(0, len(wire) - 1))
    event, found = data.draw(st.sampled_from([("flip", {"corrupt_frame", "frames_dropped"}),
                                              ("lose", {"frames_dropped"}), ("again", {"repeated_frame"})]))
    delivered = list(wire)
    if event == "flip":
        byte = data.draw(st.integers(0, 63))
        delivered[place] = wire[place][:byte] + bytes([wire[place][byte] ^ 0x80]) + wire[place][byte + 1:]
    elif event == "lose":
        del delivered[place]
    else:
        delivered.insert(place, wire[place])
    check = received(played(wire), delivered)
    assert check.found.keys() == found
    if event != "again":
        assert f"the first is {place}" in check.found["frames_dropped"]


def test_what_should_not_have_been_received():
    wire = [on_the_wire(frame) for frame in some_frames(4)]
    program = played(wire, unwanted=[2])
    assert received(program, [wire[n] for n in (0, 1, 3)]).found == {}
    check = received(program, wire)
    assert check.found.keys() == {"corrupt_frame"} and check.bad == 1
    assert check.found["corrupt_frame"].startswith("frame 2 reached the stack although")


@pytest.mark.parametrize(("bits_per_s", "clock_hz", "wire"), [(100e6, 50_000_000, (2, 4)),
                                                              (1e9, 125_000_000, (1, 8))])
@CALM
@given(st.integers(64, 9018), st.integers(2, 600), st.integers(0, 3000))
def test_the_shortfall_is_that_against_rfc_5180(bits_per_s, clock_hz, wire, frame_bytes, count, late_cycles):
    """RFC 5180, appendix A: a wire carries rate / (8 (X + 20)) frames of X bytes a second."""
    limit = bits_per_s / (8 * (frame_bytes + 20))
    seconds = (count - 1) / limit
    last = round(seconds * clock_hz) + late_cycles
    sfd = np.linspace(1000, 1000 + last, count).astype(np.uint64)
    sfd[0], sfd[-1] = 1000, 1000 + last
    rate = (count - 1) / (last / clock_hz)
    short = checks.rate_shortfall_ppm(sfd, np.full(count, frame_bytes), *wire)
    assert short == pytest.approx((1 - rate / limit) * 1e6, abs=1e-6)


def test_the_shortfall_of_mixed_sizes_leaves_out_the_last_frame():
    # 64 and 1518 bytes: 84 and 1538 byte times of 4 cycles, then a frame whose length does not matter
    sfd = np.array([0, 4 * 84, 4 * (84 + 1538)], np.uint64)
    assert checks.rate_shortfall_ppm(sfd, np.array([64, 1518, 999]), 2) == 0
    assert checks.rate_shortfall_ppm(sfd[:1], np.array([64]), 2) == 1e6, "one frame is no rate"


def limited(**ppm):
    return SimpleNamespace(wire_limit_ppm=ppm, tick_cycles=2, symbol_bits=4)


def rates(scenario, tx_sfd=(), rx_sfd=(), in_ring=None, size=64):
    frames = np.zeros(len(tx_sfd), FRAME)
    frames["sfd_cycle"], frames["length"] = tx_sfd, size
    wire = [on_the_wire(frame) for frame in some_frames(max(1, len(rx_sfd)), size - 4)]
    return checks.check_rates(scenario, frames, np.array(rx_sfd, np.uint64),
                              len(rx_sfd) if in_ring is None else in_ring, played(wire)).found


def test_below_the_wires_limit():
    at_limit = [336 * n for n in range(51)]
    late = [*at_limit[:-1], at_limit[-1] + 2]                   # 2 of 16800 cycles: 119 ppm
    assert rates(limited(tx=100), at_limit) == rates(limited(rx=100), rx_sfd=at_limit) == {}
    assert rates(limited(tx=100), late)["below_wire_limit"].startswith("tx: 119 ppm below")
    assert rates(limited(tx=120), late) == {} == rates(limited(), late)
    assert rates(limited(rx=100), rx_sfd=late)["below_wire_limit"].startswith("rx: 119 ppm")
    assert "below_wire_limit" in rates(limited(rx=100), rx_sfd=at_limit, in_ring=50), "one never arrived"


def intervals(*rows):
    return np.array(list(rows), INTERVAL)


@pytest.mark.parametrize(("hand_over", "lives", "found"), [
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 90, 500)], None),
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 90, NEVER)], None),
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 90, 399)], "early_release"),
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 90, 95)], "early_release"),
    ((100, 0x1000, 60, -1), [(0x1000, 60, 1, 90, 110)], None),
    ((100, 0x1000, 60, -1), [(0x1000, 60, 1, 90, 95)], "early_release"),
    ((100, 0x1000, 61, 400), [(0x1000, 60, 1, 90, 500)], "torn_write"),
    ((100, 0x2000, 60, 400), [(0x1000, 60, 1, 90, 500)], "torn_write"),
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 110, 500)], "torn_write"),
    # the same buffer used twice: the newer mapping is the one that counts
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 10, 50), (0x1000, 60, 1, 90, 500)], None),
    ((100, 0x1000, 60, 400), [(0x1000, 60, 1, 10, 50), (0x1000, 60, 1, 450, 500)], "early_release"),
    ((100, 0x1000, 60, 400), [], "torn_write"),
])
def test_mappings_of_what_was_handed_over(hand_over, lives, found):
    check = checks.check_mappings([hand_over], intervals(*lives))
    assert check.found.keys() == ({found} if found else set())


def test_mappings_tell_the_torn_one_among_good_ones():
    lives = intervals((0x1222, 60, 1, 90, 500), (0x10222, 1514, 1, 95, 800))
    good = [(100, 0x1222, 60, 400), (105, 0x10222, 1514, 700)]
    assert checks.check_mappings(good, lives).found == {}
    # the high half of one address with the low half of the other
    torn = checks.check_mappings([*good, (110, 0x11222, 60, -1)], lives)
    assert torn.found == {"torn_write": "cycle 110: 60 bytes at 0x11222 were handed over, which the driver "
                                        "never mapped"}


def test_payload_is_what_is_above_ethernet():
    assert checks.payload_bytes(np.array([64, 1518, 10])) == 46 + 1500 + 0
    assert checks.payload_bytes(FrameSet.of([bytes(64), bytes(1518)])) == 1546
