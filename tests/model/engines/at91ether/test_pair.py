"""TSR's status as the places behind the register pair fill up, in both meanings."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.registers import load
from model.engines.at91ether.events import Kind
from model.engines.at91ether.pair import DEPTHS, HandOver, Places
from tests.model.engines.at91ether.play import REGISTERS, played

TSR = load("at91ether")["TSR"]
CALM = settings(deadline=None, max_examples=100)


def places(depth, mstar, held, refused=0):
    filled = Places(depth, mstar)
    filled.held.extend(HandOver(n, 0, 60, False) for n in range(held))
    filled.refused = refused
    return filled


@CALM
@given(st.sampled_from(DEPTHS), st.data())
def test_rm9200_has_two_bits(depth, data):
    held = data.draw(st.integers(0, depth))
    assert TSR.unpack(places(depth, False, held).status()) == dict.fromkeys(TSR.unpack(0), 0) | {
        "IDLE": held == 0, "BNQ": held < depth}


@CALM
@given(st.sampled_from(DEPTHS), st.integers(0, 4), st.integers(0, 3))
def test_mstar_counts(depth, held, refused):
    """Section 3.1's table, field by field: the first refused hand-over still takes a FIFO place, the third
    finds the pair occupied."""
    held = min(held, depth)
    fields = TSR.unpack(places(depth, True, held, refused).status())
    queued = held - 1 if held else 0
    assert fields["FREE"] == (depth - held - (1 if refused > 0 else 0) - (1 if refused > 2 else 0)) % 16
    assert [fields[f"FIFOIDLE{n}"] for n in (1, 2, 3)] == [int(queued <= n - 1) for n in (1, 2, 3)]
    assert fields["FIFOIDLE4"] == (not refused) and fields["BNQ"] == (refused < 3)
    assert fields["IDLE"] == fields["ALLIDLE"] == (not held)
    assert fields["FBNQ"] == fields["TBNQ"] == 1


def test_the_reset_value_of_the_sheet():
    assert places(2, False, 0).status() == 0x18
    assert places(4, True, 0).status() == 0x41001F98


def test_what_a_hand_over_shows():
    assert HandOver(3, 0x1234_5678, 1514, False).data() == 1514 << 32 | 0x1234_5678
    assert HandOver(3, 0, 60, True).data() == 60 << 32 | 1 << 47


async def hand_over(machine, count, size=1000):
    machine.write("CTL", REGISTERS.pack("CTL", TE=1))
    for number in range(count):
        machine.write("TAR", 0x100 * number)
        machine.write("TCR", size)
    await machine.world.sleep(6 * count)


def test_the_pair_refuses_what_does_not_fit():
    """Depth as by strap; each refused one sets OVR and TOVR, and shows with the number it would have had."""
    for code, depth in ((1, 1), (0, 2), (2, 4)):
        async def job(machine, depth=depth):
            await hand_over(machine, depth + 2)
            return await machine.read("TSR"), await machine.read("ISR")

        (tsr, isr), machine = played(job, depth=code)
        assert [index for _, index, _ in machine.events(Kind.TX_QUEUE)] == list(range(depth))
        assert [index for _, index, _ in machine.events(Kind.TX_OVERRUN)] == [depth, depth]
        assert TSR.unpack(tsr)["OVR"] and REGISTERS.unpack("ISR", isr)["TOVR"]


def test_a_frame_of_no_bytes_is_neither_queued_nor_refused():
    async def job(machine):
        await hand_over(machine, 4, size=0)
        return await machine.read("ISR")

    isr, machine = played(job)
    assert machine.events(Kind.TX_QUEUE, Kind.TX_OVERRUN) == [] and isr == 0


def test_what_a_corrupting_overrun_does():
    """The youngest queued place gets the refused frame's address and length; alone, nothing happens to it."""
    for code, addresses in ((0, [0, 0x200]), (1, [0])):
        async def job(machine):
            await hand_over(machine, 3, size=60)
            await machine.world.sleep(1500)

        _, machine = played(job, depth=code, ovr_effect=1)
        fetched = {}
        for _, number, data in machine.events(Kind.TX_FETCH):
            fetched.setdefault(number, data & 0xFFFFFFFF)
        assert list(fetched.values()) == addresses


def test_a_lock_up_lasts_until_te_is_cleared():
    async def job(machine):
        await hand_over(machine, 3, size=60)
        await machine.world.sleep(3000)
        before = len(machine.events(Kind.TX_DONE))
        machine.write("CTL", 0)
        await hand_over(machine, 1, size=60)
        await machine.world.sleep(1500)
        return before

    before, machine = played(job, ovr_effect=2)
    assert before == 1, "the frame on the wire completes, the queued one is never taken up"
    assert [(index, data) for _, index, data in machine.events(Kind.TX_DROP)] == [(1, 1)]
    assert [index for _, index, _ in machine.events(Kind.TX_DONE)] == [0, 2]
