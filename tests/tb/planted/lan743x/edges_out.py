"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: what is
sent.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.runs import receiving, sending, told
from tests.tb.planted.lan743x.script import DATA, RINGS, TX, Script, varied


def loaded_apart(long: int) -> Callable[[], Script]:
    """A buffer that begins anywhere, so that its first burst ends at a boundary."""
    def make() -> Script:
        s = Script(cfg={"TX0_CFG_B": {"TDMABL_512": long}})
        s.tx(0, 1300, DATA + 0x7C)
        s.tail("TX0", 1)
        return s.end(1800)
    return make


def fifo_filled(*lengths: int) -> Callable[[], Script]:
    """The FIFO is filled while nothing is sent; then it is."""
    def make() -> Script:
        s = Script(cfg={"MAC_TX": {"TXEN": 0}, "TX0_CFG_B": {"TDMABL_512": 1}})
        s.send(*lengths, FCS=0, IOC=0)
        s.end(sum(lengths) // 4 + 1000)
        s.set("MAC_TX", TXEN=1)
        return s.end(400)
    return make


def frames_begun() -> Script:
    """As many frames as may be begun, and one more, which waits until one is sent."""
    s = Script(cfg={"MAC_TX": {"TXEN": 0}, "TX0_CFG_B": {"RING_LEN": 256}, "TX0_CFG_A": {"PF_THRES": 16}})
    whole = TX.field("DATA0", "FS").mask | TX.field("DATA0", "LS").mask
    s.words(RINGS["TX0"], whole | 1, DATA, 0, 0, times=256)
    tail = 0
    for step in (255,) * 4 + (8,):
        tail = (tail + step) % 256
        s.tail("TX0", tail)
        s.end(255 * 9)
    s.set("MAC_TX", TXEN=1)
    return s.end(300)


def without_bytes(*, txen: int, frames: int = 1) -> Callable[[], Script]:
    """Frames without bytes are dropped one after the other, and one with bytes is sent at once. The last of
    them may have two entries."""
    def make() -> Script:
        s = Script(cfg={"MAC_TX": {"TXEN": txen}})
        for index in range(frames + 1):
            s.tx(index, 0, FS=index < frames, LS=index != frames - 1)
        s.tx(frames + 1, 60)
        s.tail("TX0", frames + 2)
        s.end(100)
        s.set("MAC_TX", TXEN=1)
        return s.end(300)
    return make


def extension_behind() -> Script:
    """The last entry with data has its extension behind it."""
    s = Script()
    s.tx(0, 60, EXT=1)
    s.tx(1, 20, LS=0, DTYPE=1)
    s.tx(2, 60)
    s.tail("TX0", 3)
    return s.end(400)


def bad_read(requester: int, ordinal: int) -> Callable[[], Script]:
    """A read fails."""
    def make() -> Script:
        s = receiving(64, 64, errors=[(requester, False, ordinal)])
        s.send(200, 60)
        s.end(500)
        s.command(START_R=1, START_T=1)
        return s.end(700)
    return make


def bad_write(ordinal: int) -> Callable[[], Script]:
    """A receive write fails; START is written in the very d."""
    def make() -> Script:
        s = receiving(64, 64, errors=[(0, True, ordinal)])
        s.set_in(s.cycle_of(Kind.RX_STOPPED), "DMAC_CMD", START_R=1)
        return s.end(500)
    return make


def restarted(register: str, offset: int, **fields: int) -> Callable[[], Script]:
    """A switch of the sender is off when a frame is loaded, and then on."""
    def make() -> Script:
        s = sending(60, cfg={register: dict.fromkeys(fields, 0)})
        s.end(offset)
        s.set(register, **fields)
        return s.end(200)
    return make


def txen_off(offset: int, *read: int) -> Callable[[], Script]:
    """TXEN is cleared, and TXD read in cycles after that. `offset`: from TX_DONE."""
    def make() -> Script:
        s = sending(60)
        c = s.set_in(s.cycle_of(Kind.TX_DONE) + offset, "MAC_TX", TXEN=0)
        for later in read:
            s.read_in((c if offset > 0 else c - offset) + later, "MAC_TX")
        return s.end(100)
    return make


EDGES_OUT: dict[str, Callable[[], Script]] = {
    "loaded_apart": loaded_apart(0),
    "loaded_apart_long": loaded_apart(1),
    "extension_behind": extension_behind,
    "fifo_filled": fifo_filled(4, 8192, 8192, 8192, 8192, 60),
    "fifo_filled_exactly": fifo_filled(8192, 8192, 8192, 8192, 60),
    "frames_begun": frames_begun,
    "without_bytes": without_bytes(txen=1),
    "three_dropped": without_bytes(txen=0, frames=3),
    "dropped_in_a_row": without_bytes(txen=0, frames=5),
    "bad_descriptors": bad_read(5, 0),
    "bad_data": bad_read(4, 1),
    "bad_rx_descriptors": bad_read(0, 0),
    "bad_write_restarted": bad_write(1),
    "txen_last": restarted("MAC_TX", 100, TXEN=1),
    "fct_last": restarted("FCT_TX_CTL", 100, EN=1),
    "txd_just_not_yet": txen_off(20, 2),
    "txd_just_after_frame": txen_off(-20, 1),
    "head_as_done": told(varied(sending, 60), Kind.TX_DONE, 0, "TX0_HEAD", "DMAC_INT_STS"),
    "head_once_done": told(varied(sending, 60), Kind.TX_DONE, 1, "TX0_HEAD"),
    "ioc_once_done": told(varied(sending, 60), Kind.TX_DONE, 1, "DMAC_INT_STS"),
    "sent_counted": told(varied(sending, 60), Kind.TX_DONE, 1, "STAT_TX_TOTAL_FRAMES"),
}
