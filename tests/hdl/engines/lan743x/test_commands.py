"""The commands to channels and FIFOs against section 7 of the timing specification, as software sees them."""

import zlib

import pytest

from tests.hdl.engines.lan743x.bench import REGISTERS, EngineBench

FRAME = bytes(60) + zlib.crc32(bytes(60)).to_bytes(4, "little")
BUFFER = 0x4000
STATE = REGISTERS.pack("DMAC_CMD", START_R=1, STOP_R=1)


def states(bench: EngineBench) -> list[int]:
    """{START, STOP} of receive channel 0 in the reads of DMAC_CMD."""
    start, stop = REGISTERS.field("DMAC_CMD", "START_R"), REGISTERS.field("DMAC_CMD", "STOP_R")
    return [(start.extract(word) & 1) << 1 | stop.extract(word) & 1 for _, word in bench.reads]


@pytest.mark.parametrize(("commands", "state"), [
    (["STOP_R"], 0b00), (["both"], 0b00), (["START_R"], 0b10), (["START_R", "STOP_R"], 0b01),
    (["START_R", "both"], 0b01), (["START_R", "STOP_R", "STOP_R"], 0b01),
    (["START_R", "STOP_R", "both"], 0b01),
    (["START_R", "STOP_R", "START_R"], 0b10), (["START_R", "RX_SWR"], 0b00), (["START_R", "SWR"], 0b00),
])
def test_state_after_commands(commands, state):
    """Nothing is under way, so that a stop takes effect at once."""
    bench = EngineBench()
    for command in commands:
        bench.write("DMAC_CMD", **({"START_R": 1, "STOP_R": 1} if command == "both" else {command: 1}),
                    cycle=bench.next_access + 4)
    bench.read("DMAC_CMD", cycle=bench.next_access + 4)
    bench.run(bench.next_access)
    assert states(bench) == [state]


def test_stop_with_nothing_under_way_takes_one_cycle():
    bench = EngineBench()
    bench.write("DMAC_CMD", START_R=1)
    c = bench.write("DMAC_CMD", STOP_R=1)
    bench.run(c + 10)
    assert bench.cycles("rx_stopped") == [c + 1]  # stop pending from c+1, and nothing holds it up


def test_start_in_the_cycle_of_the_stop_goes_on():
    """The page: the event, and running from x+1 on. x is two cycles behind a write, so a transmission holds
    it up."""
    def script() -> tuple[EngineBench, int]:
        bench = EngineBench()
        bench.post_tx(0, BUFFER, 60, FS=1, LS=1, FCS=1)
        bench.write("TX0_TAIL", INDEX=1, cycle=bench.bring_up())
        return bench, bench.write("DMAC_CMD", STOP_T=1, cycle=bench.next_access + 40)

    first, c = script()
    first.run(c + 150)
    [x] = first.cycles("tx_stopped")
    assert first.cycles("tx_done") == [x - 1]

    bench, _ = script()
    bench.write("DMAC_CMD", START_T=1, cycle=x)
    bench.read("DMAC_CMD")
    bench.run(x + 10)
    assert bench.cycles("tx_stopped") == [x]
    assert bench.reads[0][1] & REGISTERS.pack("DMAC_CMD", START_T=1, STOP_T=1) == REGISTERS.pack(
        "DMAC_CMD", START_T=1)


@pytest.mark.parametrize("command", ["RX_SWR", "SWR"])
def test_swr_waits_for_the_access_and_makes_the_channel_initial(command):
    bench = EngineBench(read_latency=60)
    bench.post(0, BUFFER, 128)
    bench.bring_up()
    tail = bench.write("RX0_TAIL", INDEX=1)
    bench.write("DMAC_CMD", **{command: 1}, cycle=tail + 10)
    # AR in tail + 2, the first of four beats 61 cycles later
    x = tail + 2 + 61 + 3 + 1
    bench.read("DMAC_CMD", cycle=x - 1)
    for register in ("DMAC_CMD", "RX0_TAIL", "RX0_HEAD"):
        bench.read(register, cycle=x + 1)
    bench.run(bench.next_access)
    assert bench.cycles("rx_desc") == [x - 1]
    resetting = {"SWR": 1, "RX_SWR": 1}  # bit 31 reads whether any channel's does; the transmitter is done
    transmitter = {} if command == "SWR" else {"START_T": 1}
    assert [value for _, value in bench.reads] == [
        REGISTERS.pack("DMAC_CMD", START_R=1, **resetting, **transmitter),
        REGISTERS.pack("DMAC_CMD", **transmitter), 0, 0]


def test_channels_that_are_not_built_read_zero():
    bench = EngineBench()
    bench.write("DMAC_CMD", START_R=0xF, RX_SWR=0xE)
    bench.read("DMAC_CMD")
    bench.write("FCT_RX_CTL", EN=0xF, RESET=0xE)
    bench.read("FCT_RX_CTL")
    bench.write("RX2_TAIL", INDEX=5)
    bench.read("RX2_TAIL")
    bench.run(bench.next_access)
    assert [value for _, value in bench.reads] == [
        REGISTERS.pack("DMAC_CMD", START_R=1), REGISTERS.pack("FCT_RX_CTL", EN=1), 5]


@pytest.mark.parametrize(("write", "reads"), [
    ({"EN": 1}, {"EN": 1}), ({"DIS": 1}, {}), ({"EN": 1, "DIS": 1}, {}), ({"RESET": 1}, {"EN": 1}),
])
def test_fifo_commands_act_at_once_and_disable_wins(write, reads):
    bench = EngineBench()
    for register in ("FCT_RX_CTL", "FCT_TX_CTL"):
        bench.write(register, EN=1)
        bench.write(register, **write)
        bench.read(register)
    bench.run(bench.next_access)
    assert [value for _, value in bench.reads] == [
        REGISTERS.pack("FCT_RX_CTL", **reads), REGISTERS.pack("FCT_TX_CTL", **reads)]


def test_a_failed_write_stops_the_channel():
    bench = EngineBench(errors=[(0, True, 0)])
    bench.post(0, BUFFER, 128)
    c = bench.write("RX0_TAIL", INDEX=1, cycle=bench.bring_up())
    bench.receive(c + 40, FRAME)
    bench.read("DMAC_CMD", cycle=c + 200)
    bench.run(c + 205)
    assert states(bench) == [0b01]
    assert bench.cycles("rx_stopped") == bench.cycles("rx_error") != []


def test_a_failed_prefetch_makes_the_channel_stop():
    bench = EngineBench(errors=[(0, False, 0)])
    bench.post(0, BUFFER, 128)
    c = bench.write("RX0_TAIL", INDEX=1, cycle=bench.bring_up())
    bench.read("DMAC_CMD", cycle=c + 20)
    bench.run(c + 25)
    d = c + 6
    assert bench.cycles("rx_error") == [d] and bench.cycles("rx_stopped") == [d + 1]
    assert states(bench) == [0b01]
