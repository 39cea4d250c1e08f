"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: what is
received.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.edges_out import ALL_RX, datagram, done_at, receiving, told
from tests.tb.planted.lan743x.script import Script, varied
from tests.tb.planted.script import OTHER, STATION, sound

PAUSE_HEAD = bytes.fromhex("0180c2000001") + bytes(6) + bytes.fromhex("88080001")
MULTICAST = bytes.fromhex("01005e000005")
SECOND_NS = 1_000_000_000
KIB_WORDS = 256


def pause(quanta: int, length: int = 64) -> bytes:
    """A pause frame."""
    return sound(length, PAUSE_HEAD + quanta.to_bytes(2, "big") + bytes(60), fill=0)


def spoilt(frame: bytes) -> bytes:
    """The frame with a wrong FCS."""
    return frame[:-1] + bytes([frame[-1] ^ 1])


def refused(*frames: bytes, error_at: int = -1, cfg: dict[str, dict[str, int]] | None = None,
            straps: dict[str, int] | None = None, channels: tuple[str, ...] = ("TX0", "RX0"),
            cycles: int = 300) -> Callable[[], Script]:
    """Frames, without buffers for them. `error_at`: RX_ER with this byte of the first."""
    def make() -> Script:
        s = Script(cfg=cfg or {}, straps=straps or {}, channels=channels)
        for number, frame in enumerate(frames):
            s.frame(frame, 12, error_at=-1 if number else error_at)
        s.play()
        return s.end(cycles + sum(map(len, frames)) + 20 * len(frames))
    return make


def rxen(offset: int, *, on: bool) -> Callable[[], Script]:
    """RXEN changes in s + `offset`."""
    def make() -> Script:
        s = Script(cfg={"MAC_RX": {"RXEN": not on, "MAX_SIZE": 1518}})
        s.post(2)
        s.frame(sound(64), 40)
        s.set_in(int(s.play().sfd[0]) + offset, "MAC_RX", RXEN=on, MAX_SIZE=1518)
        return s.end(200)
    return make


def rxd(offset: int, read: int) -> Callable[[], Script]:
    """RXEN is cleared in s + `offset`; MAC_RX is read in the cycle `read` after that, or after e+1 if the frame is
    under way."""
    def make() -> Script:
        s = Script()
        s.frame(sound(64), 60)
        schedule = s.play()
        c = s.set_in(int(schedule.sfd[0]) + offset, "MAC_RX", MAX_SIZE=1518)
        s.read_in((c if offset < 0 else int(schedule.end[0]) + 1) + read, "MAC_RX")
        return s.end(150)
    return make


def changed_as_decided(offset: int, register: str, **fields: int) -> Callable[[], Script]:
    """A register is written in e + 1 + `offset`."""
    def make() -> Script:
        s = Script()
        s.frame(sound(64), 60)
        s.set_in(int(s.play().end[0]) + 1 + offset, register, **fields)
        return s.end(150)
    return make


def stamped_at_the_turn(early: int) -> Callable[[], Script]:
    """The PTP clock comes to a full second in s + `early`."""
    def make() -> Script:
        s = Script(cfg={"RX0_CFG_B": {"TS_ALL_RX": 1, "TS_DESCR_EN": 1}})
        s.post(4)
        s.frame(sound(64), 60)
        s.set("PTP_CMD_CTL", ENABLE=1)
        s.set("PTP_CLOCK_SEC", SEC=7)
        sfd = int(s.play().sfd[0])
        load = sfd - 20
        s.set("PTP_CLOCK_NS", NS=SECOND_NS - 8 * (sfd + early - (load + 1)))
        s.set_in(load, "PTP_CMD_CTL", CLOCK_LOAD=1)
        return s.end(300)
    return make


def clock_read(wait: int) -> Callable[[], Script]:
    """The PTP clock runs, is read, stopped and read again."""
    def make() -> Script:
        s = Script()
        s.set("PTP_CLOCK_SEC", SEC=3)
        s.set("PTP_CLOCK_NS", NS=SECOND_NS - 40)
        s.set("PTP_CMD_CTL", CLOCK_LOAD=1)
        s.set("PTP_CMD_CTL", ENABLE=1)
        s.end(wait)
        s.set("PTP_CMD_CTL", CLOCK_READ=1)
        s.read("PTP_CLOCK_SEC")
        s.read("PTP_CLOCK_NS")
        s.set("PTP_CMD_CTL", DISABLE=1)
        s.set("PTP_CMD_CTL", CLOCK_READ=1)
        s.read("PTP_CLOCK_NS")
        s.set("PTP_CMD_CTL", RESET=1)
        s.set("PTP_CMD_CTL", CLOCK_READ=1)
        s.read("PTP_CLOCK_SEC")
        return s.end(10)
    return make


def hashed(bit: int, *, word: int | None = None) -> Callable[[], Script]:
    """A multicast frame and a hash table with this bit alone; the word is read back."""
    def make() -> Script:
        s = Script(cfg={"RFE_CTL": {"AU": 0, "AB": 0, "MCAST_HASH": 1}, "DP_SEL": {"SELECT": 1}})
        s.set("DP_ADDR", ADDRESS=128 + bit // 32 if word is None else word)
        s.set("DP_DATA_0", DATA=1 << bit % 32)
        s.set("DP_CMD", WRITE=1)
        s.set("DP_DATA_0", DATA=0)
        s.set("DP_CMD", WRITE=0)
        s.read("DP_DATA_0")
        s.frame(sound(64, MULTICAST))
        s.play()
        return s.end(150)
    return make


def listed(entry: int) -> Callable[[], Script]:
    """A frame, and its address in an entry of the perfect filter."""
    def make() -> Script:
        s = Script(cfg={"RFE_CTL": {"AU": 0, "AB": 0, "DA_PERFECT": 1}})
        s.write("RFE_ADDR_FILT_LO0", 0)
        s.steps.pop()
        offset = s.registers.offset("RFE_ADDR_FILT_HI0") + 8 * entry
        s.steps.append(["write", offset, int.from_bytes(OTHER[4:], "little") | 1 << 31, 0xF])
        s.write("FPGA_REV", 0)
        s.steps.pop()
        s.steps.append(["write", offset + 4, int.from_bytes(OTHER[:4], "little"), 0xF])
        s.end(6)
        s.frame(sound(64, OTHER))
        s.play()
        return s.end(150)
    return make


def steered(*frames: bytes, key_byte: int = 0, **enables: int) -> Callable[[], Script]:
    """Frames to four channels, in an order that no two entries of the table have in common."""
    def make() -> Script:
        cfg = {"RFE_RSS_CFG": {"RSS_ENABLE": 1, "RSS_QUEUE_ENABLE": 1} | (enables or {"IPV4": 1, "UDP_IPV4": 1,
                                                                                      "TCP_IPV4": 1})}
        cfg |= {f"RFE_HASH_KEY{n}": {"KEY": (0x6D5A56DA * (2 * n + 3) + key_byte) & 0xFFFF_FFFF} for n in range(10)}
        cfg |= {f"RFE_INDX{n}": {"ENTRIES": 0x03020100 if n % 2 else 0x00010203} for n in range(32)}
        return refused(*frames, cfg=cfg, channels=("TX0", *ALL_RX))()
    return make


def filling(*lengths: int, kib: int = 1, free: int | None = None, **fields: int) -> Callable[[], Script]:
    """Frames fill a FIFO of `kib` KiB; the first one moves out so that it is free when the last has come so far
    that `free` of its words are there."""
    def make() -> Script:
        s = Script(straps={"rx_fifo_kib": kib % 32}, cfg={"MAC_RX": {"RXEN": 1, "MAX_SIZE": 0x3FFF},
                                                          "RX0_CFG_A": {"HP_WB_EN": 0}} | (
            {"FCT_FLOW0": fields, "MAC_FLOW": {"TX_FCEN": 1, "FCPT": 0x77}} if fields else {}))
        for number, length in enumerate(lengths):
            s.frame(sound(length, fill=number), 12)
        schedule = s.play()
        if free is not None:
            s.rx(0)
            moved = int(schedule.sfd[-1]) + 5 + 4 * free
            duration = _duration(lengths[0])
            s.tail_in(moved - duration, "RX0", 1)
        s.at(max(s.now, int(schedule.end[-1]) + 300))
        return s
    return make


def _duration(length: int) -> int:
    """From the tail to the d of a frame's last write."""
    s = receiving(length, count=0, cfg={"RX0_CFG_A": {"HP_WB_EN": 0}, "MAC_RX": {"RXEN": 1, "MAX_SIZE": 0x3FFF}})
    s.end(length + 100)
    s.rx(0)
    c = s.tail("RX0", 1)
    return s.cycle_of(Kind.RX_DONE) - c


def paused(offset: int, quanta: int) -> Callable[[], Script]:
    """A pause frame is decided; a data frame could start in e + 1 + `offset` otherwise."""
    def make() -> Script:
        s = Script(cfg={"MAC_FLOW": {"RX_FCEN": 1}, "MAC_TX": {"TXEN": 0}})
        s.frame(pause(quanta), 60)
        s.send(60, 60)
        s.set_in(int(s.play().end[0]) + 1 + offset - 1, "MAC_TX", TXEN=1)
        return s.end(500)
    return make


def asked_to_pause(lengths: tuple[int, ...], on: int, off: int, *, tx: bool = False) -> Callable[[], Script]:
    """The FIFO fills beyond a threshold and is emptied again. `tx`: a data frame waits as well."""
    def make() -> Script:
        s = Script(cfg={"FCT_FLOW0": {"REQ_EN": 1, "ON_THRESHOLD": on, "OFF_THRESHOLD": off},
                        "MAC_FLOW": {"TX_FCEN": 1, "FCPT": 0x77}, "RX0_CFG_A": {"HP_WB_EN": 0}})
        for number, length in enumerate(lengths):
            s.frame(sound(length, fill=number), 12)
        end = int(s.play().end[-1])
        if tx:
            s.send(200, 60)
            s.end(1)
        s.at(max(end + 200, s.now))
        s.post(6)
        return s.end(1500)
    return make


EDGES_IN: dict[str, Callable[[], Script]] = {
    "short": refused(sound(63)),
    "just_long_enough": refused(sound(64)),
    "long": refused(sound(200), cfg={"MAC_RX": {"RXEN": 1, "MAX_SIZE": 200}}),
    "code_and_short": refused(sound(60), error_at=20),
    "short_and_wrong": refused(spoilt(sound(60))),
    "long_and_wrong": refused(spoilt(sound(201)), cfg={"MAC_RX": {"RXEN": 1, "MAX_SIZE": 200}}),
    "wrong_pause": refused(spoilt(pause(1)), cfg={"MAC_FLOW": {"RX_FCEN": 1}}),
    "pause_not_for_us": refused(pause(1), cfg={"MAC_FLOW": {"RX_FCEN": 1}}),
    "not_for_us_and_off": refused(sound(64, MULTICAST), cfg={"FCT_RX_CTL": {"EN": 0}}),
    "off_and_full": refused(sound(2000), cfg={"FCT_RX_CTL": {"EN": 0}, "MAC_RX": {"RXEN": 1, "MAX_SIZE": 3000}},
                            straps={"rx_fifo_kib": 1}),
    "rxen_in_s": rxen(0, on=True),
    "rxen_before_s": rxen(-1, on=True),
    "rxd_at_once": rxd(-40, 1),
    "rxd_in_time": rxd(-40, 2),
    "rxd_after_frame": rxd(20, 0),
    "rxd_just_after_frame": rxd(20, 1),
    "filter_as_decided": changed_as_decided(0, "RFE_CTL", AB=1),
    "filter_before": changed_as_decided(-1, "RFE_CTL", AB=1),
    "second_in_s": stamped_at_the_turn(0),
    "second_after_s": stamped_at_the_turn(1),
    "clock_read": clock_read(6),
    "hashed": hashed(0x112),
    "hash_beyond": hashed(0, word=144),
    "hash_last": hashed(511),
    "hash_before": hashed(0, word=127),
    "listed_last": listed(32),
    "listed_beyond": listed(33),
    "steered": steered(*(datagram(n) for n in range(12))),
    "steered_tcp": steered(*(datagram(n, 6) for n in range(4)), TCP_IPV4=1),
    "steered_udp": steered(*(datagram(n, 17) for n in range(4)), UDP_IPV4=1),
    "steered_others": steered(datagram(3, 7), datagram(4, 18), datagram(5, 5), datagram(6, 16), TCP_IPV4=1, UDP_IPV4=1),
    "steered_by_address": steered(*(datagram(n, 6) for n in range(1, 5)), IPV4=1),
    "steered_fragment": steered(datagram(3, fragment=1), datagram(4, fragment=0x2000), datagram(5, fragment=0x4000),
                                datagram(6, fragment=0x1000), IPV4=1, UDP_IPV4=1),
    "not_steered": steered(datagram(3, head=0x46), datagram(4, kind=b"\x08\x01"), datagram(6, head=0x44)),
    "full_exactly": filling(512, 512),
    "full_by_a_word": filling(512, 516),
    "full_by_part_of_a_word": filling(512, 513),
    "full_default": filling(16380, 16380, 64, kib=32),
    "freed_in_time": filling(500, 500, 300, free=6),
    "freed_late": filling(500, 500, 300, free=5),
    "pause_none": paused(0, 3),
    "pause_first": paused(1, 3),
    "pause_over": paused(70, 1),
    "asked_to_pause": asked_to_pause((512, 512, 512), 2, 1),
    "asked_with_frame": asked_to_pause((512, 512, 512), 2, 1, tx=True),
    "spilt": varied(lambda: receiving(68, 64, 100, count=9, straps={"extra_buffer": 2}).end(700)),
    "spilt_exactly": varied(lambda: receiving(84, 84, count=9, buffer_bytes=80, straps={"extra_buffer": 1}).end(700)),
    "whole_buffer": varied(lambda: receiving(64, buffer_bytes=100, straps={"write_whole_buffer": 1}).end(500)),
    "padded_buffer": varied(lambda: receiving(64, 64, buffer_bytes=40, cfg={"RX0_CFG_B": {"PAD": 2}}).end(500)),
    "long_bursts": varied(lambda: receiving(1400, 600, cfg={"RX0_CFG_B": {"RDMABL_512": 1, "PAD": 2}}).end(1800)),
    "late_entry": varied(lambda: receiving(64, 64, straps={"head_wb_early": 1}).end(600)),
    "early_head": told(varied(receiving, 64, straps={"head_wb_early": 1}), Kind.RX_WRITE, 19, "RX0_HEAD", "RX0_HEAD"),
    "head_as_received": told(varied(receiving, 64), Kind.RX_DONE, 0, "RX0_HEAD"),
    "head_once_received": told(varied(receiving, 64), Kind.RX_DONE, 1, "RX0_HEAD"),
    "cause_once_received": told(varied(receiving, 64), Kind.RX_DONE, 1, "DMAC_INT_STS"),
    "received_counted": told(varied(receiving, 64), Kind.RX_END, 1, "STAT_RX_TOTAL_FRAMES"),
    "received_not_yet_counted": told(varied(receiving, 64), Kind.RX_END, 0, "STAT_RX_TOTAL_FRAMES"),
    "fifo_reset_at_once": done_at(varied(receiving, 64, 64), Kind.RX_END, 20, "FCT_RX_CTL", RESET=1),
}
for length in (64, 127, 255, 511, 1023, 1518):
    for which, more in (("at", 0), ("above", 1)):
        EDGES_IN[f"size_{which}_{length}"] = told(varied(receiving, length + more, count=2, cfg={
            "MAC_RX": {"RXEN": 1, "MAX_SIZE": 1600}}), Kind.RX_END, 1, "STAT_RX_64_BYTE_FRAMES", "STAT_RX_65_127_BYTE_FRAMES",
            "STAT_RX_128_255_BYTE_FRAMES", "STAT_RX_256_511_BYTES_FRAMES", "STAT_RX_512_1023_BYTE_FRAMES",
            "STAT_RX_1024_1518_BYTE_FRAMES", "STAT_RX_GREATER_1518_BYTE_FRAMES", then=10)
