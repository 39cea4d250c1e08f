"""Ethernet framing: what stands between an engine's FIFO and the MII, and nothing of rings or buses."""
