"""The PTP clock, alone and through its registers: 8 ns a cycle, in effect at the edge that ends the write."""

from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.lan743x.ptp import Clock
from tests.model.engines.lan743x.play import Bench, Kind, ethernet

SECOND = 10**9
CALM = settings(deadline=None, max_examples=60)


@CALM
@given(st.lists(st.tuples(st.integers(1, 10**9), st.sampled_from(["on", "off", "load"]),
                          st.integers(0, 2**32 - 1), st.integers(0, SECOND - 1)), max_size=8),
       st.integers(0, 10**9))
def test_it_counts_what_it_was_enabled_for(steps, rest):
    """Against a sum of nanoseconds."""
    clock, cycle, total, running = Clock(), 0, 0, False
    for later, what, seconds, nanoseconds in steps:
        cycle += later
        total += 8 * later * running
        if what == "load":
            clock.load(seconds, nanoseconds, cycle)
            total = seconds * SECOND + nanoseconds
        else:
            running = what == "on"
            clock.enable(running, cycle)
        assert clock.enabled == running
    total += 8 * rest * running
    assert clock.read(cycle + rest) == (total // SECOND % 2**32, total % SECOND)


def sampled(bench, at=None):
    """CLOCK_READ in a cycle: what the registers have then."""
    bench.write("PTP_CMD_CTL", at=at, CLOCK_READ=1)
    return bench.read("PTP_CLOCK_SEC"), bench.read("PTP_CLOCK_NS")


def test_disabled_and_0_after_reset():
    bench = Bench()
    assert sampled(bench, 1000) == (0, 0)
    assert bench.read("PTP_CMD_CTL") == 0


def test_enabled_in_c_it_reads_its_start_value_in_the_next_cycle():
    bench = Bench()
    c = bench.write("PTP_CMD_CTL", ENABLE=1)
    assert sampled(bench, c + 1) == (0, 0)
    assert sampled(bench, c + 101) == (0, 800)
    assert bench.get("PTP_CMD_CTL", "ENABLE") == 1
    stopped = bench.write("PTP_CMD_CTL", DISABLE=1)
    assert bench.read("PTP_CMD_CTL") == 0
    assert sampled(bench, stopped + 500) == (0, 8 * (stopped - c))
    again = bench.write("PTP_CMD_CTL", ENABLE=1)
    assert sampled(bench, again + 2) == (0, 8 * (stopped - c) + 8)


def test_a_load_counts_on_from_the_next_cycle_and_carries_at_1e9():
    bench = Bench()
    bench.write("PTP_CMD_CTL", ENABLE=1)
    bench.write("PTP_CLOCK_SEC", 41)
    bench.write("PTP_CLOCK_NS", SECOND - 20)
    c = bench.write("PTP_CMD_CTL", CLOCK_LOAD=1)
    seen = []
    for cycle in range(c + 1, c + 30, 7):
        seen.append(sampled(bench, cycle))
    totals = [41 * SECOND + SECOND - 20 + 8 * (cycle - c - 1) for cycle in range(c + 1, c + 30, 7)]
    assert seen == [divmod(total, SECOND) for total in totals]
    assert {seconds for seconds, _ in seen} == {41, 42}


def test_a_load_of_a_disabled_clock_stays():
    bench = Bench()
    bench.write("PTP_CLOCK_SEC", 0xFFFFFFFF)
    bench.write("PTP_CLOCK_NS", SECOND - 8)
    c = bench.write("PTP_CMD_CTL", CLOCK_LOAD=1)
    assert sampled(bench, c + 50) == (0xFFFFFFFF, SECOND - 8)
    c = bench.write("PTP_CMD_CTL", ENABLE=1)
    assert sampled(bench, c + 2) == (0, 0), "the seconds have 32 bits"


def test_reset_wins_over_load_and_disable_over_enable():
    bench = Bench()
    bench.write("PTP_CLOCK_SEC", 7)
    c = bench.write("PTP_CMD_CTL", ENABLE=1, CLOCK_LOAD=1)
    assert sampled(bench, c + 3) == (7, 16)
    bench.write("PTP_CLOCK_SEC", 9)
    c = bench.write("PTP_CMD_CTL", RESET=1, CLOCK_LOAD=1, ENABLE=1)
    assert bench.get("PTP_CMD_CTL", "ENABLE") == 0
    assert sampled(bench, c + 40) == (0, 0)
    bench.write("PTP_CMD_CTL", ENABLE=1, DISABLE=1)
    assert bench.get("PTP_CMD_CTL", "ENABLE") == 0


def test_the_time_stamp_of_a_frame_is_that_of_its_sfd():
    bench = Bench([ethernet(64)])
    bench.receive_ring(TS_ALL_RX=1, TS_DESCR_EN=1)
    bench.write("PTP_CLOCK_SEC", 5)
    bench.write("PTP_CLOCK_NS", SECOND - 100)
    c = bench.write("PTP_CMD_CTL", CLOCK_LOAD=1, ENABLE=1)
    bench.listen()
    bench.play()
    bench.run(400)
    (s, _, _), = bench.events(Kind.RX_SFD)
    stamp = divmod(5 * SECOND + SECOND - 100 + 8 * (s - c - 1), SECOND)
    extension = [bench.word(0x1010 + 4 * n) for n in range(4)]
    assert extension == [1 << 14 | 1600, *stamp, 0]


def test_the_mask_of_its_causes_is_kept():
    bench = Bench()
    bench.write("PTP_INT_EN_SET", 0x3003)
    bench.write("PTP_INT_EN_CLR", 0x1001)
    assert (bench.read("PTP_INT_EN_SET"), bench.read("PTP_INT_EN_CLR")) == (0x2002, 0)
