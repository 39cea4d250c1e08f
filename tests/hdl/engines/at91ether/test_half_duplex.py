"""Half duplex, as far as the engine adds to the framer's: what a collision does to reader, places, flags and
counters. Section 3.4 of the timing specification."""

import pytest

from tests.hdl.engines.at91ether.bench import REGISTERS, EngineBench, Event, first_tick
from tests.hdl.engines.at91ether.test_transmit import plan

TSR, ISR = REGISTERS["TSR"], REGISTERS["ISR"]
SEED, TAPS = 0xACE1, (16, 15, 13, 4)
SLOT_CYCLES = 256


def backoff_slots(collisions: int) -> int:
    """r after that many collisions since reset, each with 16 steps of the LFSR."""
    state = SEED
    for _ in range(16 * collisions):
        state = (state << 1 | sum(state >> tap - 1 & 1 for tap in TAPS) & 1) & 0xFFFF
    return state & (1 << min(collisions, 10)) - 1


def sending(length: int = 60, **straps: int) -> tuple[EngineBench, int]:
    """A frame in half duplex with the carrier up while it is sent. Returns the bench and t."""
    bench = EngineBench(straps=straps)
    bench.bring_up(FD=0)
    t = plan(bench.hand_over(30, 0x100, length) + 1, 0x100, length).t
    bench.pin(t + 2, "crs", 1)
    return bench, t


def collide(bench: EngineBench, tick: int) -> None:
    """COL in one tick."""
    bench.pin(tick - 1, "col", 1)
    bench.pin(tick + 1, "col", 0)


@pytest.mark.parametrize("offset", [2, 30, 32, 34, 60])
def test_a_collision_is_jammed_backed_off_and_tried_again(offset):
    bench, t = sending()
    collide(bench, t + offset)
    jam = t + max(offset, 32)
    end = jam + 16
    bench.pin(end + 1, "crs", 0)
    bench.read(t + offset, "TSR")
    bench.read(t + offset + 2, "TSR")
    r = backoff_slots(1)
    again = max(first_tick(end + 1 + 1 + 1 + 1 + 4 + 1), end + 48, end + SLOT_CYCLES * r)
    f = again + 32 + 4 * 64
    bench.pin(again + 2, "crs", 1)
    for number, name in enumerate(("SCOL", "MCOL", "FRA", "ECOL", "LCOL", "CSE", "DTE")):
        bench.read(f + 20 + 2 * number, name)
    bench.run(f + 40)
    assert bench.named("tx_collision") == [Event(end, "tx_collision", 0, 1)]
    assert bench.cycles("tx_sfd") == [t + 30, again + 30] and bench.cycles("tx_done") == [f]
    # sender IDLE in J+1, WAIT and granted in J+2
    assert next(event for event in bench.named("tx_fetch") if event.cycle > end) == Event(
        end + 3, "tx_fetch", 0, 0x100 | 4 << 32)
    assert [value for _, value in bench.reads] == [0x10, TSR.pack(BNQ=1, COL=1), 1, 0, 1, 0, 0, 0, 0]


def test_a_late_collision_is_not_tried_again():
    bench, t = sending(length=400)
    collide(bench, t + 256)
    end = t + 256 + 16
    for number, name in enumerate(("LCOL", "ISR", "TSR", "FRA")):
        bench.read(end + 2 + 2 * number, name)
    bench.run(end + 200)
    assert bench.cycles("tx_collision") == [end] and bench.cycles("tx_done") == [end]
    assert [value for _, value in bench.reads] == [
        1, ISR.pack(TBRE=1, TCOM=1, TIDLE=1), TSR.pack(COL=1, COMP=1, IDLE=1, BNQ=1), 0]


def test_a_ready_frame_that_waits_for_the_carrier_counts_as_deferred():
    bench = EngineBench()
    bench.bring_up(FD=0)
    bench.pin(24, "crs", 1)
    expected = plan(bench.hand_over(30, 0x100, 60) + 1, 0x100, 60, gap_until=101 + 48)
    bench.pin(102, "crs", 0)  # up in tick 101 for the last time
    bench.pin(expected.t + 2, "crs", 1)
    bench.read(expected.end + 10, "DTE")
    bench.run(expected.end + 20)
    assert bench.cycles("tx_sfd") == [expected.t + 30] and bench.reads[0][1] == 1


def test_own_frame_is_not_received_in_half_duplex():
    """A PHY that loops the transmission back."""
    bench, t = sending()
    first = bench.receive(t + 2, bytes(64))
    bench.run(first + 300)
    assert not bench.named("rx_sfd")
