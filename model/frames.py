"""Ethernet frames in bulk: contents from a hash, FCS, padding. Nothing here knows a MAC or a scenario."""

import zlib
from dataclasses import dataclass

import numpy as np

MIN_FRAME_BYTES = 64
"""Smallest frame with FCS, IEEE 802.3 minFrameSize."""
FCS_BYTES = 4
HEADER_BYTES = 14
ETHERTYPE_EXPERIMENTAL = 0x88B5
"""IEEE 802 local experimental EtherType: no stack takes such a frame for something else."""
ORDINAL_BYTES = 4
"""After the header comes the frame's number (big endian), so that a lost or repeated frame can be told."""
BROADCAST = bytes([0xFF] * 6)
PAUSE_ADDRESS, PAUSE_KIND = bytes.fromhex("0180c2000001"), b"\x88\x08\x00\x01"
"""Destination, and EtherType and opcode, of a pause frame."""


@dataclass(frozen=True)
class FrameSet:
    """Frames side by side in one array.

    Members: `data` uint8, all bytes; `offset` int64 and `length` int64 per frame, in bytes.
    """

    data: np.ndarray
    offset: np.ndarray
    length: np.ndarray

    @classmethod
    def of(cls, frames: list[bytes]) -> "FrameSet":
        """A set from separate frames."""
        length = np.array([len(frame) for frame in frames], dtype=np.int64)
        return cls(np.frombuffer(b"".join(frames), dtype=np.uint8), starts(length), length)

    def __len__(self) -> int:
        return len(self.length)

    def __getitem__(self, ordinal: int) -> np.ndarray:
        begin = self.offset[ordinal]
        return self.data[begin:begin + self.length[ordinal]]

    def bytes(self, ordinal: int) -> bytes:
        """A copy of one frame."""
        return self[ordinal].tobytes()


def starts(length: np.ndarray) -> np.ndarray:
    """Offset of each frame if frames of these lengths stand side by side."""
    return np.cumsum(length, dtype=np.int64) - length


def mix(x: np.ndarray | int) -> np.ndarray:
    """The bench's 32-bit integer hash (xor-shift and two odd multipliers), element by element; uint32 out."""
    x = np.asarray(x, dtype=np.uint64) & np.uint64(0xFFFFFFFF)
    mask = np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    x = (x * np.uint64(0x7FEB352D)) & mask
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(0x846CA68B)) & mask
    x ^= x >> np.uint64(16)
    return x.astype(np.uint32)


def draw(seed: int, purpose: int, count: int, low: int, high: int) -> np.ndarray:
    """`count` numbers from `low` to `high` inclusive, int64, that depend on seed, purpose and position alone.

    Two draws of one seed with different `purpose` are unrelated; a longer draw begins with the shorter one.
    """
    key = int(mix(int(mix(seed)) ^ (purpose * 0x9E3779B9)))
    positions = mix(np.arange(count, dtype=np.uint64) ^ np.uint64(key))
    return low + (positions % np.uint32(high - low + 1)).astype(np.int64)


def make_frames(length: np.ndarray, destination: np.ndarray, source: bytes, seed: int,
                purpose: int) -> FrameSet:
    """Frames without FCS: header, ordinal, then bytes from the seed.

    Parameters: `length` bytes per frame without FCS, at least header and ordinal; `destination` uint8 [n, 6];
    `source` 6 bytes; `seed` and `purpose` as in `draw`.
    """
    length = np.asarray(length, dtype=np.int64)
    if len(length) and length.min() < HEADER_BYTES + ORDINAL_BYTES:
        raise ValueError(f"a frame needs {HEADER_BYTES + ORDINAL_BYTES} bytes for header and ordinal, not "
                         f"{length.min()}")
    offset = starts(length)
    total = int(length.sum())
    words = draw(seed, purpose, (total + 3) // 4, 0, 0xFFFFFFFF - 1).astype("<u4")
    data = words.view(np.uint8)[:total].copy()
    head = np.zeros((len(length), HEADER_BYTES + ORDINAL_BYTES), np.uint8)
    head[:, 0:6] = destination
    head[:, 6:12] = np.frombuffer(source, np.uint8)
    head[:, 12:14] = np.frombuffer(ETHERTYPE_EXPERIMENTAL.to_bytes(2, "big"), np.uint8)
    head[:, 14:18] = np.arange(len(length), dtype=">u4").view(np.uint8).reshape(-1, 4)
    data[offset[:, None] + np.arange(head.shape[1])] = head
    return FrameSet(data, offset, length)


def fcs(frame: bytes | np.ndarray) -> bytes:
    """The four FCS bytes of a frame, in the order they go out (IEEE 802.3, CRC-32)."""
    return zlib.crc32(bytes(frame)).to_bytes(4, "little")


def wire_image(frame: bytes | np.ndarray) -> bytes:
    """What belongs on the wire for a frame handed in without FCS: padded with zeros, FCS appended."""
    padded = bytes(frame).ljust(MIN_FRAME_BYTES - FCS_BYTES, b"\0")
    return padded + fcs(padded)


def fcs_is_right(frame: bytes | np.ndarray) -> bool:
    """True if the last four bytes of a whole frame are its FCS."""
    whole = bytes(frame)
    return len(whole) > FCS_BYTES and fcs(whole[:-FCS_BYTES]) == whole[-FCS_BYTES:]


def pause(source: bytes, quanta: int) -> bytes:
    """A pause frame without FCS and padding (IEEE 802.3, annex 31B), for `quanta` of 512 bit times."""
    return PAUSE_ADDRESS + source + PAUSE_KIND + quanta.to_bytes(2, "big")


def address(text: str) -> bytes:
    """The six bytes of an address such as "02:00:00:00:00:01"."""
    return bytes.fromhex(text.replace(":", ""))
