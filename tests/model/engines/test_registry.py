"""Golden engines are found by the name of their MAC."""

import pytest

from model import engines
from model.errors import BenchError
from model.scenario import macs


def test_every_mac_of_the_scenarios_has_a_golden_engine():
    assert set(macs()) <= set(engines.known())


@pytest.mark.parametrize("mac", engines.known())
def test_what_a_package_offers(mac):
    package = engines.load(mac)
    assert {"Engine", "Kind", "STATE_AFTER", "encode", "evidence"} <= set(dir(package))
    assert set(package.STATE_AFTER) <= set(package.Kind)


def test_an_unknown_mac():
    with pytest.raises(BenchError, match=r"no MAC named 'nosuch'; known are .*at91ether"):
        engines.load("nosuch")


def test_straps_are_encoded_by_name():
    encode = engines.load("at91ether").encode
    assert encode({"depth": 4, "mstar": True, "ovr_effect": "lockup", "fifo_words": 7}) == {
        "depth": 2, "mstar": 1, "ovr_effect": 2, "fifo_words": 0}
    for wrong in ({"depth": 3}, {"colour": 1}):
        with pytest.raises(ValueError, match=f"strap {next(iter(wrong))}"):
            encode(wrong)
