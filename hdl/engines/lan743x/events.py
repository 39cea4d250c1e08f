"""The event lanes of the engine, by the block that reports them, and the reasons that RX_END carries.

A receive channel reports on lanes without a number; the engine's lanes of channel k > 0 end in `_chk` and
belong to a ring of their own.

Ref: docs/engines/lan743x.md, section 9.
"""

import dataclasses

from amaranth.hdl import unsigned
from amaranth.lib import enum

from hdl.tap import Lane, Ring

__all__ = ["ENGINE_LANES", "MOST_RX_CHANNELS", "RX_CHANNEL_LANES", "RX_MAC_LANES", "TX_CHANNEL_LANES",
           "Reason", "lanes", "of_channel", "write_back_lanes"]


class Reason(enum.Enum, shape=unsigned(4)):
    """What became of a received frame."""

    GOOD = 0
    CODE = 1
    SHORT = 2
    LONG = 3
    CRC = 4
    PAUSE = 5
    FILTER = 6
    FCT_OFF = 7
    OVERFLOW = 8


MOST_RX_CHANNELS = 4
NUMBER_WIDTH = 32  # of frames, counted from reset
ENTRY_WIDTH = 16  # index into a ring
OFFSET_WIDTH = 13
DESCRIPTORS_WIDTH = 5  # of a prefetch: at most 16
LENGTH_WIDTH = 14  # of a frame
BYTES_WIDTH = 10  # of a burst: at most 512
ID_WIDTH = 4
SOURCES_WIDTH = 28  # bits of INT_STS that stand for sources
END_WIDTH = 40 + 2  # N | reason << 32 | channel << 40

ENGINE_LANES = {
    "csr_write": Lane(Ring.NONE, OFFSET_WIDTH, 32 + 4),
    "csr_read": Lane(Ring.NONE, OFFSET_WIDTH, 32),
    "mdio_done": Lane(Ring.NONE, 0, 32 + 16),
}
INTERRUPT_LANES = {
    "int_message": Lane(Ring.NONE, 3, SOURCES_WIDTH),
    "intx": Lane(Ring.NONE, 1, SOURCES_WIDTH),
}
TX_CHANNEL_LANES = {
    "tx_prefetch": Lane(Ring.TX, ENTRY_WIDTH, 32 + DESCRIPTORS_WIDTH),
    "tx_desc": Lane(Ring.TX, ENTRY_WIDTH, DESCRIPTORS_WIDTH),
    "tx_fetch": Lane(Ring.TX, NUMBER_WIDTH, 32 + BYTES_WIDTH),
    "tx_fill": Lane(Ring.TX, NUMBER_WIDTH),
    "tx_sfd": Lane(Ring.TX, NUMBER_WIDTH),
    "tx_done": Lane(Ring.TX, NUMBER_WIDTH, 32 + LENGTH_WIDTH),
    "tx_stopped": Lane(Ring.TX, ENTRY_WIDTH),
    "tx_pause": Lane(Ring.TX, 0, 16),
    "tx_error": Lane(Ring.TX, ID_WIDTH),
    "tx_drop": Lane(Ring.TX, NUMBER_WIDTH),
}
RX_MAC_LANES = {
    "rx_sfd": Lane(Ring.RX, NUMBER_WIDTH),
    "rx_end": Lane(Ring.RX, NUMBER_WIDTH, END_WIDTH),
}
RX_CHANNEL_LANES = {
    "rx_prefetch": Lane(Ring.RX, ENTRY_WIDTH, 32 + DESCRIPTORS_WIDTH),
    "rx_desc": Lane(Ring.RX, ENTRY_WIDTH, DESCRIPTORS_WIDTH),
    "rx_own": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_starved": Lane(Ring.RX, ENTRY_WIDTH),
    "rx_write": Lane(Ring.RX, NUMBER_WIDTH, 32 + BYTES_WIDTH),
    "rx_wb": Lane(Ring.RX, ENTRY_WIDTH, 64),
    "rx_done": Lane(Ring.RX, NUMBER_WIDTH, LENGTH_WIDTH),
    "rx_stopped": Lane(Ring.RX, ENTRY_WIDTH),
    "rx_error": Lane(Ring.RX, ID_WIDTH),
}
TX_HEAD_LANES = {"tx_head": Lane(Ring.TX, 0, ENTRY_WIDTH)}
RX_HEAD_LANES = {"rx_head": Lane(Ring.RX, 0, ENTRY_WIDTH)}


def of_channel(name: str, channel: int) -> str:
    """The engine's name of a receive channel's lane."""
    return f"{name}_ch{channel}" if channel else name


def _of_channels(group: dict[str, Lane], rx_channels: int) -> dict[str, Lane]:
    rings = (Ring.RX, Ring.RX1, Ring.RX2, Ring.RX3)
    return {of_channel(name, channel): dataclasses.replace(lane, ring=rings[channel])
            for channel in range(rx_channels) for name, lane in group.items()}


def write_back_lanes(rx_channels: int) -> dict[str, Lane]:
    """Those of the write-back unit."""
    return INTERRUPT_LANES | TX_HEAD_LANES | _of_channels(RX_HEAD_LANES, rx_channels)


def lanes(rx_channels: int) -> dict[str, Lane]:
    """All lanes of an engine with so many receive channels."""
    return (ENGINE_LANES | write_back_lanes(rx_channels) | TX_CHANNEL_LANES | RX_MAC_LANES
            | _of_channels(RX_CHANNEL_LANES, rx_channels))
