"""Drivers are found by name, variants and flags are checked."""

import pytest

from model import drivers
from model.drivers.at91ether import FLAGS, VARIANTS, make_settings
from model.errors import BenchError
from model.scenario.part import load_part


def test_drivers_are_found_by_their_folder():
    assert "at91ether" in drivers.names()
    assert drivers.load("at91ether").VARIANTS is VARIANTS
    with pytest.raises(BenchError, match=r"no driver for MAC 'at91eth'.*did you mean 'at91ether'"):
        drivers.load("at91eth")


def test_a_scenario_can_name_what_the_driver_has():
    part = load_part("at91ether")
    assert part.drivers.keys() == VARIANTS.keys()
    for name, option in part.flags.items():
        assert FLAGS[name](option.default)
        assert all(FLAGS[name](choice) for choice in option.choices or ())


@pytest.mark.parametrize("variant", VARIANTS)
def test_presets_hold_and_flags_go_over_them(variant):
    assert make_settings(variant, {}).tbre is (variant == "depth2")
    settings = make_settings(variant, {"tbre": True, "split16": "high_first"})
    assert settings.tbre and settings.split16 == "high_first" and settings.transmit == variant
    assert VARIANTS[variant].title


@pytest.mark.parametrize("variant, flags, said", [
    ("depth3", {}, "no driver variant 'depth3' for at91ether: did you mean"),
    ("depth2", {"tbr": True}, "no flag 'tbr': did you mean 'tbre'"),
    ("depth2", {"tbre": 1}, "flag tbre = 1"),
    ("depth2", {"split16": "both"}, "flag split16 = 'both'"),
    ("depth2", {"phy_address": 32}, "flag phy_address = 32"),
])
def test_what_does_not_exist_is_refused(variant, flags, said):
    with pytest.raises(BenchError, match=said):
        make_settings(variant, flags)
