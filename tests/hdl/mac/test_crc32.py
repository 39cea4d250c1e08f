"""CRC-32 by one to eight bytes a step, against zlib."""

import random
import zlib

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from hdl.mac.crc32 import INIT, RESIDUE, crc32_next


@pytest.mark.parametrize("width_bytes", [1, 2, 3, 4, 8])
def test_against_zlib(width_bytes: int) -> None:
    register, data, after = Signal(32), Signal(8 * width_bytes), Signal(32)
    m = Module()
    m.d.comb += after.eq(crc32_next(register, data))
    randomness = random.Random(width_bytes)

    async def play(ctx) -> None:
        for steps in (1, 2, 3, 24):
            frame = randomness.randbytes(steps * width_bytes)
            state = INIT
            for start in range(0, len(frame), width_bytes):
                ctx.set(register, state)
                ctx.set(data, int.from_bytes(frame[start:start + width_bytes], "little"))
                state = ctx.get(after)
            assert state ^ 0xFFFFFFFF == zlib.crc32(frame)

    sim = Simulator(m)
    sim.add_testbench(play)
    sim.run()


def test_residue_of_an_undamaged_frame() -> None:
    body = bytes(range(60))
    assert zlib.crc32(body + zlib.crc32(body).to_bytes(4, "little")) ^ 0xFFFFFFFF == RESIDUE


@pytest.mark.parametrize(("register_bits", "data_bits", "text"), [
    (31, 8, "the CRC register has 32 bits, not 31"),
    (32, 4, "a CRC step takes a whole number of bytes, not 4 bits"),
    (32, 0, "a CRC step takes a whole number of bytes, not 0 bits"),
])
def test_refuses_other_widths(register_bits: int, data_bits: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        crc32_next(Signal(register_bits), Signal(data_bits))
