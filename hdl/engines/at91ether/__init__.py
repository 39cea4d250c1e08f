"""Engine of the AT91RM9200 EMAC and its MStar MSC313E relative.

Ref: docs/engines/at91ether.md (timing, to the cycle; section numbers in this package are of that page);
sheet at91ether (what the part is).
"""

from .engine import Engine

__all__ = ["Engine"]
