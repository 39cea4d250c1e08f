"""AXI4 and AXI4-Lite as wiring signatures with flat member names.

Flat (`awvalid`, not `aw.valid`), so that the Verilog ports of an engine are `bus__awvalid` and so on, which
is what verification IP looks for behind the prefix `bus_`.

Ref: AMBA AXI and ACE protocol specification, IHI 0022. Signals that no part of this bench varies (lock,
cache, prot, qos, region, user) are left out.
"""

import enum

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AXI4", "AXI4Lite", "Burst", "Response"]


class Burst(enum.IntEnum):
    """Values of awburst and arburst. The engines use INCR only."""

    FIXED = 0
    INCR = 1
    WRAP = 2


class Response(enum.IntEnum):
    """Values of bresp and rresp."""

    OKAY = 0
    EXOKAY = 1
    SLVERR = 2
    DECERR = 3


def _check_widths(what: str, addr_width: int, data_width: int, data_widths) -> None:
    if not isinstance(addr_width, int) or not 1 <= addr_width <= 64:
        raise ValueError(f"{what}: addr_width must be an integer in 1..64, not {addr_width!r}")
    if data_width not in data_widths:
        raise ValueError(f"{what}: data_width must be one of {', '.join(map(str, data_widths))}, "
                         f"not {data_width!r}")


class AXI4Lite(wiring.Signature):
    """AXI4-Lite, seen from the manager.

    Parameters
    ----------
    addr_width: bits of a byte address.
    data_width: 32 or 64 bits.

    Members
    -------
    awaddr, awvalid, awready: write address channel.
    wdata, wstrb, wvalid, wready: write data channel; a strobe a byte.
    bresp, bvalid, bready: write response channel.
    araddr, arvalid, arready: read address channel.
    rdata, rresp, rvalid, rready: read data channel.
    """

    def __init__(self, addr_width: int, data_width: int = 32):
        _check_widths("AXI4Lite", addr_width, data_width, (32, 64))
        self.addr_width = addr_width
        self.data_width = data_width
        super().__init__({
            "awaddr": Out(addr_width), "awvalid": Out(1), "awready": In(1),
            "wdata": Out(data_width), "wstrb": Out(data_width // 8), "wvalid": Out(1), "wready": In(1),
            "bresp": In(2), "bvalid": In(1), "bready": Out(1),
            "araddr": Out(addr_width), "arvalid": Out(1), "arready": In(1),
            "rdata": In(data_width), "rresp": In(2), "rvalid": In(1), "rready": Out(1),
        })

    def __eq__(self, other):
        return (isinstance(other, AXI4Lite)
                and (self.addr_width, self.data_width) == (other.addr_width, other.data_width))

    def __repr__(self):
        return f"AXI4Lite(addr_width={self.addr_width}, data_width={self.data_width})"


class AXI4(wiring.Signature):
    """AXI4, seen from the manager.

    Parameters
    ----------
    addr_width: bits of a byte address.
    data_width: 32, 64, 128 or 256 bits.
    id_width: bits of the transaction identifiers; an engine's identifiers tell its requesters apart.

    Members
    -------
    awid, awaddr, awlen, awsize, awburst, awvalid, awready: write address channel; awlen is beats - 1, awsize
        is log2 of the bytes in a beat.
    wdata, wstrb, wlast, wvalid, wready: write data channel.
    bid, bresp, bvalid, bready: write response channel.
    arid, araddr, arlen, arsize, arburst, arvalid, arready: read address channel.
    rid, rdata, rresp, rlast, rvalid, rready: read data channel.
    """

    def __init__(self, addr_width: int, data_width: int, id_width: int = 1):
        _check_widths("AXI4", addr_width, data_width, (32, 64, 128, 256))
        if not isinstance(id_width, int) or id_width < 1:
            raise ValueError(f"AXI4: id_width must be an integer of at least 1, not {id_width!r}")
        self.addr_width = addr_width
        self.data_width = data_width
        self.id_width = id_width

        def address(channel):
            return {f"{channel}id": Out(id_width), f"{channel}addr": Out(addr_width), f"{channel}len": Out(8),
                    f"{channel}size": Out(3), f"{channel}burst": Out(2), f"{channel}valid": Out(1),
                    f"{channel}ready": In(1)}

        super().__init__(address("aw") | {
            "wdata": Out(data_width), "wstrb": Out(data_width // 8), "wlast": Out(1),
            "wvalid": Out(1), "wready": In(1),
            "bid": In(id_width), "bresp": In(2), "bvalid": In(1), "bready": Out(1),
        } | address("ar") | {
            "rid": In(id_width), "rdata": In(data_width), "rresp": In(2), "rlast": In(1), "rvalid": In(1),
            "rready": Out(1),
        })

    @property
    def size(self) -> int:
        """awsize and arsize of beats as wide as the bus."""
        return (self.data_width // 8).bit_length() - 1

    def __eq__(self, other):
        return (isinstance(other, AXI4) and (self.addr_width, self.data_width, self.id_width)
                == (other.addr_width, other.data_width, other.id_width))

    def __repr__(self):
        return f"AXI4(addr_width={self.addr_width}, data_width={self.data_width}, id_width={self.id_width})"
