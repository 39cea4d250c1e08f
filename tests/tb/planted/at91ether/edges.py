"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one.

They hold the golden engine's numbers (spec_numbers.py) to the RTL. Letters as in docs/engines/at91ether.md.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.hdl.engines.at91ether.test_half_duplex import backoff_slots
from tests.tb.planted.at91ether.script import (
    ALL_CAUSES,
    DATA,
    ENABLES,
    ENTRIES,
    READY,
    REGISTERS,
    Script,
    first_tick,
    sound,
)

GAP, PREAMBLE, JAM, SLOT = 48, 32, 16, 256
ONE_WORD_READY, ONE_WORD_END = READY - 3, PREAMBLE + 4 * 4
"""For a frame of one word with its own FCS: ready from c + this on; F - t."""


def released(offset: int, register: str) -> Callable[[], Script]:
    """A frame's release in F, its line low before; a register is read in F + `offset`."""
    def make() -> Script:
        s = Script()
        c = s.send(4, ncrc=True)
        s.read_in(c + 4, "ISR")
        s.read_in(first_tick(c + ONE_WORD_READY) + ONE_WORD_END + offset, register)
        s.at(s.now + 40)
        return s
    return make


def cleared_as_counted() -> Script:
    """CTL.CSR clears the statistics in the cycle in which FRA counts."""
    s = Script()
    c = s.send(4, ncrc=True)
    end = first_tick(c + ONE_WORD_READY) + ONE_WORD_END
    s.write_in(end - 1, "CTL", ENABLES | REGISTERS.pack("CTL", CSR=1))
    s.read("FRA")
    s.at(s.now + 40)
    return s


def counters_incremented() -> Script:
    """CTL.INCSTAT, and a counter read as soon as can be."""
    s = Script()
    s.write("CTL", ENABLES | REGISTERS.pack("CTL", INCSTAT=1))
    s.read("FRA")
    s.at(s.now + 10)
    return s


def masked() -> Script:
    """A cause arrives masked, is let through, and masked again."""
    s = Script()
    s.write("IDR", ALL_CAUSES)
    c = s.send(60)
    s.write_in(c + 10, "IER", ALL_CAUSES)
    s.write_in(c + 20, "IDR", ALL_CAUSES)
    s.at(c + 30)
    return s


def refused() -> Script:
    """A third frame for two places, with only that cause let through."""
    s = Script()
    s.write("IDR", ALL_CAUSES & ~REGISTERS.pack("ISR", TOVR=1))
    for _ in range(3):
        s.send(60)
    s.at(s.now + 100)
    return s


def enabled_last() -> Script:
    """A frame is handed over, then TE is set."""
    s = Script()
    s.write("CTL", 0)
    s.send(60)
    s.write("CTL", ENABLES)
    s.at(s.now + 450)
    return s


def just_starved() -> Script:
    """Word 4 comes in the very tick T_16 in which it is due; TUE is read in F + 1."""
    latency, due = 49, PREAMBLE + 4 * 16
    s = Script(bus={"read_latency": latency})
    t = first_tick(s.send(60) + READY + latency)
    s.read_in(t + due + JAM + 1, "TUE")
    s.at(t + 300)
    return s


def bad_read(ordinal: int) -> Callable[[], Script]:
    """A transmit read fails: 0 the first burst of a frame, 1 its second, when it is on the wire."""
    def make() -> Script:
        s = Script(errors=[(0, False, ordinal)], bus={"read_latency": 11})
        s.send(60)
        s.send(60, DATA + 0x100)
        s.read("ISR")
        s.at(s.now + 700)
        return s
    return make


def deferring() -> Script:
    """A frame is ready while the far side sends."""
    s = Script(half=True)
    s.frame(sound(64))
    s.play()
    s.send(60)
    s.at(1000)
    return s


def collided_again(times: int) -> Callable[[], Script]:
    """Every attempt of a frame meets a carrier with its second preamble nibble."""
    def make() -> Script:
        s = Script(half=True)
        tick = first = first_tick(s.send(60) + READY)
        collisions = []
        for number in range(1, times + 1):
            collisions.append(tick + 2)
            tick += GAP + max(GAP, SLOT * backoff_slots(number))
        for this, last in zip(collisions, [None, *collisions], strict=False):
            # a frame of one byte is 18 nibbles
            s.frame(bytes(1), 1 if last is None else (this - last) // 2 - 18)
        s.play_from(first + 2)
        s.at(tick + 400)
        return s
    return make


def collision_at(offset: int) -> Callable[[], Script]:
    """A frame of one byte whose carrier meets the frame at t + `offset`, or later if it lasts so long.

    TSR is read in the cycle after that tick, LCOL in the one after J.
    """
    def make() -> Script:
        s = Script(half=True)
        t = first_tick(s.send(60) + READY)
        s.frame(bytes(1))
        s.play_from(t + offset)
        s.read_in(t + offset + 1, "TSR")
        s.read_in(t + offset + JAM + 1, "LCOL")
        s.at(t + offset + 300)
        return s
    return make


def contended() -> Script:
    """The reader and the mover request the port in the same cycle."""
    s = Script()
    s.frame(sound(64))
    schedule = s.play()
    s.send_in(int(schedule.sfd[0]), 60)
    s.at(1000)
    return s


def short_ones(read_latency: int) -> Callable[[], Script]:
    """Three frames of 8 bytes, an SFD every 66 cycles, and a mover that waits for its first list entry."""
    def make() -> Script:
        s = Script(bus={"read_latency": read_latency})
        for gap in (24, 1, 1):
            s.frame(sound(8), gap)
        s.play()
        s.at(read_latency * 2 + 500)
        return s
    return make


def filling(read_latency: int, length: int = 64, *, used: bool = False) -> Callable[[], Script]:
    """The FIFO fills while the mover waits for the list entry; the eighth word is pushed in s+129."""
    def make() -> Script:
        s = Script(bus={"read_latency": read_latency})
        for number in range(ENTRIES):
            s.entry(number, used=used)
        s.frame(sound(length))
        s.play()
        s.at(800)
        return s
    return make


def told(register: str, offset: int, length: int = 64, latency: int = 0, *,
         used: bool = False) -> Callable[[], Script]:
    """A frame comes in, and a register is read in s + `offset`, the cycle after it has changed."""
    def make() -> Script:
        s = Script(bus={"read_latency": latency})
        for number in range(ENTRIES):
            s.entry(number, used=used)
        s.frame(sound(length))
        s.read_in(int(s.play().sfd[0]) + offset, register)
        s.at(600)
        return s
    return make


def overlong(length: int, **cfg: int) -> Callable[[], Script]:
    """A frame of one byte too many."""
    def make() -> Script:
        s = Script(cfg=cfg)
        s.frame(sound(length))
        s.play()
        s.at(4 * length + 300)
        return s
    return make


def disabled(offset: int) -> Callable[[], Script]:
    """RE off in s + `offset`."""
    def make() -> Script:
        s = Script()
        s.frame(sound(64))
        s.write_in(int(s.play().sfd[0]) + offset, "CTL", REGISTERS.pack("CTL", TE=1))
        s.at(500)
        return s
    return make


def managed() -> Script:
    """A management frame of 64 bits of 8 cycles, SR read where the line or the busy flag changes."""
    s = Script(cfg={"CLK": 0})
    c = s.write("MAN", REGISTERS.pack("MAN", SOF=1, RW=2, PHYA=0, REGA=2, CODE=2))
    s.read_in(c + 8 * 32, "SR")
    s.read_in(c + 8 * 33, "SR")
    s.read_in(c + 8 * 64, "SR")
    s.read_in(c + 8 * 64 + 3, "SR")
    s.at(c + 600)
    return s


def managed_in_time() -> Script:
    """SR is read in the first cycle of the first 0 on the line."""
    s = Script(cfg={"CLK": 0})
    c = s.write("MAN", REGISTERS.pack("MAN", SOF=1, RW=2, PHYA=0, REGA=2, CODE=2))
    s.read_in(c + 8 * 32 + 1, "SR")
    s.read_in(c + 8 * 64 + 1, "SR")
    s.at(c + 600)
    return s


EDGES: dict[str, Callable[[], Script]] = {
    "read_as_released": released(0, "TSR"),
    "read_once_released": released(1, "TSR"),
    "cause_read_as_released": released(0, "ISR"),
    "counter_read_once_released": released(1, "FRA"),
    "cleared_as_counted": cleared_as_counted,
    "counters_incremented": counters_incremented,
    "masked": masked,
    "refused": refused,
    "enabled_last": enabled_last,
    "just_starved": just_starved,
    "withdrawn": bad_read(0),
    "cut_by_error": bad_read(1),
    "deferring": deferring,
    "collided_thrice": collided_again(3),
    "collided_sixteen_times": collided_again(16),
    "collision_at_sfd": collision_at(30),
    "collision_not_yet_late": collision_at(254),
    "collision_just_late": collision_at(256),
    "contended": contended,
    "two_open": short_ones(300),
    "closed_as_next_begins": short_ones(127),
    "pop_as_pushed": filling(122),
    "pop_before_push": filling(121),
    "dropped_as_pushed": filling(124, used=True),
    "part_word_too_many": filling(300, 29),
    "refused_early": filling(0, used=True),
    "overlong": overlong(1519),
    "overlong_big": overlong(1537, BIG=1),
    "disabled_at_sfd": disabled(0),
    "disabled_in_frame": disabled(33),
    "flag_of_reception": told("RSR", 274),
    "count_of_reception": told("OK", 274),
    "flag_of_no_buffer": told("RSR", 5, used=True),
    "count_of_no_buffer": told("DRFC", 5, used=True),
    "flag_of_overrun": told("RSR", 130, latency=122),
    "count_of_overrun": told("ROV", 130, latency=122),
    "count_of_short": told("USF", 4 * 20 + 4, 20),
    "managed": managed,
    "managed_in_time": managed_in_time,
}
