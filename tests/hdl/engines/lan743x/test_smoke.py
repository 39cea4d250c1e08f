"""A channel is brought up and one frame goes each way, with every cycle of the journey computed from the
timing specification: entry, frame, entry written back, head, message."""

import zlib

import pytest

from hdl.emit import emit
from hdl.engines.lan743x import Engine
from tests.hdl.engines.lan743x.bench import (
    HEADS,
    REGISTERS,
    RX_RING,
    RX_VECTOR,
    TX_RING,
    TX_VECTOR,
    EngineBench,
    Event,
)

PACKET = bytes(7 * i + 3 & 255 for i in range(60))
FRAME = PACKET + zlib.crc32(PACKET).to_bytes(4, "little")
BUFFER = 0x4000
TX_SOURCE, RX_SOURCE = 1 << 16, 1 << 24


def expect_head_and_message(bench: EngineBench, scan: int, direction: str, head: int, vector: int,
                            sources: int) -> int:
    """The cause is seen in `scan`: SCAN, HEAD and granted, AW, W, B, SCAN, MESSAGE and granted, AW, W, B.
    Returns the cycle of the message's AW."""
    granted = scan + 1
    assert bench.named(f"{direction}_head") == [Event(granted + 1, f"{direction}_head", 0, head)]
    scan = granted + 3 + 1
    granted = scan + 1
    assert bench.named("int_message") == [Event(granted + 1, "int_message", vector, sources)]
    return granted + 1


def test_one_frame_out():
    bench = EngineBench()
    bench.memory.data[BUFFER:BUFFER + 60] = PACKET
    bench.post_tx(0, BUFFER, 60, FS=1, LS=1, IOC=1, FCS=1)
    c = bench.write("TX0_TAIL", INDEX=1, cycle=bench.bring_up())
    bench.read("TX0_HEAD", cycle=c + 200)
    bench.read("DMAC_INT_STS")
    bench.read("STAT_TX_TOTAL_FRAMES")
    bench.run(c + 210)

    # seen, requested and granted in c+1, handshake in a, the four words of the entry, the last in d
    a = c + 2
    assert bench.named("tx_prefetch") == [Event(a, "tx_prefetch", 0, TX_RING | 1 << 32)]
    d = a + 4
    assert bench.named("tx_desc") == [Event(d, "tx_desc", 0, 1)]
    x = d + 1
    a = x + 2 + 1  # IDLE, SETUP, LOAD and granted, handshake
    assert bench.named("tx_fetch") == [Event(a, "tx_fetch", 0, BUFFER | 60 << 32)]
    d = a + 15
    assert bench.named("tx_fill") == [Event(d, "tx_fill", 0)]
    t = d + 1
    assert bench.named("tx_sfd") == [Event(t + 7, "tx_sfd", 0)]
    end = t + 8 + 64
    assert bench.named("tx_done") == [Event(end, "tx_done", 0, zlib.crc32(PACKET) | 60 << 32)]
    assert bench.sent() == [(t, FRAME)]
    expect_head_and_message(bench, end + 1, "tx", 1, TX_VECTOR, TX_SOURCE)
    assert bench.word(HEADS) == 1 and bench.word(4 * TX_VECTOR) == TX_VECTOR
    assert [value for _, value in bench.reads] == [1, REGISTERS.pack("DMAC_INT_STS", TX_IOC=1), 1]


@pytest.mark.parametrize("rx_channels", [1, 4])
def test_one_frame_in(rx_channels):
    bench = EngineBench(rx_channels=rx_channels)
    bench.post(0, BUFFER, 1520)
    bench.post(1, BUFFER + 0x800, 1520)
    c = bench.write("RX0_TAIL", INDEX=2, cycle=bench.bring_up(rx_fields={"PAD": 2}))
    s = c + 40
    e = bench.receive(s, FRAME)
    bench.read("RX0_HEAD", cycle=s + 150)
    bench.read("INT_STS")
    bench.read("STAT_RX_TOTAL_FRAMES")
    bench.run(s + 160)

    # both entries: seen, requested and granted in c+1, handshake in c+2, eight words
    assert bench.named("rx_prefetch") == [Event(c + 2, "rx_prefetch", 0, RX_RING | 2 << 32)]
    assert bench.named("rx_desc") == [Event(c + 10, "rx_desc", 0, 2)]
    assert bench.named("rx_sfd") == [Event(s, "rx_sfd", 0)]
    assert e == s + 65 and bench.named("rx_end") == [Event(e + 1, "rx_end", 0, 64)]
    k = e + 2 + 1  # IDLE with the frame in e+2
    assert bench.named("rx_own") == [Event(k, "rx_own", 0, 1 << 15 | 1520)]
    m = k + 1
    a = m + 2 + 1
    assert bench.named("rx_write") == [Event(a, "rx_write", 0, BUFFER + 2 | 64 << 32)]
    d = a + 17 + 1  # 64 bytes in 17 words, then the response
    z = d + 1
    data0 = 1 << 31 | 1 << 30 | 64 << 16 | 1520
    assert bench.named("rx_wb") == [Event(z + 1, "rx_wb", 0, data0)]
    d = z + 1 + 4 + 1
    assert bench.named("rx_done") == [Event(d, "rx_done", 0, 64)]
    expect_head_and_message(bench, d + 1, "rx", 1, RX_VECTOR, RX_SOURCE)
    assert bytes(bench.memory.data[BUFFER:BUFFER + 2 + 64 + 2]) == bytes(2) + FRAME + bytes(2)
    assert [bench.word(RX_RING + 4 * n) for n in range(4)] == [data0, 0, 0, 0]
    assert bench.word(HEADS + 4) == 1 and bench.word(4 * RX_VECTOR) == RX_VECTOR
    assert [value for _, value in bench.reads] == [1, REGISTERS.pack("INT_STS", RX=1, MAS=1), 1]


@pytest.mark.parametrize(("flags", "entries"), [
    ({}, 1), ({"TS_DESCR_EN": 1}, 1), ({"TS_ALL_RX": 1}, 2), ({"TS_ALL_RX": 1, "TS_DESCR_EN": 1}, 2)])
def test_an_extension_entry_is_written_if_all_frames_are_timestamped(flags, entries):
    bench = EngineBench()
    for n in range(3):
        bench.post(n, BUFFER + 0x800 * n, 1520)
    c = bench.write("RX0_TAIL", INDEX=3, cycle=bench.bring_up(rx_fields=flags))
    bench.receive(c + 40, FRAME)
    bench.read("RX0_HEAD", cycle=c + 200)
    bench.run(c + 210)
    assert [event.index for event in bench.named("rx_wb")] == list(range(entries))
    assert [value for _, value in bench.reads] == [entries]
    extension = REGISTERS.descriptor("rx_extension").field("DATA0", "EXT").mask
    assert [bench.word(RX_RING + 16 * n) & extension for n in range(3)] == (
        [extension] * 2 + [0] if entries == 2 else [0] * 3)


@pytest.mark.parametrize("rx_channels", [1, 4])
def test_verilog(rx_channels):
    emitted = emit(Engine(rx_channels=rx_channels), "lan743x")
    lanes = emitted.sidecar["lanes"]
    assert lanes["rx_end"]["ring"] == 1 and lanes["tx_done"]["ring"] == 0
    assert [lanes[f"rx_own_ch{k}"]["ring"] for k in range(1, rx_channels)] == list(range(3, 2 + rx_channels))
    assert sum(field["width"] for field in emitted.sidecar["straps"].values()) == 21
    assert emitted.sidecar["ports"]["bus__awid"]["width"] == 4


def test_no_other_number_of_channels():
    with pytest.raises(ValueError, match="must be 1 to 4, not 5"):
        Engine(rx_channels=5)
