"""Stimuli for the receive filtering engine: addresses, hashes, and the channel of a frame.

They hold the golden engine's numbers to the RTL.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.rx_mac import address_hash
from tests.tb.planted.lan743x.runs import ALL_RX, datagram
from tests.tb.planted.lan743x.script import Script
from tests.tb.planted.script import OTHER, sound

MULTICAST = next(address for address in (bytes([1, 0, 0x5E, 0, 0, n]) for n in range(256))
                 if address_hash(address) % 32 < address_hash(address) // 32 - 1)
"""Any whose bit is in another word, and another bit of it, if its number is divided by 33 or 31."""


def refused(*frames: bytes, error_at: int = -1, cfg: dict[str, dict[str, int]] | None = None,
            straps: dict[str, int] | None = None, channels: tuple[str, ...] = ("TX0", "RX0"),
            cycles: int = 300) -> Callable[[], Script]:
    """Frames, without buffers for them. `error_at`: RX_ER with this byte of the first."""
    def make() -> Script:
        s = Script(cfg=cfg or {}, straps=straps or {}, channels=channels)
        for number, frame in enumerate(frames):
            s.frame(frame, 12, error_at=-1 if number else error_at)
        s.play()
        return s.end(cycles + sum(map(len, frames)) + 20 * len(frames))
    return make


def hashed(bit: int, *, word: int | None = None) -> Callable[[], Script]:
    """A multicast frame and a hash table with this bit alone; the word is read back."""
    def make() -> Script:
        s = Script(cfg={"RFE_CTL": {"AU": 0, "AB": 0, "MCAST_HASH": 1}, "DP_SEL": {"SELECT": 1}})
        s.set("DP_ADDR", ADDRESS=128 + bit // 32 if word is None else word)
        s.set("DP_DATA_0", DATA=1 << bit % 32)
        s.set("DP_CMD", WRITE=1)
        s.set("DP_DATA_0", DATA=0)
        s.set("DP_CMD", WRITE=0)
        s.read("DP_DATA_0")
        s.frame(sound(64, MULTICAST))
        s.play()
        return s.end(150)
    return make


def listed(entry: int) -> Callable[[], Script]:
    """A frame, and its address in an entry of the perfect filter."""
    def make() -> Script:
        s = Script(cfg={"RFE_CTL": {"AU": 0, "AB": 0, "DA_PERFECT": 1}})
        s.write("RFE_ADDR_FILT_LO0", 0)
        s.steps.pop()
        offset = s.registers.offset("RFE_ADDR_FILT_HI0") + 8 * entry
        s.steps.append(["write", offset, int.from_bytes(OTHER[4:], "little") | 1 << 31, 0xF])
        s.write("FPGA_REV", 0)
        s.steps.pop()
        s.steps.append(["write", offset + 4, int.from_bytes(OTHER[:4], "little"), 0xF])
        s.end(6)
        s.frame(sound(64, OTHER))
        s.play()
        return s.end(150)
    return make


def steered(*frames: bytes, key_byte: int = 0, **enables: int) -> Callable[[], Script]:
    """Frames to four channels, in an order that no two entries of the table have in common."""
    def make() -> Script:
        enabled = enables or {"IPV4": 1, "UDP_IPV4": 1, "TCP_IPV4": 1}
        cfg = {"RFE_RSS_CFG": {"RSS_ENABLE": 1, "RSS_QUEUE_ENABLE": 1} | enabled}
        cfg |= {f"RFE_HASH_KEY{n}": {"KEY": (0x6D5A56DA * (2 * n + 3) + key_byte) & 0xFFFF_FFFF} for n
                in range(10)}
        orders = (0x00010203, 0x03020100)
        cfg |= {f"RFE_INDX{n}": {"ENTRIES": orders[(n + n // 16) % 2]} for n in range(32)}
        return refused(*frames, cfg=cfg, channels=("TX0", *ALL_RX))()
    return make


EDGES_FILTER: dict[str, Callable[[], Script]] = {
    "hashed": hashed(address_hash(MULTICAST)),
    "hash_beyond": hashed(0, word=144),
    "hash_last": hashed(511),
    "hash_before": hashed(0, word=127),
    "listed_last": listed(32),
    "steered": steered(*(datagram(n) for n in range(12))),
    "steered_tcp": steered(*(datagram(n, 6) for n in range(4)), TCP_IPV4=1),
    "steered_udp": steered(*(datagram(n, 17) for n in range(4)), UDP_IPV4=1),
    "steered_by_address": steered(*(datagram(n, 6) for n in range(1, 5)), IPV4=1),
    "steered_fragment": steered(*(datagram(n, fragment=fragment) for n in range(2, 6)
                                  for fragment in (1, 0x2000, 0x4000, 0x1000)), IPV4=1, UDP_IPV4=1),
    "not_steered": steered(datagram(3, head=0x46), datagram(4, kind=b"\x08\x01"), datagram(6, head=0x44)),
}
