"""For each transition of the engine's FSMs: where it has the least slack, and what first shows a delay.

Reader, mover and the deframer's FRAME > SKIP move in any cycle: one cycle late shows. The others move in
ticks, and nothing looks at their state between two ticks: one cycle late is not late at all, one tick late
shows. Where what comes next is not allowed for some time, so that even a tick is hidden, the case says why it
has to be so.
"""

from __future__ import annotations

from model.engines.at91ether.events import Kind
from tests.tb.planted.checks import Case

CYCLE, TICK = 1, 2
GAP, PREAMBLE, ACCESSES = 48, 30, 4

AFTER_A_FRAME = (
    "TX_EN has fallen and the gap of 24 ticks begins, whatever the reason and whatever waits: until it is "
    "over, in the tick in which the next frame may start, nobody asks whether the framer is in IDLE")
BEFORE_A_FRAME = (
    "RX_DV is down, for one tick at least. What follows is a preamble, and any one of its 15 nibbles is "
    "enough for the deframer: it may be late until the last of them. Only the engine's own TX_EN could hide "
    "some, in half duplex, and that starts 24 ticks after the carrier at the earliest")
BETWEEN_ACCESSES = (
    "a stop of the reader in WAIT comes with TE = 0, with an underrun or with a collision. The quickest way "
    "to the next frame is TE off, TE on, TCR: three accesses, two cycles from one to the next, and a cycle "
    "until the sender takes the frame")


READER = {
    "reader:IDLE>WAIT": Case("two_sent", Kind.TX_FETCH, CYCLE),
    "reader:WAIT>ADDR": Case("two_sent", Kind.TX_FETCH, CYCLE),
    "reader:WAIT>IDLE": Case("enabled_in_wait", Kind.TX_FETCH, ACCESSES, BETWEEN_ACCESSES),
    "reader:ADDR>DATA": Case("one_word", Kind.TX_FETCH, CYCLE),
    "reader:DATA>IDLE": Case("enabled_in_flight", Kind.TX_FETCH, CYCLE),
    "reader:DATA>WAIT": Case("own_fcs", Kind.TX_FETCH, CYCLE),
}

FRAMER = {
    "mii_nibbles:IDLE>PREAMBLE": Case("collision_in_preamble", Kind.TX_SFD, TICK),
    "mii_nibbles:PREAMBLE>JAM": Case("collision_in_preamble", Kind.TX_COLLISION, TICK),
    "mii_nibbles:PREAMBLE>LOW": Case("two_sent", Kind.TX_FETCH, TICK),
    "mii_nibbles:LOW>HIGH": Case("two_sent", Kind.TX_FETCH, TICK),
    "mii_nibbles:LOW>FCS": Case("starved", Kind.TX_DONE, TICK),
    "mii_nibbles:HIGH>LOW": Case("two_sent", Kind.TX_FETCH, TICK),
    "mii_nibbles:HIGH>END": Case("own_fcs", Kind.TX_DONE, TICK),
    "mii_nibbles:HIGH>PAD_LOW": Case("padded", Kind.TX_DONE, TICK),
    "mii_nibbles:HIGH>FCS": Case("two_sent", Kind.TX_DONE, TICK),
    "mii_nibbles:PAD_LOW>PAD_HIGH": Case("padded", Kind.TX_DONE, TICK),
    "mii_nibbles:PAD_HIGH>PAD_LOW": Case("padded", Kind.TX_DONE, TICK),
    "mii_nibbles:PAD_HIGH>FCS": Case("padded", Kind.TX_DONE, TICK),
    "mii_nibbles:FCS>END": Case("two_sent", Kind.TX_DONE, TICK),
    "mii_nibbles:JAM>JAM_END": Case("collision_in_low", Kind.TX_COLLISION, TICK),

    "mii_nibbles:LOW>JAM": Case("collision_in_low", Kind.TX_COLLISION, TICK),
    "mii_nibbles:HIGH>JAM": Case("collision_in_high", Kind.TX_COLLISION, TICK),
    "mii_nibbles:PAD_LOW>JAM": Case("collision_in_pad_low", Kind.TX_COLLISION, TICK),
    "mii_nibbles:PAD_HIGH>JAM": Case("collision_in_pad_high", Kind.TX_COLLISION, TICK),
    "mii_nibbles:FCS>JAM": Case("collision_in_fcs", Kind.TX_COLLISION, TICK),
    "mii_nibbles:END>JAM": Case("collision_in_end", Kind.TX_COLLISION, TICK),

    "mii_nibbles:PREAMBLE>IDLE": Case("cut_in_preamble", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:LOW>IDLE": Case("cut_in_low", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:HIGH>IDLE": Case("cut_in_high", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:PAD_LOW>IDLE": Case("cut_in_pad_low", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:PAD_HIGH>IDLE": Case("cut_in_pad_high", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:FCS>IDLE": Case("cut_in_fcs", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:END>IDLE": Case("two_sent", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:JAM>IDLE": Case("cut_in_jam", Kind.TX_SFD, GAP, AFTER_A_FRAME),
    "mii_nibbles:JAM_END>IDLE": Case("collision_in_preamble", Kind.TX_SFD, GAP, AFTER_A_FRAME),
}

DEFRAMER = {
    "mii_rx:IDLE>PREAMBLE": Case("last_preamble_nibble_heard", Kind.RX_SFD, TICK),
    "mii_rx:IDLE>SKIP": Case("last_nibble_heard", Kind.RX_SFD, TICK),
    "mii_rx:PREAMBLE>IDLE": Case("only_preamble_heard", Kind.RX_SFD, PREAMBLE, BEFORE_A_FRAME),
    "mii_rx:PREAMBLE>FRAME": Case("received", Kind.RX_END, TICK),
    "mii_rx:PREAMBLE>SKIP": Case("preamble_then_other_heard", Kind.RX_SFD, TICK),
    "mii_rx:FRAME>SKIP": Case("narrow_gaps", Kind.RX_SFD, CYCLE),
    "mii_rx:FRAME>IDLE": Case("narrow_gaps", Kind.RX_SFD, PREAMBLE, BEFORE_A_FRAME),
    "mii_rx:SKIP>IDLE": Case("narrow_gaps", Kind.RX_SFD, PREAMBLE, BEFORE_A_FRAME),
}

MOVER = {
    "mover:IDLE>OWN": Case("received", Kind.RX_FETCH, CYCLE),
    "mover:OWN>DROP": Case("no_buffer", Kind.RX_DROP, CYCLE),
    "mover:OWN>MOVE": Case("backlog", Kind.RX_DROP, CYCLE),
    "mover:MOVE>IDLE": Case("backlog", Kind.RX_FETCH, CYCLE),
    "mover:MOVE>WB1": Case("received", Kind.RX_WB1, CYCLE),
    "mover:MOVE>WRITE": Case("received", Kind.RX_WRITE, CYCLE),
    "mover:WRITE>DROP": Case("bad_data_write", Kind.RX_DROP, CYCLE),
    "mover:WRITE>MOVE": Case("received", Kind.RX_WB1, CYCLE),
    "mover:WB1>DROP": Case("bad_word1_write", Kind.RX_DROP, CYCLE),
    "mover:WB1>WB0": Case("received", Kind.RX_WB0, CYCLE),
    "mover:WB0>DROP": Case("bad_word0_write", Kind.RX_DROP, CYCLE),
    "mover:WB0>IDLE": Case("slow_writes", Kind.RX_FETCH, CYCLE),
    "mover:DROP>IDLE": Case("no_buffer", Kind.RX_FETCH, CYCLE),
}

CASES: dict[str, Case] = READER | FRAMER | DEFRAMER | MOVER
