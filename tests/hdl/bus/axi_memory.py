"""Host memory behind an AXI4 subordinate, as a process for Amaranth's simulator, and a way to write down
what happened.

With `rng` left out the timing is that of the bench's bus: AR handshake in a, first beat in a + 1 +
read_latency or, with more than one read open, behind the read before, a beat every `beat_interval` cycles;
AW in a, W from a + 1 on, response write_latency + 1 cycles after the last beat. With `rng` every channel
pauses at random. Protocol rules that an engine could break are asserted here.
"""

import collections
import dataclasses
import random
from collections.abc import Iterable

from amaranth.sim import Simulator

OKAY, SLVERR = 0, 2
PAUSE_PROBABILITY = 0.4


@dataclasses.dataclass
class Burst:
    """One burst: handshake of the address phase in `addressed`, last beat (read) or response (write) in
    `done`."""

    requester: int
    write: bool
    addr: int
    beats: int
    ordinal: int
    addressed: int
    done: int = -1
    first_beat: int = -1
    beats_taken: int = 0
    data: bytes = b""


class AxiMemory:
    """The subordinate. `bursts` lists them in the order of their address phases; `data` is the memory.

    Parameters
    ----------
    bus: an `AXI4` interface object, the component's manager port.
    size_bytes: of the memory, from address 0 on; addresses beyond it wrap.

    The others are also those of `restart`, which is called before the simulator runs again:
    errors: (requester, write, ordinal) of the bursts answered with SLVERR.
    most_beats: the longest burst allowed.
    outstanding: reads that may be open; they are answered in order.
    """

    def __init__(self, bus, size_bytes: int = 1 << 16, **options):
        self.bus = bus
        self.word_bytes = bus.signature.data_width // 8
        self.data = bytearray(size_bytes)
        self.restart(**options)

    def restart(self, *, read_latency: int = 0, write_latency: int = 0, beat_interval: int = 1,
                rng: random.Random | None = None, errors: Iterable[tuple[int, bool, int]] = (),
                most_beats: int = 256, outstanding: int = 1) -> None:
        self.read_latency, self.write_latency, self.beat_interval = read_latency, write_latency, beat_interval
        self.rng, self.errors, self.most_beats = rng, set(errors), most_beats
        self.outstanding = outstanding
        self.bursts: list[Burst] = []
        self._ordinals: dict[tuple[int, bool], int] = {}

    def add_to(self, simulator: Simulator) -> None:
        simulator.add_process(self._run)

    def _pause(self) -> bool:
        return self.rng is not None and self.rng.random() < PAUSE_PROBABILITY

    def _open(
        self, write: bool, cycle: int, requester: int, addr: int, length: int, size: int, kind: int
    ) -> Burst:
        beats = length + 1
        assert kind == 1 and 1 << size == self.word_bytes and addr % self.word_bytes == 0
        assert beats <= self.most_beats, f"a burst of {beats} beats"
        assert addr // 4096 == (addr + beats * self.word_bytes - 1) // 4096, "a burst crosses 4 KiB"
        ordinal = self._ordinals.get((requester, write), 0)
        self._ordinals[requester, write] = ordinal + 1
        burst = Burst(requester, write, addr, beats, ordinal, cycle)
        self.bursts.append(burst)
        return burst

    def _response(self, burst: Burst) -> int:
        return SLVERR if (burst.requester, burst.write, burst.ordinal) in self.errors else OKAY

    def _word(self, burst: Burst, beat: int) -> int:
        return int.from_bytes(burst.data[beat * self.word_bytes:(beat + 1) * self.word_bytes], "little")

    def _fetch(self, burst: Burst) -> bytes:
        return bytes(
            self.data[(burst.addr + i) % len(self.data)] for i in range(burst.beats * self.word_bytes)
        )

    def _store(self, burst: Burst, beat: int, data: int, strobes: int) -> None:
        for lane in range(self.word_bytes):
            if strobes >> lane & 1:
                self.data[(burst.addr + beat * self.word_bytes + lane) % len(self.data)] = (
                    data >> 8 * lane & 255
                )

    async def _run(self, ctx) -> None:
        bus = self.bus
        reads: collections.deque[Burst] = collections.deque()
        write: Burst | None = None
        beats: list[tuple[int, int]] = []
        write_due = response_due = -1
        beat_due = -1  # of the read at the head, if it has begun, or not before
        arready = awready = rvalid = wready = bvalid = 0
        asked: dict[str, list] = {}
        cycle = 0
        async for _, _, *values in ctx.tick().sample(
                *_address(bus, "ar"), *_address(bus, "aw"), bus.wvalid, bus.wdata, bus.wstrb, bus.wlast,
                bus.rready, bus.bready):
            ar, aw, w, (rready, bready) = values[:6], values[6:12], values[12:16], values[16:]
            for name, channel, ready in (("ar", ar, arready), ("aw", aw, awready)):
                assert name not in asked or channel == asked[name], f"{name} changed before its handshake"
                asked.pop(name, None)
                if channel[0] and not ready:
                    asked[name] = channel
            if rvalid and rready:
                reads[0].beats_taken += 1
                beat_due = cycle + self.beat_interval
                if reads[0].beats_taken == reads[0].beats:
                    reads.popleft().done = cycle
                    beat_due = cycle + 1
            if ar[0] and arready:
                reads.append(self._open(False, cycle, *ar[1:]))
            if aw[0] and awready:
                write, write_due, beats = self._open(True, cycle, *aw[1:]), cycle + 1, []
                response_due = -1
            elif write and w[0] and wready:
                beats.append(w[1:3])
                write_due = cycle + self.beat_interval
                assert w[3] == (len(beats) == write.beats), "wlast is in the wrong beat"
                if w[3]:
                    response_due = cycle + 1 + self.write_latency
                    if self._response(write) == OKAY:
                        for number, (data, strobes) in enumerate(beats):
                            self._store(write, number, data, strobes)
            elif bvalid and bready:
                write.done, write = cycle, None
            assert not (w[0] and not write), "W before AW"

            cycle += 1
            arready = int(len(reads) < self.outstanding and not self._pause())
            awready = int(write is None and not self._pause())
            read = reads[0] if reads else None
            if read and not read.beats_taken:
                beat_due = max(beat_due, read.addressed + 1 + self.read_latency)
            rvalid = int(read is not None and cycle >= beat_due and not self._pause())
            wready = int(write is not None and response_due < 0 and cycle >= write_due and not self._pause())
            bvalid = int(write is not None and 0 <= response_due <= cycle and not self._pause())
            if rvalid:
                if read.first_beat < 0:
                    read.first_beat, read.data = cycle, self._fetch(read)
                ctx.set(bus.rdata, self._word(read, read.beats_taken))
                ctx.set(bus.rresp, self._response(read))
                ctx.set(bus.rid, read.requester)
                ctx.set(bus.rlast, read.beats_taken == read.beats - 1)
            if bvalid:
                ctx.set(bus.bresp, self._response(write))
                ctx.set(bus.bid, write.requester)
            for signal, value in ((bus.arready, arready), (bus.awready, awready), (bus.rvalid, rvalid),
                                  (bus.wready, wready), (bus.bvalid, bvalid)):
                ctx.set(signal, value)


def _address(bus, channel: str) -> list:
    """The signals of an address channel, `valid` first, then as `AxiMemory._open` takes them."""
    return [getattr(bus, channel + name) for name in ("valid", "id", "addr", "len", "size", "burst")]
