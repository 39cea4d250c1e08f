"""Runs inside the simulator: an AXI4-Lite manager that others wrote against the emitted register bank.

Its own strobes for narrow and unaligned accesses, its own idea of handshakes, and pauses on every channel are
the point: `test_bank_icarus.py` starts it.
"""

import itertools
import json
import os
import pathlib
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from hdl.registers import load

AT91 = load("at91ether")
PLAIN = ("TAR", "HSL", "HSH", "SA1L", "SA2L", "SA3L", "SA4L")
"""Registers whose 32 bits are all plainly read and written."""


async def start(dut):
    """Clock, idle engine, reset; returns the manager."""
    sidecar = json.loads(pathlib.Path(os.environ["BANK_SIDECAR"]).read_text())
    for port, what in sidecar["ports"].items():
        if what["direction"] == "input" and port.startswith("regs__"):
            getattr(dut, port).value = 0
    for status in (dut.regs__TSR__IDLE__status, dut.regs__TSR__BNQ__status, dut.regs__SR__IDLE__status):
        status.value = 1
    dut.rst.value = 1
    Clock(dut.clk, 20, unit="ns").start()
    manager = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "csr_"), dut.clk, dut.rst)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 4)
    return manager


async def pulse(dut, *ports):
    """One cycle of 1 on inputs of the engine's side."""
    await FallingEdge(dut.clk)
    for port in ports:
        getattr(dut, port).value = 1
    await FallingEdge(dut.clk)
    for port in ports:
        getattr(dut, port).value = 0


@cocotb.test()
async def reset_values(dut):
    manager = await start(dut)
    for register in AT91:
        assert await manager.read_dword(register.offset) == register.reset, register.name


@cocotb.test()
async def halves_and_bytes(dut):
    manager = await start(dut)
    tar = AT91.offset("TAR")
    await manager.write_word(tar + 2, 0x2040)
    await manager.write_word(tar, 0x1236)
    assert await manager.read_dword(tar) == 0x20401236
    await manager.write_byte(tar + 1, 0xFF)
    assert await manager.read_dword(tar) == 0x2040FF36
    assert await manager.read_word(tar + 2) == 0x2040


@cocotb.test()
async def interrupt_status_and_mask(dut):
    manager = await start(dut)
    await pulse(dut, "regs__ISR__TCOM__set", "regs__ISR__RCOM__set")
    assert dut.regs__ISR__irq.value == 0, "everything is masked after reset"
    await manager.write_dword(AT91.offset("IER"), AT91.pack("IER", TCOM=1))
    assert dut.regs__ISR__irq.value == 1
    assert await manager.read_dword(AT91.offset("IMR")) == 0xFFF & ~AT91.field("IMR", "TCOM").mask
    assert await manager.read_dword(AT91.offset("ISR")) == AT91.pack("ISR", TCOM=1, RCOM=1)
    assert dut.regs__ISR__irq.value == 0
    assert await manager.read_dword(AT91.offset("ISR")) == 0


@cocotb.test()
async def flags_counters_and_clear_statistics(dut):
    manager = await start(dut)
    await pulse(dut, "regs__TSR__COMP__set", "regs__FRA__COUNT__increment", "regs__OK__COUNT__increment")
    assert await manager.read_dword(AT91.offset("TSR")) == AT91.pack("TSR", base=0x18, COMP=1)
    await manager.write_dword(AT91.offset("TSR"), AT91.pack("TSR", COMP=1))
    assert await manager.read_dword(AT91.offset("TSR")) == 0x18
    assert await manager.read_dword(AT91.offset("FRA")) == 1
    assert await manager.read_dword(AT91.offset("FRA")) == 0
    await manager.write_dword(AT91.offset("CTL"), AT91.pack("CTL", CSR=1))
    assert await manager.read_dword(AT91.offset("OK")) == 0


@cocotb.test()
async def unmapped_offsets_answer_okay(dut):
    manager = await start(dut)
    for offset in (0x1C, 0x38, 0xFC, 0xFFC):
        assert (await manager.write(offset, b"\xff" * 4)).resp == AxiResp.OKAY
        answer = await manager.read(offset, 4)
        assert answer.resp == AxiResp.OKAY and answer.data == bytes(4)


@cocotb.test()
async def random_accesses_with_pauses_on_every_channel(dut):
    manager = await start(dut)
    seed = 20
    dut._log.info(f"seed {seed}")
    rng = random.Random(seed)
    for channel in (manager.write_if.aw_channel, manager.write_if.w_channel, manager.write_if.b_channel,
                    manager.read_if.ar_channel, manager.read_if.r_channel):
        channel.set_pause_generator(itertools.cycle([rng.random() < 0.4 for _ in range(97)]))
    shadow = {name: bytearray(4) for name in PLAIN}
    for number in range(300):
        name = rng.choice(PLAIN)
        first = rng.randrange(4)
        data = rng.randbytes(rng.randrange(1, 5 - first))
        if rng.random() < 0.5:
            await manager.write(AT91.offset(name) + first, data)
            shadow[name][first:first + len(data)] = data
        else:
            found = (await manager.read(AT91.offset(name) + first, len(data))).data
            assert found == shadow[name][first:first + len(data)], f"seed {seed}, access {number}, {name}"
