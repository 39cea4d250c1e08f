"""Golden engine of the AT91RM9200 EMAC and its MStar relative, written from docs/engines/at91ether.md."""

from .engine import Engine
from .events import Kind, Reason

__all__ = ["Engine", "Kind", "Reason"]
