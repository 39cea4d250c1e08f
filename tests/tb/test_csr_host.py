"""Register accesses reach the engine, and reads the driver, in the cycles of model.host.world.CsrPort."""

import pytest

from model.host.world import CsrPort
from tb.simulate import JobError

NEVER_READY = 8
STRAPS = 0x5A5A_1234


@pytest.mark.parametrize(("latency", "back"), [(0, 0), (5, 0), (0, 3), (4, 9)])
def test_accesses_are_taken_and_returned_in_the_cycles_of_the_formula(run, dummy_engine, latency, back):
    outcome = run("registers", straps=STRAPS << 8, csr_write_latency_cycles=latency,
                  csr_read_latency_cycles=back)
    assert outcome.errors == {}
    port = CsrPort(latency, back)
    expected = [(kind, port.take(cycle)) for kind, cycle in outcome.result["issued"]]
    events, kinds = outcome.events, dummy_engine.KINDS
    for letter, name in (("w", "csr_write"), ("r", "csr_read")):
        found = events["cycle"][events["kind"] == kinds[name]].tolist()
        assert found == [taken for kind, taken in expected if kind == letter]
    reads = [taken for kind, taken in expected if kind == "r"]
    assert [end for _, _, end in outcome.result["returned"]] == [port.returned(taken) for taken in reads]


def test_strobes_choose_bytes_and_straps_arrive(run):
    values = [value for _, value, _ in run("registers", straps=STRAPS << 8).result["returned"]]
    assert values == [0x0033_2211, STRAPS, STRAPS, STRAPS, 3, STRAPS, 7]


def test_an_engine_that_does_not_take_an_access_is_an_error(run):
    outcome = run("unanswered", straps=NEVER_READY)
    assert outcome.errors == {"csr_errors": 2, "csr_errors_first": 17}


def test_what_a_coroutine_raises_comes_out_with_the_log(run):
    with pytest.raises(JobError, match=r"cycle 19: (?s:.*)LookupError: on purpose") as caught:
        run("fails")
    assert caught.value.outcome.failure_type == "LookupError" and caught.value.outcome.end_cycle == 19


def test_waiting_for_nobody_is_a_deadlock_and_the_cycle_limit_holds(run):
    with pytest.raises(JobError, match="all 1 coroutines wait for each other"):
        run("deadlock")
    with pytest.raises(JobError, match="has not ended by cycle 500"):
        run("idle", {"cycles": 10_000}, max_cycles=500)


def test_order_of_coroutines_at_one_falling_edge(run):
    """Sleeps in the order set, then what they and time limits queued; a line is seen on the edge of its
    cycle."""
    order = run("signals").result
    assert order[0] == ["main", 34, True]              # written at 32, taken in 33, high in 34
    assert order[1] == ["line", 34, False, True]
    assert order[2:4] == [["sleep a", 36], ["sleep b", 36]]
    assert order[4:6] == [["limit", 36, True, False], ["flag", 36, True, False]]
    assert order[6:] == [["end", 49]]
