"""The numbers of docs/link.md, as `model.link` has them; the simulated top has its own.

Each is changed by one, in a stimulus in which the scoreboard finds that.
"""

from __future__ import annotations

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.golden import GOLDEN, text
from tests.tb.planted.mutant import Change, Number

LINK, TIMING, BUS = "model.link:Link", "model.link:LinkTiming", "model.golden_bus:LinkBus"
WORLD = "model.host.golden_world:GoldenWorld"


def constant(name: str) -> Change:
    return GOLDEN.constant(name, 1, "model.link")


def timing(key: str, by: int = 1) -> Change:
    """A number that the top is given, changed on its way into the golden link only."""
    return text(f"{LINK}.__init__", "n = timing.numbers(clock_hz)",
                f"n = timing.numbers(clock_hz); n['{key}'] += {by}")


LINK_NUMBERS = [
    Number("a byte's time, by a thousandth of a cycle", "linked", Kind.CSR_WRITE, timing("byte_units", 64)),
    Number("DLLPs of 8 bytes", "linked", Kind.CSR_WRITE, constant("DLLP_BYTES")),
    Number("SKPs of 4 bytes", "linked", Kind.CSR_WRITE, constant("SKP_BYTES")),
    Number("MWr: 24 bytes", "linked", Kind.CSR_WRITE, constant("WRITE_HEADER_BYTES")),
    Number("MRd: 24 bytes", "linked", Kind.RX_DESC, constant("READ_HEADER_BYTES")),
    Number("CplD: 20 bytes", "linked", Kind.RX_DESC, constant("COMPLETION_HEADER_BYTES")),
    Number("registers of 4 bytes", "linked", Kind.CSR_WRITE, constant("REGISTER_BYTES")),
    Number("data credits of 16 bytes", "linked_little_data", Kind.RX_WB, constant("CREDIT_BYTES")),
    Number("MPS", "linked_small_requests", Kind.RX_WRITE, timing("mps", -4)),
    Number("MRRS", "linked_small_requests", Kind.TX_FILL, timing("mrrs", -4)),
    Number("RCB", "linked_small_requests", Kind.TX_FILL, timing("rcb", -4)),
    Number("up_latency", "linked_far", Kind.RX_DESC, timing("up_latency")),
    Number("down_latency", "linked_far", Kind.CSR_WRITE, timing("down_latency")),
    Number("memory_latency", "linked_far", Kind.RX_DESC, timing("memory_latency")),
    Number("credit_return", "linked_few_headers", Kind.TX_DESC, timing("credit_return")),
    Number("posted headers", "linked_few_headers", Kind.RX_WRITE, timing("posted_headers")),
    Number("posted data", "linked_little_data", Kind.RX_WB, timing("posted_data")),
    Number("nonposted headers", "linked_few_headers", Kind.TX_DESC, timing("nonposted_headers")),
    Number("posted_room", "linked_few_headers", Kind.RX_WRITE, timing("posted_room_units", -65536 * 24)),
    Number("a write starts in the cycle after its stamp", "linked_wide", Kind.RX_WRITE,
           text(f"{LINK}.write", "(stamp + 1) * UNITS", "(stamp + 2) * UNITS")),
    Number("B in w+2 at the earliest", "linked", Kind.RX_WB,
           text(f"{LINK}.write", "max(stamp + 2", "max(stamp + 3")),
    Number("a read starts in the cycle after its stamp", "linked", Kind.RX_DESC,
           text(f"{LINK}.read", "(stamp + 1) * UNITS", "(stamp + 2) * UNITS")),
    Number("a register access starts in the cycle after its stamp", "linked", Kind.CSR_WRITE,
           text(f"{LINK}.register_access", "(stamp + 1) * UNITS", "(stamp + 2) * UNITS")),
    Number("a register's value starts in the cycle after its stamp", "linked", Kind.CSR_READ,
           text(f"{LINK}.register_completion", "(stamp + 1) * UNITS", "(stamp + 2) * UNITS")),
    Number("its stamp is v+1", "linked", Kind.CSR_READ,
           text(f"{WORLD}.csr_read", "register_completion(taken + 1)", "register_completion(taken + 2)")),
    Number("completions start in M", "linked", Kind.RX_DESC,
           text(f"{LINK}.complete", "fetch * UNITS", "(fetch + 1) * UNITS")),
    Number("a read's beats after those of the one before", "linked_wide", Kind.TX_DESC,
           text(f"{BUS}._complete", "self._last_beat + 1", "self._last_beat + 2")),
    Number("a beat a cycle, reads", "linked", Kind.RX_DESC, text(f"{BUS}._complete", "(beats - 1)", "beats")),
    Number("a beat a cycle, writes", "linked", Kind.RX_WB, text(f"{BUS}.write", "(beats - 1)", "beats")),
    Number("blocks of RCB bytes", "linked", Kind.RX_DESC,
           text(f"{LINK}.complete", "// self.rcb + 1", "// self.rcb + 2")),
]

SECTIONS = {"link": LINK_NUMBERS}
