"""Numbers that belong to no MAC: how long a register access takes."""

from __future__ import annotations

from enum import IntEnum

from tests.tb.planted.mutant import Number, Package

CSR_PORT = "model.host.world:CsrPort"


def csr_numbers(golden: Package, kinds: type[IntEnum], written: str, read: str) -> list[Number]:
    """The numbers of the register port. `written`, `read`: stimuli that write and read."""
    text = golden.text
    return [
        Number("an access is taken in the cycle after it is issued", written, kinds.CSR_WRITE,
               text(f"{CSR_PORT}.take", "issued + 1", "issued + 2")),
        Number("two accesses are two cycles apart", written, kinds.CSR_WRITE,
               text(f"{CSR_PORT}.take_from", "_last_taken + 2", "_last_taken + 3")),
        Number("a value is back two cycles after it was read", read, kinds.CSR_READ,
               text(f"{CSR_PORT}.returned", "taken + 2", "taken + 3")),
    ]
