"""The management port of the golden engine: how long a frame takes, what it brings, and who is refused."""

import itertools

import pytest

from model.engines.at91ether.events import Kind
from model.phy import Phy, line_level
from tests.model.engines.at91ether.play import HIGH, LOW, REGISTERS, played

DIVIDERS = (8, 16, 32, 64)
IDENTIFIER = 2


def frame(write=False, phy=0, register=IDENTIFIER, data=0):
    return REGISTERS.pack("MAN", SOF=1, RW=1 if write else 2, PHYA=phy, REGA=register, CODE=2, DATA=data)


def managed(*frames, clk=0, mpe=1, pause=64 * 64 + 10, after=None, **kwargs):
    """Write each of `frames` to MAN; returns (what `after` returned, or MAN) and the machine."""
    async def job(machine):
        machine.write("CFG", REGISTERS.pack("CFG", CLK=clk))
        machine.write("CTL", REGISTERS.pack("CTL", MPE=mpe))
        for word in frames:
            machine.write("MAN", word)
            await machine.world.sleep(pause)
        return await (after(machine) if after else machine.read("MAN"))

    return played(job, **kwargs)


@pytest.mark.parametrize("clk", range(4))
def test_64_bits_of_the_dividers_cycles(clk):
    man, machine = managed(frame(), clk=clk)
    (taken,) = machine.taken("MAN")
    assert machine.events(Kind.MDIO_DONE) == [(taken + 64 * DIVIDERS[clk], 0, man)]
    assert man == frame(data=Phy().read(0, IDENTIFIER))


def test_idle_and_the_cause_come_the_cycle_after():
    """SR.IDLE and ISR.DONE, read in the last cycle of the frame and in the next."""
    for offset, idle in ((0, 0), (1, 1)):
        async def look(machine, offset=offset):
            (taken,) = machine.taken("MAN")
            await machine.world.sleep(taken + 64 * 8 + offset - 1 - machine.world.now())
            status = await machine.read("SR")
            return REGISTERS.unpack("SR", status)["IDLE"]

        seen, machine = managed(frame(), pause=10, after=look)
        assert seen == idle
        assert not machine.events(Kind.IRQ_RISE), "masked"


def test_the_cause():
    async def causes(machine):
        return await machine.read("ISR"), await machine.read("ISR")

    assert managed(frame(), after=causes)[0] == (REGISTERS.pack("ISR", DONE=1), 0)


def test_a_write_reaches_the_phy_and_leaves_man_as_written():
    phy = Phy()
    word = frame(write=True, register=4, data=0x01E1)
    man, _ = managed(word, phy=phy)
    assert man == word and phy.read(0, 4) == 0x01E1


def test_nobody_answers_elsewhere():
    phy = Phy()
    man, _ = managed(frame(write=True, phy=9, register=4, data=0), frame(phy=9), phy=phy)
    assert man & 0xFFFF == 0xFFFF and phy.read(0, 4) == Phy().read(0, 4)


def test_a_write_while_busy_and_one_without_mpe_are_ignored():
    man, machine = managed(frame(register=1), frame(register=3), pause=40,
                           after=lambda machine: wait_and_read(machine))
    assert len(machine.events(Kind.MDIO_DONE)) == 1 and man == frame(register=1, data=Phy().read(0, 1))
    man, machine = managed(frame(), mpe=0)
    assert man == 0 and machine.events(Kind.MDIO_DONE) == []


async def wait_and_read(machine):
    await machine.world.sleep(600)
    return await machine.read("MAN")


def test_halves_commit_with_the_low_one_or_as_strapped():
    for strap, first in ((0, HIGH), (1, LOW)):
        async def job(machine, first=first):
            machine.write("CFG", 0)
            machine.write("CTL", REGISTERS.pack("CTL", MPE=1))
            machine.write("MAN", frame(), first)
            await machine.world.sleep(600)
            early = len(machine.events(Kind.MDIO_DONE))
            machine.write("MAN", frame(), first ^ 0xF)
            await machine.world.sleep(600)
            return early

        early, machine = played(job, split_commit=strap)
        assert early == 0 and len(machine.events(Kind.MDIO_DONE)) == 1


@pytest.mark.parametrize("pause", [8, 9, 10])
def test_the_pin_shows_the_line(pause):
    """SR.MDIO read every third cycle while a frame goes over the line, against its level in those cycles."""
    async def watch(machine):
        for _ in range(180):
            await machine.read("SR")

    _, machine = managed(frame(), pause=pause, after=watch)
    (taken,) = machine.taken("MAN")
    answer = Phy().read(0, IDENTIFIER)
    levels, reads = set(), [cycle for cycle, _, _ in machine.events(Kind.CSR_READ)]
    assert {after - before for before, after in itertools.pairwise(reads)} == {3}
    for cycle, _, status in machine.events(Kind.CSR_READ):
        level = REGISTERS.unpack("SR", status)["MDIO"]
        inside = taken < cycle <= taken + 64 * 8
        assert level == (line_level(cycle - taken - 1, 8, frame(), answer) if inside else 1), cycle
        levels.add(level)
    assert levels == {0, 1}
