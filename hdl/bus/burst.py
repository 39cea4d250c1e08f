"""How long the next burst may be: a rule that reader, writer and the engines' own requesters share.

Ref: IHI 0022, A3.4.1: a burst must not cross a 4 KiB boundary.
"""

from amaranth.hdl import Module, Mux, Signal, Value

__all__ = ["BOUNDARY_BYTES", "burst_beats", "least"]

BOUNDARY_BYTES = 4096


def least(m: Module, name: str, *values: Value) -> Signal:
    """A combinational signal that carries the least of the (unsigned) values; `name` is the signal's."""
    smallest, *others = values
    for value in others:
        smallest = Mux(value < smallest, value, smallest)
    result = Signal(min(len(value) for value in values), name=name)
    m.d.comb += result.eq(smallest)
    return result


def burst_beats(m: Module, addr: Value, data_width: int, *limits: Value, name: str = "beats") -> Signal:
    """Beats of a burst from `addr` on: the least of the limits and of the words up to the 4 KiB boundary.

    Parameters
    ----------
    m: module being elaborated.
    addr: byte address, aligned to the bus.
    data_width: bits of the bus.
    limits: the part's longest burst, the words left, ...; at least one, all of them in words.
    name: name of the resulting signal.
    """
    word_bytes = data_width // 8
    # the word's place in its 4 KiB
    page = addr[(word_bytes - 1).bit_length():(BOUNDARY_BYTES - 1).bit_length()]
    to_boundary = Signal(range(BOUNDARY_BYTES // word_bytes + 1), name=f"{name}_to_boundary")
    m.d.comb += to_boundary.eq(BOUNDARY_BYTES // word_bytes - page)
    return least(m, name, *limits, to_boundary)
