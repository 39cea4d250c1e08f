"""Scenarios by name and by path."""

import pickle

import pytest

from model.errors import BenchError
from model.scenario import find_scenario, macs, scenario_names, select
from tests.model.scenario.support import write

ASKED = {"tx_64", "tx_600", "tx_1518", "rx_64", "rx_600", "rx_1518", "both_64", "both_600", "both_1518",
         "mixed",
         "irq_latency", "mstar", "pair_outside_lock", "torn_writes", "bus_latency", "rx_ring_full",
         "index_wrap",
         "down_up", "pcap_tcp", "wire_tx_64", "wire_tx_1518", "wire_rx_64", "wire_rx_1518", "wire_both_64",
         "wire_both_1518"}


SIZES = ("64", "600", "1518", "9018")
ASKED_OF_LAN743X = {f"{way}_{size}" for way in ("tx", "rx", "both") for size in SIZES} | {
    f"{kind}_{way}_{size}" for kind in ("wire", "link") for way in ("tx", "rx", "both") for size in (64, 1518)
} | {"mixed", "mtu1500_9k", "mtu1500_mtu", "mtu9000_9k", "mtu9000_mtu", "pingpong", "multibuffer",
     "mtu_change", "down_up", "smallest_ring", "index_wrap", "channels4", "own_before_addr", "head_wb_early",
     "rearm_window", "extra_buffer", "write_whole_buffer", "timestamps", "rev_a0", "pause", "rx_overflow",
     "rx_damage", "rx_filter", "bus_error", "pcap_tcp"}


@pytest.mark.parametrize(("mac", "asked"), [("at91ether", ASKED), ("lan743x", ASKED_OF_LAN743X)])
def test_every_scenario_asked_for_is_there(mac, asked):
    assert mac in macs()
    assert set(scenario_names(mac)) >= asked
    assert "part" not in scenario_names(mac)


@pytest.mark.parametrize(("mac", "name"), [(mac, name) for mac in macs() for name in scenario_names(mac)])
def test_every_scenario_in_the_tree_loads(mac, name):
    file = find_scenario(mac, name)
    assert file.mac == mac and file.name == name and file.variants
    for scenario in file.variants.values():
        assert pickle.loads(pickle.dumps(scenario)) == scenario


def test_an_empty_selection_is_everything():
    everything = select()
    assert len(everything) == sum(len(find_scenario(mac, name).variants) for mac in macs()
                                  for name in scenario_names(mac))
    assert len({(s.mac, s.name, s.variant) for s in everything}) == len(everything)


def test_selecting():
    chosen = select(["at91ether"], ["tx_64", "rx_64"], ["depth2"])
    assert [(s.name, s.variant) for s in chosen] == [("rx_64", "depth2"), ("tx_64", "depth2")]


def test_a_path_from_anywhere(tmp_path, monkeypatch):
    path = write(tmp_path)
    assert [s.variant for s in select(scenarios=[str(path)])] == ["depth1", "depth2"]
    monkeypatch.chdir(tmp_path)
    assert len(select(scenarios=["mine.toml"])) == 2
    assert len(select(["at91ether"], ["mine.toml", "tx_64"], ["depth1"])) == 2


@pytest.mark.parametrize(("arguments", "words"), [
    ((["at91ehter"],), "no such MAC: 'at91ehter': did you mean 'at91ether'"),
    ((["at91ether"], ["tx_46"]), "no such scenario of at91ether: 'tx_46': did you mean 'tx_64'"),
    (([], ["part"]), "no such scenario of .*: 'part'"),
    (([], ["tx_64"], ["deptj2"]), "no such variant of tx_64: 'deptj2': did you mean 'depth2'"),
    (([], ["nowhere/x.toml"]), r"nowhere/x\.toml: cannot be read"),
])
def test_what_is_not_there(arguments, words):
    with pytest.raises(BenchError, match=words):
        select(*arguments)


def test_an_unknown_scenario_of_a_known_mac():
    with pytest.raises(BenchError, match="no such scenario of at91ether: 'mixd': did you mean 'mixed'"):
        find_scenario("at91ether", "mixd")
