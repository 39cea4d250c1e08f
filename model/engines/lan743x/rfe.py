"""The receive filtering engine: which frames are ours, and for which channel (docs/engines/lan743x.md,
section 4.1, items 4 and 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .part import MAP
from .rx_mac import address_hash

if TYPE_CHECKING:
    from .engine import Engine

BROADCAST = b"\xff" * 6
ENTRIES = 33
HASH_BASE, HASH_WORDS = 128, 16
IPV4_HEAD = (b"\x08\x00", 0x45)
SOURCE, PORTS, PORTS_END = 26, 34, 38
TCP, UDP = 6, 17
INDEX_BITS = 0x7F
AU, AM, AB, MCAST_HASH, DA_PERFECT = (MAP.field("RFE_CTL", name).mask
                                      for name in ("AU", "AM", "AB", "MCAST_HASH", "DA_PERFECT"))
RSS_ENABLE, QUEUE_ENABLE, IPV4, TCP_IPV4, UDP_IPV4 = (
    MAP.field("RFE_RSS_CFG", name).mask
    for name in ("RSS_ENABLE", "RSS_QUEUE_ENABLE", "IPV4", "TCP_IPV4", "UDP_IPV4"))
VALID = MAP.field("RFE_ADDR_FILT_HI0", "VALID").mask


class Rfe:
    """`hash_ram` is the part of the RFE's RAM that holds the multicast hash."""

    def __init__(self, engine: Engine) -> None:
        self._value = engine.registers.value
        self._channels = engine.rx_channels
        self.hash_ram = [0] * HASH_WORDS
        self._known: dict[bytes, bool] = {}

    def changed(self) -> None:
        """A register or the RAM is written: what was known of addresses may be wrong."""
        self._known.clear()

    def accepts(self, address: bytes) -> bool:
        """Whether a frame to `address` passes."""
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = self._look_up(address)
        return known

    def _look_up(self, address: bytes) -> bool:
        control = self._value["RFE_CTL"]
        if address == BROADCAST:
            return bool(control & AB)
        group = address[0] & 1
        if control & (AM if group else AU):
            return True
        if control & DA_PERFECT and self._listed(address):
            return True
        if group and control & MCAST_HASH:
            bit = address_hash(address)
            return bool(self.hash_ram[bit // 32] >> bit % 32 & 1)
        return False

    def _listed(self, address: bytes) -> bool:
        low = int.from_bytes(address[:4], "little")
        high = int.from_bytes(address[4:], "little") | VALID
        return any(self._value[f"RFE_ADDR_FILT_LO{k}"] == low and self._value[f"RFE_ADDR_FILT_HI{k}"] == high
                   for k in range(ENTRIES))

    def hash(self, frame: bytes) -> int | None:
        """The Toeplitz hash of a frame whose SFD is sampled now, None if it does not apply."""
        enables = self._value["RFE_RSS_CFG"]
        if frame[12:14] != IPV4_HEAD[0] or len(frame) < PORTS or frame[14] != IPV4_HEAD[1]:
            return None
        whole = int.from_bytes(frame[20:22], "big") & 0x3FFF == 0
        protocol = frame[23]
        over_ports = whole and ((protocol == TCP and enables & TCP_IPV4)
                                or (protocol == UDP and enables & UDP_IPV4))
        if over_ports:
            return self._toeplitz(frame[SOURCE:PORTS_END]) if len(frame) >= PORTS_END else None
        return self._toeplitz(frame[SOURCE:PORTS]) if enables & IPV4 else None

    def _toeplitz(self, data: bytes) -> int:
        key = 0
        for k in range(10):
            # byte 0 of the key is the lowest of the first register and the leftmost of the key
            key = key << 32 | int.from_bytes(self._value[f"RFE_HASH_KEY{k}"].to_bytes(4, "little"), "big")
        bits = int.from_bytes(data, "big")
        size = 8 * len(data)
        result = 0
        for n in range(size):
            if bits >> size - 1 - n & 1:
                result ^= key >> 320 - 32 - n & 0xFFFF_FFFF
        return result

    def channel(self, hashed: int) -> int:
        """The RX channel of a frame with this hash, decided now."""
        enables = self._value["RFE_RSS_CFG"]
        if not (enables & RSS_ENABLE and enables & QUEUE_ENABLE):
            return 0
        entry = hashed & INDEX_BITS
        return (self._value[f"RFE_INDX{entry // 4}"] >> 8 * (entry % 4) & 0xFF) % self._channels


__all__ = ["HASH_BASE", "HASH_WORDS", "Rfe"]
