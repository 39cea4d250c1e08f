"""The frame check sequence of Ethernet: CRC-32 over one or more bytes at a time.

# Ref: IEEE 802.3 clause 3.2.9 (polynomial, order of the bits on the wire).

The step is linear, so it is the sum of one contribution for each four bits of (register xor data) that are
shifted out, read from tables of 16. A simulator then has a few table look-ups and wide exclusive-ors to do
instead of 32 trees of single bits; for synthesis the two forms are the same network.
"""

from __future__ import annotations

from functools import reduce
from operator import xor

from amaranth.hdl import Array, C, Value

POLYNOMIAL_REFLECTED = 0xEDB88320
"""x^32 + x^26 + ... + 1 with its bits reversed, because a byte goes out lowest bit first."""
INIT = 0xFFFFFFFF
"""The register before the first byte."""
RESIDUE = 0xDEBB20E3
"""The register after the last byte of the FCS of an undamaged frame."""


def shifted_out(register: int, bits: int) -> int:
    """The register after `bits` steps with no data left, as plain integers."""
    for _ in range(bits):
        register = (register >> 1) ^ (POLYNOMIAL_REFLECTED if register & 1 else 0)
    return register


def crc32_next(register: Value, data: Value) -> Value:
    """The CRC register after `data`.

    Parameters: `register` 32 bits, `INIT` before the first byte; `data` a whole number of bytes (GMII 1,
    XGMII 4 or 8), the first byte on the wire in bits 7:0. The FCS to send, and what zlib calls the CRC, is
    the inverted register, low byte first.
    Raises ValueError if a width is not as above.
    """
    width = len(data)
    if len(register) != 32:
        raise ValueError(f"the CRC register has 32 bits, not {len(register)}")
    if width == 0 or width % 8:
        raise ValueError(f"a CRC step takes a whole number of bytes, not {width} bits")
    # Data beyond the first 32 bits meet a register that has been shifted out.
    overlap = min(width, 32)
    mixed = [register[first:first + 4] ^ data[first:first + 4] for first in range(0, overlap, 4)]
    mixed += [data[first:first + 4] for first in range(overlap, width, 4)]
    terms: list[Value] = [
        Array(C(shifted_out(nibble, width - 4 * position), 32) for nibble in range(16))[index]
        for position, index in enumerate(mixed)
    ]
    if width < 32:
        terms.append(register[width:])
    return reduce(xor, terms)
