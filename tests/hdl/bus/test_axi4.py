"""The AXI signatures: port names and directions that verification IP and the tops rely on."""

import pytest
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4, AXI4Lite, Burst, Response

LITE_OUT = "awaddr awvalid wdata wstrb wvalid bready araddr arvalid rready"
LITE_IN = "awready wready bresp bvalid arready rdata rresp rvalid"
FULL_OUT = ("awid awaddr awlen awsize awburst awvalid wdata wstrb wlast wvalid bready "
            "arid araddr arlen arsize arburst arvalid rready")
FULL_IN = "awready wready bid bresp bvalid arready rid rdata rresp rlast rvalid"


@pytest.mark.parametrize("signature, outputs, inputs", [
    (AXI4Lite(12, 32), LITE_OUT, LITE_IN), (AXI4(32, 32, 1), FULL_OUT, FULL_IN)])
def test_members_are_flat_and_seen_from_the_manager(signature, outputs, inputs):
    flows = {path: member.flow for path, member, _ in signature.flatten(signature.create())}
    assert flows == {(name,): Out for name in outputs.split()} | {(name,): In for name in inputs.split()}


def test_widths():
    bus = AXI4(addr_width=40, data_width=128, id_width=3).create()
    expected = {"awaddr": 40, "wdata": 128, "wstrb": 16, "awid": 3, "rid": 3, "awlen": 8, "arsize": 3,
                "arburst": 2, "bresp": 2}
    assert {name: len(getattr(bus, name)) for name in expected} == expected
    assert AXI4(32, 32).size == 2 and AXI4(32, 128).size == 4
    assert (Burst.INCR, Response.SLVERR) == (1, 2)


def test_equal_if_parameters_are():
    assert AXI4(32, 64, 2) == AXI4(32, 64, 2) != AXI4(32, 64, 1)
    assert AXI4Lite(12) == AXI4Lite(12, 32) != AXI4Lite(13)
    assert AXI4Lite(12) != AXI4(12, 32)


def test_two_ends_connect():
    class End(wiring.Component):
        def __init__(self, member):
            super().__init__({"bus": member})

    from amaranth.hdl import Module
    wiring.connect(Module(), End(Out(AXI4(32, 32))).bus, End(In(AXI4(32, 32))).bus)


@pytest.mark.parametrize("act, text", [
    (lambda: AXI4Lite(0), "AXI4Lite: addr_width must be an integer in 1..64, not 0"),
    (lambda: AXI4Lite(12, 128), "AXI4Lite: data_width must be one of 32, 64, not 128"),
    (lambda: AXI4(32, 24), "AXI4: data_width must be one of 32, 64, 128, 256, not 24"),
    (lambda: AXI4(32, 32, 0), "AXI4: id_width must be an integer of at least 1, not 0"),
])
def test_parameters_are_checked(act, text):
    with pytest.raises(ValueError) as error:
        act()
    assert str(error.value) == text
