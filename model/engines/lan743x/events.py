"""Events of the lan743x engine, as numbered in docs/engines/lan743x.md section 9, and the reasons for which
received frames are kept or not."""

from enum import IntEnum


class Kind(IntEnum):
    """The lower-case names are those of the lanes of the engine's event tap."""

    CSR_WRITE = 1
    CSR_READ = 2
    INT_MESSAGE = 3
    INTX = 4
    MDIO_DONE = 5
    TX_PREFETCH = 16
    TX_DESC = 17
    TX_FETCH = 18
    TX_FILL = 19
    TX_SFD = 20
    TX_DONE = 21
    TX_HEAD = 22
    TX_STOPPED = 23
    TX_PAUSE = 24
    TX_ERROR = 25
    TX_DROP = 26
    RX_SFD = 32
    RX_END = 33
    RX_PREFETCH = 34
    RX_DESC = 35
    RX_OWN = 36
    RX_STARVED = 37
    RX_WRITE = 38
    RX_WB = 39
    RX_DONE = 40
    RX_HEAD = 41
    RX_STOPPED = 42
    RX_ERROR = 43


class Reason(IntEnum):
    """What became of a received frame at its end (data of RX_END)."""

    GOOD = 0
    CODE = 1
    SHORT = 2
    LONG = 3
    CRC = 4
    PAUSE = 5
    FILTER = 6
    FCT_OFF = 7
    OVERFLOW = 8


STATE_AFTER: dict[Kind, tuple[str, str]] = {
    Kind.INT_MESSAGE: ("write-back unit", "message on its way"),
    Kind.INTX: ("write-back unit", "INTx on its way"),
    Kind.MDIO_DONE: ("mdio", "IDLE"),
    Kind.TX_PREFETCH: ("tx prefetch", "reading"),
    Kind.TX_DESC: ("tx prefetch", "idle"),
    Kind.TX_FETCH: ("tx loader", "LOAD or IDLE"),
    Kind.TX_FILL: ("tx loader", "burst in the FIFO"),
    Kind.TX_SFD: ("sender", "frame"),
    Kind.TX_DONE: ("sender", "gap"),
    Kind.TX_HEAD: ("tx head", "written"),
    Kind.TX_STOPPED: ("tx channel", "stopped"),
    Kind.TX_PAUSE: ("sender", "pause frame"),
    Kind.TX_ERROR: ("tx channel", "stop pending after a bus error"),
    Kind.TX_DROP: ("sender", "frame given up"),
    Kind.RX_SFD: ("receiver", "frame"),
    Kind.RX_END: ("receiver", "idle"),
    Kind.RX_PREFETCH: ("rx prefetch", "reading"),
    Kind.RX_DESC: ("rx prefetch", "idle"),
    Kind.RX_OWN: ("mover", "MOVE if owned"),
    Kind.RX_STARVED: ("mover", "waits for an entry"),
    Kind.RX_WRITE: ("mover", "MOVE"),
    Kind.RX_WB: ("mover", "WB"),
    Kind.RX_DONE: ("mover", "IDLE"),
    Kind.RX_HEAD: ("rx head", "written"),
    Kind.RX_STOPPED: ("rx channel", "stopped"),
    Kind.RX_ERROR: ("rx channel", "stopping after a bus error"),
}
"""Which machine an event speaks of and the state that it is in from then on, for the reader of a
divergence."""
