"""The cocotb side of test_axi_ram.py: cocotbext-axi's memory, which its authors and not we wrote, answers
the bursts."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiBus, AxiRam

SIZE_BYTES = 1 << 15
RUNS = 30


class TB:
    def __init__(self, dut):
        self.dut = dut
        self.rng = random.Random(20201011)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "bus_"), dut.clk, dut.rst, size=SIZE_BYTES)
        pauses = [(self.rng.random() < 0.3) for _ in range(997)]
        for channel in (
            self.ram.write_if.aw_channel,
            self.ram.write_if.w_channel,
            self.ram.write_if.b_channel,
            self.ram.read_if.ar_channel,
            self.ram.read_if.r_channel,
        ):
            channel.set_pause_generator(itertools.cycle(pauses[self.rng.randrange(900):]))
        self.width = len(dut.word_data) // 8
        self.read = bytearray()

    async def reset(self) -> None:
        for name in ("source__valid", "target__valid", "keep", "rst"):
            getattr(self.dut, name).value = int(name == "rst")
        cocotb.start_soon(Clock(self.dut.clk, 10, "ns").start())
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        cocotb.start_soon(self._collect())

    async def _collect(self) -> None:
        """The bytes that the reader marks."""
        while True:
            await FallingEdge(self.dut.clk)
            if self.dut.word_valid.value:
                word = int(self.dut.word_data.value).to_bytes(self.width, "little")
                self.read += word[int(self.dut.word_low.value):int(self.dut.word_high.value) + 1]

    async def command(self, port: str, addr: int, length: int) -> None:
        """Offer a run until it is taken. Acting on falling edges, so that registers are settled."""
        getattr(self.dut, f"{port}__payload").value = addr | length << 32
        getattr(self.dut, f"{port}__valid").value = 1
        while not getattr(self.dut, f"{port}__ready").value:
            await FallingEdge(self.dut.clk)
        await FallingEdge(self.dut.clk)
        getattr(self.dut, f"{port}__valid").value = 0

    async def until_idle(self, port: str) -> None:
        while not getattr(self.dut, f"{port}__ready").value:
            await FallingEdge(self.dut.clk)


@cocotb.test()
async def reads_any_run(dut):
    tb = TB(dut)
    content = tb.rng.randbytes(SIZE_BYTES)
    tb.ram.write(0, content)
    await tb.reset()
    for _ in range(RUNS):
        addr, length = (
            tb.rng.choice([tb.rng.randrange(8192), tb.rng.randrange(3900, 4100)]),
            tb.rng.randrange(1, 400),
        )
        tb.read.clear()
        await tb.command("source", addr, length)
        await tb.until_idle("source")
        assert tb.read == content[addr:addr + length], f"{length} bytes from {addr:#x}"


@cocotb.test()
async def copies_any_run(dut):
    tb = TB(dut)
    expected = bytearray(tb.rng.randbytes(SIZE_BYTES))
    tb.ram.write(0, bytes(expected))
    await tb.reset()
    dut.keep.value = 1
    for _ in range(RUNS):
        source = tb.rng.randrange(0, 4096, tb.width)
        target = tb.rng.choice([8192 + tb.rng.randrange(8192), tb.rng.randrange(12288 - 200, 12288 + 20)])
        length = tb.rng.randrange(1, 400)
        expected[target:target + length] = expected[source:source + length]
        writing = cocotb.start_soon(tb.command("target", target, length))
        await tb.command("source", source, length)
        await writing
        await tb.until_idle("target")
    assert int(dut.stored.value) == RUNS
    assert tb.ram.read(0, SIZE_BYTES) == expected
