"""The MDIO manager, cycle by cycle, against a frame written out bit by bit and a PHY that answers."""

import pytest
from amaranth.sim import Simulator

from hdl.mdio import MdioManager
from hdl.registers import load

READ, WRITE = 2, 1
START = 5


def frame(operation, data=0):
    return load("at91ether").pack("MAN", SOF=1, RW=operation, PHYA=0b10011, REGA=0b00110, CODE=2, DATA=data)


def run(operation, divider, *, data=0, answer=0, disturb=None):
    """One frame started in cycle START; returns a row a cycle of (busy, done, mdc, o, oe) and the data at
    `done`.

    The PHY drives `answer`, highest bit first, in the second half of the frame's last 16 bits before each
    sample, and its complement around it, so that only the right edge sees the right bit.
    """
    manager = MdioManager()
    bit_cycles = 8 << divider
    rows, received = [], []

    async def body(ctx):
        for cycle in range(START + 64 * bit_cycles + 10):
            bit, within = divmod(cycle - START - 1, bit_cycles)
            answering = (answer >> (63 - bit)) & 1 if 48 <= bit < 64 else 1
            ctx.set(manager.i, answering if within == bit_cycles // 2 - 1 else 1 - answering)
            ctx.set(manager.start, cycle in (START, disturb))
            ctx.set(manager.word, frame(operation, data) if cycle == START else 0xFFFFFFFF)
            ctx.set(manager.divider, divider if cycle == START else 3 - divider)
            seen = (manager.busy, manager.done, manager.mdc, manager.o, manager.oe)
            rows.append(tuple(ctx.get(signal) for signal in seen))
            if ctx.get(manager.done):
                received.append((ctx.get(manager.data), ctx.get(manager.read)))
            await ctx.tick()

    simulator = Simulator(manager)
    simulator.add_clock(1e-8)
    simulator.add_testbench(body)
    simulator.run()
    return rows, received


def expected(operation, divider, data):
    """The rows of `run`, from the definition of the frame."""
    bit_cycles = 8 << divider
    bits = [1] * 32 + [(frame(operation, data) >> (31 - k)) & 1 for k in range(32)]
    rows = [(0, 0, 0, 1, 0)] * (START + 1)
    for k, bit in enumerate(bits):
        driven = operation == WRITE or k < 46
        for within in range(bit_cycles):
            last = k == 63 and within == bit_cycles - 1
            rows.append((1, int(last), int(within >= bit_cycles // 2), bit, int(driven)))
    return rows + [(0, 0, 0, 1, 0)] * 9


@pytest.mark.parametrize("divider", range(4))
@pytest.mark.parametrize("operation", [READ, WRITE])
def test_every_cycle_of_a_frame(operation, divider):
    rows, _ = run(operation, divider, data=0xA55A, answer=0x1234)
    assert rows == expected(operation, divider, 0xA55A)


@pytest.mark.parametrize("divider", range(4))
@pytest.mark.parametrize("answer", [0x8001, 0x7FFE, 0xC3A5])
def test_answer_is_sampled_at_the_rising_edge_of_mdc(divider, answer):
    _, received = run(READ, divider, answer=answer)
    assert received == [(answer, 1)]


def test_read_is_told_from_write():
    _, received = run(WRITE, 0, data=0x1234)
    assert [read for _, read in received] == [0]


@pytest.mark.parametrize("after", [1, 100, 512])
def test_start_while_busy_is_ignored(after):
    rows, _ = run(READ, 0, disturb=START + after)
    assert rows == expected(READ, 0, 0)


def test_start_in_the_first_idle_cycle_is_taken():
    rows, _ = run(READ, 0, disturb=START + 513)
    assert [row[0] for row in rows[START:START + 516]] == [0] + [1] * 512 + [0] + [1] * 2
