"""RTL and golden engine may not import each other: what both say of events has to be the same."""

import pytest

from hdl.engines.lan743x import events as rtl
from model.engines.lan743x.events import Kind, Reason


def test_the_lanes_of_one_channel_are_the_kinds():
    assert set(rtl.lanes(1)) == {kind.name.lower() for kind in Kind}


@pytest.mark.parametrize("rx_channels", [2, 4])
def test_further_channels_have_lanes_and_rings_of_their_own(rx_channels):
    of_all = rtl.lanes(rx_channels)
    more = set(of_all) - set(rtl.lanes(1))
    each = {kind.name.lower() for kind in Kind if kind.name.startswith("RX_")} - {"rx_sfd", "rx_end"}
    assert more == {f"{name}_ch{k}" for name in each for k in range(1, rx_channels)}
    assert all(of_all[f"{name}_ch{k}"].ring == 2 + k for name in each for k in range(1, rx_channels))


def test_the_reasons_have_the_same_numbers():
    said = {reason.name: reason.value for reason in rtl.Reason}
    assert said == {reason.name: int(reason) for reason in Reason}
