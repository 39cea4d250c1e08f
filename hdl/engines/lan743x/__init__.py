"""Engine of the Microchip LAN7430 (LAN743x) DMA controller and MAC.

Ref: docs/engines/lan743x.md (timing, to the cycle; section numbers in this package are of that page);
sheet lan743x (what the part is).
"""

from .engine import Engine

__all__ = ["Engine"]
