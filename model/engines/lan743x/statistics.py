"""The MAC's counters (docs/engines/lan743x.md, section 8)."""

from __future__ import annotations

from .events import Reason

SIZES = ((64, "64_BYTE_FRAMES"), (127, "65_127_BYTE_FRAMES"), (255, "128_255_BYTE_FRAMES"),
         (511, "256_511_BYTES_FRAMES"), (1023, "512_1023_BYTE_FRAMES"), (1518, "1024_1518_BYTE_FRAMES"))
LARGER = "GREATER_1518_BYTE_FRAMES"
BROADCAST = b"\xff" * 6
BY_REASON = {Reason.CODE: "ALIGNMENT_ERRORS", Reason.CRC: "FCS_ERRORS", Reason.OVERFLOW: "DROPPED_FRAMES",
             Reason.FCT_OFF: "DROPPED_FRAMES", Reason.PAUSE: "PAUSE_FRAMES"}
BY_LENGTH = {Reason.SHORT: ("UNDERSIZE_FRAME_ERRORS", "FRAGMENT_ERRORS"),
             Reason.LONG: ("OVERSIZE_FRAME_ERRORS", "JABBER_ERRORS")}
"""(with a right FCS, with a wrong one)."""


def _size(length: int) -> str:
    return next((name for most, name in SIZES if length <= most), LARGER)


def _kind(address: bytes) -> str:
    if address == BROADCAST:
        return "BROADCAST"
    return "MULTICAST" if address[0] & 1 else "UNICAST"


class Statistics:
    """Counts by register name (without STAT_). What is counted at the edge that ends a cycle does not show in
    that cycle."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._newest: list[tuple[int, str, int]] = []

    def _add(self, cycle: int, names: list[tuple[str, int]]) -> None:
        if self._newest and self._newest[0][0] != cycle:
            self._newest.clear()
        for name, amount in names:
            self._counts[name] = self._counts.get(name, 0) + amount
            self._newest.append((cycle, name, amount))

    def received(self, reason: Reason, frame: bytes, right: bool, cycle: int) -> None:
        """A frame was decided in `cycle`."""
        if reason == Reason.GOOD:
            self._frame("RX_", frame, len(frame), cycle)
        elif reason in BY_REASON:
            self._add(cycle, [("RX_" + BY_REASON[reason], 1)])
        elif reason in BY_LENGTH:
            self._add(cycle, [("RX_" + BY_LENGTH[reason][not right], 1)])

    def sent(self, frame: bytes, length: int, cycle: int) -> None:
        """A frame of `length` bytes with FCS left in `cycle`."""
        self._frame("TX_", frame, length, cycle)

    def sent_pause(self, cycle: int) -> None:
        """A pause frame left in `cycle`."""
        self._add(cycle, [("TX_PAUSE_FRAMES", 1)])

    def _frame(self, side: str, frame: bytes, length: int, cycle: int) -> None:
        kind = _kind(frame[:6])
        self._add(cycle, [(side + kind + "_BYTE_COUNT", length), (side + kind + "_FRAMES", 1),
                          (side + _size(length), 1), (side + "TOTAL_FRAMES", 1)])

    def read(self, name: str, cycle: int) -> int:
        """The counter's value in `cycle`."""
        late = sum(amount for when, of, amount in self._newest if when >= cycle and of == name)
        return self._counts.get(name, 0) - late & 0xFFFF_FFFF

    def clear(self) -> None:
        """All to zero, what has been counted in this cycle as well."""
        self._counts.clear()
        self._newest.clear()
