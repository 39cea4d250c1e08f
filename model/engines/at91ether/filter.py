"""Which frames the receiver takes, and what word 1 says of the match (docs/engines/at91ether.md, section
4.2)."""

from __future__ import annotations

from .part import MAP, bits

CAF, NBC, MTI, UNI = bits("CFG", "CAF", "NBC", "MTI", "UNI")
_ENTRY = MAP.descriptor("rx_descriptor")
BROADCAST, MULTICAST_HASH, UNICAST_HASH, UNKNOWN = (
    _ENTRY.field("WORD1", name).mask for name in ("BROADCAST", "MULTICAST", "UNICAST", "UNKNOWN"))
SPECIFIC = tuple(_ENTRY.field("WORD1", f"SA{k}").mask for k in (1, 2, 3, 4))


def hash_index(address: bytes) -> int:
    """Six bits out of the 48 of a destination address (6 bytes, the first on the wire lowest)."""
    bits = int.from_bytes(address, "little")
    index = 0
    while bits:
        index ^= bits & 0x3F
        bits >>= 6
    return index


class AddressFilter:
    """The four station addresses and the hash. `match` gives None or the flags for word 1."""

    def __init__(self) -> None:
        self.low = [0] * 4
        self.high = [0] * 4
        self.active = [False] * 4
        self.hash_bits = 0

    def station(self, number: int, high: bool, value: int) -> None:
        """A half of station address `number` (0..3) is written: the high one makes it active, the low one
        inactive."""
        (self.high if high else self.low)[number] = value
        self.active[number] = high

    def match(self, address: bytes, cfg: int) -> int | None:
        """Flags of word 1 for a destination of 6 bytes under CFG = `cfg`, None if the frame is not
        wanted."""
        broadcast = address == b"\xff" * 6
        flags = 0
        if self.hash_bits >> hash_index(address) & 1:
            if address[0] & 1:
                flags |= MULTICAST_HASH if cfg & MTI else 0
            else:
                flags |= UNICAST_HASH if cfg & UNI else 0
        value = int.from_bytes(address, "little")
        for k in range(4):
            if self.active[k] and value == self.low[k] | (self.high[k] & 0xFFFF) << 32:
                flags |= SPECIFIC[k]
        if not flags and not (broadcast and not cfg & NBC):
            if not cfg & CAF:
                return None
            flags = UNKNOWN
        return flags | BROADCAST if broadcast else flags
