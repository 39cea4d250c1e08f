"""Quantities with units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.scenario import units


@pytest.mark.parametrize(("text", "cycles"), [("40 cycles", 40), ("1 cycle", 1), ("25 us", 1250),
                                              ("0.5 us", 25),
                                              ("20 ns", 1), ("21 ns", 2), ("1 ms", 50_000),
                                              ("2 s", 100_000_000),
                                              ("  3us ", 150)])
def test_time_in_cycles(text, cycles):
    assert units.time_cycles(text, 50_000_000) == cycles


@pytest.mark.parametrize(("text", "ns"), [("40 cycles", 800.0), ("25 us", 25_000.0), ("0 ns", 0.0),
                                          ("1.5 us", 1500.0)])
def test_time_in_ns(text, ns):
    assert units.time_ns(text, 50_000_000) == ns


@pytest.mark.parametrize(("text", "size"), [("64 B", 64), ("2 KiB", 2048), ("1 MiB", 1 << 20)])
def test_size(text, size):
    assert units.size_bytes(text) == size


@pytest.mark.parametrize(("convert", "text", "words"), [
    (units.size_bytes, 64, "needs a unit"),
    (units.size_bytes, True, "needs a unit"),
    (units.size_bytes, "64", "expected a number and a unit"),
    (units.size_bytes, "-64 B", "a size is not negative"),
    (units.size_bytes, -64, "a size is not negative"),
    (units.size_bytes, 9000, 'needs a unit in a string, such as "9000 B"$'),
    (units.size_bytes, "300 kB", "unit 'kB' does not fit here; did you mean 'KiB'"),
    (lambda text: units.time_cycles(text, 1), 25, 'such as "25 us" or "25 cycles"'),
    (lambda text: units.time_cycles(text, 1), "-25 us", "a time is not negative"),
    (lambda text: units.time_cycles(text, 1), "3 usec", "did you mean 'us'"),
    (units.size_bytes, "64 us", "unit 'us' does not fit here; one of B, KiB, MiB"),
    (units.size_bytes, "1.5 B", "whole numbers"),
    (lambda text: units.time_cycles(text, 1), "3 B", "one of cycle, cycles, ns, us, ms, s"),
    (lambda text: units.time_cycles(text, 1), "1.5 cycles", "whole numbers"),
])
def test_what_is_refused(convert, text, words):
    with pytest.raises(ValueError, match=words):
        convert(text)


@given(ns=st.integers(0, 10**9), clock_hz=st.sampled_from([50_000_000, 125_000_000, 156_250_000]))
def test_a_timer_never_fires_early_and_less_than_a_cycle_late(ns, clock_hz):
    cycles = units.time_cycles(f"{ns} ns", clock_hz)
    assert 0 <= cycles * 10**9 - ns * clock_hz < 10**9
