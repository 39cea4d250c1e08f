"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: what is
received.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.edges_filter import MULTICAST, refused
from tests.tb.planted.lan743x.runs import receiving, told
from tests.tb.planted.lan743x.script import Script, varied
from tests.tb.planted.script import sound

PAUSE_HEAD = bytes.fromhex("0180c2000001") + bytes(6) + bytes.fromhex("88080001")
SECOND_NS = 1_000_000_000


def pause(quanta: int, length: int = 64) -> bytes:
    """A pause frame."""
    return sound(length, PAUSE_HEAD + quanta.to_bytes(2, "big") + bytes(60), fill=0)


def spoilt(frame: bytes) -> bytes:
    """The frame with a wrong FCS."""
    return frame[:-1] + bytes([frame[-1] ^ 1])


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
    """RXEN is cleared in s + `offset`; MAC_RX is read in the cycle `read` after that, or after e+1 if the
    frame is under way."""
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


def filling(*lengths: int, kib: int = 1, word: int | None = None, late: int = 0) -> Callable[[], Script]:
    """Frames fill a FIFO of `kib` KiB. `word`: the first one moves out so that the FIFO has room for this
    word of the last frame in the very cycle in which it comes, or `late` cycles later."""
    def make() -> Script:
        s = Script(straps={"rx_fifo_kib": kib % 32}, cfg={"MAC_RX": {"RXEN": 1, "MAX_SIZE": 0x3FFF},
                                                          "RX0_CFG_A": {"HP_WB_EN": 0}})
        for number, length in enumerate(lengths):
            s.frame(sound(length, fill=number), 12)
        schedule = s.play()
        if word is not None:
            s.rx(0)
            whole = 4 * word + 4 <= lengths[-1]
            comes = int(schedule.sfd[-1]) + 5 + 4 * word if whole else int(schedule.end[-1]) + 1
            s.tail_in(comes - 1 + late - _duration(lengths[0]), "RX0", 1)
        s.at(max(s.now, int(schedule.end[-1]) + 300))
        return s
    return make


def _duration(length: int) -> int:
    """From the tail to the d of a frame's last write."""
    s = receiving(length, count=0,
                  cfg={"RX0_CFG_A": {"HP_WB_EN": 0}, "MAC_RX": {"RXEN": 1, "MAX_SIZE": 0x3FFF}})
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
    """The FIFO fills beyond a threshold and is emptied again. `tx`: data frames are sent
    meanwhile."""
    def make() -> Script:
        s = Script(cfg={"FCT_FLOW0": {"REQ_EN": 1, "ON_THRESHOLD": on, "OFF_THRESHOLD": off},
                        "MAC_FLOW": {"TX_FCEN": 1, "FCPT": 0x77}, "RX0_CFG_A": {"HP_WB_EN": 0}})
        for number, length in enumerate(lengths):
            s.frame(sound(length, fill=number), 12)
        if tx:
            s.send(*[400] * 6)
        end = int(s.play().end[-1])
        s.at(max(end + 200, s.now))
        s.post(6)
        return s.end(1500)
    return make


SIZES = (64, 127, 255, 511, 1023, 1518)


def counted(*lengths: int) -> Callable[[], Script]:
    """Frames of these lengths, and the counters of all size classes."""
    def make() -> Script:
        s = Script(cfg={"MAC_RX": {"RXEN": 1, "MAX_SIZE": 1600}})
        s.post(8)
        for length in lengths:
            s.frame(sound(length), 12)
        s.play()
        s.end(sum(lengths) + 40 * len(lengths))
        for name in (field.name for field in s.registers if field.name.startswith("STAT_RX_")):
            if name.endswith(("BYTE_FRAMES", "BYTES_FRAMES")):
                s.read(name)
        return s.end(10)
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
    "off_and_full": refused(sound(2000),
                            cfg={"FCT_RX_CTL": {"EN": 0}, "MAC_RX": {"RXEN": 1, "MAX_SIZE": 3000}},
                            straps={"rx_fifo_kib": 1}),
    "rxen_in_s": rxen(0, on=True),
    "rxen_before_s": rxen(-1, on=True),
    "rxd_in_time": rxd(-40, 2),
    "rxd_after_frame": rxd(20, 0),
    "rxd_just_after_frame": rxd(20, 1),
    "filter_as_decided": changed_as_decided(0, "RFE_CTL", AB=1),
    "filter_before": changed_as_decided(-1, "RFE_CTL", AB=1),
    "second_in_s": stamped_at_the_turn(0),
    "second_after_s": stamped_at_the_turn(1),
    "clock_read": clock_read(6),
    "full_exactly": filling(512, 512),
    "full_by_a_word": filling(512, 516),
    "full_by_part_of_a_word": filling(512, 513),
    "full_default": filling(16352, 16352, 68, kib=32),
    "freed_in_time": filling(500, 500, 300, word=6),
    "freed_late": filling(500, 500, 300, word=6, late=1),
    "part_in_time": filling(64, 700, 261, word=65),
    "pause_none": paused(0, 3),
    "pause_first": paused(1, 3),
    "asked_to_pause": asked_to_pause((512, 512, 512), 2, 1),
    "asked_with_frame": asked_to_pause((512, 512, 512), 2, 1, tx=True),
    "spilt": varied(lambda: receiving(68, 64, 100, count=9, straps={"extra_buffer": 2}).end(700)),
    "spilt_exactly": varied(lambda: receiving(84, 84, count=9, buffer_bytes=80,
                                              straps={"extra_buffer": 1}).end(700)),
    "whole_buffer": varied(lambda: receiving(64, buffer_bytes=100,
                                             straps={"write_whole_buffer": 1}).end(500)),
    "padded_buffer": varied(lambda: receiving(64, 64, buffer_bytes=40,
                                              cfg={"RX0_CFG_B": {"PAD": 2}}).end(500)),
    "long_bursts": varied(lambda: receiving(1400, 600,
                                            cfg={"RX0_CFG_B": {"RDMABL_512": 1, "PAD": 2}}).end(1800)),
    "late_entry": varied(lambda: receiving(64, 64, straps={"head_wb_early": 1}).end(600)),
    "early_head": told(varied(receiving, 64, straps={"head_wb_early": 1}), Kind.RX_WRITE, 19, "RX0_HEAD",
                       "RX0_HEAD"),
    "head_once_received": told(varied(receiving, 64), Kind.RX_DONE, 1, "RX0_HEAD"),
    "cause_once_received": told(varied(receiving, 64), Kind.RX_DONE, 1, "DMAC_INT_STS"),
    "sizes_at_limits": counted(*SIZES),
    "sizes_above_limits": counted(*(size + 1 for size in SIZES)),
    "received_counted": told(varied(receiving, 64), Kind.RX_END, 1, "STAT_RX_TOTAL_FRAMES"),
    "received_not_yet_counted": told(varied(receiving, 64), Kind.RX_END, 0, "STAT_RX_TOTAL_FRAMES"),
}
