"""For each transition of the engine's state machines: where it has the least slack, and what first shows a
delay.

Everything moves in any cycle here: one cycle late shows, but where what comes next is not allowed for some
time. There the case says why it has to be so.
"""

from __future__ import annotations

from model.engines.lan743x.events import Kind
from tests.tb.planted.checks import Case, Never

CYCLE = 1
ENTRY_WRITE = (
    "the next buffer is begun after the entry's write: the grant in the cycle after at the earliest, AW, "
    "four beats, B, then NEXT, CHECK and MOVE, in which it is first asked whether the writer of buffers is "
    "in IDLE")

WIRE = {
    "gmii_rx:IDLE>PREAMBLE": Case("last_preamble_byte_heard", Kind.RX_SFD, CYCLE),
    "gmii_rx:IDLE>SKIP": Case("other_then_frame", Kind.RX_SFD, CYCLE),
    "gmii_rx:PREAMBLE>IDLE": Case("preamble_cut", Kind.RX_SFD, CYCLE),
    "gmii_rx:PREAMBLE>FRAME": Case("received", Kind.RX_END, CYCLE),
    "gmii_rx:PREAMBLE>SKIP": Case("preamble_then_other", Kind.RX_SFD, CYCLE),
    "gmii_rx:FRAME>IDLE": Case("cut_and_frame", Kind.RX_SFD, CYCLE),
    "gmii_rx:SKIP>IDLE": Case("other_then_frame", Kind.RX_SFD, CYCLE),
    "gmii_tx:IDLE>PREAMBLE": Case("two_sent", Kind.TX_SFD, CYCLE),
    "gmii_tx:PREAMBLE>DATA": Case("two_sent", Kind.TX_DONE, CYCLE),
    "gmii_tx:DATA>END": Case("own_fcs", Kind.TX_DONE, CYCLE),
    "gmii_tx:DATA>PAD": Case("padded", Kind.TX_DONE, CYCLE),
    "gmii_tx:DATA>FCS": Case("two_sent", Kind.TX_DONE, CYCLE),
    "gmii_tx:PAD>FCS": Case("padded", Kind.TX_DONE, CYCLE),
    "gmii_tx:FCS>END": Case("two_sent", Kind.TX_DONE, CYCLE),
    "gmii_tx:END>GAP": Case("two_sent", Kind.TX_SFD, CYCLE),
    "gmii_tx:GAP>IDLE": Case("two_sent", Kind.TX_SFD, CYCLE),
}

MOVER = {
    "rx_buffer:IDLE>AIM": Case("received", Kind.RX_WRITE, CYCLE),
    "rx_buffer:AIM>IDLE": Case("nothing_to_write", Kind.RX_WRITE, 10, ENTRY_WRITE),
    "rx_buffer:AIM>ASK": Case("received", Kind.RX_WRITE, CYCLE),
    "rx_buffer:ASK>BURST": Case("received", Kind.RX_WRITE, CYCLE),
    "rx_buffer:BURST>ASK": Case("bursts", Kind.RX_WRITE, CYCLE),
    "rx_buffer:BURST>IDLE": Case("two_buffers", Kind.RX_WRITE, 10, ENTRY_WRITE),
    "rx_mover.state:IDLE>CHECK": Case("received", Kind.RX_OWN, CYCLE),
    "rx_mover.state:NEXT>CHECK": Case("two_buffers", Kind.RX_OWN, CYCLE),
    "rx_mover.state:EXT>CHECK": Case("stamped", Kind.RX_OWN, CYCLE),
    "rx_mover.state:CHECK>MOVE": Case("received", Kind.RX_WRITE, CYCLE),
    "rx_mover.state:CHECK>WB": Case("stamped_without_heads", Kind.RX_WB, CYCLE),
    "rx_mover.state:CHECK>IDLE": Case("not_ours", Kind.RX_STARVED, CYCLE),
    "rx_mover.state:CHECK>NEXT": Case("second_not_ours", Kind.RX_STARVED, CYCLE),
    "rx_mover.state:CHECK>EXT": Case("extension_not_ours", Kind.RX_STARVED, CYCLE),
    "rx_mover.state:MOVE>FILL": Case("nothing_to_write", Kind.RX_WB, CYCLE),
    "rx_mover.state:MOVE>IDLE": Case("reset_in_move", Kind.CSR_READ, CYCLE),
    "rx_mover.state:FILL>WB": Case("received", Kind.RX_WB, CYCLE),
    "rx_mover.state:FILL>IDLE": Case("failed_in_move", Kind.CSR_READ, CYCLE),
    "rx_mover.state:WB>WRITE": Case("received", Kind.RX_WB, CYCLE),
    "rx_mover.state:WB>IDLE": Case("reset_in_wb", Kind.CSR_READ, CYCLE),
    "rx_mover.state:WRITE>NEXT": Case("two_buffers", Kind.RX_OWN, CYCLE),
    "rx_mover.state:WRITE>EXT": Case("stamped", Kind.RX_OWN, CYCLE),
    "rx_mover.state:WRITE>IDLE": Case("backlog", Kind.RX_OWN, CYCLE),
    "rx_mover.state:NEXT>IDLE": Case("stopped_in_next", Kind.CSR_READ, CYCLE),
    "rx_mover.state:EXT>IDLE": Case("stopped_in_ext", Kind.CSR_READ, CYCLE),
}

LOADER = {
    "tx_loader:IDLE>SETUP": Case("two_sent", Kind.TX_FETCH, CYCLE),
    "tx_loader:SETUP>IDLE": Case("extension_between", Kind.TX_FETCH, CYCLE),
    "tx_loader:SETUP>LOAD": Case("two_sent", Kind.TX_FETCH, CYCLE),
    "tx_loader:LOAD>IDLE": Case("two_parts", Kind.TX_FETCH, CYCLE),
}

UNIT = {
    "write_back:SCAN>HEAD": Case("two_sent", Kind.TX_HEAD, CYCLE),
    "write_back:SCAN>MESSAGE": Case("two_sent", Kind.INT_MESSAGE, CYCLE),
    "write_back:HEAD>SCAN": Case("two_sent", Kind.INT_MESSAGE, CYCLE),
    "write_back:MESSAGE>SCAN": Case("storm", Kind.INT_MESSAGE, CYCLE),
}

FLAGS = {
    "prefetch.busy:0>1": Case("just_prefetched", Kind.RX_STARVED, CYCLE),
    "prefetch.busy:1>0": Case("prefetched_twice", Kind.TX_PREFETCH, CYCLE),
    "read_port.free:0>1": Case("two_parts", Kind.TX_PREFETCH, CYCLE),
    "read_port.free:1>0": Case("two_parts", Kind.TX_PREFETCH, CYCLE),
    "port.idle:0>1": Case("bursts", Kind.RX_WRITE, CYCLE),
    "port.idle:1>0": Case("backlog", Kind.INT_MESSAGE, CYCLE),
    "mdio.busy:0>1": Case("managed_again", Kind.MDIO_DONE, CYCLE),
    "mdio.busy:1>0": Case("managed_again", Kind.MDIO_DONE, CYCLE),
}

CASES: dict[str, Case] = WIRE | MOVER | LOADER | UNIT | FLAGS

NEVER_TAKEN: dict[str, Never] = {
    "gmii_rx:FRAME>SKIP": Never(
        "the receiver refuses a frame in the cycle of its SFD (RXEN = 0) or not at all: from FRAME on `skip` "
        "is 0",
        ("received", "rxen_in_s", "rxd_after_frame", "cut_and_frame", "long_and_wrong", "full_by_a_word")),
    "rx_mover.state:*>*": Never(
        "all that the mover does has a name of its own",
        ("two_buffers", "stamped", "backlog", "extension_not_ours", "second_not_ours", "nothing_to_write",
         "stopped_in_ext", "failed_in_move", "reset_in_move", "reset_in_wb", "bad_write_restarted",
         "late_entry",
         "swr_in_write", "fifo_reset", "bad_rx_descriptors", "spilt", "writes_together")),
}
"""What no stimulus can show, since it does not happen: a delay of many cycles is not seen in any."""
