"""The scenario files of lan743x: what belongs together stands together, and every hazard has its cure."""

import pytest

from model import traffic
from model.drivers.lan743x.settings import make_settings
from model.scenario import find_scenario, scenario_names
from model.scenario.schema import Scenario

VARIANTS = [scenario for name in scenario_names("lan743x")
            for scenario in find_scenario("lan743x", name).variants.values()]


@pytest.mark.parametrize("scenario", VARIANTS, ids=lambda s: f"{s.name}.{s.variant}")
def test_driver_engine_and_traffic_fit_together(scenario: Scenario):
    make_settings(scenario.driver, scenario.flags)
    assert (scenario.flags["rev"] == "a0") == scenario.straps["rev_a0"]
    assert scenario.flags["rx_channels"] <= scenario.parameters["rx_channels"]
    sent, played = traffic.tx_program(scenario), traffic.rx_program(scenario)
    assert sent is not None or len(played.wanted())
    assert len(scenario.why.strip().splitlines()) >= 2


@pytest.mark.parametrize(("name", "hazard", "cures"), [
    ("own_before_addr", "own_first_past_tail", {"own_first", "past_tail"}),
    ("head_wb_early", "early_trusting", {"early_checking", "trusting"}),
    ("rearm_window", "edge", {"latched", "latched_link"}),
    ("rearm_window", "clear_last", {"latched", "latched_link"}),
])
def test_a_hazard_shows_and_is_gone_with_the_right_driver_or_the_right_part(name, hazard, cures):
    variants = find_scenario("lan743x", name).variants
    assert variants[hazard].expect.must
    for cure in cures:
        assert not variants[cure].expect.must
        changed = {key for kind in ("flags", "straps") for key, value in getattr(variants[cure], kind).items()
                   if getattr(variants[hazard], kind)[key] != value}
        assert changed, "the cure differs from the hazard"
        assert changed <= {"own_first", "past_tail", "check_own", "head_wb_early", "edge_irq", "rev", "rearm",
                           "rev_a0"}


def test_every_size_around_both_splits_is_played():
    variants = find_scenario("lan743x", "multibuffer").variants
    # buffers of 500 + 20 bytes, two of the first taken by its lead-in (sheet section 7)
    for variant, last_that_fits in (("first_split", 518), ("second_split", 518 + 520)):
        sizes = set(traffic.rx_program(variants[variant]).frames.length)
        assert sizes >= set(range(last_that_fits - 5, last_that_fits + 6))


def test_both_ways_behind_the_link_and_without():
    for name in ("mixed", "tx_64", "rx_1518", "both_600", "down_up", "channels4", "pcap_tcp"):
        links = {scenario.link is None for scenario in find_scenario("lan743x", name).variants.values()}
        assert links == {True, False}
