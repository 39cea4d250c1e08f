"""Runs inside the simulator: cocotbext-eth's GMII source and sink around the gigabit echo station."""

import random
import struct
import zlib

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource

from tests.hdl.mac.gmii_echo import STATION

CYCLE_NS = 8
CYCLE_STEPS = CYCLE_NS * 1000
PREAMBLE_BYTES = 8
"""With the SFD."""
MISSED_BYTES = 1
"""The sink begins a frame with TX_EN but keeps bytes from the next cycle on."""


async def station(dut) -> tuple[GmiiSource, GmiiSink]:
    """The station out of reset, and its two neighbours."""
    dut.rst.value = 1
    dut.starve.value = 0
    cocotb.start_soon(Clock(dut.clk, CYCLE_NS, "ns").start())
    source = GmiiSource(dut.rxd, dut.rx_er, dut.rx_dv, dut.clk, dut.rst)
    sink = GmiiSink(dut.txd, dut.tx_er, dut.tx_en, dut.clk, dut.rst)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    return source, sink


async def answer(source: GmiiSource, sink: GmiiSink, payload: bytes, min_len: int = 60) -> None:
    """Send `payload` and check what comes back: bytes, padding, FCS, preamble, and time on the wire."""
    await source.send(GmiiFrame.from_payload(payload, min_len=min_len))
    frame = await sink.recv()
    padded = payload.ljust(60, b"\0")
    assert bytes(frame.get_payload()) == padded, (payload, frame)
    assert frame.check_fcs()
    assert frame.get_preamble_len() == PREAMBLE_BYTES - MISSED_BYTES
    # From the first byte on the pins to the one after the SFD.
    assert frame.sim_time_sfd - frame.sim_time_start == PREAMBLE_BYTES * CYCLE_STEPS
    assert not any(frame.error or [])
    on_wire_bytes = PREAMBLE_BYTES + len(padded) + 4
    # From the first byte on the pins to the cycle that finds TX_EN down.
    assert frame.sim_time_end - frame.sim_time_start == on_wire_bytes * CYCLE_STEPS


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def frames_come_back(dut) -> None:
    source, sink = await station(dut)
    randomness = random.Random(1)
    for length in (14, 46, 59, 60, 61, 64, 128, 577, 1514):
        await answer(source, sink, randomness.randbytes(length))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def short_frames_are_padded(dut) -> None:
    source, sink = await station(dut)
    for length in (1, 5, 6, 33):
        await answer(source, sink, bytes(range(length)), min_len=0)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def damaged_frames_do_not_come_back(dut) -> None:
    source, sink = await station(dut)
    good = GmiiFrame.from_payload(bytes(range(64)))
    wrong_fcs = GmiiFrame(good)
    wrong_fcs.data[-1] ^= 0x80
    with_error = GmiiFrame(good)
    with_error.error = [0] * 30 + [1] + [0] * (len(good.data) - 31)
    no_sfd = GmiiFrame(bytes([0x55] * 7 + [0x57]) + bytes(good.data[8:]))
    for frame in (wrong_fcs, with_error, no_sfd):
        await source.send(frame)
    await source.wait()
    await ClockCycles(dut.clk, 200)
    assert sink.empty()
    await answer(source, sink, b"still there" * 6)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_underrun_is_marked(dut) -> None:
    source, sink = await station(dut)
    dut.starve.value = 21
    payload = bytes(range(64))
    await source.send(GmiiFrame.from_payload(payload))
    frame = await sink.recv(compact=False)
    sent = payload[:21]
    assert bytes(frame.get_payload(strip_fcs=False)) == sent + (
        zlib.crc32(sent) ^ 0xFFFFFFFF).to_bytes(4, "little")
    assert frame.error == [0] * (PREAMBLE_BYTES - MISSED_BYTES + 21) + [1] * 4
    dut.starve.value = 0
    await answer(source, sink, payload)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_pause_is_answered_with_a_pause(dut) -> None:
    source, sink = await station(dut)

    def pause(sender: bytes, quanta: int) -> bytes:
        control = struct.pack(">HHH", 0x8808, 1, quanta)
        return (bytes.fromhex("0180c2000001") + sender + control).ljust(60, b"\0")

    await source.send(GmiiFrame.from_payload(pause(bytes(range(6)), 0x12FF)))
    frame = await sink.recv()
    assert bytes(frame.get_payload()) == pause(STATION, 0x1300)
    assert frame.check_fcs()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_hash_of_a_published_vector(dut) -> None:
    source, sink = await station(dut)
    header = struct.pack(">BBHHHBBH4B4BHH", 0x45, 0, 40, 1, 0x4000, 64, 6, 0,
                         66, 9, 149, 187, 161, 142, 100, 80, 2794, 1766)
    await answer(source, sink, bytes(range(12)) + b"\x08\x00" + header)
    assert (dut.valid.value, dut.hash.value) == (1, 0x51CCC178)
    await answer(source, sink, bytes(range(12)) + b"\x08\x06" + header)
    assert (dut.valid.value, dut.hash.value) == (0, 0)
