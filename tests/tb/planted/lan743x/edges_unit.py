"""Stimuli in which two things of the specification fall into one cycle, or miss each other by one: heads,
interrupts, commands and what software uses before them.

They hold the golden engine's numbers to the RTL. Letters as in docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.runs import ALL_RX, done_at, receiving, sending, told
from tests.tb.planted.lan743x.script import Script, varied
from tests.tb.planted.script import sound

MODERATED = {"INT_MOD_MAP1": {"TX0": 0}, "INT_MOD_MAP0": {"RX0": 1}, "INT_MOD_CFG0": {"INTERVAL": 1},
             "INT_MOD_CFG1": {"INTERVAL": 1}}
REV_A0 = {"rev_a0": 1}


def moderated(*, on_timer: int = 1, thres: int = 15, ioc: int = 1, interval: int = 1, both: bool = False,
              cfg: dict[str, dict[str, int]] | None = None, straps: dict[str, int] | None = None) -> Script:
    """Frames faster than messages may follow each other."""
    s = Script(straps=straps or {}, cfg=MODERATED | {
        "TX0_CFG_A": {"HP_WB_THRES": thres, "HP_WB_ON_INT_TMR": on_timer, "TMR_HPWB_SEL_IOC": ioc},
        "RX0_CFG_A": {"WB_THRES": thres, "WB_ON_INT_TMR": on_timer},
        "INT_MOD_CFG0": {"INTERVAL": interval}} | (cfg or {}))
    s.send(60, 60, 60, 60)
    if both:
        s.post(4)
        for number in range(3):
            s.frame(sound(64, fill=number), 12)
        s.play()
    return s


def everything_at_once(straps: dict[str, int] | None = None, **cfg: dict[str, int]) -> Script:
    """Interrupts are enabled when all sources have causes and all channels heads to write."""
    s = Script(channels=("TX0", *ALL_RX), straps=straps or {}, cfg={
        "INT_EN_SET": {"MAS": 0}, "RFE_RSS_CFG": {"RSS_ENABLE": 1, "RSS_QUEUE_ENABLE": 1, "IPV4": 1},
        "RFE_HASH_KEY0": {"KEY": 0}, "RFE_INDX0": {"ENTRIES": 1},
        "TX0_CFG_A": {"HP_WB_THRES": 15}, "RX0_CFG_A": {"WB_THRES": 20}, "RX1_CFG_A": {"WB_THRES": 20}} | cfg)
    for name in ("RX0", "RX1"):
        s.post(4, channel=name)
    s.send(60)
    s.set("INT_SET", SW_GP=1)
    s.frame(sound(64), 12)
    s.frame(sound(64, bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0,
                             0])), 12)
    s.play()
    s.end(400)
    s.set("INT_EN_SET", MAS=1)
    return s


def threshold(entries: int, thres: int, *, tx: bool = True) -> Callable[[], Script]:
    """Heads by number of entries alone."""
    def make() -> Script:
        cfg = {"TX0_CFG_A": {"HP_WB_THRES": thres}, "RX0_CFG_A": {"WB_THRES": thres},
               "INT_EN_SET": {"MAS": 0}}
        s = sending(*[60] * entries, cfg=cfg) if tx else receiving(*[64] * entries, count=8, cfg=cfg)
        return s.end(100 * entries + 300)
    return make


def message_seen(offset: int, *, intx: bool = False) -> Callable[[], Script]:
    """Whether the message has arrived at the CPU: a register is read if it has."""
    def make() -> Script:
        s = sending(60, straps=REV_A0 if intx else {}, cfg={"TX0_CFG_A": {"HP_WB_EN": 0}})
        s.at(s.cycle_of(Kind.INTX if intx else Kind.INT_MESSAGE) + offset)
        for line in (16,) if intx else (1, 2, 3):
            s.steps.append(["read_if", line, s.registers.offset(f"INT_MOD_CFG{line % 8}")])
        s.steps.append(["sleep", 20])
        return s
    return make


def seen_later(before: Callable[[], Script]) -> Callable[[], Script]:
    """The causes are read at the end."""
    def make() -> Script:
        s = before()
        s.read("DMAC_INT_STS")
        return s.end(10)
    return make


def started_with_entries() -> Script:
    """START when there are entries already."""
    s = Script(start=False)
    s.send(60)
    s.command(START_T=1)
    return s.end(200)


def swr(side: str, *read: int) -> Callable[[], Script]:
    """SWR of an idle channel; DMAC_CMD is read so many cycles later."""
    def make() -> Script:
        s = Script()
        c = s.command(**{f"{side}X_SWR": 1})
        for later in read:
            s.read_in(c + later, "DMAC_CMD")
        return s.end(30)
    return make


def swr_in(before: Callable[[], Script], kind: Kind, offset: int, side: str,
           read: int = 2) -> Callable[[], Script]:
    """SWR while an access or a frame is not over; DMAC_CMD is read in the cycle that first shows its end."""
    def make() -> Script:
        s = before()
        event = s.cycle_of(kind)
        s.set_in(event + offset, "DMAC_CMD", **{f"{side}X_SWR": 1})
        s.read_in(event + read, "DMAC_CMD")
        return s.end(200)
    return make


def reads_one(register: str, field: str, *later: int) -> Callable[[], Script]:
    """A command that reads 1 for a while."""
    def make() -> Script:
        s = Script()
        c = s.set(register, **{field: 1})
        for cycles in later:
            s.read_in(c + cycles, register)
        return s.end(10)
    return make


def cleared_as_counted(offset: int) -> Callable[[], Script]:
    """MAC_CR.CNTR_RST in F + `offset`."""
    def make() -> Script:
        s = sending(60)
        s.set_in(s.cycle_of(Kind.TX_DONE) + offset, "MAC_CR", CNTR_RST=1)
        s.read("STAT_TX_TOTAL_FRAMES")
        return s.end(20)
    return make


def managed(*later: int, write: bool = False) -> Callable[[], Script]:
    """A management frame; the registers are read in cycles counted from the write."""
    def make() -> Script:
        s = Script()
        c = s.set("MAC_MII_ACC", MII_BUSY=1, PHY_ADDR=1, MIIRINDA=2, MII_WRITE=write)
        for cycles, register in later:
            s.read_in(c + cycles, register)
        return s.end(20)
    return make


EDGES_UNIT: dict[str, Callable[[], Script]] = {
    "moderated": varied(lambda: moderated().end(900)),
    "moderated_by_pending": varied(lambda: moderated(ioc=0, cfg={"INT_EN_SET": {"MAS": 0}}).end(900)),
    "moderated_both": varied(lambda: moderated(both=True).end(900)),
    "only_by_timer": varied(lambda: moderated(straps={"head_wb_late": 1}, thres=1).end(900)),
    "everything_at_once": varied(lambda: everything_at_once().end(300)),
    "messages_of_two": varied(lambda: everything_at_once(INT_VEC_MAP1={"TX0": 7},
                                                         INT_VEC_MAP0={"RX0": 7, "RX1": 6}).end(300)),
    "intx": varied(lambda: everything_at_once(straps=REV_A0).end(300)),
    "head_of_each": threshold(2, 0),
    "head_of_two": threshold(5, 2),
    "head_of_two_received": threshold(5, 2, tx=False),
    "arrives": message_seen(1),
    "just_arrives": message_seen(2),
    "intx_arrives": message_seen(2, intx=True),
    "auto_cleared": told(varied(sending, 60), Kind.INT_MESSAGE, 0, "DMAC_INT_STS"),
    "masked_as_it_comes": seen_later(done_at(varied(sending, 60, straps={"edge_irq": 1}), Kind.TX_DONE, 0,
                                             "INT_EN_CLR", TX=1)),
    "acknowledged_as_it_comes": seen_later(done_at(varied(sending, 60, cfg={"INT_EN_SET": {"MAS": 0}}),
                                                   Kind.TX_DONE,
                                                   0, "DMAC_INT_STS", TX_IOC=1)),
    "by_timer_alone": varied(lambda: moderated(cfg={"INT_EN_SET": {"MAS": 0}}).end(900)),
    "last_timer": varied(lambda: moderated(cfg={"INT_MOD_MAP1": {"TX0": 7},
                                                "INT_MOD_CFG7": {"INTERVAL": 1}}).end(900)),
    "started_with_entries": started_with_entries,
    "rx_stopped": done_at(varied(receiving, 64), Kind.RX_DONE, 60, "DMAC_CMD", STOP_R=1),
    "swr": swr("R", 2),
    "swr_in_write": swr_in(varied(receiving, 64, bus={"write_latency": 20}), Kind.RX_WB, -10, "R",
                           read=0),
    "swr_in_fetch": swr_in(varied(sending, 60, bus={"read_latency": 20}), Kind.TX_FILL, -10, "T"),
    "swr_in_prefetch": swr_in(varied(sending, 60, bus={"read_latency": 20}), Kind.TX_DESC, -10, "T"),
    "swr_in_frame": swr_in(varied(sending, 60), Kind.TX_DONE, -20, "T"),
    "fifo_reset": reads_one("FCT_RX_CTL", "RESET", 2),
    "tx_fifo_reset": reads_one("FCT_TX_CTL", "RESET", 2),
    "lite_reset": reads_one("HW_CFG", "LRST", 125),
    "lite_reset_over": reads_one("HW_CFG", "LRST", 126),
    "counters_reset": reads_one("MAC_CR", "CNTR_RST", 2),
    "cleared_as_counted": cleared_as_counted(-1),
    "managed": managed((4096, "MAC_MII_ACC")),
    "managed_over": managed((4097, "MAC_MII_ACC")),
    "managed_data": managed((4096, "MAC_MII_DATA")),
    "managed_data_there": managed((4097, "MAC_MII_DATA")),
}
