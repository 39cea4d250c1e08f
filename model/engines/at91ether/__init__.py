"""Golden engine of the AT91RM9200 EMAC and its MStar relative, written from docs/engines/at91ether.md."""

from . import evidence
from .engine import Engine
from .events import STATE_AFTER, Kind, Reason
from .straps import encode

__all__ = ["STATE_AFTER", "Engine", "Kind", "Reason", "encode", "evidence"]
