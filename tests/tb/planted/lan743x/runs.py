"""What many stimuli are made of: frames one way or the other, and an access in the cycle of an event."""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.script import RX_CHANNELS, Script
from tests.tb.planted.script import sound

ALL_RX = tuple(f"RX{n}" for n in range(RX_CHANNELS))


def sending(*lengths: int, flags: dict[str, int] | None = None, **options: object) -> Script:
    """Frames of one entry each; goes on at once."""
    s = Script(**options)
    s.send(*lengths, **flags or {})
    return s


def receiving(*lengths: int, count: int = 4, buffer_bytes: int = 0x800, gap: int = 12,
              **options: object) -> Script:
    """Frames that come in, buffers for them; goes on at once."""
    s = Script(**options)
    s.post(count, buffer_bytes)
    for number, length in enumerate(lengths):
        s.frame(sound(length, fill=number), gap)
    s.play()
    return s


def told(before: Callable[[], Script], kind: Kind, offset: int, *registers: str, ordinal: int = 0,
         then: int = 300) -> Callable[[], Script]:
    """Registers are read, the first in the cycle of an event + `offset`."""
    def make() -> Script:
        s = before()
        s.read_in(s.cycle_of(kind, ordinal) + offset, *registers)
        return s.end(then)
    return make


def done_at(before: Callable[[], Script], kind: Kind, offset: int, register: str, ordinal: int = 0,
            then: int = 400,
            **fields: int) -> Callable[[], Script]:
    """A register is written in the cycle of an event + `offset`."""
    def make() -> Script:
        s = before()
        s.set_in(s.cycle_of(kind, ordinal) + offset, register, **fields)
        return s.end(then)
    return make


def datagram(number: int, protocol: int = 17, head: int = 0x45, fragment: int = 0, length: int = 64,
             kind: bytes = b"\x08\x00") -> bytes:
    """An IPv4 frame of flow `number`."""
    return sound(length, bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]) + kind
                 + bytes([head, 0, 0, 46, 0, 0]) + fragment.to_bytes(2, "big") + bytes([64, protocol, 0, 0])
                 + bytes([10, 0, 0, 1, 10, 0, 0, 2 + 5 * number]) + bytes([number, 7, 3, number]))
