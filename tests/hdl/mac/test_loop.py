"""Framer into deframer: whatever goes in comes out, with the times of both specifications in a row."""

import zlib

from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.mac.mii_rx import MiiRx
from hdl.mac.mii_tx import MiiTx


class Loop:
    """TXD tied to RXD; frames are offered one after the other without a pause."""

    def __init__(self) -> None:
        m = Module()
        m.submodules.tx = self.tx = MiiTx()
        m.submodules.rx = self.rx = MiiRx()
        self.tick = Signal()
        m.d.sync += self.tick.eq(~self.tick)
        m.d.comb += [
            self.tx.tick.eq(self.tick), self.tx.te.eq(1), self.tx.fd.eq(1),
            self.rx.tick.eq(self.tick), self.rx.rxd.eq(self.tx.txd), self.rx.rx_dv.eq(self.tx.tx_en),
        ]
        self.sim = Simulator(m)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, frames: list[tuple[bytes, bool]]) -> list[tuple[int, int, bytes, bool]]:
        """Send (bytes, NCRC) and give (cycle of sfd, of eof, bytes, crc_ok) of each frame received."""
        self.frames, self.received = frames, []
        if not self.fresh:
            self.sim.reset()
        self.fresh = False
        self.sim.run()
        return self.received

    async def _play(self, ctx) -> None:
        tx, rx = self.tx, self.rx
        waiting, position, data, sfd, cycle = list(self.frames), 0, bytearray(), 0, 0
        while len(self.received) < len(self.frames):
            frame, ncrc = waiting[0] if waiting else (b"", False)
            there = position < len(frame)
            ctx.set(tx.start, bool(waiting))
            ctx.set(tx.ncrc, ncrc)
            ctx.set(tx.valid, there)
            ctx.set(tx.last, position == len(frame) - 1)
            if there:
                ctx.set(tx.data, frame[position])
            if ctx.get(rx.sfd):
                sfd, data = cycle, bytearray()
            if ctx.get(rx.byte):
                data.append(ctx.get(rx.data))
            if ctx.get(rx.eof):
                assert ctx.get(rx.count) == len(data)
                self.received.append((sfd, cycle, bytes(data), bool(ctx.get(rx.crc_ok))))
            position += ctx.get(tx.take)
            if ctx.get(tx.done):
                waiting.pop(0)
                position = 0
            cycle += 1
            await ctx.tick()


_shared: list[Loop] = []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.binary(min_size=1, max_size=120), st.booleans()), min_size=1, max_size=4))
def test_random_frames(frames: list[tuple[bytes, bool]]) -> None:
    if not _shared:
        _shared.append(Loop())
    expected, t = [], 1
    for data, ncrc in frames:
        wire = data
        if not ncrc:
            wire = data.ljust(60, b"\0")
            wire += zlib.crc32(wire).to_bytes(4, "little")
        good = len(wire) >= 4 and zlib.crc32(wire[:-4]).to_bytes(4, "little") == wire[-4:]
        end = t + 32 + 4 * len(wire)
        # The deframer samples one tick after the framer has loaded: s = t + 30 + 2, e = F + 2.
        expected.append((t + 32, end + 3, wire, good))
        t = end + 48
    assert _shared[0].run(frames) == expected
