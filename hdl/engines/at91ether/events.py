"""The event lanes of the engine, by the block that reports them, and the reasons that some of them carry.

Ref: docs/engines/at91ether.md, section 8.
"""

from amaranth.hdl import unsigned
from amaranth.lib import enum

from hdl.tap import Lane, Ring

__all__ = ["ENGINE_LANES", "LANES", "MOVER_LANES", "PAIR_LANES", "RECEIVER_LANES", "SENDER_LANES", "Reason"]


class Reason(enum.Enum, shape=unsigned(4)):
    """How a received frame ended."""

    GOOD = 0
    BNA = 1
    OVERRUN = 2
    CRC = 3
    ALIGN = 4
    CODE = 5
    LONG = 6
    SHORT = 7
    FILTER = 8
    RE_OFF = 9
    BUS = 10
    STALLED = 11


NUMBER_WIDTH = 32  # of frames, counted from reset
OFFSET_WIDTH = 12
BURST_WIDTH = 32 + 3  # address | beats << 32
HAND_OVER_WIDTH = 48  # TAR | LEN << 32 | NCRC << 47
ENTRY_WIDTH = 10  # of the receive list
LENGTH_WIDTH = 11
REASON_WIDTH = 4

ENGINE_LANES = {
    "csr_write": Lane(Ring.NONE, OFFSET_WIDTH, 32 + 4),
    "csr_read": Lane(Ring.NONE, OFFSET_WIDTH, 32),
    "irq_rise": Lane(Ring.NONE, 0, 12),
    "irq_fall": Lane(Ring.NONE, 0, 12),
    "mdio_done": Lane(Ring.NONE, 0, 32),
}
PAIR_LANES = {
    "tx_queue": Lane(Ring.TX, NUMBER_WIDTH, HAND_OVER_WIDTH),
    "tx_overrun": Lane(Ring.TX, NUMBER_WIDTH, HAND_OVER_WIDTH),
    "tx_drop": Lane(Ring.TX, NUMBER_WIDTH, 3),
}
SENDER_LANES = {
    "tx_fetch": Lane(Ring.TX, NUMBER_WIDTH, BURST_WIDTH),
    "tx_fill": Lane(Ring.TX, NUMBER_WIDTH),
    "tx_abort": Lane(Ring.TX, NUMBER_WIDTH),
    "tx_sfd": Lane(Ring.TX, NUMBER_WIDTH),
    "tx_underrun": Lane(Ring.TX, NUMBER_WIDTH, LENGTH_WIDTH),
    "tx_cut": Lane(Ring.TX, NUMBER_WIDTH, LENGTH_WIDTH),
    "tx_collision": Lane(Ring.TX, NUMBER_WIDTH, 5),
    "tx_done": Lane(Ring.TX, NUMBER_WIDTH, 32 + LENGTH_WIDTH),
}
RECEIVER_LANES = {
    "rx_sfd": Lane(Ring.RX, NUMBER_WIDTH),
    "rx_miss": Lane(Ring.RX, NUMBER_WIDTH, REASON_WIDTH),
    "rx_end": Lane(Ring.RX, NUMBER_WIDTH, 32 + REASON_WIDTH),
}
MOVER_LANES = {
    "rx_fetch": Lane(Ring.RX, NUMBER_WIDTH, 32),
    "rx_own": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_bna": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_write": Lane(Ring.RX, NUMBER_WIDTH, BURST_WIDTH),
    "rx_wb1": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_wb0": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_done": Lane(Ring.RX, ENTRY_WIDTH, 32),
    "rx_drop": Lane(Ring.RX, NUMBER_WIDTH, REASON_WIDTH),
    "rx_abort": Lane(Ring.RX, NUMBER_WIDTH),
}
LANES = ENGINE_LANES | PAIR_LANES | SENDER_LANES | RECEIVER_LANES | MOVER_LANES
"""All of them, in the order of the event numbers."""
