"""What the registers and the rest of the engine owe each other: races of read-to-clear, the line, halves,
MDIO, link, statistics. Sections 5 and 6 of the timing specification."""

import pytest

from tests.hdl.engines.at91ether.bench import LIST, REGISTERS, EngineBench, Event
from tests.hdl.engines.at91ether.test_transmit import plan

ISR, TSR, CTL, SR, MAN, CFG = (REGISTERS[name] for name in ("ISR", "TSR", "CTL", "SR", "MAN", "CFG"))
LOW, HIGH = 0b0011, 0b1100


@pytest.mark.parametrize("race", [0, 1])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_isr_read_about_the_cycle_of_a_cause(race, offset):
    """TCOM comes in F. A read in F returns what was there before and, unless the latch is naive, keeps
    TCOM."""
    bench = EngineBench(straps={"isr_race": race})
    bench.bring_up(mask=ISR.pack(TCOM=1))
    end = plan(bench.hand_over(30, 0x100, 60) + 1, 0x100, 60).end
    bench.read(end - 20, "ISR")
    bench.read(end + offset, "ISR")
    bench.read(end + 20, "ISR")
    bench.run(end + 30)
    came = ISR.pack(TCOM=1, TIDLE=1)
    first, later = {-1: (0, came), 0: (0, 0 if race else came), 1: (came, 0)}[offset]
    assert [value for _, value in bench.reads] == [ISR.pack(TBRE=1), first, later]
    seen = not (race and offset == 0)
    assert bench.named("irq_rise") == [Event(end + 1, "irq_rise", 0, came)] * seen
    assert bench.cycles("irq_fall") == [{-1: end + 21, 0: end + 21, 1: end + 2}[offset]] * seen


def test_a_flag_set_in_the_cycle_of_its_clearing_stays():
    bench = EngineBench()
    bench.bring_up()
    end = plan(bench.hand_over(30, 0x100, 60) + 1, 0x100, 60).end
    bench.write(end, "TSR", TSR.pack(COMP=1))
    bench.read(end + 2, "TSR")
    bench.write(end + 4, "TSR", TSR.pack(COMP=1))
    bench.read(end + 6, "TSR")
    bench.read(end + 8, "TSR")
    bench.run(end + 20)
    assert [value for _, value in bench.reads] == [TSR.pack(IDLE=1, BNQ=1, COMP=1), TSR.reset, TSR.reset]


def test_a_count_in_the_cycle_of_the_read_is_kept_for_the_next():
    bench = EngineBench()
    bench.bring_up()
    end = plan(bench.hand_over(30, 0x100, 60) + 1, 0x100, 60).end
    for cycle in (end, end + 2, end + 4):
        bench.read(cycle, "FRA")
    bench.run(end + 20)
    assert [value for _, value in bench.reads] == [0, 1, 0]


def test_incstat_and_csr_act_on_all_statistics():
    bench = EngineBench()
    bench.bring_up()
    counters = [register.name for register in REGISTERS if 0x40 <= register.offset <= 0x84]
    bench.write(30, "CTL", CTL.pack(INCSTAT=1))
    bench.write(32, "CTL", CTL.pack(INCSTAT=1))
    for number, name in enumerate(counters[:9]):
        bench.read(34 + 2 * number, name)
    bench.write(60, "CTL", CTL.pack(CSR=1))
    for number, name in enumerate(counters):
        bench.read(62 + 2 * number, name)
    bench.run(120)
    assert [value for _, value in bench.reads] == [2] * 9 + [0] * len(counters)


@pytest.mark.parametrize("high_commits", [0, 1])
def test_tcr_hands_over_with_its_committing_half(high_commits):
    bench = EngineBench(straps={"split_commit": high_commits})
    bench.bring_up()
    bench.write(30, "TAR", 0x0000_0100, LOW)
    bench.write(32, "TAR", 0x0001_0000, HIGH)
    bench.write(34, "TCR", 0x0000_003C, LOW)
    bench.write(36, "TCR", 0, HIGH)
    bench.run(50)
    assert bench.named("tx_queue") == [
        Event(36 if high_commits else 34, "tx_queue", 0, 0x0001_0100 | 60 << 32)
    ]
    assert [event.data >> 32 for event in bench.named("csr_write")][-4:] == [LOW, HIGH, LOW, HIGH]


@pytest.mark.parametrize("shared", [0, 1])
def test_a_write_between_two_halves_tears_the_address_if_the_latch_is_shared(shared):
    bench = EngineBench(straps={"split_latch": shared})
    bench.bring_up()
    bench.write(30, "TAR", 0x0001_0000, HIGH)
    bench.write(32, "IER", 0x0AB0_0000, HIGH)  # an interrupt handler between the halves
    bench.write(34, "IER", 0x0000_0001, LOW)
    bench.write(36, "TAR", 0x0000_0100, LOW)
    bench.write(38, "TCR", 0x0000_0000, HIGH)
    bench.write(40, "TCR", 0x0000_003C, LOW)
    bench.run(60)
    addr = 0x0AB0_0100 if shared else 0x0001_0100
    assert bench.named("tx_queue") == [Event(40, "tx_queue", 0, addr | 60 << 32)]


@pytest.mark.parametrize("divider", [0, 1, 2, 3])
def test_mdio_frame(divider):
    bench = EngineBench()
    bench.bring_up(CLK=divider, mask=ISR.pack(DONE=1))
    man = MAN.pack(SOF=1, RW=2, PHYA=3, REGA=1, CODE=2)
    end = 30 + 64 * (8 << divider)
    bench.write(30, "MAN", man)
    bench.write(40, "MAN", 0)  # busy: ignored
    for cycle, register in ((end - 1, "SR"), (end + 1, "SR"), (end + 3, "MAN")):
        bench.read(cycle, register)
    bench.run(end + 10)
    # the bench leaves the line low
    assert bench.named("mdio_done") == [Event(end, "mdio_done", 0, man)]
    assert bench.cycles("irq_rise") == [end + 1]
    assert [value for _, value in bench.reads] == [0, SR.pack(IDLE=1), man]


def test_mdio_needs_its_enable():
    bench = EngineBench()
    bench.bring_up()
    bench.write(30, "CTL", CTL.pack(MPE=0))
    bench.write(32, "MAN", MAN.pack(SOF=1, RW=1))
    bench.read(34, "SR")
    bench.read(36, "MAN")
    bench.run(40)
    assert [value for _, value in bench.reads] == [SR.pack(IDLE=1), 0]


@pytest.mark.parametrize("up_from_the_start", [0, 1])
def test_link_cause_comes_with_the_change_of_the_pin(up_from_the_start):
    bench = EngineBench()
    bench.bring_up(mask=ISR.pack(LINK=1))
    if up_from_the_start:
        bench.pin(2, "link", 1)
    bench.pin(50, "link", 1 - up_from_the_start)
    for cycle in (49, 51, 53):
        bench.read(cycle, "SR")
    bench.read(55, "ISR")
    bench.run(60)
    before, after = SR.pack(IDLE=1, LINK=up_from_the_start), SR.pack(IDLE=1, LINK=1 - up_from_the_start)
    assert [value for _, value in bench.reads] == [before, after, after, ISR.pack(LINK=1)]
    assert bench.named("irq_rise") == [Event(51, "irq_rise", 0, ISR.pack(LINK=1))]


def test_reset_values_and_offsets_without_a_register():
    bench = EngineBench()
    names = [register.name for register in REGISTERS if register.readable]
    for number, name in enumerate(names):
        bench.read(16 + 2 * number, name)
    bench._accesses.append((16 + 2 * len(names), 0xFC, None, 0))
    bench.run(120)
    values = dict(
        zip((offset for offset, _ in bench.reads), (value for _, value in bench.reads), strict=True)
    )
    expected = {REGISTERS[name].offset: REGISTERS[name].reset for name in names}
    assert values == expected | {0xFC: 0}


def test_rbqp_reads_the_current_entry():
    bench = EngineBench()
    bench.bring_up()
    bench.read(30, "RBQP")
    bench.run(40)
    assert bench.reads == [(REGISTERS.offset("RBQP"), LIST)]
