"""Runs inside the simulator: cocotbext-eth's MII source and sink around the echo station."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.eth import GmiiFrame, MiiSink, MiiSource

CYCLE_NS = 20
PREAMBLE_BYTES = 8


async def station(dut) -> tuple[MiiSource, MiiSink]:
    """The station out of reset, and its two neighbours."""
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, CYCLE_NS, "ns").start())
    source = MiiSource(dut.rxd, dut.rx_er, dut.rx_dv, dut.clk, dut.rst, enable=dut.tick)
    sink = MiiSink(dut.txd, None, dut.tx_en, dut.clk, dut.rst, enable=dut.tick)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    return source, sink


async def answer(source: MiiSource, sink: MiiSink, payload: bytes, min_len: int = 60) -> None:
    """Send `payload` and check what comes back: bytes, padding, FCS, preamble, and time on the wire."""
    await source.send(GmiiFrame.from_payload(payload, min_len=min_len))
    frame = await sink.recv()
    padded = payload.ljust(60, b"\0")
    assert bytes(frame.get_payload()) == padded, (payload, frame)
    assert frame.check_fcs()
    assert frame.get_preamble_len() == PREAMBLE_BYTES
    on_wire_bytes = PREAMBLE_BYTES + len(padded) + 4
    # From the first nibble on the pins to the tick that finds TX_EN down.
    assert frame.sim_time_end - frame.sim_time_start == on_wire_bytes * 4 * CYCLE_NS * 1000


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
