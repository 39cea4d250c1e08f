"""The stimuli, by name. Each leaves the transitions that it is there for as little slack as there can be.

Letters (c, x, t, T_i, F, J, s, e) are those of docs/engines/at91ether.md. On a bus without latency the first
burst of a frame handed over in c is in from c+8 on, and t is the first tick from there on.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.tb.planted.at91ether.edges import EDGES
from tests.tb.planted.at91ether.script import (
    DATA,
    ENABLES,
    OTHER,
    READY,
    REGISTERS,
    Script,
    first_tick,
    sound,
)

GAP, PREAMBLE = 48, 32
TE = REGISTERS.pack("CTL", TE=1)


def two_sent() -> Script:
    """Two frames, the second in its place before the first is done."""
    s = Script()
    s.send(60)
    s.send(64, DATA + 0x100)
    s.at(1100)
    return s


def own_fcs() -> Script:
    """Frames that bring their own FCS; a short one is not padded then."""
    s = Script()
    s.send(20, ncrc=True)
    s.send(9, DATA + 0x101, ncrc=True)
    s.at(500)
    return s


def padded() -> Script:
    """A frame that is padded, and another one behind it."""
    s = Script()
    s.send(20)
    s.send(60, DATA + 0x100)
    s.at(800)
    return s


def one_word() -> Script:
    """A frame of one word: its only beat comes in the first cycle of DATA. Another one behind it."""
    s = Script()
    s.send(4, ncrc=True)
    s.send(60, DATA + 0x100)
    s.at(600)
    return s


def enabled_in_flight() -> Script:
    """TE off and on and a new frame, all while the first burst is on its way: it is taken up in d+1."""
    s = Script(bus={"read_latency": 30})
    c = s.send(60)
    s.write_in(c + 4, "CTL", ENABLES & ~TE)
    s.write("CTL", ENABLES)
    s.send(60, DATA + 0x100)
    s.at(800)
    return s


def enabled_in_wait() -> Script:
    """TE off and on and a new frame as quickly as registers are written, the reader waiting for room."""
    s = Script()
    c = s.send(60)
    _again(s, c + 40)
    s.at(800)
    return s


def _again(s: Script, cycle: int) -> None:
    """TE off in `cycle`, on again, and the frame of the register pair handed over once more."""
    s.write_in(cycle, "CTL", ENABLES & ~TE)
    s.write("CTL", ENABLES)
    s.write("TCR", REGISTERS.pack("TCR", LEN=60))


def cut(offset: int, length: int = 60) -> Callable[[], Script]:
    """TE off so that the frame is cut at t + `offset`; another is ready before the gap is over."""
    def make() -> Script:
        s = Script()
        t = first_tick(s.send(length) + READY)
        _again(s, t + offset - 1)
        s.at(t + offset + GAP + 60)
        return s
    return make


def cut_in_jam() -> Script:
    """TE off while the jam is sent. The collision was in the preamble, its carrier is gone by then."""
    s = Script(half=True)
    t = first_tick(s.send(60) + READY)
    s.frame(bytes(1))
    s.play_from(t + 2)
    _again(s, t + PREAMBLE + 7)
    s.at(t + PREAMBLE + 8 + GAP + 60)
    return s


def collision(offset: int, length: int = 60) -> Callable[[], Script]:
    """The far side's carrier first meets the frame at t + `offset`, with a frame of one byte."""
    return collided(offset, bytes(1), length=length, cycles=offset + 300)


def collided(offset: int, *frames: bytes, length: int = 60, cycles: int = 800) -> Callable[[], Script]:
    """The carrier of `frames`, one idle nibble between them, first meets the frame at t + `offset`.

    Up to t + 30 that is in the preamble: J is t + 48, and the wire is heard again from t + 50 on.
    """
    def make() -> Script:
        s = Script(half=True)
        t = first_tick(s.send(length) + READY)
        for frame in frames:
            s.frame(frame, 1)
        s.play_from(t + offset)
        s.at(t + cycles)
        return s
    return make


def starved() -> Script:
    """The second burst comes too late."""
    s = Script(bus={"read_latency": 150})
    s.send(60)
    s.send(60, DATA + 0x100)
    s.at(1200)
    return s


def received() -> Script:
    """Frames at the wire's gap."""
    s = Script()
    for number in range(3):
        s.frame(sound(64 + number))
    s.play()
    s.at(1500)
    return s


def backlog() -> Script:
    """Reads so late that short frames are over, and the next one open, before the mover has a buffer."""
    s = Script(bus={"read_latency": 125})
    for gap in (24, 1, 1):
        s.frame(sound(20), gap)
    s.play()
    s.at(900)
    return s


def slow_writes() -> Script:
    """Write-backs that end when the next frame is open."""
    s = Script(bus={"write_latency": 20})
    s.frame(sound(64))
    s.frame(sound(64), 1)
    s.play()
    s.at(1000)
    return s


def no_buffer() -> Script:
    """A list without a free entry, known only when the frame is over and the next one open."""
    s = Script(bus={"read_latency": 125})
    for number in range(8):
        s.entry(number, used=True)
    s.frame(sound(20))
    s.frame(sound(20), 1)
    s.play()
    s.at(700)
    return s


def bad_write(ordinal: int) -> Callable[[], Script]:
    """A receive write fails: of 64 bytes 0..3 are bursts of data, 4 is word 1, 5 is word 0."""
    def make() -> Script:
        s = Script(errors=[(1, True, ordinal)])
        s.frame(sound(64))
        s.frame(sound(64), 1)
        s.play()
        s.at(1200)
        return s
    return make


def narrow_gaps() -> Script:
    """One idle nibble between frames; the first are over when the filter refuses them, or soon after."""
    s = Script()
    s.frame(sound(10, OTHER)[:6])
    s.frame(sound(10, OTHER), 1)
    s.frame(sound(20), 1)
    s.frame(sound(64), 1)
    s.play()
    s.at(1300)
    return s


T_3, F_60 = PREAMBLE + 4 * 3, PREAMBLE + 4 * 64
"""Of a frame of 60 bytes, counted from t; one of 20 bytes pads from byte 20 on."""
T_PAD, T_FCS = PREAMBLE + 4 * 30, PREAMBLE + 4 * 60

STIMULI: dict[str, Callable[[], Script]] = {
    "two_sent": two_sent,
    "own_fcs": own_fcs,
    "padded": padded,
    "one_word": one_word,
    "enabled_in_flight": enabled_in_flight,
    "enabled_in_wait": enabled_in_wait,
    "starved": starved,
    "received": received,
    "backlog": backlog,
    "slow_writes": slow_writes,
    "no_buffer": no_buffer,
    "bad_data_write": bad_write(3),
    "bad_word1_write": bad_write(4),
    "bad_word0_write": bad_write(5),
    "narrow_gaps": narrow_gaps,
    "cut_in_preamble": cut(10),
    "cut_in_low": cut(T_3),
    "cut_in_high": cut(T_3 + 2),
    "cut_in_pad_low": cut(T_PAD, 20),
    "cut_in_pad_high": cut(T_PAD + 2, 20),
    "cut_in_fcs": cut(T_FCS + 4),
    "cut_in_jam": cut_in_jam,
    "collision_in_preamble": collision(2),
    "collision_in_low": collision(T_3),
    "collision_in_high": collision(T_3 + 2),
    "collision_in_pad_low": collision(T_PAD, 20),
    "collision_in_pad_high": collision(T_PAD + 2, 20),
    "collision_in_fcs": collision(T_FCS + 4),
    "collision_in_end": collision(F_60),
    "sfd_only_heard": collided(20, sound(64)),
    "last_preamble_nibble_heard": collided(22, sound(64)),
    "last_nibble_heard": collided(4, bytes([0, 0, 0, 0x70]), sound(64)),
    "preamble_then_other_heard": collided(6, bytes([0, 0, 0, 0x75]), sound(64)),
    "only_preamble_heard": collided(6, bytes([0, 0, 0, 0x55]), sound(64)),
} | EDGES
