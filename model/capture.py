"""Frames out of a packet capture (pcap or pcapng), each fault named by file and place."""

import gzip
import io
import logging
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from model.errors import BenchError
from model.frames import HEADER_BYTES

_LINKTYPE_ETHERNET = 1
_GZIP_MAGIC = b"\x1f\x8b"
_MIN_BLOCK_BYTES = 12
"""Smallest pcapng block: type and twice its length."""
_MAX_PACKET_BYTES = 0x40000
"""Largest snapshot length that capture tools write; a longer record means that the file is garbled."""


def read(path: Path) -> list[bytes]:
    """Every packet of a capture as an Ethernet frame without FCS.

    BenchError if the file cannot be read, is no capture, ends within a packet (with the byte offset of that
    packet), was taken on another kind of link, or holds a packet that the capture cut short (with its number,
    from 1).
    """
    # scapy takes most of a second to import, and only captures need it
    from scapy.error import Scapy_Exception

    try:
        # opened here and not by scapy, which leaves a file open whose beginning it does not like
        with _opened(path) as file:
            found = list(_packets(path, _reader(file)))
    except OSError as error:
        raise BenchError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (Scapy_Exception, EOFError, struct.error, IndexError, ValueError) as error:
        if isinstance(error, BenchError):
            raise
        reason = error or "it ends too early"
        raise BenchError(f"{path}: no packet capture that can be read: {reason}") from error
    if not found:
        raise BenchError(f"{path}: holds no packet")
    return found


def split(path: Path, station: str, mtu_bytes: int) -> tuple[list[bytes], list[bytes]]:
    """The capture's frames sent by `station`, and all the others.

    BenchError names the first packet that is longer than `mtu_bytes` and the Ethernet header, or too short to
    have one.
    """
    sent, received = [], []
    source = bytes.fromhex(station.replace(":", ""))
    limit = mtu_bytes + HEADER_BYTES
    for number, frame in enumerate(read(path), 1):
        if len(frame) > limit:
            raise BenchError(f"{path}: packet {number} has {len(frame)} bytes: the limit is {limit} without "
                             f"FCS (MTU {mtu_bytes}); capture with segmentation offloads off")
        (sent if frame[6:12] == source else received).append(frame)
    return sent, received


def first_source(path: Path) -> str:
    """Address of the sender of the first packet, the station whose side a replay takes."""
    return read(path)[0][6:12].hex(":")


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP_MAGIC
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _reader(file: IO[bytes]) -> Any:
    from scapy.utils import RawPcapReader

    # scapy also logs what is raised or found here
    logging.getLogger("scapy.runtime").setLevel(logging.ERROR)
    return RawPcapReader(file)


def _packets(path: Path, packets: Any) -> Iterator[bytes]:
    number = 0
    while True:
        number += 1
        offset = packets.f.tell()
        try:
            frame, meta = next(packets)
        except StopIteration:
            _check_end(path, packets, number, offset)
            return
        if getattr(meta, "linktype", None) is None:
            link_type, captured = packets.linktype, meta.caplen
        else:
            link_type, captured = meta.linktype, len(frame)
        if captured > _MAX_PACKET_BYTES:
            raise BenchError(f"{path}: garbled at byte {offset}: packet {number} claims {captured} bytes")
        if len(frame) < captured:
            raise BenchError(f"{path}: truncated: packet {number} at byte {offset} has {len(frame)} of its "
                             f"{captured} bytes")
        if link_type != _LINKTYPE_ETHERNET:
            raise BenchError(f"{path}: packet {number} is of link type {link_type}: expected Ethernet "
                             f"({_LINKTYPE_ETHERNET})")
        if len(frame) < meta.wirelen:
            raise BenchError(f"{path}: packet {number} was captured with {len(frame)} of its "
                             f"{meta.wirelen} bytes; capture whole packets (tcpdump -s 0)")
        if len(frame) < HEADER_BYTES:
            raise BenchError(f"{path}: packet {number} has {len(frame)} bytes: an Ethernet header has "
                             f"{HEADER_BYTES}")
        yield frame


def _check_end(path: Path, packets: Any, number: int, offset: int) -> None:
    """Reading stopped: at the file's end, or because what follows the last packet is cut or garbled?"""
    end = packets.f.seek(0, io.SEEK_END)
    if hasattr(packets, "interfaces"):
        # pcapng: blocks that hold no packet may follow the last one
        while offset < end:
            packets.f.seek(offset)
            head = packets.f.read(8)
            length = struct.unpack(packets.endian + "I", head[4:8])[0] if len(head) == 8 else end
            if length < _MIN_BLOCK_BYTES or offset + length > end:
                break
            offset += length
    if offset < end:
        raise BenchError(f"{path}: truncated or garbled: packet {number} or later, at byte {offset} of {end}")
