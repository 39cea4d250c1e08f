"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: ports, rings
and what is sent.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.script import DATA, ENTRIES, RX, RX_CHANNELS, TX, Script, varied
from tests.tb.planted.script import sound

ALL_RX = tuple(f"RX{n}" for n in range(RX_CHANNELS))
NO_HEADS = {"TX0_CFG_A": {"HP_WB_EN": 0}, "RX0_CFG_A": {"HP_WB_EN": 0}}


def sending(*lengths: int, flags: dict[str, int] | None = None, **options: object) -> Script:
    """Frames of one entry each; goes on at once."""
    s = Script(**options)
    s.send(*lengths, **flags or {})
    return s


def receiving(*lengths: int, count: int = 4, buffer_bytes: int = 0x800, gap: int = 12, **options: object) -> Script:
    """Frames that come in, buffers for them; goes on at once."""
    s = Script(**options)
    s.post(count, buffer_bytes)
    for number, length in enumerate(lengths):
        s.frame(sound(length, fill=number), gap)
    s.play()
    return s


def told(before: Callable[[], Script], kind: Kind, offset: int, *registers: str, ordinal: int = 0,
         then: int = 300) -> Callable[[], Script]:
    """Registers are read, the first in the cycle of an event + `offset`."""
    def make() -> Script:
        s = before()
        s.read_in(s.cycle_of(kind, ordinal) + offset, *registers)
        return s.end(then)
    return make


def done_at(before: Callable[[], Script], kind: Kind, offset: int, register: str, ordinal: int = 0, then: int = 400,
            **fields: int) -> Callable[[], Script]:
    """A register is written in the cycle of an event + `offset`."""
    def make() -> Script:
        s = before()
        s.set_in(s.cycle_of(kind, ordinal) + offset, register, **fields)
        return s.end(then)
    return make


# Ports.


def tails_together(*order: str, thresholds: dict[str, dict[str, int]], data: bool = False) -> Callable[[], Script]:
    """The read port is held by one read at a time; while it is, tails are written, so that all request when it is
    free. `data`: the transmitter has an entry whose bytes are to be read as well."""
    def make() -> Script:
        s = Script(channels=("TX0", *ALL_RX), straps={"tags": 1}, bus={"read_latency": 40},
                   cfg={f"{name}_CFG_A": fields for name, fields in thresholds.items()})
        for name in order:
            for index in range(4):
                if name == "TX0":
                    s.tx(index, 60)
                else:
                    s.rx(index, channel=name)
        if data:
            s.tx(0, 300)
            s.tx(1, 60)
            s.tail("TX0", 2)
            s.at(s.cycle_of(Kind.TX_FETCH) + 2)
        else:
            s.rx(0, channel="RX3")
            s.tail("RX3", 1)
        for name in order:
            s.tail(name, 4)
        return s.end(1200)
    return make


URGENT, LATER = {"PF_THRES": 4, "PF_PRI_THRES": 4}, {"PF_THRES": 4, "PF_PRI_THRES": 0}


def many_reads(tags: int) -> Callable[[], Script]:
    """More bursts than may be open, each read late."""
    def make() -> Script:
        s = Script(straps={"tags": tags}, bus={"read_latency": 200})
        s.send(1400)
        return s.end(3000)
    return make


def writes_together() -> Script:
    """A head, and the frames of two channels, all want the port when a write ends."""
    s = Script(channels=("TX0", *ALL_RX), bus={"write_latency": 60},
               cfg={"RFE_RSS_CFG": {"RSS_ENABLE": 1, "RSS_QUEUE_ENABLE": 1, "IPV4": 1},
                    "RFE_INDX0": {"ENTRIES": 0x0100_0100}} | {f"RFE_INDX{n}": {"ENTRIES": 0x01000100}
                                                               for n in range(1, 32)})
    for name in ALL_RX:
        s.post(4, channel=name)
    s.send(60)
    for number in range(6):
        s.frame(datagram(number), 12)
    s.play()
    return s.end(3000)


def datagram(number: int, protocol: int = 17, head: int = 0x45, fragment: int = 0, length: int = 64,
             kind: bytes = b"\x08\x00") -> bytes:
    """An IPv4 frame of flow `number`."""
    return sound(length, bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]) + kind
                 + bytes([head, 0, 0, 46, 0, 0]) + fragment.to_bytes(2, "big") + bytes([64, protocol, 0, 0])
                 + bytes([10, 0, 0, 1, 10, 0, 0, 2 + 5 * number]) + bytes([number, 7, 3, number]))


# Rings.


def prefetching(count: int, *, ring: int = ENTRIES, thres: int = 4, stride: int = 0, base: int = 0,
                more: dict[str, int] | None = None, straps: dict[str, int] | None = None) -> Callable[[], Script]:
    """A receive ring whose tail is at `count`; nothing is received."""
    def make() -> Script:
        cfg = {"RX0_CFG_A": {"PF_THRES": thres} | (more or {}), "RX0_CFG_B": {"RING_LEN": ring},
               "DMAC_CFG": {"MAX_DSPACE": stride}}
        if base:
            cfg["RX0_BASE_L"] = {"ADDRESS": base}
        s = Script(cfg=cfg, straps=straps or {})
        s.tail("RX0", count)
        s.end(300)
        s.tail("RX0", count)
        return s.end(100)
    return make


def used_up(count: int, thres: int, **options: object) -> Callable[[], Script]:
    """Entries without data are loaded as fast as can be, so that the cache empties."""
    def make() -> Script:
        s = Script(cfg={"TX0_CFG_A": {"PF_THRES": thres} | options.pop("more", {}),
                        "TX0_CFG_B": {"RING_LEN": 64}}, **options)
        for index in range(count):
            s.tx(index, 8, FS=index == 0, LS=index == count - 1)
        s.tail("TX0", count)
        return s.end(900)
    return make


def popped_as_asked() -> Script:
    """An entry leaves the cache in a cycle in which the number of those cached decides about a prefetch."""
    s = sending(60, 60, 60, cfg={"TX0_CFG_A": {"PF_THRES": 3, "PF_PRI_THRES": 2}})
    for index in range(3, 20):
        s.tx(index, 60)
    s.tail_in(s.cycle_of(Kind.TX_DESC) - 1, "TX0", 20)
    return s.end(1800)


def tail_moved(by: int, offset: int, straps: dict[str, int] | None = None) -> Callable[[], Script]:
    """An entry is not the engine's. The tail is written about when the prefetch was granted that brought it."""
    def make() -> Script:
        s = Script(straps=straps or {})
        s.rx(0, own=False)
        s.rx(1)
        s.frame(sound(64))
        s.play()
        s.end(140)
        c = s.tail("RX0", 1)
        s.tail_in(c + offset, "RX0", 1 + by)
        s.end(100)
        s.rx(0)
        return s.end(300)
    return make


def beyond_the_ring(index: int) -> Callable[[], Script]:
    """The tail is the ring's length."""
    def make() -> Script:
        s = Script()
        s.tail("RX0", index)
        return s.end(100)
    return make


# What is sent.


def loaded_apart(long: int) -> Callable[[], Script]:
    """A buffer that begins anywhere, so that its first burst ends at a boundary."""
    def make() -> Script:
        s = Script(cfg={"TX0_CFG_B": {"TDMABL_512": long}})
        s.tx(0, 1300, DATA + 0x7C)
        s.tail("TX0", 1)
        return s.end(1800)
    return make


def fifo_filled() -> Script:
    """The FIFO is filled to its last word while nothing is sent, and one burst more waits."""
    s = Script(cfg={"MAC_TX": {"TXEN": 0}, "TX0_CFG_B": {"TDMABL_512": 1}})
    lengths = (60, 8192, 8192, 8192, 8192 - 64, 512)
    s.send(*lengths, FCS=0, IOC=0)
    s.end(8192 + 2000)
    s.set("MAC_TX", TXEN=1)
    return s.end(400)


def frames_begun() -> Script:
    """As many frames as may be begun, and one more, which waits until one is sent."""
    s = Script(cfg={"MAC_TX": {"TXEN": 0}, "TX0_CFG_B": {"RING_LEN": 256}, "TX0_CFG_A": {"PF_THRES": 16}})
    s.words(0x1000, TX.field("DATA0", "FS").mask | TX.field("DATA0", "LS").mask | 1, DATA, 0, 0, times=256)
    tail = 0
    for step in (255,) * 4 + (8,):
        tail = (tail + step) % 256
        s.tail("TX0", tail)
        s.end(255 * 9)
    s.set("MAC_TX", TXEN=1)
    return s.end(300)


def without_bytes(entries: int) -> Callable[[], Script]:
    """A frame without bytes is dropped, the next one is sent at once."""
    def make() -> Script:
        s = Script()
        for index in range(entries):
            s.tx(index, 0, FS=index == 0, LS=index == entries - 1)
        s.tx(entries, 0)
        s.tx(entries + 1, 60)
        s.tail("TX0", entries + 2)
        return s.end(300)
    return make


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
    "one_tag": varied(lambda: sending(300, straps={"tags": 1}).end(800)),
    "eight_tags": many_reads(0),
    "three_tags": many_reads(3),
    "all_urgent": tails_together("TX0", "RX1", "RX0", thresholds=dict.fromkeys(("TX0", "RX0", "RX1"), URGENT)),
    "none_urgent": tails_together("TX0", "RX1", "RX0", thresholds=dict.fromkeys(("TX0", "RX0", "RX1"), LATER)),
    "urgent_and_data": tails_together("RX0", thresholds={"TX0": LATER, "RX0": URGENT}, data=True),
    "later_and_data": tails_together("RX0", thresholds={"TX0": LATER, "RX0": LATER}, data=True),
    "sender_urgent_and_data": tails_together("TX0", thresholds={"TX0": URGENT | {"PF_THRES": 5}}, data=True),
    "sender_later_and_data": tails_together("TX0", thresholds={"TX0": LATER | {"PF_THRES": 5}}, data=True),
    "writes_together": writes_together,
    "late_bursts": varied(lambda: receiving(400, bus={"write_latency": 5, "jitter": 30}).end(1500)),
    "late_reads": varied(lambda: sending(200, 60, bus={"jitter": 50, "seed": 5}).end(1500)),
    "slow_beats": varied(lambda: sending(60, 200, bus={"beat_interval": 2}).end(1200)),

    "prefetch_16": prefetching(30, thres=31),
    "prefetch_32": prefetching(50, ring=64, thres=31),
    "prefetch_stride_64": prefetching(20, stride=2, thres=16),
    "prefetch_stride_32": prefetching(20, stride=1, thres=16),
    "prefetch_page": prefetching(12, base=0x2FA0, thres=16),
    "prefetch_wraps": prefetching(3, ring=5),
    "prefetch_none": prefetching(5, thres=0),
    "tail_inclusive": prefetching(3, straps={"tail_inclusive": 1}),
    "past_tail": prefetching(1, ring=8, thres=31, straps={"past_tail": 1}),
    "threshold": used_up(24, 3),
    "urgency": used_up(24, 3, more={"PF_PRI_THRES": 1}),
    "popped_as_asked": popped_as_asked,
    "tail_as_granted": tail_moved(1, 2),
    "tail_before_grant": tail_moved(0, 3),
    "beyond_the_ring": beyond_the_ring(ENTRIES),

    "loaded_apart": loaded_apart(0),
    "loaded_apart_long": loaded_apart(1),
    "fifo_filled": fifo_filled,
    "frames_begun": frames_begun,
    "without_bytes": without_bytes(2),
    "bad_descriptors": bad_read(5, 0),
    "bad_data": bad_read(4, 1),
    "bad_rx_descriptors": bad_read(0, 0),
    "bad_write_restarted": bad_write(1),
    "txen_last": restarted("MAC_TX", 100, TXEN=1),
    "fct_last": restarted("FCT_TX_CTL", 100, EN=1),
    "txd_at_once": txen_off(20, 1, 3),
    "txd_just_not_yet": txen_off(20, 2),
    "txd_after_frame": txen_off(-20, 0, 2),
    "txd_just_after_frame": txen_off(-20, 1),
    "head_as_done": told(varied(sending, 60), Kind.TX_DONE, 0, "TX0_HEAD", "DMAC_INT_STS"),
    "head_once_done": told(varied(sending, 60), Kind.TX_DONE, 1, "TX0_HEAD"),
    "ioc_once_done": told(varied(sending, 60), Kind.TX_DONE, 1, "DMAC_INT_STS"),
    "sent_counted": told(varied(sending, 60), Kind.TX_DONE, 1, "STAT_TX_TOTAL_FRAMES"),
    "sent_not_yet_counted": told(varied(sending, 60), Kind.TX_DONE, 0, "STAT_TX_TOTAL_FRAMES"),
}
