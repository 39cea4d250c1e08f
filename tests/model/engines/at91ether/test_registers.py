"""What the golden engine's registers keep, clear and ignore, played as a driver would."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.at91ether.events import Kind
from tests.model.engines.at91ether.play import HIGH, LOW, REGISTERS, played

STORED = {"CTL": 0x19F, "CFG": 0x3FF7, "TAR": 0xFFFFFFFF, "TCR": 0x87FF, "HSL": 0xFFFFFFFF, "HSH": 0xFFFFFFFF,
          "SA1L": 0xFFFFFFFF, "SA1H": 0xFFFF, "SA4L": 0xFFFFFFFF, "SA4H": 0xFFFF}
"""Bits that come back: the sheet's tables of sections 2 and 3 (CTL without its pulses CSR and INCSTAT)."""
RESET = {"CTL": 0, "CFG": 0x0800, "SR": 7, "TAR": 0, "TCR": 0, "TSR": 0x18, "RBQP": 0, "RSR": 0, "ISR": 0,
         "IMR": 0xFFF, "MAN": 0, "HSL": 0, "HSH": 0}
CALM = settings(deadline=None, max_examples=40)
WORD = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", RESET)
def test_reset(name):
    value, _ = played(lambda machine: machine.read(name))
    assert value == RESET[name]


@CALM
@given(st.sampled_from(sorted(STORED)), st.lists(st.tuples(WORD, st.integers(0, 15)), min_size=1, max_size=4))
def test_what_is_stored_comes_back_byte_by_byte(name, writes):
    async def job(machine):
        for value, strobe in writes:
            machine.write(name, value, strobe)
        return await machine.read(name)

    expected = RESET.get(name, 0).to_bytes(4, "little")
    for value, strobe in writes:
        expected = bytes(value >> 8 * n & 0xFF if strobe >> n & 1 else expected[n] for n in range(4))
    assert played(job)[0] == int.from_bytes(expected, "little") & STORED[name]


@CALM
@given(st.lists(st.tuples(st.sampled_from(["IER", "IDR"]), st.integers(0, 2**12 - 1)), max_size=6))
def test_the_mask_is_inverted(writes):
    async def job(machine):
        for name, value in writes:
            machine.write(name, value)
        return await machine.read("IMR"), await machine.read("IER"), await machine.read("IDR")

    disabled = set(range(12))
    for name, value in writes:
        bits = {n for n in range(12) if value >> n & 1}
        disabled = disabled - bits if name == "IER" else disabled | bits
    assert played(job)[0] == (sum(1 << n for n in disabled), 0, 0)


async def send_one(machine, **ctl):
    """One frame of 60 bytes: TBRE at once, TCOM and TIDLE when it is sent."""
    machine.write("CTL", REGISTERS.pack("CTL", TE=1, **ctl))
    machine.write("TAR", 0x100)
    machine.write("TCR", 60)
    await machine.world.sleep(600)


def test_reading_isr_clears_it_and_writing_does_nothing():
    async def job(machine):
        await send_one(machine)
        machine.write("ISR", 0xFFF)
        return [await machine.read("ISR") for _ in range(2)]

    causes = REGISTERS.pack("ISR", TBRE=1, TCOM=1, TIDLE=1)
    assert played(job)[0] == [causes, 0]


def test_tsr_flags_are_cleared_by_writing_1_and_status_is_not():
    async def job(machine):
        await send_one(machine)
        seen = [await machine.read("TSR")]
        for value in (0, 0x18, 0xDF, 0xFF):   # COMP is bit 5: only the last has it
            machine.write("TSR", value)
            seen.append(await machine.read("TSR"))
        return seen

    assert played(job)[0] == [0x38, 0x38, 0x38, 0x38, 0x18]


@pytest.mark.parametrize("race", [0, 1])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_a_cause_in_the_cycle_of_the_read(race, offset):
    """ISR read one cycle before, in, and one cycle after F, where TCOM comes: kept unless the latch is naive
    and the cycle the same."""
    async def end_of_frame(machine):
        await send_one(machine)

    _, machine = played(end_of_frame, isr_race=race)
    (end, _, _), = machine.events(Kind.TX_DONE)

    async def job(machine):
        machine.write("CTL", REGISTERS.pack("CTL", TE=1))
        machine.write("TAR", 0x100)
        machine.write("TCR", 60)
        await machine.read("ISR")
        await machine.world.sleep(end + offset - 1 - machine.world.now())
        first = await machine.read("ISR")
        return first, await machine.read("ISR")

    (first, second), machine = played(job, isr_race=race)
    assert [cycle for cycle, offset_, _ in machine.events(Kind.CSR_READ)
            if offset_ == REGISTERS.offset("ISR")][1] == end + offset
    came = REGISTERS.pack("ISR", TCOM=1, TIDLE=1)
    assert first == (came if offset == 1 else 0)
    assert second == (0 if offset == 1 or (race and offset == 0) else came)


def test_the_line_follows_causes_and_mask_one_cycle_later():
    async def job(machine):
        machine.write("IER", REGISTERS.pack("IER", TCOM=1))
        await send_one(machine)
        machine.write("IDR", REGISTERS.pack("IDR", TCOM=1))
        machine.write("IER", REGISTERS.pack("IER", TCOM=1))
        await machine.read("ISR")
        await machine.world.sleep(5)

    _, machine = played(job)
    (done, _, _), = machine.events(Kind.TX_DONE)
    (disabled,), (_, enabled) = machine.taken("IDR"), machine.taken("IER")
    read = [cycle for cycle, offset, _ in machine.events(Kind.CSR_READ) if offset == 0x24][-1]
    assert [cycle for cycle, _, _ in machine.events(Kind.IRQ_RISE)] == [done + 1, enabled + 1]
    assert [cycle for cycle, _, _ in machine.events(Kind.IRQ_FALL)] == [disabled + 1, read + 1]


def test_statistics_clear_by_reading_and_by_ctl_and_count_by_incstat():
    async def job(machine):
        await send_one(machine)
        seen = [await machine.read("FRA"), await machine.read("FRA")]
        for _ in range(2):
            machine.write("CTL", REGISTERS.pack("CTL", TE=1, INCSTAT=1))
        seen += [await machine.read("FRA"), await machine.read("SQEE"), await machine.read("CTL")]
        machine.write("CTL", REGISTERS.pack("CTL", TE=1, CSR=1))
        return [*seen, await machine.read("OK"), await machine.read("DRFC")]

    assert played(job)[0] == [1, 0, 2, 2, REGISTERS.pack("CTL", TE=1), 0, 0]


def test_a_small_counter_stops_at_its_largest_value():
    async def job(machine):
        for _ in range(260):
            machine.write("CTL", REGISTERS.pack("CTL", INCSTAT=1))
        return await machine.read("SEQE"), await machine.read("ALE"), await machine.read("FRA")

    assert played(job)[0] == (255, 255, 260), "8, 8 and 24 bits"


@pytest.mark.parametrize("offset", [0x1C, 0x3C, 0x88, 0xB8, 0xFC, 0x100])
def test_offsets_that_are_not_mapped(offset):
    async def job(machine):
        machine.world.csr_write(offset, 0xFFFFFFFF)
        return await machine.world.csr_read(offset)

    value, machine = played(job)
    assert value == 0
    assert [event[1:] for event in machine.events(Kind.CSR_WRITE)] == [(offset, 0xFFFFFFFF | 0xF << 32)]


def queued(straps, *writes):
    """Addresses and lengths handed over by these writes of (register, value, strobe)."""
    async def job(machine):
        for name, value, strobe in writes:
            machine.write(name, value, strobe)
        await machine.world.sleep(2 * len(writes) + 4)

    _, machine = played(job, **straps)
    return [(data & 0xFFFFFFFF, data >> 32 & 0x7FF) for _, _, data in machine.events(Kind.TX_QUEUE)]


TAR_HALVES = [("TAR", 0x5678, LOW), ("TAR", 0x12340000, HIGH)]


@pytest.mark.parametrize("latch", [0, 1])
@pytest.mark.parametrize("high", [0, 1])
def test_halves_make_a_whole(high, latch):
    """Two halves in the order that commits last; TCR hands over once, with its committing half."""
    straps = {"split_commit": high, "split_latch": latch}
    ordered = (lambda halves: halves) if high else (lambda halves: halves[::-1])
    tcr = [("TCR", 60, LOW), ("TCR", 0, HIGH)]
    assert queued(straps, *ordered(TAR_HALVES), *ordered(tcr)) == [(0x12345678, 60)]


def test_the_other_half_first_hands_over_too_early():
    # the low half commits: LEN is there, the high half comes after
    assert queued({}, *TAR_HALVES, ("TCR", 60, LOW), ("TCR", 0, HIGH)) == [(0x12345678, 60)]
    # the high half commits, but comes first: LEN is still that of before
    assert queued({"split_commit": 1}, *TAR_HALVES, ("TCR", 0, HIGH), ("TCR", 60, LOW)) == []


def test_a_shared_latch_keeps_the_half_of_whoever_wrote_last():
    """An interrupt handler's half of IER between the halves of TAR: TAR gets the handler's high half."""
    straps = {"split_latch": 1}
    whole = queued(straps, ("TAR", 0x00020000, HIGH), ("TAR", 0x1222, LOW),
                   ("TCR", 0, HIGH), ("TCR", 60, LOW))
    assert whole == [(0x00021222, 60)]
    torn = queued(straps, ("TAR", 0x00020000, HIGH), ("IER", 0x00010000, HIGH), ("TAR", 0x1222, LOW),
                  ("TCR", 0, HIGH), ("TCR", 60, LOW))
    assert torn == [(0x00011222, 60)]
    landed = queued({}, ("TAR", 0x00020000, HIGH), ("IER", 0x00010000, HIGH), ("TAR", 0x1222, LOW),
                    ("TCR", 60, 0xF))
    assert landed == [(0x00021222, 60)], "without the shared latch each half lands in its own register"


def test_rbqp_reads_the_entry_and_takes_halves():
    async def job(machine):
        machine.write("RBQP", 0x00021008)
        seen = [await machine.read("RBQP")]
        machine.write("RBQP", 0x0003FFFF, HIGH)
        return [*seen, await machine.read("RBQP")]

    assert played(job)[0] == [0x00021008, 0x00031008]
