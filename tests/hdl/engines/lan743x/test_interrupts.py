"""Messages, heads and the interrupt registers against section 6 of the timing specification."""

import zlib

import pytest

from tests.hdl.engines.lan743x.bench import (
    HEADS,
    MESSAGES,
    REGISTERS,
    RX_VECTOR,
    TX_VECTOR,
    EngineBench,
    Event,
)

SW_GP, TX, RX = (REGISTERS.field("INT_STS", name).mask for name in ("SW_GP", "TX", "RX"))
RX0 = RX & -RX
MESSAGE_CYCLES = 4
"""From the grant of a write of one word to the next SCAN."""
FRAME = bytes(60) + zlib.crc32(bytes(60)).to_bytes(4, "little")
BUFFER = 0x4000


def software(bench: EngineBench, *, vectors: int = 0xFF, auto: int = 0, interval: int = 0) -> None:
    """Only SW_GP, on vector 3 and timer 5."""
    for name, value in (("INT_VEC_MAP2", 3), ("INT_MOD_MAP2", 5), ("INT_MOD_CFG5", interval),
                        ("INT_VEC_EN_AUTO_CLR", auto), ("INT_VEC_EN_SET", vectors)):
        bench.write(name, value)
    bench.write("INT_EN_SET", MAS=1, SW_GP=1)


def frames_in(bench: EngineBench, count: int, *, apart: int = 200, **fields: int) -> list[int]:
    """Bring up, `count` frames of 64 bytes to as many entries. Returns the cycle of each one's SFD."""
    for n in range(count):
        bench.post(n, BUFFER + 0x100 * n, 128)
    c = bench.write("RX0_TAIL", INDEX=count, cycle=bench.bring_up(rx_fields=fields))
    sfds = [c + 40 + apart * n for n in range(count)]
    for s in sfds:
        bench.receive(s, FRAME)
    return sfds


def test_software_message_and_a_vector_that_masks_itself():
    bench = EngineBench()
    software(bench, auto=1 << 3)
    c = bench.write("INT_SET", SW_GP)
    bench.read("INT_VEC_EN_SET", cycle=c + 2)
    bench.read("INT_VEC_EN_SET", cycle=c + 4)
    again = bench.write("INT_VEC_EN_SET", 1 << 3, cycle=c + 40)
    bench.read("INT_STS")
    bench.write("INT_STS", SW_GP)
    bench.read("INT_STS")
    bench.run(again + 40)
    # the latch is seen in c+1 = SCAN; granted in c+2, AW in c+3
    assert bench.named("int_message") == [Event(c + 3, "int_message", 3, SW_GP),
                                          Event(again + 3, "int_message", 3, SW_GP)]
    assert [(burst.addr, burst.requester, burst.beats) for burst in bench.memory.bursts] == [
        (MESSAGES + 12, 6, 1)] * 2
    assert bench.word(12) == 3
    # the mask is as it was in w = c+2, and gone in c+4
    assert [value for _, value in bench.reads] == [0xFF, 0xFF & ~(1 << 3), SW_GP | 1, 0]


@pytest.mark.parametrize(("interval", "period"), [(0, MESSAGE_CYCLES + 1), (1, 125 + 2), (3, 3 * 125 + 2)])
def test_moderation(interval, period):
    """Granted in w, the timer is expired from w+1+125·interval on; that cycle is SCAN, the next one
    grants."""
    bench = EngineBench()
    software(bench, interval=interval)
    c = bench.write("INT_SET", SW_GP)
    bench.run(c + 4 + 3 * period)
    assert bench.cycles("int_message") == [c + 3 + n * period for n in range(4)]


def test_nothing_is_sent_while_masked_but_the_cause_stays():
    bench = EngineBench()
    software(bench, vectors=0)
    bench.write("INT_EN_CLR", MAS=1, SW_GP=1)
    bench.write("INT_SET", SW_GP)
    bench.write("INT_EN_SET", SW_GP=1)
    bench.read("INT_STS")
    bench.write("INT_VEC_EN_SET", 1 << 3)
    last = bench.write("INT_EN_SET", MAS=1)
    bench.read("INT_STS_R2C")
    bench.read("INT_STS")  # SW_GP is still there
    bench.write("INT_STS", SW_GP)
    bench.read("INT_STS_R2C")
    bench.run(last + 30)
    assert bench.cycles("int_message") == [last + 3]
    assert [value for _, value in bench.reads] == [SW_GP | 1, SW_GP | 1, SW_GP | 1, 0]


@pytest.mark.parametrize("late", [False, True])
def test_head_by_threshold(late):
    bench = EngineBench(straps={"head_wb_late": late})
    sfds = frames_in(bench, 3, WB_THRES=2)
    bench.write("INT_EN_CLR", MAS=1)
    bench.run(sfds[-1] + 150)
    done = bench.cycles("rx_done")
    assert len(done) == 3
    # HEAD and `pending` have moved in d+1 = SCAN
    assert bench.named("rx_head") == ([] if late else [Event(done[1] + 3, "rx_head", 0, 2)])
    assert bench.word(HEADS + 4) == (0 if late else 2)


def test_head_by_timer_flag():
    """Nobody wants the head: the cause is masked. Its timer is expired when it comes: flag from d+2 on."""
    bench = EngineBench(straps={"head_wb_late": 1})
    sfds = frames_in(bench, 2, WB_ON_INT_TMR=1)
    bench.write("DMAC_INT_EN_CLR", RXFRM=1)
    bench.run(sfds[-1] + 150)
    done = bench.cycles("rx_done")
    # the second one finds the cause still there: no cycle without it in between
    assert bench.named("rx_head") == [Event(done[0] + 4, "rx_head", 0, 1)] and len(done) == 2
    assert bench.named("int_message") == []


def test_automatic_modes_and_rearming_by_the_tail():
    bench = EngineBench()
    sfds = frames_in(bench, 1, TOP_INT_EN_AUTO_CLR=1, DMA_INT_STS_AUTO_CLR=1)
    bench.read("INT_EN_SET", cycle=sfds[0] + 150)
    bench.read("DMAC_INT_STS")
    bench.read("INT_VEC_EN_SET")
    c = bench.write("RX0_TAIL", INDEX=2, SET_TOP_INT_EN=1, SET_TOP_INT_VEC_EN=1)
    bench.read("INT_EN_SET")
    bench.read("INT_VEC_EN_SET")
    bench.read("RX0_TAIL")
    bench.run(c + 30)
    [message] = bench.named("int_message")
    assert (message.index, message.data) == (RX_VECTOR, RX0)
    everything = REGISTERS.pack("INT_EN_SET", MAS=1, SW_GP=1, TX=1, RX=1)
    assert [value for _, value in bench.reads] == [
        everything & ~RX0, 0, 0xFF & ~(1 << RX_VECTOR), everything, 0xFF, 2]


def test_a_rearm_in_the_cycle_of_the_message_wins():
    """The race of the driver's last look: the tail is written in the very w that masks source and vector."""
    first = EngineBench()
    sfds = frames_in(first, 1, TOP_INT_EN_AUTO_CLR=1, DMA_INT_STS_AUTO_CLR=1)
    first.run(sfds[0] + 150)
    granted = first.cycles("int_message")[0] - 1

    bench = EngineBench()
    frames_in(bench, 1, TOP_INT_EN_AUTO_CLR=1, DMA_INT_STS_AUTO_CLR=1)
    bench.write("RX0_TAIL", INDEX=2, SET_TOP_INT_EN=1, SET_TOP_INT_VEC_EN=1, cycle=granted)
    bench.read("INT_EN_SET")
    bench.read("INT_VEC_EN_SET")
    bench.run(granted + 30)
    assert bench.cycles("int_message") == [granted + 1]
    assert [value for _, value in bench.reads] == [
        REGISTERS.pack("INT_EN_SET", MAS=1, SW_GP=1, TX=1, RX=1), 0xFF]


@pytest.mark.parametrize("owed", [False, True])
def test_reading_int_sts_r2c_clears_what_the_configuration_says(owed):
    """But not a cause whose head is still to be written: with one vector for all sources it would be lost."""
    bench = EngineBench()
    sfds = frames_in(bench, 1, INT_STS_R2C_MODE=1, INT_EN_R2C=1)
    bench.write("INT_VEC_EN_CLR", 0xFF)
    if not owed:
        bench.write("RX0_CFG_A", PF_THRES=16)
    bench.write("INT_SET", SW_GP)
    for register in ("INT_STS_R2C", "INT_STS_R2C", "DMAC_INT_STS", "INT_EN_SET"):
        bench.read(register, cycle=sfds[0] + 150)
    bench.run(sfds[0] + 160)
    cause = REGISTERS.pack("DMAC_INT_STS", RXFRM=1) if owed else 0
    assert [value for _, value in bench.reads] == [
        RX0 | SW_GP | 1, (RX0 if owed else 0) | SW_GP | 1, cause,
        REGISTERS.pack("INT_EN_SET", MAS=1, SW_GP=1, TX=1)]


@pytest.mark.parametrize("edge", [False, True])
def test_edge_irq_loses_what_comes_while_masked(edge):
    bench = EngineBench(straps={"edge_irq": edge})
    sfds = frames_in(bench, 1)
    bench.write("INT_VEC_EN_CLR", 1 << RX_VECTOR)
    bench.write("INT_VEC_EN_CLR", 1)
    bench.write("INT_SET", SW_GP)
    bench.read("INT_STS", cycle=sfds[0] + 150)
    c = bench.write("INT_VEC_EN_SET", 1 | 1 << RX_VECTOR)
    bench.run(c + 30)
    assert len(bench.named("rx_done")) == 1
    assert [value for _, value in bench.reads] == [0 if edge else RX0 | SW_GP | 1]
    assert [event.index for event in bench.named("int_message")] == ([] if edge else [0, RX_VECTOR])


def test_edge_irq_keeps_a_cause_that_was_latched_before_the_mask():
    bench = EngineBench(straps={"edge_irq": 1})
    software(bench, auto=1 << 3)
    bench.write("INT_SET", SW_GP)
    bench.write("INT_SET", SW_GP, cycle=bench.next_access + 20)  # the vector has masked itself
    bench.read("INT_STS")
    bench.run(bench.next_access + 10)
    assert [value for _, value in bench.reads] == [SW_GP | 1] and len(bench.named("int_message")) == 1


def test_rev_a0_moves_intx():
    bench = EngineBench(straps={"rev_a0": 1})
    sfds = frames_in(bench, 1, TOP_INT_EN_AUTO_CLR=1, DMA_INT_STS_AUTO_CLR=1)
    bench.read("ID_REV", cycle=sfds[0] + 150)
    bench.read("INT_EN_SET")
    c = bench.write("DMAC_INT_STS", RXFRM=1)
    bench.run(c + 30)
    [done] = bench.cycles("rx_done")
    # SCAN in d+1; the head, because INTx is about to be asserted; SCAN again, then the level
    assert bench.named("rx_head") == [Event(done + 3, "rx_head", 0, 1)]
    assert bench.named("intx") == [Event(done + 8, "intx", 1, RX0), Event(c + 3, "intx", 0, 0)]
    assert bench.named("int_message") == []
    assert [burst.addr for burst in bench.memory.bursts[-2:]] == [MESSAGES + 0x40] * 2
    assert bench.word(0x40) == 0
    assert [value for _, value in bench.reads] == [
        0x7430_0000, REGISTERS.pack("INT_EN_SET", MAS=1, SW_GP=1, TX=1, RX=1)]


def test_heads_go_before_messages_and_transmit_before_receive():
    """Both causes while the vectors are masked; then both are let through at once."""
    bench = EngineBench()
    bench.memory.data[BUFFER + 0x800:BUFFER + 0x860] = bytes(range(96))
    sfds = frames_in(bench, 1)
    bench.write("INT_VEC_EN_CLR", 0xFF)
    bench.post_tx(0, BUFFER + 0x800, 60, FS=1, LS=1, IOC=1, FCS=1)
    bench.write("TX0_TAIL", INDEX=1)
    c = bench.write("INT_VEC_EN_SET", 0xFF, cycle=sfds[0] + 250)
    bench.run(c + 60)
    assert len(bench.named("tx_done")) == len(bench.named("rx_done")) == 1
    each = MESSAGE_CYCLES + 1
    assert [event for event in bench.events if event.cycle > c] == [
        Event(c + 3, "tx_head", 0, 1), Event(c + 3 + each, "rx_head", 0, 1),
        Event(c + 3 + 2 * each, "int_message", TX_VECTOR, TX),
        Event(c + 3 + 3 * each, "int_message", RX_VECTOR, RX0)]


def test_a_message_that_waits_for_the_port_lets_a_wanted_head_go_first():
    """SW_GP's message waits for the end of a long write; a frame is sent meanwhile. The head of its ring goes
    before either message."""
    def script(tail: int | None, set_gp: int | None) -> EngineBench:
        bench = EngineBench(write_latency=100)
        bench.post_tx(0, BUFFER + 0x800, 60, FS=1, LS=1, IOC=1, FCS=1)
        frames_in(bench, 1)
        if tail is not None:
            bench.write("TX0_TAIL", INDEX=1, cycle=tail)
        if set_gp is not None:
            bench.write("INT_SET", SW_GP, cycle=set_gp)
        return bench.run(bench.next_access + 900)

    [write] = script(None, None).cycles("rx_write")
    tail = write - 60
    [sent] = script(tail, None).cycles("tx_done")
    done = write + 16 + 100 + 1  # the sixteen words, then the response
    assert write + 20 < sent < done - 10  # so the frame ends while the burst does not, and the message waits
    bench = script(tail, write + 10)
    assert bench.cycles("tx_done") == [sent]
    told = [event for event in bench.events
            if event.cycle > done and event.name in ("tx_head", "int_message")]
    assert told[0] == Event(done + 2, "tx_head", 0, 1)
    assert [event.index for event in told[1:3]] == [0, TX_VECTOR]


@pytest.mark.parametrize(("by_ioc", "ioc"), [(0, 0), (1, 0), (1, 1)])
def test_transmit_head_by_timer_flag(by_ioc, ioc):
    """The flag looks at `pending`, or with TMR_HPWB_SEL_IOC at the cause; either is seen in F+1."""
    bench = EngineBench(straps={"head_wb_late": 1})
    bench.post_tx(0, BUFFER, 60, FS=1, LS=1, IOC=ioc, FCS=1)
    c = bench.write("TX0_TAIL", INDEX=1, cycle=bench.bring_up(
        interrupts=False, tx_fields={"HP_WB_ON_INT_TMR": 1, "TMR_HPWB_SEL_IOC": by_ioc}))
    bench.run(c + 160)
    [end] = bench.cycles("tx_done")
    assert bench.named("tx_head") == ([Event(end + 4, "tx_head", 0, 1)] if ioc or not by_ioc else [])
