"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: ports and
rings.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.runs import ALL_RX, datagram, receiving, sending
from tests.tb.planted.lan743x.script import BUFFERS, ENTRIES, RINGS, RX, Script, varied
from tests.tb.planted.script import sound


def tails_together(*order: str, thresholds: dict[str, dict[str, int]],
                   data: bool = False) -> Callable[[], Script]:
    """The read port is held by one read at a time; while it is, tails are written, so that all request when
    it is free. `data`: the transmitter has an entry whose bytes are to be read as well."""
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
                    "RFE_HASH_KEY2": {"KEY": 0x6D5A56DA}} | {
                        f"RFE_INDX{n}": {"ENTRIES": 0x01000100} for n in range(32)})
    for name in ALL_RX:
        s.post(4, channel=name)
    s.send(60)
    for number in range(6):
        s.frame(datagram(number), 12)
    s.play()
    return s.end(3000)


def prefetching(*tails: int, ring: int = ENTRIES, thres: int = 4, stride: int = 0, base: int = 0,
                straps: dict[str, int] | None = None) -> Callable[[], Script]:
    """A receive ring with one tail after the other; nothing is received."""
    def make() -> Script:
        cfg = {"RX0_CFG_A": {"PF_THRES": thres}, "RX0_CFG_B": {"RING_LEN": ring},
               "DMAC_CFG": {"MAX_DSPACE": stride}}
        if base:
            cfg["RX0_BASE_L"] = {"ADDRESS": base}
        s = Script(cfg=cfg, straps=straps or {})
        for index in tails:
            s.tail("RX0", index)
            s.end(250)
        return s
    return make


def used_up(count: int, thres: int) -> Callable[[], Script]:
    """Entries of few bytes are loaded as fast as can be, so that the cache empties."""
    def make() -> Script:
        s = Script(cfg={"TX0_CFG_A": {"PF_THRES": thres}, "TX0_CFG_B": {"RING_LEN": 64}})
        for index in range(count):
            s.tx(index, 8, FS=index == 0, LS=index == count - 1)
        s.tail("TX0", count)
        return s.end(900)
    return make


def asked_as_popped(thres: int, offset: int) -> Callable[[], Script]:
    """An entry leaves the cache in a cycle in which the number of those cached decides about a prefetch."""
    def make() -> Script:
        s = sending(*[60] * thres, cfg={"TX0_CFG_A": {"PF_THRES": thres, "PF_PRI_THRES": 2}})
        for index in range(thres, 20):
            s.tx(index, 60)
        s.tail_in(s.cycle_of(Kind.TX_DESC) + offset, "TX0", 20)
        return s.end(1800)
    return make


def long_as_popped() -> Script:
    """An entry leaves the cache in w of a prefetch that is as long as there is room."""
    s = Script(cfg={"RX0_CFG_A": {"PF_THRES": 31}, "RX0_CFG_B": {"RING_LEN": 64}})
    s.words(RINGS["RX0"], RX.field("DATA0", "OWN").mask | 0x800, BUFFERS, 0, 0, times=64)
    s.tail("RX0", 20)
    s.frame(sound(64), 100)
    end = int(s.play().end[0])
    s.tail_in(end + 1, "RX0", 60)
    return s.end(300)


def tail_moved(offset: int) -> Callable[[], Script]:
    """An entry is not the engine's. The tail is written again in w + `offset` of the prefetch that brings it,
    which waits for another read."""
    def make() -> Script:
        s = Script(straps={"tags": 1}, bus={"read_latency": 20})
        s.rx(0, own=False)
        s.frame(sound(64))
        s.play()
        s.end(140)
        s.send(60)
        s.tail("RX0", 1)
        s.tail_in(s.cycle_of(Kind.RX_PREFETCH) - 1 + offset, "RX0", 1)
        return s.end(300)
    return make


EDGES_PORTS: dict[str, Callable[[], Script]] = {
    "one_tag": varied(lambda: sending(300, straps={"tags": 1}).end(800)),
    "eight_tags": many_reads(0),
    "three_tags": many_reads(3),
    "all_urgent": tails_together("TX0", "RX1", "RX0",
                                 thresholds=dict.fromkeys(("TX0", "RX0", "RX1"), URGENT)),
    "none_urgent": tails_together("TX0", "RX1", "RX0",
                                  thresholds=dict.fromkeys(("TX0", "RX0", "RX1"), LATER)),
    "urgent_and_data": tails_together("RX0", thresholds={"TX0": LATER, "RX0": URGENT}, data=True),
    "later_and_data": tails_together("RX0", thresholds={"TX0": LATER, "RX0": LATER}, data=True),
    "sender_urgent_and_data": tails_together("TX0", thresholds={"TX0": URGENT | {"PF_THRES": 5}}, data=True),
    "sender_later_and_data": tails_together("TX0", thresholds={"TX0": LATER | {"PF_THRES": 5}}, data=True),
    "writes_together": writes_together,
    "late_bursts": varied(lambda: receiving(400, bus={"write_latency": 5, "jitter": 30}).end(1500)),
    "late_reads": varied(lambda: sending(200, 60, bus={"jitter": 50, "seed": 5}).end(1500)),

    "prefetch_16": prefetching(30, thres=31),
    "prefetch_32": prefetching(10, 60, ring=64, thres=31),
    "prefetch_spaced": prefetching(20, stride=2, thres=16),
    "prefetch_stride_32": prefetching(20, stride=1, thres=16),
    "prefetch_page": prefetching(12, base=0x2FA0, thres=16),
    "prefetch_wraps": prefetching(4, 2, ring=5, thres=31),
    "prefetch_none": prefetching(5, thres=0),
    "tail_inclusive": prefetching(3, 3, thres=31, straps={"tail_inclusive": 1}),
    "past_tail": prefetching(1, ring=8, thres=31, straps={"past_tail": 1}),
    "threshold": used_up(24, 3),
    "popped_as_asked": asked_as_popped(3, -1),
    "asked_as_popped": asked_as_popped(2, 0),
    "long_as_popped": long_as_popped,
    "tail_as_granted": tail_moved(0),
    "tail_before_grant": tail_moved(-1),
    "beyond_the_ring": prefetching(2, ENTRIES),
}
