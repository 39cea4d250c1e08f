"""One RX channel: its FIFO and the mover of frames into buffers (docs/engines/lan743x.md, section 4.2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .channel import RUN, STOPPING, Channel
from .events import Kind
from .part import EARLY_CYCLES, KIB, LONG_BURST, MAP, NEVER, RX_BIT, RXFRM_BIT, SHORT_BURST, WORD
from .prefetch import Prefetcher

if TYPE_CHECKING:
    from .engine import Engine

IDLE, CHECK, MOVE, WB, NEXT, EXT = range(6)
RX_OWN, RX_WRITE, RX_WB, RX_DONE = int(Kind.RX_OWN), int(Kind.RX_WRITE), int(Kind.RX_WB), int(Kind.RX_DONE)

_RX = MAP.descriptor("rx_descriptor")
OWN, FS, LS, EXT_BIT, LENGTH = (_RX.field("DATA0", name)
                                for name in ("OWN", "FS", "LS", "EXT", "FRAME_LENGTH"))
BUF_LENGTH = _RX.field("DATA0", "BUF_LENGTH")
OWN_MASK, FS_MASK, LS_MASK, EXT_MASK = OWN.mask, FS.mask, LS.mask, EXT_BIT.mask
LENGTH_SHIFT, BUF_MASK = LENGTH.shift, BUF_LENGTH.mask
SPILL_BYTES = 4


@dataclass(slots=True)
class Frame:
    """A committed frame: its bytes with FCS, its words in the FIFO, its time stamp."""

    data: bytes
    words: int
    seconds: int
    nanoseconds: int


class RxChannel(Channel):
    """Members beyond those of `Channel`: `fifo` of committed frames; `used` words of them; `frees`, (cycle
    from which they are free, words) of late; `enabled`, FCT; `emptied_in`, the cycle in which a reset of the
    FIFO took effect last."""

    enable_field, threshold_field, timer_field = "RDMABL_512", "WB_THRES", "WB_ON_INT_TMR"

    def __init__(self, engine: Engine, number: int) -> None:
        self.ring = 1 if number == 0 else number + 2
        super().__init__(engine, number, 1 << RX_BIT + number, 1 << RXFRM_BIT + number,
                         Prefetcher(engine, number, self.ring, True))
        self.prefix = f"RX{number}_"
        straps = engine.straps
        self.capacity_words = (straps.get("rx_fifo_kib") or 32) * KIB // WORD
        self.extra = straps.get("extra_buffer", 0)
        self.whole = bool(straps.get("write_whole_buffer"))
        self.early = bool(straps.get("head_wb_early"))
        self.pad = 0
        self.timestamps = False
        self.fifo: deque[Frame] = deque()
        self.used = 0
        self.frees: deque[tuple[int, int]] = deque()
        self.enabled = self.fct_reset = False
        self.emptied_in = -1
        self.mover = IDLE
        self.write_from = NEVER
        self._writing = self._starved = False
        self._taken = 0          # frames taken up so far
        self._begun = False      # the frame at the FIFO's head is being moved
        self._came_from = IDLE
        self._entry = (0, 0, 0, 0, 0)
        self._number = self._done = 0
        self._with_ext = self._spilt = False
        self._pieces: list[tuple[int, bytes]] = []
        self._first = self._last = False
        self._epoch = 0
        self._wrote = engine.write_port.replying(self._written)

    def configure_frames(self, fields: dict[str, int]) -> None:
        self.pad = fields["PAD"]
        self.timestamps = bool(fields["TS_ALL_RX"])

    # The FIFO.

    def commit(self, frame: Frame, cycle: int) -> None:
        """A frame is decided in `cycle` (called in its last phase)."""
        self.fifo.append(frame)
        self.used += frame.words
        self.kick(cycle + 1)
        self.engine.flow.used_changed(self, cycle + 1)

    def overflows(self, sfd: int, end: int, length: int) -> bool:
        """Whether a frame of `length` bytes with its SFD in `sfd`, decided in `end`, found the FIFO full."""
        words = -(-length // WORD)
        used, frees = self.used, self.frees
        while frees and frees[0][0] <= sfd:
            frees.popleft()
        if used + sum(words for _, words in frees) + words <= self.capacity_words:
            return False
        # Backwards from the end: `used` was larger the earlier it is looked at.
        until = words - 1
        for freed_from, freed in [*reversed(frees), (0, 0)]:
            # the pushes in `freed_from` and later, up to `until`, saw `used`
            if until >= 0 and freed_from <= self._push_cycle(until, sfd, end, length) and \
                    used + until >= self.capacity_words:
                return True
            while until >= 0 and self._push_cycle(until, sfd, end, length) >= freed_from:
                until -= 1
            used += freed
        return False

    @staticmethod
    def _push_cycle(word: int, sfd: int, end: int, length: int) -> int:
        return sfd + 5 + WORD * word if WORD * word + WORD <= length else end

    # Steps.

    def step(self, x: int) -> None:
        resets = self.resetting
        if self.fct_reset and self.mover == IDLE:
            resets = True
            self.emptied_in = x
            self.engine.kernel.call_at(4 * x + 3, self._empty_fifo, x)
        mover, prefetcher = self.mover, self.prefetcher
        if mover in (IDLE, NEXT, EXT):
            if self.state == STOPPING:
                if not prefetcher.busy and (mover == IDLE or not prefetcher.cache):
                    self._stops(x)
                    self.engine.kernel.call_at(4 * x + 3, self._stopped, x)
                    return
                if mover == IDLE:
                    return
            elif self.state != RUN:
                return
            if mover == IDLE and not self.fifo:
                return
            if prefetcher.cache:
                if not resets:
                    self._take(x)
            elif self.state == RUN and not self._starved and prefetcher.starves():
                self._starved = True
                self.engine.log.add((x, Kind.RX_STARVED, self.ring, self.head, 0))

    def _take(self, x: int) -> None:
        prefetcher = self.prefetcher
        self._entry = prefetcher.cache.popleft()
        prefetcher.popped_in = x
        prefetcher.kick(x + 1)
        self._starved = False
        self._came_from = self.mover
        if self.mover == IDLE:
            if not self._begun:
                self._begun = True
                self._number = self._taken
                self._taken += 1
            self._spilt = not self.extra or self._taken % self.extra != 0
            self._done = 0
            self._first = True
            self._with_ext = self.timestamps
        self.mover = CHECK
        self.engine.kernel.call_at(4 * (x + 1), self._check, x + 1, self._epoch)

    def _check(self, k: int, epoch: int) -> None:
        if epoch != self._epoch:
            return
        index, data0, data1, _, _ = self._entry
        self.engine.log.add((k, RX_OWN, self.ring, index, data0))
        if not data0 & OWN_MASK:
            self.engine.kernel.call_at(4 * k + 3, self._not_ours, k, index, self.prefetcher.granted_in, epoch)
        elif self._came_from == EXT:
            self._write_entry(k + 1)
        else:
            self._begin_buffer(k + 1, data1, data0 & BUF_MASK)

    def _not_ours(self, k: int, index: int, granted_in: int, epoch: int) -> None:
        if epoch != self._epoch:
            return
        self.prefetcher.flush(index, granted_in)
        self.mover = self._came_from
        self.prefetcher.kick(k + 1)
        self.kick(k + 1)

    def _begin_buffer(self, m: int, address: int, length: int) -> None:
        self.mover = MOVE
        frame = self.fifo[0]
        if self._first:
            address += self.pad
            length -= self.pad
        length = max(length, 0)
        rest = len(frame.data) - self._done
        count = min(length, rest)
        if count == rest and not self._spilt and rest > SPILL_BYTES:
            self._spilt = True
            count -= SPILL_BYTES
        data = frame.data[self._done:self._done + count]
        self._done += count
        self._last = self._done == len(frame.data)
        if self.whole:
            data += bytes(length - count)
        self._pieces = self._cut(address, data)
        if self._pieces:
            self.write_from = m + 2
            self.engine.write_port.kick(m + 2)
        else:
            self._write_entry(m + 2)

    def _cut(self, address: int, data: bytes) -> list[tuple[int, bytes]]:
        """The bursts of a buffer, the last one first."""
        size = LONG_BURST if self.long_bursts else SHORT_BURST
        pieces, at, end = [], 0, len(data)
        while at < end:
            count = min(size - (address + at) % size, end - at)
            pieces.append((address + at & 0xFFFF_FFFF, data[at:at + count]))
            at += count
        pieces.reverse()
        return pieces

    def _write_entry(self, z: int) -> None:
        self.mover = WB
        self.write_from = z
        if self.early:
            self.engine.kernel.call_at(4 * z + 3, self._advance_early, z, self._epoch)
            self.write_from = z + EARLY_CYCLES
        self.engine.write_port.kick(self.write_from)

    def _advance_early(self, z: int, epoch: int) -> None:
        if epoch == self._epoch:
            self.advance(1, z)

    # At the write port.

    def wants(self, w: int) -> bool:
        """Whether it requests in *w*."""
        return self.write_from <= w and not self.swr

    def granted(self, w: int, a: int) -> None:
        """Granted in *w*, handshake in *a*."""
        self.write_from = NEVER
        self._writing = True
        engine = self.engine
        if self._pieces:
            address, data = self._pieces.pop()
            engine.log.add((a, RX_WRITE, self.ring, self._number, address | len(data) << 32))
            engine.bus.write(self.number, a, address, data, self._wrote)
            return
        index = self._entry[0]
        words = self._words_back()
        engine.log.add((a, RX_WB, self.ring, index, words[0] | words[1] << 32))
        data = b"".join(word.to_bytes(4, "little") for word in words)
        engine.bus.write(self.number, a, self.prefetcher.base + index * engine.stride, data, self._wrote)

    def _words_back(self) -> tuple[int, int, int, int]:
        frame = self.fifo[0]
        length = self._entry[1] & BUF_MASK
        if self._came_from == EXT:
            return EXT_MASK | length, frame.seconds, frame.nanoseconds, 0
        data0 = length
        if self._first:
            data0 |= FS_MASK
        if self._last:
            data0 |= LS_MASK | len(frame.data) << LENGTH_SHIFT
            if self._with_ext:
                data0 |= EXT_MASK
        return data0, 0, 0, 0

    def _written(self, d: int, failed: bool) -> None:
        """A write of the channel ends in *d*."""
        self._writing = False
        if failed:
            self.engine.log.add((d, Kind.RX_ERROR, self.ring, self.number, 0))
            self._stops(d)
            self._stopped(d)
        elif self.mover == MOVE:
            if self._pieces:
                self.write_from = d + 1
            else:
                self._write_entry(d + 1)
        else:
            self._entry_written(d)
        if self.swr:
            self.kick(d + 1)

    def _entry_written(self, d: int) -> None:
        if not self.early:
            self.advance(1, d)
        self._first = False
        if self._came_from != EXT and not self._last:
            self.mover = NEXT
        elif self._came_from != EXT and self._with_ext:
            self.mover = EXT
        else:
            self._frame_done(d)
        self.kick(d + 1)

    def _frame_done(self, d: int) -> None:
        engine = self.engine
        frame = self.fifo.popleft()
        self._begun = False
        self.mover = IDLE
        self.used -= frame.words
        self.frees.append((d + 1, frame.words))
        engine.log.add((d, RX_DONE, self.ring, self._number, len(frame.data)))
        engine.interrupts.cause(self.cause, self.source, d)
        engine.flow.used_changed(self, d + 1)

    # Stopping and resetting.

    def _stops(self, x: int) -> None:
        self.engine.log.add((x, Kind.RX_STOPPED, self.ring, self.head, 0))

    def _stopped(self, x: int) -> None:
        """The channel is stopped from *x+1* on; a frame that was begun is begun afresh later."""
        if self.reset_in == x:
            return
        taken = self.mover in (CHECK, MOVE, WB)
        self._rewind()
        self.prefetcher.empty(self.head, taken)
        self.set_stopped(x)
        self.kick(x + 1)   # a reset of the FIFO may have waited for this

    def _rewind(self) -> None:
        self.mover = IDLE
        self.write_from = NEVER
        self._pieces = []
        self._epoch += 1

    def quiet(self, x: int) -> bool:
        return not self._writing and not self.prefetcher.busy

    def clear(self, x: int) -> None:
        self._rewind()
        self._starved = False

    def reset_fifo(self, c: int) -> None:
        """FCT_RX_CTL.RESET is written in *c*."""
        self.fct_reset = True
        self.kick(c + 1)

    def _empty_fifo(self, x: int) -> None:
        if not self.fct_reset:
            return
        self.fct_reset = False
        self.fifo.clear()
        self.frees.clear()
        self.used = 0
        self._begun = False
        self.engine.flow.forget(self)
