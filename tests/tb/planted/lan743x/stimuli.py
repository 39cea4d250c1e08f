"""The stimuli, by name. Each leaves what it is there for as little slack as there can be.

Letters (c, x, w, a, d, k, m, z, s, e, t, F) are those of docs/engines/lan743x.md.
"""

from __future__ import annotations

from collections.abc import Callable

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.edges_filter import EDGES_FILTER
from tests.tb.planted.lan743x.edges_in import EDGES_IN
from tests.tb.planted.lan743x.edges_out import EDGES_OUT
from tests.tb.planted.lan743x.edges_ports import EDGES_PORTS
from tests.tb.planted.lan743x.edges_unit import EDGES_UNIT
from tests.tb.planted.lan743x.link import LINKED
from tests.tb.planted.lan743x.script import DATA, Script, varied
from tests.tb.planted.script import sound

STAMPS = {"RX0_CFG_B": {"TS_ALL_RX": 1, "TS_DESCR_EN": 1}}
PREAMBLE = 8
"""Symbols in front of a frame, SFD included: the places that `hide` counts from."""


def two_sent() -> Script:
    """Two frames of one entry each."""
    s = Script()
    s.send(60, 64)
    return s.end(700)


def padded() -> Script:
    """A frame that is padded, and another one behind it."""
    s = Script()
    s.send(20, 60)
    return s.end(600)


def own_fcs() -> Script:
    """Frames that bring their own FCS; a short one is not padded then."""
    s = Script()
    s.send(70, 9, FCS=0)
    return s.end(500)


def in_parts(*lengths: int, **last: int) -> Script:
    """A frame of several entries, another one behind it. `last`: flags of the entry before the last."""
    s = Script()
    for index, length in enumerate(lengths):
        s.tx(index, length, DATA + 0x101 * index, FS=index == 0, LS=index == len(lengths) - 1,
             **(last if index == len(lengths) - 2 else {}))
    s.tx(len(lengths), 60)
    s.tail("TX0", len(lengths) + 1)
    return s.end(900)


def received(*lengths: int, count: int = 6, buffer_bytes: int = 0x800, gap: int = 12, cycles: int = 700,
             straps: dict[str, int] | None = None, cfg: dict[str, dict[str, int]] | None = None) -> Script:
    """Frames, buffers of so many bytes for them."""
    s = Script(straps=straps or {}, cfg=cfg or {})
    s.post(count, buffer_bytes)
    for number, length in enumerate(lengths):
        s.frame(sound(length, fill=number), gap)
    s.play()
    return s.end(cycles + sum(lengths))


def not_ours(buffer_bytes: int, owned: int, cfg: dict[str, dict[str, int]] | None = None) -> Script:
    """The first entries are the engine's, the next is not; later it is, and the tail is written again."""
    s = Script(cfg=cfg or {})
    for index in range(4):
        s.rx(index, buffer_bytes, own=index < owned)
    s.tail("RX0", 4)
    s.frame(sound(64))
    s.frame(sound(64), 12)
    s.play()
    s.end(400)
    for index in range(owned, 4):
        s.rx(index)
    s.tail("RX0", 4)
    return s.end(400)


def nothing_to_write() -> Script:
    """A buffer of no bytes, and one right after it."""
    s = Script()
    s.rx(0, 0)
    s.rx(1)
    s.rx(2)
    s.tail("RX0", 3)
    s.frame(sound(64))
    s.play()
    return s.end(400)


def emptied(to_idle: Callable[[Script], int], **before: object) -> Callable[[], Script]:
    """The reset of the FIFO waits until the mover is in IDLE again, and is read in the first cycle that shows
    that. `to_idle`: does what leads there, and returns the first cycle of IDLE."""
    def make() -> Script:
        s = waiting_frame(**before)
        idle = to_idle(s)
        s.read_in(idle + 1, "FCT_RX_CTL")
        return s.end(200)
    return make


def waiting_frame(count: int = 1, buffer_bytes: int = 0x800, **options: dict) -> Script:
    """Frames come in, with `count` buffers for them."""
    s = Script(**options)
    s.post(count, buffer_bytes)
    s.frame(sound(64))
    s.frame(sound(64))
    s.play()
    return s


def reset_fifo(s: Script, cycle: int) -> None:
    s.set_in(cycle, "FCT_RX_CTL", RESET=1)


def by_stop(s: Script) -> int:
    """No entry is left for what the frame still needs, and the channel is stopped."""
    written = s.cycle_of(Kind.RX_WB)
    reset_fifo(s, written + 1)
    s.set_in(written + 10, "DMAC_CMD", STOP_R=1)
    return s.cycle_of(Kind.RX_STOPPED) + 1


def by_error(s: Script) -> int:
    """A write of data fails."""
    reset_fifo(s, s.cycle_of(Kind.RX_WRITE) + 1)
    return s.cycle_of(Kind.RX_STOPPED) + 1


def by_swr_in_move(s: Script) -> int:
    """SWR takes effect in m of the second buffer."""
    reset_fifo(s, s.cycle_of(Kind.RX_WB))
    second = s.cycle_of(Kind.RX_OWN, 1)
    s.set_in(second, "DMAC_CMD", RX_SWR=1)
    return second + 2


def by_swr_in_wb(s: Script) -> int:
    """SWR takes effect while the entry's write waits (strap head_wb_early)."""
    waits = s.cycle_of(Kind.RX_WRITE) + 40
    reset_fifo(s, waits)
    s.set_in(waits + 10, "DMAC_CMD", RX_SWR=1)
    return waits + 12


def prefetched_twice() -> Script:
    """More entries than one prefetch brings, and the tail is written while the first one is under way."""
    s = Script(bus={"read_latency": 9})
    for index in range(6):
        s.tx(index, 60)
    c = s.tail("TX0", 2)
    s.tail_in(c + 8, "TX0", 6)
    return s.end(900)


def backlog() -> Script:
    """Frames wait for their buffers; then there are entries, but none for the last frame."""
    s = Script(bus={"write_latency": 7})
    for number in range(3):
        s.frame(sound(64, fill=number), 12)
    s.play()
    s.end(300)
    s.post(2)
    return s.end(300)


def just_prefetched() -> Script:
    """The next entry is asked for in d of a frame's last write: the mover is in IDLE and has none, but it
    comes."""
    s = Script()
    for number in range(2):
        s.frame(sound(64, fill=number), 12)
    s.play()
    s.end(300)
    s.post(1)
    s.rx(1)
    s.tail_in(s.cycle_of(Kind.RX_DONE) - 1, "RX0", 2)
    return s.end(300)


def managed_again() -> Script:
    """Two management frames, the second begun in the first cycle in which that is possible."""
    s = Script()
    c = s.set("MAC_MII_ACC", MII_BUSY=1, PHY_ADDR=1, MIIRINDA=2)
    s.set_in(c + 4097, "MAC_MII_ACC", MII_BUSY=1, PHY_ADDR=1, MIIRINDA=1)
    return s.end(4200)


def storm() -> Script:
    """A cause that no message clears: one message after the other."""
    s = Script(cfg={"TX0_CFG_C": {"DMA_INT_STS_AUTO_CLR": 0}})
    s.send(60)
    s.end(160)
    s.set("DMAC_INT_STS", TX_IOC=1)
    return s.end(60)


def heard(hide: tuple[int, ...], played: bytes, *frames: tuple[int, bytes]) -> Callable[[], Script]:
    """One carrier event of which the symbols `hide` are hidden; `frames`: place of the SFD, and the frame, as
    they are to be heard."""
    def make() -> Script:
        s = Script(straps={"hide": sum(1 << place for place in hide)})
        s.post(4)
        s.frame(played, 24)
        end = 0
        for place, frame in frames:
            s.heard_as.append((frame, (24 if not end else 0) + place + 1 - PREAMBLE - end))
            end = place + 1 + len(frame)
        s.play()
        return s.end(500)
    return make


SFD = PREAMBLE - 1
AGAIN = bytes([0x55, 0xD5])
STIMULI: dict[str, Callable[[], Script]] = {
    "two_sent": two_sent,
    "padded": padded,
    "own_fcs": own_fcs,
    "two_parts": varied(in_parts, 30, 40),
    "extension_between": varied(in_parts, 30, 20, 40, DTYPE=1),
    "received": varied(received, 64, 65, 66),
    "two_buffers": varied(received, 150, 70, buffer_bytes=100),
    "bursts": varied(received, 400, 200),
    "stamped": varied(received, 64, 64, cfg=STAMPS),
    "stamped_without_heads": varied(received, 64, 64, cfg=STAMPS | {"RX0_CFG_A": {"HP_WB_EN": 0}}),
    "not_ours": varied(not_ours, 0x800, 0),
    "second_not_ours": varied(not_ours, 40, 1),
    "extension_not_ours": varied(not_ours, 0x800, 1, STAMPS),
    "nothing_to_write": nothing_to_write,
    "stopped_in_next": emptied(by_stop, buffer_bytes=40),
    "stopped_in_ext": emptied(by_stop, cfg=STAMPS),
    "failed_in_move": emptied(by_error, errors=[(0, True, 0)]),
    "reset_in_move": emptied(by_swr_in_move, count=2, buffer_bytes=40),
    "reset_in_wb": emptied(by_swr_in_wb, straps={"head_wb_early": 1}),
    "prefetched_twice": prefetched_twice,
    "backlog": backlog,
    "just_prefetched": just_prefetched,
    "managed_again": managed_again,
    "storm": storm,
    "last_preamble_byte_heard": heard((0, 1, 2, 3, 4, 5), sound(64), (SFD, sound(64))),
    "preamble_cut": heard((5,), sound(64), (SFD, sound(64))),
    "other_then_frame": heard(tuple(range(8)) + (9,), b"\x12\0" + AGAIN + sound(64), (11, sound(64))),
    "preamble_then_other": heard(tuple(range(8)) + (10,), b"\x55\x12\0" + AGAIN + sound(64), (12, sound(64))),
    "cut_and_frame": heard((11,), b"abc\0" + AGAIN + sound(64), (SFD, b"abc"), (13, sound(64))),
} | EDGES_PORTS | EDGES_OUT | EDGES_FILTER | EDGES_IN | EDGES_UNIT | LINKED
