"""What can go wrong in a run, by name. A scenario's `expect` uses these words, the verdict compares them.

A finding is something that happened on the modelled machine: it may be the very thing a scenario is there to
show. A breach says that the bench contradicts itself, which no scenario can expect.
"""

from collections.abc import Iterable
from dataclasses import dataclass

FINDINGS = {
    "tx_stopped": "the transmitter took a frame and sent no other, or the queue stayed stopped for good",
    "tx_overrun": "a frame was handed over while the transmitter had no room (TSR.OVR, ISR.TOVR)",
    "tx_underrun": "the bus was too late for the transmit FIFO, the frame was cut short (TSR.UND, ISR.TUND)",
    "tx_aborted": "a transfer ended with a bus error or the retries ran out (ISR.ABT, ISR.RTRY)",
    "rx_overrun": "the receive FIFO had no room and the frame was dropped (at91ether: RSR.OVR, ISR.ROVR)",
    "rx_aborted": "a bus error stopped a receive channel",
    "rx_bna": "a frame found no free receive buffer (RSR.BNA, ISR.RBNA)",
    "frames_dropped": "good frames on the wire never reached the stack",
    "lost_frame": "a frame that the driver counts as sent never appeared on the wire",
    "repeated_frame": "a frame appeared on the wire, or reached the stack, more than once",
    "corrupt_frame": "bytes on the wire or in host memory differ from what was handed in",
    "torn_write": "the engine took a register value made of halves of two writes",
    "early_release": "the driver released a frame that the engine had still to read",
    "dma_unmapped": "the engine accessed memory that no live DMA mapping covers",
    "dma_api": "a DMA API rule was broken: unmap without map, touch while the device owns, leak at stop",
    "stale_read": "the CPU read received bytes of a buffer that was never synchronised for it",
    "open_failed": "the interface did not come up: the part did not answer as its driver needs",
    "stop_failed": "the part did not become quiet when its driver stopped it; the driver went on all the "
                   "same",
    "below_wire_limit": "from first to last SFD the rate is further below the wire's limit than allowed",
}
"""Name of each finding -> what it means, in one line."""

BREACHES = {
    "golden_differs": "an event of the RTL and of the golden engine differ in cycle, order or contents",
    "simulators_differ": "the event logs of Icarus and Verilator are not identical",
    "hang": "the watchdog ended the run: no progress before the deadline",
    "protocol": "a rule of AXI4, AXI4-Lite or MII was broken",
    "crashed": "the run ended with an error of the bench itself",
}
"""As FINDINGS, for what can never be expected."""


@dataclass(frozen=True)
class Expect:
    """What a run must show.

    Members: `must` findings that have to show, `may` findings that are accepted but not asked for. Both
    empty: clean.
    """

    must: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return "+".join(sorted(self.must)) or "clean"


@dataclass(frozen=True)
class Verdict:
    """Members: `passed`; `missing` expected but not found; `surplus` found but not expected; `found`
    everything found."""

    passed: bool
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    found: tuple[str, ...]

    def __str__(self) -> str:
        if self.passed:
            return "as expected" if self.found else "clean"
        parts = []
        if self.surplus:
            parts.append("found " + ", ".join(self.surplus))
        if self.missing:
            parts.append("did not find " + ", ".join(self.missing))
        return "; ".join(parts)


def meaning(name: str) -> str:
    """The line that explains a finding or a breach; KeyError if there is no such name."""
    return FINDINGS[name] if name in FINDINGS else BREACHES[name]


def verdict(found: Iterable[str], expect: Expect) -> Verdict:
    """Hold what was found against what was expected: passes if all of `must` and nothing beyond `must` and
    `may` showed.

    Raises ValueError on a name that is neither a finding nor a breach: a misspelt name must not pass as
    absent.
    """
    seen = frozenset(found)
    unknown = seen - FINDINGS.keys() - BREACHES.keys()
    if unknown:
        raise ValueError(f"no such finding: {', '.join(sorted(unknown))}")
    missing = expect.must - seen
    surplus = seen - expect.must - expect.may
    return Verdict(not missing and not surplus, tuple(sorted(missing)), tuple(sorted(surplus)),
                   tuple(sorted(seen)))
