"""PAUSE frames: detection, and the bytes of one to send."""

import pytest
from amaranth.sim import Simulator

from hdl.mac.pause import PAUSE_BYTES, PauseDetect, PauseFrame
from tests.hdl.mac.gmii_bench import IDLE, PREFACE, SnoopBench, fcs, valid

STATION = bytes.fromhex("02005e102030")
NOTHING = (0, 0)
LAST_QUANTA_BYTE = 17


@pytest.fixture(scope="module")
def bench() -> SnoopBench:
    return SnoopBench(PauseDetect(), ("is_pause", "quanta"))


def pause(quanta: int) -> bytes:
    """A frame with FCS, from the text of annex 31B."""
    body = bytes.fromhex("0180c2000001") + STATION + bytes.fromhex("88080001") + quanta.to_bytes(2, "big")
    body = body.ljust(60, b"\0")
    return body + fcs(body)


@pytest.mark.parametrize("quanta", [0, 1, 0x1234, 0xFF00, 0xFFFF])
def test_known_two_cycles_after_the_quanta(bench: SnoopBench, quanta: int) -> None:
    data = pause(quanta)
    first = LAST_QUANTA_BYTE + 2
    assert bench.frame(data) == [NOTHING] * first + [(1, quanta)] * (len(data) + 2 - first)


@pytest.mark.parametrize("bit", [0, 7])
@pytest.mark.parametrize("at", [*range(6), *range(12, 16)])
def test_every_bit_of_destination_type_and_opcode_counts(bench: SnoopBench, at: int, bit: int) -> None:
    data = bytearray(pause(0x5555))
    data[at] ^= 1 << bit
    assert set(bench.frame(bytes(data))) == {NOTHING}


@pytest.mark.parametrize("at", [*range(6, 12), *range(18, 64)])
def test_no_other_byte_counts(bench: SnoopBench, at: int) -> None:
    data = bytearray(pause(0x5555))
    data[at] ^= 0x81
    assert bench.frame(bytes(data))[-1] == (1, 0x5555)


@pytest.mark.parametrize("length", [0, 6, 16, 17, 18])
def test_a_frame_that_ends_early(bench: SnoopBench, length: int) -> None:
    assert bench.frame(pause(9)[:length])[-1] == ((1, 9) if length == 18 else NOTHING)


def test_the_next_frame_starts_anew(bench: SnoopBench) -> None:
    first, other, last = pause(7), bytes(64), pause(8)
    trace = bench.run([wire for data in (first, other, last) for wire in [*valid(PREFACE + data), IDLE]])
    step = len(PREFACE) + 64 + 1
    assert [trace[step * n] for n in (1, 2, 3)] == [(1, 7), NOTHING, (1, 8)]
    s = step + len(PREFACE) - 1
    assert (trace[s], trace[s + 1]) == ((1, 7), NOTHING), "it stays until the SFD"


@pytest.mark.parametrize("quanta", [0, 0x1234, 0xFFFF])
def test_the_bytes_to_send(quanta: int) -> None:
    dut = PauseFrame()
    got = []

    async def play(ctx) -> None:
        ctx.set(dut.station, int.from_bytes(STATION, "little"))
        ctx.set(dut.quanta, quanta)
        for index in range(PAUSE_BYTES):
            ctx.set(dut.index, index)
            got.append((ctx.get(dut.data), ctx.get(dut.last)))

    sim = Simulator(dut)
    sim.add_testbench(play)
    sim.run()
    assert bytes(byte for byte, _ in got) == pause(quanta)[:-4]
    assert [last for _, last in got] == [0] * 59 + [1]
