"""Traffic programs and the player's schedule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import frames, traffic
from model.frames import FrameSet
from model.scenario import find_scenario
from model.traffic import RxProgram
from tests.model.scenario.support import GIGABIT, SMALL, changed, loaded


def program_of(lengths, gaps, odd=None, symbol_bits=4) -> RxProgram:
    count = len(lengths)
    return RxProgram(FrameSet.of([bytes(length) for length in lengths]), np.array(gaps, np.int64),
                     np.zeros(count, bool) if odd is None else np.array(odd), np.full(count, -1),
                     np.ones(count, bool),
                     np.ones(count, bool), 0, symbol_bits)


def played(lengths, gaps, odd, start_cycle, tick_cycles, symbol_bits=4):
    """The player symbol by symbol: (carrier, sfd, end) cycles in which the engine samples them."""
    wire = []
    preamble, per_byte = {4: (15, 2), 8: (7, 1)}[symbol_bits]
    for length, gap, more in zip(lengths, gaps, odd, strict=True):
        wire += ["idle"] * gap + ["preamble"] * preamble + ["sfd"] + ["data"] * (per_byte * length + more)
    wire += ["idle"] * 3
    seen, shown, queue = [], "idle", iter(["idle", *wire])
    next(queue)
    cycle = start_cycle + 1
    events = []
    while True:
        if cycle % tick_cycles == tick_cycles - 1:
            events.append((cycle, shown))
            nibble = next(queue, None)
            if nibble is None:
                break
            # the first tick counts as idle symbol 1: it is the tick that ends with that nibble on the wire
            shown = nibble
        cycle += 1
    previous = "idle"
    for when, what in events:
        if previous == "idle" and what != "idle":
            seen.append([when])
        if what == "sfd":
            seen[-1].append(when)
        if previous != "idle" and what == "idle":
            seen[-1].append(when)
        previous = what
    return np.array(seen)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40), st.booleans()), min_size=1, max_size=6),
       st.integers(0, 9), st.sampled_from([2, 3]))
def test_the_schedule_is_the_player_nibble_by_nibble(rows, start_cycle, tick_cycles):
    lengths, gaps, odd = zip(*rows, strict=True)
    schedule = traffic.rx_schedule(program_of(lengths, gaps, odd), start_cycle, tick_cycles)
    expected = played(lengths, gaps, odd, start_cycle, tick_cycles)
    assert schedule.carrier.tolist() == expected[:, 0].tolist()
    assert schedule.sfd.tolist() == expected[:, 1].tolist()
    assert schedule.end.tolist() == expected[:, 2].tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), min_size=1, max_size=6),
       st.integers(0, 9), st.sampled_from([1, 2]))
def test_the_schedule_of_bytes_is_the_player_byte_by_byte(rows, start_cycle, tick_cycles):
    lengths, gaps = zip(*rows, strict=True)
    schedule = traffic.rx_schedule(program_of(lengths, gaps, symbol_bits=8), start_cycle, tick_cycles)
    expected = played(lengths, gaps, [0] * len(rows), start_cycle, tick_cycles, 8)
    assert schedule.carrier.tolist() == expected[:, 0].tolist()
    assert schedule.sfd.tolist() == expected[:, 1].tolist()
    assert schedule.end.tolist() == expected[:, 2].tolist()


def test_the_first_frame_on_gmii_by_hand():
    # started in cycle 100: idle bytes 1..12 count from 101, so the first preamble byte is loaded at the end
    # of 113 and seen in 114; the SFD is 7 bytes later, the last of 64 bytes 64 after that
    schedule = traffic.rx_schedule(program_of([64], [12], symbol_bits=8), 100, 1)
    assert (schedule.carrier[0], schedule.sfd[0], schedule.end[0]) == (114, 121, 121 + 65)


@pytest.mark.parametrize(("frame_bytes", "frames_per_s"), [(64, 1_488_095), (1518, 81_274)])
def test_the_limit_of_a_gigabit(frame_bytes, frames_per_s):
    """RFC 5180, appendix A; a byte a cycle of 125 MHz."""
    period = traffic.wire_period_cycles(frame_bytes, 1, symbol_bits=8)
    assert 125_000_000 // period == frames_per_s
    schedule = traffic.rx_schedule(program_of([frame_bytes] * 4, [12] * 4, symbol_bits=8), 7, 1)
    assert np.diff(schedule.sfd).tolist() == [period] * 3


def test_the_first_frame_by_hand():
    # started in cycle 100: ticks are 101, 103, ...; idle nibbles 1..24 count from 101, so the first preamble
    # nibble is loaded at the end of tick number 24, cycle 149, and seen in 151; the SFD is 15 nibbles later
    schedule = traffic.rx_schedule(program_of([64], [24]), 100)
    assert (schedule.carrier[0], schedule.sfd[0], schedule.end[0]) == (151, 181, 181 + 2 * 129)


@pytest.mark.parametrize(("frame_bytes", "cycles"), [(64, 336), (1518, 6152)])
def test_the_wires_limit(frame_bytes, cycles):
    # RFC 5180: 100 Mb/s is 50 MHz / 4 cycles a byte, and a frame takes 20 bytes more than itself
    assert traffic.wire_period_cycles(frame_bytes) == cycles
    schedule = traffic.rx_schedule(program_of([frame_bytes] * 4, [24] * 4), 7)
    assert np.diff(schedule.sfd).tolist() == [cycles] * 3


def test_what_the_stack_hands_in(tmp_path):
    program = traffic.tx_program(loaded(tmp_path, changed("frames = 4", 'frames = 4\ninterval = "10 us"')))
    assert len(program.frames) == 4 and set(program.frames.length) == {60}
    assert program.ready_cycles.tolist() == [0, 500, 1000, 1500]
    for n in range(4):
        assert program.wire.bytes(n) == frames.wire_image(program.frames[n])
        assert program.frames.bytes(n)[6:12] == frames.address("02:00:00:00:00:01")
    assert len(traffic.tx_program(loaded(tmp_path), 2).frames) == 2


def test_what_the_wire_plays(tmp_path):
    program = traffic.rx_program(loaded(tmp_path))
    assert len(program.frames) == 5 and set(program.frames.length) == {600}
    assert set(program.gap_symbols) == {24}
    assert all(frames.fcs_is_right(program.frames[n]) for n in range(5))
    assert program.wanted().tolist() == [0, 1, 2, 3, 4]


def test_a_side_without_traffic(tmp_path):
    scenario = loaded(tmp_path, SMALL[:SMALL.index("[traffic.rx]")])
    assert traffic.rx_program(scenario) is None and traffic.tx_program(scenario) is not None


def test_mixed_sizes_come_from_the_seed(tmp_path):
    text = changed('size = "600 B"', 'sizes = { min = "64 B", max = "1518 B" }',
                   changed("frames = 5", "frames = 200"))
    text = changed('gap = "wire"', 'gap = { min = "12 B", max = "50 B" }', text)
    one, same = (traffic.rx_program(loaded(tmp_path, text)) for _ in range(2))
    other = traffic.rx_program(loaded(tmp_path, changed('platform = "free"', 'platform = "free"\nseed = 2',
                                                        text)))
    assert np.array_equal(one.frames.data, same.frames.data)
    assert not np.array_equal(one.frames.length, other.frames.length)
    assert one.frames.length.min() >= 64 and one.frames.length.max() <= 1518
    assert len(set(one.frames.length % 4)) == 4, "ends on every byte of a word"
    assert one.gap_symbols.min() >= 24 and one.gap_symbols.max() <= 100
    shorter = traffic.rx_program(loaded(tmp_path, text), 50)
    assert np.array_equal(shorter.frames.length, one.frames.length[:50])


def test_damaged_frames():
    scenario = find_scenario("at91ether", "rx_damage").variants["depth2"]
    program = traffic.rx_program(scenario)
    kinds = {damage.frame: damage.kind for damage in scenario.rx.damage}
    for n in range(len(program.frames)):
        kind = kinds.get(n)
        assert program.intact[n] == (kind in (None, "odd"))
        assert program.odd[n] == (kind == "odd")
        assert (program.rx_er_at[n] >= 0) == (kind == "rx_er")
        assert frames.fcs_is_right(program.frames[n]) == (kind != "fcs")
        length = program.frames.length[n]
        assert length < 64 if kind == "runt" else length == 1537 if kind == "long" else 64 <= length <= 200
    assert set(program.wanted()) == set(range(len(program.frames))) - (kinds.keys() - {5})


def test_on_gmii_gaps_are_bytes(tmp_path):
    text = changed('gap = "wire"', 'gap = "wire"\nburst = { frames = 2, pause = "100 B" }', GIGABIT)
    program = traffic.rx_program(loaded(tmp_path, text, "merged"))
    assert program.symbol_bits == 8 and program.gap_symbols.tolist() == [12, 12, 100, 12, 100]
    assert traffic.rx_program(loaded(tmp_path)).symbol_bits == 4


def test_a_sweep_goes_through_every_size(tmp_path):
    text = changed('size = "600 B"', 'sizes = { min = "510 B", max = "512 B", sweep = true }')
    program = traffic.rx_program(loaded(tmp_path, text))
    assert program.frames.length.tolist() == [510, 511, 512, 510, 511]


def test_pause_frames_of_the_peer(tmp_path):
    text = changed('gap = "wire"', 'gap = "wire"\npauses = [{ frame = 1, quanta = 258 }]')
    program = traffic.rx_program(loaded(tmp_path, text))
    # IEEE 802.3, annex 31B: destination, source, EtherType, opcode, time; zeros up to the FCS
    assert program.frames.bytes(1)[:18].hex() == "0180c2000001" + "020000000002" + "8808" + "0001" + "0102"
    assert len(program.frames[1]) == 64 and frames.fcs_is_right(program.frames[1])
    assert program.wanted().tolist() == [0, 2, 3, 4], "it is for the MAC, not for the stack"
    shorter = traffic.rx_program(loaded(tmp_path, text), 1)
    assert len(shorter.frames) == 1


def test_too_long_is_what_the_mtu_says_it_is():
    program = traffic.rx_program(find_scenario("lan743x", "rx_damage").variants["small_mtu"])
    assert program.frames.length.max() == 500 + 14 + 4 + 1


def test_a_capture_for_several_channels_has_flows(tmp_path):
    text = changed('size = "600 B"', 'pcap = "tests/data/tcp_iperf3.pcap"', GIGABIT)
    program = traffic.rx_program(loaded(tmp_path, text, "merged"))
    assert program.flow is None
    text = changed('platform = "free"', 'platform = "free"\nparameters = { rx_channels = 2 }', text)
    several = traffic.rx_program(loaded(tmp_path, text, "merged"))
    assert len(several.flow) == len(several.frames) == len(program.frames)
    assert several.flow.tolist() == [0, 1, 1, 1, 1], "an ARP reply, and the one connection"


def test_bursts(tmp_path):
    text = changed('gap = "wire"', 'gap = "wire"\nburst = { frames = 2, pause = "100 B" }')
    assert traffic.rx_program(loaded(tmp_path, text)).gap_symbols.tolist() == [24, 24, 200, 24, 200]


def test_destinations():
    program = traffic.rx_program(find_scenario("at91ether", "rx_filter").variants["depth2"])
    first = {program.frames.bytes(n)[:6] for n in program.wanted()}
    rest = {program.frames.bytes(n)[:6] for n in range(len(program.frames))} - first
    assert first == {frames.address("02:00:00:00:00:01"), frames.BROADCAST}
    assert len(rest) == 2


def test_a_capture_from_both_sides():
    scenario = find_scenario("at91ether", "pcap_tcp").variants["depth2"]
    sent, received = traffic.tx_program(scenario, 500), traffic.rx_program(scenario, 20)
    assert len(sent.frames) == 500 and len(received.frames) == 20, "it starts again if more is asked for"
    assert sent.frames.length.max() == 1514
    assert sent.frames.length.min() == 42, "not padded: that is the engine's work"
    assert received.frames.length.min() == 64, "padded by who sent it"
    assert received.addressed.all()
