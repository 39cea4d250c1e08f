"""Fixed-priority arbiter without memory: who asks in a cycle and is the most urgent, has it in that cycle.

Who wins when several ask in the same cycle is part of an engine's timing specification; nothing here is fair
on purpose.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FixedPriorityArbiter"]


class FixedPriorityArbiter(wiring.Component):
    """Combinational: `grant` follows `requests` and `enable` in the same cycle.

    Parameters
    ----------
    priority: the requesters' numbers, the most urgent first; a permutation of 0 .. n-1.

    Members
    -------
    requests: a bit a requester.
    enable: 1 in cycles in which something may be granted.
    grant: the winner, one bit at most.
    owner: the winner's number; 0 if there is none.
    """

    def __init__(self, priority: tuple[int, ...]):
        priority = tuple(priority)
        if not priority or sorted(priority) != list(range(len(priority))):
            raise ValueError(
                f"FixedPriorityArbiter: priority must be a permutation of 0..n-1, not {priority!r}"
            )
        self.priority = priority
        super().__init__({
            "requests": In(len(priority)), "enable": In(1),
            "grant": Out(len(priority)), "owner": Out(range(max(2, len(priority)))),
        })

    def elaborate(self, platform):
        m = Module()
        with m.If(self.enable):
            for place, number in enumerate(self.priority):
                with (m.Elif if place else m.If)(self.requests[number]):
                    m.d.comb += [self.grant.eq(1 << number), self.owner.eq(number)]
        return m
