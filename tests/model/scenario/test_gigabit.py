"""What a scenario of a part on GMII may say beyond one on MII, and what it may not."""

import re

import pytest

from model.errors import BenchError
from model.scenario import Action, BusError, Pause, Span, load_part, load_scenario
from tests.model.scenario.support import GIGABIT, SMALL, changed, loaded, write

PLAIN = 'platform = "free"'


def test_defaults_are_the_parts(tmp_path):
    scenario = loaded(tmp_path, GIGABIT, "merged")
    part = load_part("lan743x")
    assert (scenario.tick_cycles, scenario.symbol_bits, scenario.clock_hz) == (1, 8, 125_000_000)
    assert (scenario.mtu_bytes, scenario.receive_max_bytes, scenario.duplex) == (1500, 1518, "full")
    assert scenario.bus.outstanding == part.outstanding == 8
    assert scenario.parameters == {"rx_channels": 1} and scenario.failing_allocations == ()
    assert (scenario.phy_address, scenario.phy_gigabit) == (1, True)
    assert scenario.rx_grace_cycles == 500_000 and scenario.rx_settle_cycles == 2500
    at91ether = loaded(tmp_path)
    assert (at91ether.tick_cycles, at91ether.symbol_bits, at91ether.bus.outstanding) == (2, 4, 1)
    assert (at91ether.phy_address, at91ether.phy_gigabit, at91ether.parameters) == (0, False, {})
    assert at91ether.rx_grace_cycles == 20_000 and at91ether.rx_settle_cycles is None


def test_everything_more_that_can_be_said(tmp_path):
    text = changed(PLAIN, PLAIN + """
mtu = "500 B"
parameters = { rx_channels = 4 }
failing_allocations = [130, 5]
bus.outstanding = 3
bus.errors = [{ requester = "tx_descriptors", direction = "read", ordinal = 2 }]
actions = [{ at = "1 us", do = "mtu", mtu = "9000 B" }]
""", GIGABIT)
    text = changed('size = "600 B"', 'sizes = { min = "600 B", max = "9018 B", sweep = true }\nflows = 7\n'
                                     'pauses = [{ frame = 2, quanta = 65535 }]', text)
    scenario = loaded(tmp_path, text, "merged")
    assert scenario.mtu_bytes == 500 and scenario.receive_max_bytes == 518
    assert scenario.parameters == {"rx_channels": 4} and scenario.failing_allocations == (130, 5)
    assert scenario.bus.outstanding == 3 and scenario.bus.errors == (BusError(5, False, 2),)
    assert scenario.actions == (Action(125, "mtu", mtu_bytes=9000),)
    assert scenario.rx.size_bytes == Span(600, 9018, True)
    assert scenario.rx.flows == 7 and scenario.rx.pauses == (Pause(2, 65535),)


def test_what_is_sent_fits_every_mtu_and_what_is_played_only_one(tmp_path):
    grows = changed(PLAIN, f'{PLAIN}\nactions = [{{ at = "1 us", do = "mtu", mtu = "9000 B" }}]', GIGABIT)
    played = changed('size = "600 B"', 'size = "9018 B"', grows)
    assert loaded(tmp_path, played, "merged").rx.size_bytes == Span(9018, 9018)
    with pytest.raises(BenchError, match=r"traffic\.tx\.size = '1519 B': out of range, 64 to 1518 B"):
        loaded(tmp_path, changed('size = "64 B"', 'size = "1519 B"', grows), "merged")


@pytest.mark.parametrize(("old", "new", "words"), [
    (PLAIN, f'{PLAIN}\nduplex = "half"', "duplex = 'half': known: full"),
    (PLAIN, f'{PLAIN}\nparameters = {{ rx_channels = 5 }}',
     "parameters.rx_channels = 5: expected a whole number, 1 to 4"),
    (PLAIN, f"{PLAIN}\nparameters = {{ channels = 4 }}", "parameters.channels = 4: no such option"),
    (PLAIN, f"{PLAIN}\nfailing_allocations = [-1]", "failing_allocations = -1: expected a list of whole"),
    (PLAIN, f"{PLAIN}\nfailing_allocations = [true]", "failing_allocations = True: expected a list of whole"),
    (PLAIN, f"{PLAIN}\nfailing_allocations = 5", "failing_allocations = 5: expected a list"),
    (PLAIN, f"{PLAIN}\nbus.outstanding = 0", "bus.outstanding = 0: out of range, 1 to 256"),
    (PLAIN, f'{PLAIN}\nactions = [{{ at = "1 us", do = "mtu" }}]', r"actions\[0\].mtu is missing"),
    (PLAIN, f'{PLAIN}\nactions = [{{ at = "1 us", do = "mtu", mtu = "9001 B" }}]',
     r"actions\[0\].mtu = '9001 B': out of range, 46 to 9000 B"),
    (PLAIN, f'{PLAIN}\nactions = [{{ at = "1 us", do = "down", mtu = "900 B" }}]',
     r"unknown key 'actions\[0\].mtu'"),
    (PLAIN, f'{PLAIN}\nbus.errors = [{{ requester = "rx4", direction = "read", ordinal = 1 }}]',
     r"bus.errors\[0\].requester = 'rx4': did you mean 'rx"),
    ('gap = "wire"', 'damage = [{ frame = 1, kind = "odd" }]',
     r"traffic.rx.damage\[0\].kind = 'odd': an odd nibble needs a wire of nibbles"),
    ('gap = "wire"', "flows = 0", "traffic.rx.flows = 0: out of range, 1 to"),
    ('gap = "wire"', "pauses = [{ frame = 5, quanta = 1 }]",
     r"traffic.rx.pauses\[0\].frame = 5: out of range, 0 to 4"),
    ('gap = "wire"', "pauses = [{ frame = 1, quanta = 65536 }]",
     r"traffic.rx.pauses\[0\].quanta = 65536: out of range, 0 to 65535"),
    ('size = "600 B"', 'sizes = { min = "64 B", max = "70 B", sweep = 1 }',
     "traffic.rx.sizes.sweep = 1: expected true or false"),
    ('size = "600 B"', 'pcap = "tests/data/tcp_iperf3.pcap"\nflows = 2',
     "traffic.rx.flows = 2: needs frames made here"),
])
def test_faults(tmp_path, old, new, words):
    with pytest.raises(BenchError) as caught:
        load_scenario(write(tmp_path, changed(old, new, GIGABIT)))
    assert re.search(words, str(caught.value)), str(caught.value)


def test_the_first_part_takes_none_of_it(tmp_path):
    for line, words in (("parameters = { rx_channels = 1 }", "parameters.rx_channels = 1: no such option"),
                        ('mtu = "9000 B"', "mtu = '9000 B': out of range")):
        with pytest.raises(BenchError, match=words):
            loaded(tmp_path, changed(PLAIN, f"{PLAIN}\n{line}"))
    half = changed(PLAIN, f'{PLAIN}\nduplex = "half"', SMALL)
    assert loaded(tmp_path, half).duplex == "half"
