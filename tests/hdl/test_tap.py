"""The event tap: members, names, and what is refused."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from hdl.tap import Lane, LaneSignature, Ring, TapSignature, report

SIGNATURE = TapSignature({"tx_sent": Lane(Ring.TX, index_width=4, data_width=11),
                          "irq_raised": Lane(Ring.NONE)})


class Reporter(wiring.Component):
    """Says on its tap that it sent frame 5 of 60 bytes whenever `go` is 1."""

    go: In(1)
    tap: Out(SIGNATURE)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.go):
            report(m, self.tap.tx_sent, index=5, data=60)
        with m.Else():
            report(m, self.tap.irq_raised)
        return m


def test_lane_is_valid_in_the_cycle_of_the_event():
    reporter = Reporter()

    async def body(ctx):
        assert ctx.get(reporter.tap.irq_raised.valid) and not ctx.get(reporter.tap.tx_sent.valid)
        ctx.set(reporter.go, 1)
        sent = reporter.tap.tx_sent
        assert (ctx.get(sent.valid), ctx.get(sent.index), ctx.get(sent.data)) == (1, 5, 60)
        assert not ctx.get(reporter.tap.irq_raised.valid)

    simulator = Simulator(reporter)
    simulator.add_testbench(body)
    simulator.run()


def test_python_sees_rings_and_widths():
    assert SIGNATURE.lanes["tx_sent"].ring is Ring.TX
    assert Lane(1).ring is Ring.RX
    assert Reporter().tap.tx_sent.signature.lane == Lane(Ring.TX, 4, 11)
    assert [(path, member.flow) for path, member, _ in SIGNATURE.flatten(SIGNATURE.create())] == [
        (("tx_sent", "valid"), Out), (("tx_sent", "index"), Out), (("tx_sent", "data"), Out),
        (("irq_raised", "valid"), Out)]


def test_signatures_are_equal_if_their_lanes_are():
    same = TapSignature({"tx_sent": Lane(Ring.TX, 4, 11), "irq_raised": Lane(Ring.NONE)})
    assert same == SIGNATURE
    assert TapSignature({"tx_sent": Lane(Ring.RX, 4, 11), "irq_raised": Lane(Ring.NONE)}) != SIGNATURE
    assert LaneSignature(Lane(Ring.TX, 4, 11)) != LaneSignature(Lane(Ring.TX, 4, 12))


@pytest.mark.parametrize("act, text", [
    (lambda: Lane(Ring.TX, index_width=33), "Lane: index_width must be an integer in 0..32, not 33"),
    (lambda: Lane(Ring.TX, data_width=-1), "Lane: data_width must be an integer in 0..64, not -1"),
    (lambda: Lane(7), "7 is not a valid Ring"),
    (lambda: TapSignature({"TX_SENT": Lane(Ring.TX)}),
     "TapSignature: a lane is named like its event, in lower case; not 'TX_SENT'"),
    (lambda: report(Module(), Reporter().tap.tx_sent, index=1), "this lane needs data: "),
    (lambda: report(Module(), Reporter().tap.irq_raised, index=Signal()), "this lane carries no index: "),
])
def test_errors(act, text):
    with pytest.raises(ValueError) as error:
        act()
    assert str(error.value).startswith(text)
