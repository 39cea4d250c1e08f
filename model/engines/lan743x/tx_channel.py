"""The TX channel: the loader of frames into the FIFO (docs/engines/lan743x.md, sections 5.1 and 7)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from .channel import RUN, STOPPING, Channel
from .events import Kind
from .part import (
    LONG_BURST,
    MAP,
    NEVER,
    SHORT_BURST,
    TX_BIT,
    TX_DATA_ID,
    TX_DESC_ID,
    TX_FIFO_WORDS,
    TX_IOC_BIT,
    WORD,
)
from .prefetch import Prefetcher

if TYPE_CHECKING:
    from .engine import Engine

IDLE, SETUP, LOAD = range(3)
TX_FETCH, TX_FILL = int(Kind.TX_FETCH), int(Kind.TX_FILL)
_TX = MAP.descriptor("tx_descriptor")
DTYPE, LS, IOC, FCS, LENGTH = (_TX.field("DATA0", name)
                               for name in ("DTYPE", "LS", "IOC", "FCS", "BUF_LENGTH"))
EXT_MASK = _TX.field("DATA0", "EXT").mask
LS_MASK, IOC_MASK, FCS_MASK, LENGTH_MASK = LS.mask, IOC.mask, FCS.mask, LENGTH.mask
EXTENSION = DTYPE.place(1)
MOST_FRAMES = 1024
"""Begun and not completed (A)."""


@dataclass(slots=True)
class TxFrame:
    """A frame on its way through the FIFO. Members: `number`; `entries` of the ring; `words` of the FIFO;
    `ioc`; `insert_fcs`; `extended`, the entry to come is its extension and its last; `pieces` of its bytes as
    they arrive; `failed` if a read of it failed; `reads` not yet in."""

    number: int
    insert_fcs: bool
    entries: int = 0
    words: int = 0
    ioc: bool = False
    extended: bool = False
    failed: bool = False
    complete: bool = False
    reads: int = 0
    pieces: list[bytes] = field(default_factory=list)


class TxChannel(Channel):
    """Members beyond those of `Channel`: `held` words of the FIFO; `frames` begun and not yet on the wire;
    `begun`, how many there were."""

    ring = 0
    enable_field, threshold_field, timer_field = "TDMABL_512", "HP_WB_THRES", "HP_WB_ON_INT_TMR"

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, 0, 1 << TX_BIT, 1 << TX_IOC_BIT,
                         Prefetcher(engine, TX_DESC_ID, self.ring, False))
        self.prefix = "TX0_"
        self.enabled = self.fct_reset = False
        self.held = 0
        self.begun = 0
        self.frames: deque[TxFrame] = deque()   # begun and not yet on the wire, in order
        self.unsent = 0                         # frames begun and not completed
        self.reads = 0
        self._loader = IDLE
        self._frame: TxFrame | None = None
        self._entry = (0, 0, 0, 0, 0)
        self._address = self._left = self._count = self._words = 0
        self._load_from = NEVER
        self._last = False
        self._epoch = 0

    @property
    def loaded(self) -> bool:
        """Whether the next frame may be sent."""
        frames = self.frames
        return bool(frames) and frames[0].complete and not frames[0].reads

    def step(self, x: int) -> None:
        if self.fct_reset and not self.held:
            self.engine.kernel.call_at(4 * x + 3, self._fifo_was_reset)
        if self._loader != IDLE or self.state not in (RUN, STOPPING):
            return
        prefetcher = self.prefetcher
        midst = self._frame is not None
        if self.state == STOPPING and not (midst and prefetcher.cache):
            if prefetcher.busy or self.reads or self.loaded or self.engine.sender.sending_data(x):
                return
            self.engine.log.add((x, Kind.TX_STOPPED, 0, self.head, 0))
            self.engine.kernel.call_at(4 * x + 3, self._stopped, x)
            return
        if prefetcher.cache and not self.swr and (midst or self.unsent < MOST_FRAMES):
            self._entry = prefetcher.cache.popleft()
            prefetcher.popped_in = x
            prefetcher.kick(x + 1)
            self._loader = SETUP
            self._setup(x + 1)

    def _setup(self, setup: int) -> None:
        """`SETUP` in that cycle: nothing but SWR can change what it does, so it is done ahead."""
        _, data0, data1, _, _ = self._entry
        frame = self._frame
        extends = frame is not None and frame.extended
        is_data = not extends and data0 & DTYPE.mask != EXTENSION
        if frame is None:
            frame = self._frame = TxFrame(self.begun, is_data and bool(data0 & FCS_MASK))
            self.frames.append(frame)
            self.begun += 1
            self.unsent += 1
        frame.entries += 1
        self._last = extends or (is_data and bool(data0 & LS_MASK))
        if self._last and is_data and data0 & EXT_MASK:
            self._last, frame.extended = False, True
        if is_data and data0 & IOC_MASK:
            frame.ioc = True
        self._address, self._left = data1, data0 & LENGTH_MASK
        goes_on = self._load if is_data and self._left else self._without_data
        self.engine.kernel.call_at(4 * (setup + 1), goes_on, setup + 1, self._epoch)

    def _without_data(self, x: int, epoch: int) -> None:
        """An entry that brings nothing to read: `IDLE` from *x* on."""
        if epoch != self._epoch:
            return
        self._loader = IDLE
        if self._last:
            frame, self._frame = self._frame, None
            frame.complete = True
            frame.failed = frame.failed or not frame.words
            self.engine.sender.kick(x)
        self.kick(x)

    def _load(self, x: int, epoch: int) -> None:
        if epoch == self._epoch:
            self._loader = LOAD
            self._next_burst()
            self._load_from = x
            self.engine.read_port.kick(x)

    def _next_burst(self) -> None:
        """Bytes and words of the next burst."""
        size = LONG_BURST if self.long_bursts else SHORT_BURST
        self._count = min(size - self._address % size, self._left)
        self._words = (self._address + self._count - 1) // WORD - self._address // WORD + 1

    def wants(self, w: int) -> bool:
        """Whether it requests in *w*."""
        return self._load_from <= w and self.held + self._words <= TX_FIFO_WORDS and not self.swr

    def granted(self, w: int, a: int) -> None:
        """Granted in *w*, handshake in *a*."""
        engine, frame = self.engine, self._frame
        count, words, address = self._count, self._words, self._address
        self.held += words
        frame.words += words
        self._address = address + count & 0xFFFF_FFFF
        self._left -= count
        self._load_from = w + 1
        self.reads += 1
        frame.reads += 1
        if self._left:
            self._next_burst()
            engine.read_port.kick(w + 1)
        else:
            self._load_from = NEVER
            if self._last:
                frame.complete = True
                self._frame = None
            self._loader = IDLE
            self.kick(w + 1)
        engine.log.add((a, TX_FETCH, 0, frame.number, address | count << 32))
        engine.bus.read(TX_DATA_ID, a, address & ~3, words, partial(self._arrived, frame, address & 3, count))

    def _arrived(self, frame: TxFrame, skip: int, count: int, last: int, data: bytes, failed: bool) -> None:
        frame.pieces.append(data[skip:skip + count])
        self.engine.kernel.soon(4 * last + 3, self._filled, last, frame, failed)

    def _filled(self, d: int, frame: TxFrame, failed: bool) -> None:
        engine = self.engine
        engine.log.add((d, TX_FILL, 0, frame.number, 0))
        self.reads -= 1
        frame.reads -= 1
        if failed:
            engine.log.add((d, Kind.TX_ERROR, 0, TX_DATA_ID, 0))
            frame.failed = True
            self.failed(d)
        if frame.complete and not frame.reads:
            engine.sender.kick(d + 1)
        engine.read_port.closed(d)
        if self.state == STOPPING or self.swr:
            self.kick(d + 1)

    def completed(self, frame: TxFrame, ioc: bool, f: int) -> None:
        """The sender is done with `frame` in *F* = `f`."""
        if self.unsent == MOST_FRAMES:
            self.kick(f + 1)
        self.unsent -= 1
        self.held -= frame.words
        self.advance(frame.entries, f)
        if ioc:
            self.engine.interrupts.cause(self.cause, self.source, f)
        if self._load_from != NEVER:
            self.engine.read_port.kick(f + 1)
        if self.state == STOPPING or self.swr or self.fct_reset:
            self.kick(f + 1)

    # Stopping and resetting.

    def _stopped(self, x: int) -> None:
        """Stopped from *x+1* on; the part of a frame for which no entry comes is thrown away."""
        if self.reset_in == x:
            return
        self.prefetcher.empty(self.head)
        self.set_stopped(x)
        if self._frame is not None:
            self.held -= self._frame.words
            self.unsent -= 1
            self.frames.pop()
            self._frame = None

    def quiet(self, x: int) -> bool:
        return not self.reads and not self.prefetcher.busy and not self.engine.sender.sending_data(x)

    def clear(self, x: int) -> None:
        self._epoch += 1
        self._loader = IDLE
        self._load_from = NEVER
        self._frame = None
        self.frames.clear()
        self.held = self.unsent = 0

    def reset_fifo(self, c: int) -> None:
        """FCT_TX_CTL.RESET is written in *c*."""
        self.fct_reset = True
        self.kick(c + 1)

    def _fifo_was_reset(self) -> None:
        self.fct_reset = False
