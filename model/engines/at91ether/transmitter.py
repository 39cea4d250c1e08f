"""The transmitter: hand-over, fetching, sending (docs/engines/at91ether.md, sections 3.1 to 3.3; half
duplex in collisions.py).

A frame's ticks are formulas of its start tick; what can still change them (an empty FIFO, TE, a bus
error, a collision) is looked at in the cycle in which it would.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from model.events import TX

from .collisions import HalfDuplex
from .events import Kind
from .outgoing import CYCLES_PER_WORD, MIN_BYTES, Frame
from .pair import DEPTHS, HandOver, Places
from .part import BURST_WORDS, CYCLES_PER_BYTE, GAP_CYCLES, NEVER, PREAMBLE_CYCLES, SFD_CYCLES, bits

if TYPE_CHECKING:
    from .engine import Engine

ABORT_CYCLES = 16
FCS_BYTES = 4
LOST, CORRUPT, LOCKUP = range(3)
COMP, OVR, UND = bits("TSR", "COMP", "OVR", "UND")


def tick_from(cycle: int) -> int:
    """The first tick cycle >= `cycle`: ticks are the odd cycles."""
    return cycle | 1


class Transmitter:
    """Places, reader and framer of one engine. `due`: kernel time at which an underrun would show, the port
    calls `check_due` then."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        straps = engine.straps
        self.places = Places(DEPTHS[straps.get("depth", 0)], bool(straps.get("mstar", 0)))
        self.overrun_effect = straps.get("ovr_effect", LOST)
        self.locked = False
        self.frame: Frame | None = None
        self.on_wire: Frame | None = None
        self.due = NEVER
        self.half = HalfDuplex(self)
        self.reader_idle_from = 0
        self.gap_over = 0
        self._release_in = -1
        self._handed_in = -1
        self._reading: Frame | None = None

    # -- hand-over -----------------------------------------------------------------------------------------
    def hand_over(self, cycle: int, address: int, length: int, no_crc: bool) -> None:
        """A committing TCR write in `cycle`."""
        if not length:
            return
        places, engine = self.places, self.engine
        hand = HandOver(places.accepted, address, length, no_crc)
        held, releasing = len(places.held), self._release_in == cycle
        if held >= places.depth and not releasing:
            self._refuse(cycle, hand)
            return
        places.held.append(hand)
        places.accepted += 1
        self._handed_in = cycle
        engine.log.add((cycle, Kind.TX_QUEUE, TX, hand.number, hand.data()))
        if places.mstar or held + 1 - releasing < places.depth:
            engine.cause(engine.TBRE, cycle)
        if not releasing:
            self.try_start(cycle + 1)

    def _refuse(self, cycle: int, hand: HandOver) -> None:
        places, engine = self.places, self.engine
        places.refused = min(places.refused + 1, 3)
        engine.tsr.set(OVR, cycle)
        engine.cause(engine.TOVR, cycle)
        engine.log.add((cycle, Kind.TX_OVERRUN, TX, hand.number, hand.data()))
        if self.overrun_effect == LOCKUP:
            self.locked = True
        elif self.overrun_effect == CORRUPT and places.depth > 1:
            youngest = places.held[-1]
            youngest.address, youngest.length, youngest.no_crc = hand.address, hand.length, hand.no_crc

    def disable(self, cycle: int) -> None:
        """A CTL write with TE = 0 in `cycle`."""
        self._finish(self.frame, cycle)  # if that is its last tick
        self._abandon(self.frame, cycle)
        held = self.places.held
        if held:
            self.engine.log.add((cycle, Kind.TX_DROP, TX, held[0].number, len(held)))
            held.clear()
        self.places.refused = 0
        self.locked = False
        self._release_in = -1
        self.half.forget()
        frame, self.frame = self.frame, None
        if frame is None:
            return
        self.stop_reader(frame, cycle + 1)
        if frame.start is not None and frame.start <= cycle:
            self._cut(frame, tick_from(cycle + 1))

    # -- fetching ------------------------------------------------------------------------------------------
    def try_start(self, cycle: int) -> None:
        """Give the oldest frame to the reader in `cycle` if the sender would."""
        held = self.places.held
        if self.frame is not None or not held or not self.engine.transmit_enabled or self.locked \
                or self.reader_idle_from > cycle:
            return
        words = self.engine.fifo_words
        self.frame = self._reading = Frame(held[0], cycle, min(BURST_WORDS, words), words)
        self.reader_idle_from = NEVER
        self.engine.port.kick()

    def next_request(self, first: int) -> int:
        """The first cycle >= `first` in which the reader requests the port, as far as is known; NEVER if
        none is."""
        frame = self._reading
        if frame is None or not frame.bursts:
            return NEVER
        cycle = frame.since if frame.since > first else first
        room = frame.bursts[-1][1]
        if room is not None:
            if frame.start is None:
                return NEVER
            room += frame.start
            if room > cycle:
                cycle = room
        return cycle if cycle < frame.stopped else NEVER

    def granted(self) -> tuple[Frame, int]:
        """The burst that was requested: (frame, words); the port reads `frame.address` on."""
        frame = self._reading
        frame.since = NEVER
        return frame, frame.bursts.pop()[0]

    def filled(self, frame: Frame, cycle: int, failed: bool) -> None:
        """A burst ended in `cycle`."""
        first = not frame.filled
        frame.filled = True
        frame.since = cycle + 1
        engine = self.engine
        if failed:
            frame.bursts.clear()
            engine.log.add((cycle, Kind.TX_ABORT, TX, frame.number, 0))
            engine.cause(engine.ABT, cycle)
        if not frame.bursts:
            self._reading = None
            self.reader_idle_from = cycle + 1
        elif frame.stopped <= cycle + 1:
            # A stop in the cycle after finds the reader in WAIT: it is idle one cycle later.
            self._reading = None
            self.reader_idle_from = max(cycle, frame.stopped) + 1
        if frame is not self.frame:
            self.try_start(max(cycle + 1, self.reader_idle_from))
        elif failed:
            self._fail(frame, cycle + 1)
        elif first and not frame.starved:
            self.half.arrange(frame, cycle + 1)

    def stop_reader(self, frame: Frame, cycle: int) -> None:
        """No request of `frame` from `cycle` on; the reader is idle in the next, or after the burst under
        way."""
        if self._reading is not frame:
            return
        frame.stopped = cycle
        if frame.since != NEVER:
            self._reading = None
            self.reader_idle_from = cycle + 1

    # -- sending -------------------------------------------------------------------------------------------
    def begin(self, frame: Frame, tick: int) -> None:
        """The first preamble nibble is loaded in `tick`."""
        frame.start = tick
        self.on_wire = frame
        length = frame.place.length
        whole = length if frame.place.no_crc else max(length, MIN_BYTES) + FCS_BYTES
        call = self.engine.kernel.call_at
        self.end_in(frame, tick + PREAMBLE_CYCLES + CYCLES_PER_BYTE * whole)
        call(4 * (tick + SFD_CYCLES) + 1, self._sfd, frame)
        self._track(frame)
        self.half.began(frame)
        self.engine.port.kick()

    def _sfd(self, frame: Frame) -> None:
        tick = frame.start + SFD_CYCLES
        if tick < frame.end:
            self.engine.log.add((tick, Kind.TX_SFD, TX, frame.number, 0))

    def end_in(self, frame: Frame, tick: int) -> None:
        frame.end = tick
        self._release_in = tick if not frame.collided or self.half.gives_up(frame) else -1
        self.engine.kernel.call_at(4 * tick + 3, self._finish, frame, tick)

    def sampled(self, frame: Frame, data: bytes) -> None:
        """Memory was read for the burst under way: the words will come as they are now."""
        frame.data += data
        frame.address += len(data)

    def arrives(self, frame: Frame, first: int, beats: int, step: int) -> None:
        """The burst just granted brings its words in `first`, `first` + `step`, ..."""
        arrivals = frame.arrivals
        asked = len(arrivals)
        arrivals.extend(range(first, first + beats * step, step))
        if frame is not self.on_wire:
            return
        if frame.in_time == asked and step <= CYCLES_PER_WORD and first < (due := frame.first_due(asked)):
            # The words after the first are due a word's time apart and come at least as fast.
            frame.in_time = asked = asked + beats
            self.due = 4 * (due + CYCLES_PER_WORD * beats) if asked < frame.words else NEVER
        else:
            self._track(frame)

    def _track(self, frame: Frame) -> None:
        """Find the first word of which it is not known that it comes before its first byte is due: `due` is
        when that shows."""
        word, arrivals = frame.in_time, frame.arrivals
        known = len(arrivals)
        while word < known and arrivals[word] < frame.taken_in(frame.first_byte(word)):
            word += 1
        frame.in_time = word
        self.due = 4 * frame.taken_in(frame.first_byte(word)) if word < frame.words else NEVER

    def check_due(self) -> bool:
        """A word is due, at the time `due`, that is not there: underrun. False: something happened."""
        frame, self.due = self.on_wire, NEVER
        byte = frame.first_byte(frame.in_time)
        tick = frame.taken_in(byte)
        if frame is not self.frame or frame.end <= tick or frame.sent_until <= tick:
            return False
        frame.starved = True
        frame.sent_until = tick
        self.engine.log.add((tick, Kind.TX_UNDERRUN, TX, frame.number, byte))
        self.stop_reader(frame, tick)
        self.end_in(frame, tick + ABORT_CYCLES)
        return False

    def _sent(self, frame: Frame, tick: int) -> bytes:
        """What was taken before `tick`, pad included; after an underrun or the first nibble of jam nothing
        was."""
        return frame.body()[:frame.sent_before(min(tick, frame.sent_until))]

    def _finish(self, frame: Frame, tick: int) -> None:
        """The frame's end in `tick`, regular, by underrun or by collision: release, or another attempt."""
        if frame is None or frame is not self.frame or frame.end != tick or frame.abandoned:
            return
        engine = self.engine
        sent = self._sent(frame, tick)
        self._off_wire(frame, tick)
        if frame.collided:
            if self.half.ended(frame, tick):
                self._release(frame, tick, sent, 0)
            else:
                self.frame = None
                self._release_in = -1
                self.try_start(tick + 1)
        elif frame.starved:
            engine.statistics.add("TUE", tick)
            engine.tsr.set(UND, tick)
            self._release(frame, tick, sent, engine.TUND)
        else:
            engine.statistics.add("FRA", tick)
            self.half.count_sent(frame, tick)
            self._release(frame, tick, sent, 0)

    def _cut(self, frame: Frame, tick: int) -> None:
        """TX_EN falls in `tick` in the middle of the frame."""
        taken = min(frame.place.length, frame.sent_before(min(tick, frame.sent_until)))
        self.engine.log.add((tick, Kind.TX_CUT, TX, frame.number, taken))
        self._off_wire(frame, tick)
        frame.end = tick

    def _off_wire(self, frame: Frame, tick: int) -> None:
        self.gap_over = tick + GAP_CYCLES
        frame.end = tick
        self.due = NEVER
        if self.half.half:
            self.engine.deframer.uncovered(tick)

    def _fail(self, frame: Frame, cycle: int) -> None:
        """A burst of the frame ended badly in the cycle before `cycle`."""
        frame.failed = True
        if frame.start is not None:
            cycle = tick_from(cycle)
        if frame.end > cycle:
            frame.abandoned = True
            frame.end = self._release_in = cycle
            self.engine.kernel.call_at(4 * cycle + 3, self._abandon, frame, cycle)

    def _abandon(self, frame: Frame, cycle: int) -> None:
        if frame is None or frame is not self.frame or frame.end != cycle or not frame.abandoned:
            return
        sent = b""
        if frame.start is not None:
            sent = self._sent(frame, cycle)
            self._cut(frame, cycle)
        self._release(frame, cycle, sent, 0)

    def _release(self, frame: Frame, cycle: int, sent: bytes, causes: int) -> None:
        places, engine = self.places, self.engine
        engine.log.add((cycle, Kind.TX_DONE, TX, frame.number, zlib.crc32(sent) | len(sent) << 32))
        held = len(places.held) - (self._handed_in == cycle)
        places.held.popleft()
        places.refused = 0
        causes |= engine.TCOM
        if held == places.depth:
            causes |= engine.TBRE
        if not places.held:
            causes |= engine.TIDLE
        engine.tsr.set(COMP, cycle)
        engine.cause(causes, cycle)
        self._release_in = -1
        self.half.forget()
        self.frame = None
        self.try_start(cycle + 1)

    def drives(self, cycle: int) -> bool:
        """Whether the receiver is deaf in `cycle` because TX_EN is up in half duplex."""
        return self.half.deaf(cycle)
