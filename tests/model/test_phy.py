"""The PHY of the golden world: clause 22 registers, and the line while a station talks to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.phy import Phy, line_level

# IEEE 802.3 clause 22: registers, and bits of the basic mode status register
BMCR, BMSR, ANAR, ANLPAR = 0, 1, 4, 5
LINK, ABLE_TO_NEGOTIATE, NEGOTIATED = 1 << 2, 1 << 3, 1 << 5
FULL_100 = 1 << 8
HALF_100 = 1 << 7
RESET, NEGOTIATE, SPEED_100 = 1 << 15, 1 << 12, 1 << 13
# Clauses 22 and 40
GIGABIT_CONTROL, GIGABIT_STATUS, EXTENDED_STATUS = 9, 10, 15
HAS_EXTENDED_STATUS, SPEED_1000, PARTNER_FULL_1000, CAN_FULL_1000 = 1 << 8, 1 << 6, 1 << 11, 1 << 13


def test_link_and_what_the_partner_can():
    phy = Phy()
    status = phy.read(0, BMSR)
    assert status & LINK and status & NEGOTIATED and status & ABLE_TO_NEGOTIATE
    assert phy.read(0, ANLPAR) & FULL_100
    half = Phy(half_duplex=True).read(0, ANLPAR)
    assert half & HALF_100 and not half & FULL_100


def test_without_link_nothing_was_negotiated():
    phy = Phy(link=False)
    assert phy.read(0, BMSR) & (LINK | NEGOTIATED) == 0 and phy.read(0, ANLPAR) == 0


def test_what_is_written_stays_until_reset():
    phy = Phy()
    after_reset = phy.read(0, BMCR)
    assert after_reset & NEGOTIATE and after_reset & SPEED_100
    phy.write(0, BMCR, 0x0100)
    phy.write(0, ANAR, 0x01E1)
    phy.write(0, BMSR, 0xFFFF)
    assert phy.read(0, BMCR) == 0x0100 and phy.read(0, ANAR) == 0x01E1
    assert phy.read(0, BMSR) == Phy().read(0, BMSR), "status cannot be written"
    phy.write(0, BMCR, RESET | 0x0100)
    assert phy.read(0, BMCR) == after_reset and not after_reset & RESET, "the bit clears itself"


@pytest.mark.parametrize("address", range(1, 32))
def test_nobody_at_other_addresses(address):
    phy = Phy()
    before = phy.read(0, BMCR)
    phy.write(address, BMCR, 0)
    assert phy.read(address, BMSR) == 0xFFFF and phy.read(0, BMCR) == before


def test_registers_that_are_not_there_read_0():
    assert [Phy().read(0, register) for register in range(6, 32)] == [0] * 26


def test_a_gigabit_phy_at_its_own_address():
    phy = Phy(address=1, gigabit=True)
    assert phy.read(0, BMSR) == 0xFFFF and phy.read(1, BMSR) & HAS_EXTENDED_STATUS
    assert phy.read(1, BMCR) & SPEED_1000 and not phy.read(1, BMCR) & SPEED_100
    assert phy.read(1, EXTENDED_STATUS) & CAN_FULL_1000 and phy.read(1, GIGABIT_STATUS) & PARTNER_FULL_1000
    advertised = phy.read(1, GIGABIT_CONTROL)
    phy.write(1, GIGABIT_CONTROL, 0)
    assert advertised and phy.read(1, GIGABIT_CONTROL) == 0
    for other in (Phy(False, address=1, gigabit=True), Phy(half_duplex=True, address=1, gigabit=True)):
        assert other.read(1, GIGABIT_STATUS) == 0


def waveform(divider, frame, answer):
    """The line's level in each cycle of a management frame, from a station and a PHY that work bit by bit.

    MDC is low in the first half of a bit. The PHY acts on MDC's rising edges and shows it one cycle later:
    clause 22 has it drive 0 from the first bit of the turnaround's rising edge on, then a bit an edge.
    """
    reading = frame >> 28 & 3 == 2
    sent = [1] * 32 + [frame >> 31 - n & 1 for n in range(32)]
    phy_drives, due, edges, levels = None, {}, 0, []
    for cycle in range(64 * divider):
        bit, place = divmod(cycle, divider)
        if place == divider // 2:                        # MDC rises: edge number `edges` is that of bit `bit`
            if answer is not None and edges >= 46:
                after = edges - 46
                value = 0 if after == 0 else answer >> 16 - after & 1 if after <= 16 else None
                due[cycle + 1] = value
            edges += 1
        if cycle in due:
            phy_drives = due[cycle]
        if reading and bit >= 46:
            levels.append(1 if phy_drives is None else phy_drives)   # pulled up where nobody drives
        else:
            levels.append(sent[bit])
    return levels


def management_frame(write, register, data=0):
    return 1 << 30 | (1 if write else 2) << 28 | register << 18 | 2 << 16 | data


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([8, 16, 32, 64]), st.integers(0, 31), st.one_of(st.none(), st.integers(0, 0xFFFF)))
def test_the_line_while_a_register_is_read(divider, register, answer):
    frame = management_frame(False, register)
    levels = [line_level(cycle, divider, frame, answer) for cycle in range(64 * divider)]
    assert levels == waveform(divider, frame, answer)
    # The station samples at the end of the first half.
    sampled = [levels[bit * divider + divider // 2 - 1] for bit in range(64)]
    assert int("".join(map(str, sampled[48:])), 2) == (0xFFFF if answer is None else answer)
    assert sampled[47] == (1 if answer is None else 0), "the turnaround shows whether somebody is there"


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([8, 16, 32, 64]), st.integers(0, 31), st.integers(0, 0xFFFF))
def test_the_line_while_a_register_is_written(divider, register, data):
    frame = management_frame(True, register, data)
    assert [line_level(cycle, divider, frame, None) for cycle in range(64 * divider)] == [
        bit for bit in [1] * 32 + [int(text) for text in f"{frame:032b}"] for _ in range(divider)]
