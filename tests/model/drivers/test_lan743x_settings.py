"""Variants and flags of the lan743x driver, and the smallest ring each can live with."""

import pytest

from model.drivers.lan743x import FLAGS, VARIANTS, make_settings
from model.errors import BenchError
from model.scenario.part import load_part
from tests.model.drivers.lan743x_engine import FakeLan743x
from tests.model.drivers.lan743x_machine import machine, wire


def test_a_scenario_can_name_what_the_driver_has():
    part = load_part("lan743x")
    assert part.drivers.keys() == VARIANTS.keys()
    for name, option in part.flags.items():
        assert FLAGS[name](option.default), name
        assert all(FLAGS[name](choice) for choice in option.choices or ())


def test_the_part_file_has_the_kernels_values_as_well():
    part, settings = load_part("lan743x"), make_settings("merged", {})
    for name in ("rx_ring", "tx_ring", "descriptor_bytes", "trim_fcs"):
        assert part.flags[name].default == getattr(settings, name), name
    assert (settings.rx_ring, settings.tx_ring, settings.descriptor_bytes) == (65, 50, 64)


@pytest.mark.parametrize("variant", VARIANTS)
def test_presets_hold_and_flags_go_over_them(variant):
    assert make_settings(variant, {}).tail_every == (8 if variant == "merged" else 0)
    assert make_settings(variant, {"tail_every": 3}).tail_every == 3 and VARIANTS[variant].title


@pytest.mark.parametrize("variant, flags, said", [
    ("fixed", {}, "no driver variant 'fixed' for lan743x"),
    ("merged", {"buffer": "9k"}, "no flag 'buffer': did you mean 'buffers'"),
    ("merged", {"buffers": "8k"}, "flag buffers = '8k'"),
    ("merged", {"trim_fcs": True}, "flag trim_fcs = True"),
    ("merged", {"timestamps": 1}, "flag timestamps = 1"),
    ("merged", {"rx_channels": 5}, "flag rx_channels = 5"),
    ("merged", {"tx_ring": 1}, "flag tx_ring = 1"),
])
def test_what_does_not_exist_is_refused(variant, flags, said):
    with pytest.raises(BenchError, match=said):
        make_settings(variant, flags)


SMALLEST = [
    ("before", {}, 3), ("before", {"timestamps": False}, 2), ("posted", {}, 3), ("merged", {}, 3),
    ("merged", {"timestamps": False}, 2), ("merged", {"rev": "a0"}, 16), ("merged", {"msix": False}, 16),
    ("merged", {"rev": "a0", "tail_every": 1}, 3), ("merged", {"rev": "a0", "tail_every": 3}, 6),
]


@pytest.mark.parametrize("variant, flags, smallest", SMALLEST)
def test_the_smallest_ring_is_told(variant, flags, smallest):
    assert make_settings(variant, {**flags, "rx_ring": smallest}).rx_ring == smallest
    if smallest > 2:
        with pytest.raises(BenchError, match=f"rx_ring = {smallest - 1}: the engine would be left with .*"
                                             f"expected at least {smallest}$"):
            make_settings(variant, {**flags, "rx_ring": smallest - 1})


@pytest.mark.parametrize("variant, flags, smallest", SMALLEST)
def test_the_smallest_ring_receives_everything_and_goes_round(variant, flags, smallest):
    for size in (smallest, smallest + 1):
        engine = FakeLan743x(rev_a0=flags.get("rev") == "a0", moderation_cycles=20)
        m = machine(variant, {**flags, "rx_ring": size, "buffers": "mtu"}, engine=engine)
        programme, sent = wire(3 * size + 1, 400)
        m.receive(programme)
        assert m.delivered() == sent and m.outcome.finding_counts == {}


@pytest.mark.parametrize("variant, flags, smallest", [row for row in SMALLEST if row[2] == 16])
def test_one_entry_less_stands_still(variant, flags, smallest, monkeypatch):
    """The check is right to refuse it: with a tail that is always the same index the engine stops there."""
    from model.drivers.lan743x import settings as module
    monkeypatch.setattr(module.Settings, "tail_lag_entries", 0)
    engine = FakeLan743x(rev_a0=flags.get("rev") == "a0", moderation_cycles=20)
    m = machine(variant, {**flags, "rx_ring": smallest - 1, "buffers": "mtu"}, engine=engine)
    programme, _ = wire(60, 400)
    m.receive(programme)
    assert len(m.delivered()) < 20 and engine.starved > 0


@pytest.mark.parametrize("stride", [16, 32, 64, 128])
def test_entries_can_be_further_apart(stride):
    m = machine("merged", {"descriptor_bytes": stride, "rx_ring": 20, "tx_ring": 4, "buffers": "mtu"})
    programme, sent = wire(50)
    m.receive(programme, tx=sent)
    assert m.delivered() == sent == m.engine.sent and m.unmapped() == []
