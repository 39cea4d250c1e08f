"""Captures, right and broken."""

import gzip
import struct
from pathlib import Path

import pytest

from model import capture
from model.errors import BenchError

PCAP = Path(__file__).resolve().parents[1] / "data" / "tcp_iperf3.pcap"
FRAME = bytes(range(60))


def pcap(path: Path, frames, link=1, wire=None, order="<") -> Path:
    body = struct.pack(order + "IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for frame in frames:
        body += struct.pack(order + "IIII", 1, 2, len(frame), wire or len(frame)) + frame
    path.write_bytes(body)
    return path


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def pcapng(path: Path, frames, link=1, tail=b"") -> Path:
    body = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1,
                                                                                 struct.pack("<HHI", link, 0,
                                                                                             0))
    for frame in frames:
        body += block(6, struct.pack("<IIIII", 0, 0, 0, len(frame), len(frame)) + frame)
    path.write_bytes(body + tail)
    return path


def test_the_tcp_capture():
    assert PCAP.stat().st_size < 200_000
    frames = capture.read(PCAP)
    sizes = [len(frame) for frame in frames]
    assert max(sizes) == 1514 and sizes.count(1514) > 50 and sizes.count(66) > 30
    sent, received = capture.split(PCAP, capture.first_source(PCAP), 1500)
    assert len(sent) + len(received) == len(frames) and len(sent) > 50 and len(received) > 50
    assert max(map(len, sent)) == max(map(len, received)) == 1514


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders(tmp_path, order):
    assert capture.read(pcap(tmp_path / "x.pcap", [FRAME, FRAME[:20]], order=order)) == [FRAME, FRAME[:20]]


def test_pcapng_with_blocks_after_the_last_packet(tmp_path):
    statistics = block(5, bytes(12))
    assert capture.read(pcapng(tmp_path / "x.pcapng", [FRAME, FRAME[:17]], tail=statistics)) == [FRAME,
                                                                                                 FRAME[:17]]


def test_compressed(tmp_path):
    path = tmp_path / "x.pcap.gz"
    path.write_bytes(gzip.compress(pcap(tmp_path / "x.pcap", [FRAME]).read_bytes()))
    assert capture.read(path) == [FRAME]


@pytest.mark.parametrize(("cut", "words"), [
    (1, "truncated: packet 2 at byte 100 has 59 of its 60 bytes"),
    (59, "truncated: packet 2 at byte 100 has 1 of its 60 bytes"),
    (60, "truncated: packet 2 at byte 100 has 0 of its 60 bytes"),
    (61, "truncated or garbled: packet 2 or later, at byte 100 of 115"),
    (75, "truncated or garbled: packet 2 or later, at byte 100 of 101"),
    (76 + 76, "holds no packet"),
    (76 + 76 + 1, "no packet capture that can be read"),
    (76 + 76 + 22, "no packet capture that can be read"),
])
def test_truncated(tmp_path, cut, words):
    path = pcap(tmp_path / "x.pcap", [FRAME, FRAME])
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(BenchError, match=words) as caught:
        capture.read(path)
    assert str(caught.value).startswith(str(path))


def test_truncated_pcapng(tmp_path):
    path = pcapng(tmp_path / "x.pcapng", [FRAME, FRAME])
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    begin = len(whole) - (60 + 20 + 12)
    with pytest.raises(BenchError,
                       match=f"truncated or garbled: packet 2 or later, at byte {begin} of {len(whole) - 5}"):
        capture.read(path)


def test_garbled_length(tmp_path):
    path = pcap(tmp_path / "x.pcap", [FRAME, FRAME])
    data = bytearray(path.read_bytes())
    data[100 + 8:100 + 12] = struct.pack("<I", 0x40001)
    path.write_bytes(data)
    with pytest.raises(BenchError, match="garbled at byte 100: packet 2 claims 262145 bytes"):
        capture.read(path)


@pytest.mark.parametrize(("make", "words"), [
    (lambda p: p.write_bytes(b""), "no packet capture"),
    (lambda p: p.write_bytes(b"GIF89a" * 9), "no packet capture"),
    (lambda p: pcap(p, [FRAME], link=113), "packet 1 is of link type 113: expected Ethernet"),
    (lambda p: pcapng(p, [FRAME], link=113), "packet 1 is of link type 113: expected Ethernet"),
    (lambda p: pcap(p, [FRAME], wire=1514),
     r"packet 1 was captured with 60 of its 1514 bytes; .*tcpdump -s 0"),
    (lambda p: pcap(p, [FRAME, FRAME[:13]]), "packet 2 has 13 bytes: an Ethernet header has 14"),
])
def test_what_is_no_use(tmp_path, make, words):
    path = tmp_path / "x.pcap"
    make(path)
    with pytest.raises(BenchError, match=words):
        capture.read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BenchError, match=r"none\.pcap: cannot be read: No such file"):
        capture.read(tmp_path / "none.pcap")


def test_a_frame_above_the_parts_limit(tmp_path):
    path = pcap(tmp_path / "x.pcap", [bytes(1514), bytes(1515)])
    with pytest.raises(BenchError,
                       match=r"packet 2 has 1515 bytes: the limit is 1514 without FCS \(MTU 1500\)"):
        capture.split(path, "02:00:00:00:00:01", 1500)


def test_sides(tmp_path):
    mine = bytes(6) + bytes([2, 0, 0, 0, 0, 9]) + bytes(48)
    path = pcap(tmp_path / "x.pcap", [mine, FRAME, mine])
    assert capture.first_source(path) == "02:00:00:00:00:09"
    assert capture.split(path, "02:00:00:00:00:09", 1500) == ([mine, mine], [FRAME])
