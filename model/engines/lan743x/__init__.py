"""The golden LAN743x engine, written from docs/engines/lan743x.md."""

from . import evidence
from .engine import Engine
from .events import STATE_AFTER, Kind
from .straps import encode

__all__ = ["STATE_AFTER", "Engine", "Kind", "encode", "evidence"]
