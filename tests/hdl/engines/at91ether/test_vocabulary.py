"""RTL and golden engine may not import each other: what both say of events has to be the same."""

from hdl.engines.at91ether import events as rtl
from model.engines.at91ether import Kind, Reason


def test_the_lanes_are_the_kinds():
    assert set(rtl.LANES) == {kind.name.lower() for kind in Kind}


def test_the_reasons_have_the_same_numbers():
    said = {reason.name: reason.value for reason in rtl.Reason}
    assert said == {reason.name: int(reason) for reason in Reason}
