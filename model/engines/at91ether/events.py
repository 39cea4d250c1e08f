"""Events of the at91ether engine, as numbered in docs/engines/at91ether.md section 8, and the reasons for
which frames end."""

from enum import IntEnum


class Kind(IntEnum):
    """The lower-case names are those of the lanes of the engine's event tap."""

    CSR_WRITE = 1
    CSR_READ = 2
    IRQ_RISE = 3
    IRQ_FALL = 4
    MDIO_DONE = 5
    TX_QUEUE = 16
    TX_OVERRUN = 17
    TX_DROP = 18
    TX_FETCH = 19
    TX_FILL = 20
    TX_ABORT = 21
    TX_SFD = 22
    TX_UNDERRUN = 23
    TX_CUT = 24
    TX_COLLISION = 25
    TX_DONE = 26
    RX_SFD = 32
    RX_MISS = 33
    RX_END = 34
    RX_FETCH = 35
    RX_OWN = 36
    RX_BNA = 37
    RX_WRITE = 38
    RX_WB1 = 39
    RX_WB0 = 40
    RX_DONE = 41
    RX_DROP = 42
    RX_ABORT = 43


class Reason(IntEnum):
    """Why a received frame ended or was given up (data of RX_END, RX_DROP, RX_MISS)."""

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


STATE_AFTER: dict[Kind, tuple[str, str]] = {
    Kind.TX_QUEUE: ("pair", "frame held"),
    Kind.TX_OVERRUN: ("pair", "overrun"),
    Kind.TX_DROP: ("pair", "empty"),
    Kind.TX_FETCH: ("reader", "DATA"),
    Kind.TX_FILL: ("reader", "WAIT or IDLE"),
    Kind.TX_ABORT: ("reader", "IDLE after a bus error"),
    Kind.TX_SFD: ("framer", "DATA"),
    Kind.TX_UNDERRUN: ("framer", "bad FCS"),
    Kind.TX_CUT: ("framer", "GAP after a cut"),
    Kind.TX_COLLISION: ("framer", "GAP after a collision"),
    Kind.TX_DONE: ("framer", "GAP"),
    Kind.RX_SFD: ("deframer", "FRAME"),
    Kind.RX_MISS: ("deframer", "SKIP"),
    Kind.RX_END: ("deframer", "IDLE or SKIP"),
    Kind.RX_FETCH: ("mover", "OWN"),
    Kind.RX_OWN: ("mover", "MOVE"),
    Kind.RX_BNA: ("mover", "DROP"),
    Kind.RX_WRITE: ("mover", "WRITE"),
    Kind.RX_WB1: ("mover", "WB1"),
    Kind.RX_WB0: ("mover", "WB0"),
    Kind.RX_DONE: ("mover", "IDLE"),
    Kind.RX_DROP: ("mover", "IDLE"),
    Kind.RX_ABORT: ("mover", "DROP"),
    Kind.IRQ_RISE: ("irq", "high"),
    Kind.IRQ_FALL: ("irq", "low"),
    Kind.MDIO_DONE: ("mdio", "IDLE"),
}
"""Which machine an event speaks of and the state that it is in from then on, for the reader of a
divergence."""
