"""Resets, data port, MDIO and PTP clock against section 8 of the timing specification."""

import pytest

from tests.hdl.engines.lan743x.bench import REGISTERS, EngineBench, Event


@pytest.mark.parametrize(("register", "field"), [
    ("HW_CFG", "LRST"), ("PMT_CTL", "ETH_PHY_RST"), ("MAC_CR", "RST")])
def test_resets_read_1_for_a_microsecond(register, field):
    bench = EngineBench()
    bench.write(register, **{field: 1})
    c = bench.write(register, **{field: 1}, cycle=bench.next_access + 80)  # begins again
    bench.read(register, cycle=c + 125)
    bench.write(register, **{field: 1}, cycle=c + 250)
    bench.read(register, cycle=c + 250 + 126)
    bench.run(bench.next_access)
    mask = REGISTERS.field(register, field).mask
    assert [bool(value & mask) for _, value in bench.reads] == [True, False]


def test_data_port_reaches_the_hash_and_nothing_else():
    bench = EngineBench()
    bench.write("DP_SEL", SELECT=1)
    for address, data in ((128, 0x1234_5678), (143, 0x9ABC_DEF0), (127, 1), (144, 2), (128 + 256, 3)):
        bench.write("DP_ADDR", address)
        bench.write("DP_DATA_0", data)
        bench.write("DP_CMD", WRITE=1)
    bench.write("DP_SEL", SELECT=2)
    bench.write("DP_ADDR", 143)
    bench.write("DP_CMD", WRITE=1)  # another RAM: nothing happens
    bench.write("DP_SEL", SELECT=1)
    for address in (128, 143, 127, 144, 128 + 256):
        bench.write("DP_ADDR", address)
        bench.write("DP_DATA_0", 0xFFFF_FFFF)
        bench.write("DP_CMD", WRITE=0)
        bench.read("DP_DATA_0")
    bench.read("DP_SEL")
    bench.run(bench.next_access)
    assert [value for _, value in bench.reads] == [
        0x1234_5678, 0x9ABC_DEF0, 0, 0, 0, REGISTERS.pack("DP_SEL", SELECT=1, DPRDY=1)]


@pytest.mark.parametrize("write", [False, True])
def test_an_mdio_frame_takes_4096_cycles(write):
    """Nobody answers: the line is pulled up. A second write while the first is busy starts nothing."""
    bench = EngineBench()
    fields = {"PHY_ADDR": 1, "MIIRINDA": 2, "MII_WRITE": int(write)}
    bench.write("MAC_MII_DATA", 0x1234)
    c = bench.write("MAC_MII_ACC", MII_BUSY=1, **fields)
    bench.write("MAC_MII_ACC", MII_BUSY=1, **fields, cycle=c + 100)
    bench.read("MAC_MII_ACC", cycle=c + 4096)
    bench.read("MAC_MII_ACC")
    bench.read("MAC_MII_DATA")
    bench.run(bench.next_access)
    acc, data = REGISTERS.pack("MAC_MII_ACC", **fields), 0x1234 if write else 0xFFFF
    assert bench.named("mdio_done") == [Event(c + 4096, "mdio_done", 0, acc | data << 32)]
    assert [value for _, value in bench.reads] == [acc | 1, acc, data]
    # 64 bits of 64 cycles, MDC up in the second half of each; preamble, start, operation, addresses
    assert [cycle for cycle, _ in bench.mdio] == [c + 1 + 64 * k + 32 for k in range(64)]
    operation, turnaround = ("01", "10") if write else ("10", "11")
    frame = "1" * 32 + "01" + operation + f"{1:05b}{2:05b}" + turnaround + f"{data:016b}"
    assert "".join(str(level) for _, level in bench.mdio) == frame


def clock(bench: EngineBench, **command: int) -> int:
    return bench.write("PTP_CMD_CTL", **command)


def show(bench: EngineBench) -> int:
    """Read the clock. Returns the cycle of which the values are."""
    c = clock(bench, CLOCK_READ=1)
    bench.read("PTP_CLOCK_SEC")
    bench.read("PTP_CLOCK_NS")
    return c


def test_the_ptp_clock():
    bench = EngineBench()
    bench.write("PTP_CLOCK_SEC", 7)
    bench.write("PTP_CLOCK_NS", 999_999_940)
    loaded = clock(bench, CLOCK_LOAD=1)
    show(bench)
    enabled = clock(bench, ENABLE=1)
    bench.read("PTP_CMD_CTL")
    seen = [show(bench) for _ in range(2)]
    disabled = clock(bench, DISABLE=1, ENABLE=1)
    bench.read("PTP_CMD_CTL")
    show(bench)
    clock(bench, RESET=1, ENABLE=1, CLOCK_LOAD=1)
    show(bench)
    bench.run(bench.next_access)
    values = [value for _, value in bench.reads]
    assert loaded < enabled and values[:2] == [7, 999_999_940]
    assert values[2] == REGISTERS.pack("PTP_CMD_CTL", ENABLE=1)

    def at(cycle: int) -> list[int]:
        """Start value in enabled+1, 8 ns a cycle from there; DISABLE acts at the edge that ends its cycle."""
        ns = 999_999_940 + 8 * (min(cycle, disabled + 1) - enabled - 1)
        return [7 + ns // 10**9, ns % 10**9]

    assert values[3:7] == at(seen[0]) + at(seen[1]) and values[3] == 7 and values[5] == 8
    assert values[7] == 0 and values[8:10] == at(disabled + 1)
    assert values[10:] == [0, 0]


def test_counter_reset_reads_1_in_the_next_cycle_only():
    bench = EngineBench()
    bench.write("MAC_CR", CNTR_RST=1)
    bench.read("MAC_CR", cycle=bench.next_access + 1)
    bench.run(bench.next_access)
    assert not bench.reads[0][1] & REGISTERS.field("MAC_CR", "CNTR_RST").mask
