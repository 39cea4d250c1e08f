"""Reader and writer on one port, joined by a FIFO: copies runs of bytes. Only the test against foreign
verification IP uses it; the source has to be aligned to the bus, as the reader does not pack."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4
from hdl.bus.fifo import WordFifo
from hdl.bus.port import DmaPort
from hdl.bus.reader import BurstReader, run_layout
from hdl.bus.writer import BurstWriter

ADDR_WIDTH = 32
LENGTH_WIDTH = 13
FIFO_WORDS = 16
BURST_BEATS = 8


class Copier(wiring.Component):
    """`source` and `target` take the runs; the reader's words are shown too; `stored` counts finished target
    runs."""

    def __init__(self, data_width: int):
        self.data_width = data_width
        lane_bits = (data_width // 8 - 1).bit_length()
        runs = stream.Signature(run_layout(ADDR_WIDTH, LENGTH_WIDTH))
        super().__init__(
            {
                "source": In(runs),
                "target": In(runs),
                "keep": In(1),
                "bus": Out(AXI4(ADDR_WIDTH, data_width, id_width=1)),
                "word_valid": Out(1),
                "word_data": Out(data_width),
                "word_low": Out(lane_bits),
                "word_high": Out(lane_bits),
                "stored": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        sizes = {"length_width": LENGTH_WIDTH}
        m.submodules.port = port = DmaPort(ADDR_WIDTH, self.data_width, id_width=1, priority=(1, 0))
        m.submodules.reader = reader = BurstReader(ADDR_WIDTH, self.data_width, room_width=5, **sizes)
        m.submodules.writer = writer = BurstWriter(ADDR_WIDTH, self.data_width, level_width=5, **sizes)
        m.submodules.fifo = fifo = WordFifo(self.data_width, FIFO_WORDS)
        wiring.connect(m, reader.lane, port.lanes[0])
        wiring.connect(m, writer.lane, port.lanes[1])
        wiring.connect(m, port.bus, wiring.flipped(self.bus))
        wiring.connect(m, wiring.flipped(self.source), reader.command)
        wiring.connect(m, wiring.flipped(self.target), writer.command)
        m.d.comb += [
            reader.limit.eq(BURST_BEATS),
            writer.limit.eq(BURST_BEATS),
            reader.room.eq(FIFO_WORDS - fifo.level),
            writer.level.eq(fifo.level),
            writer.head.eq(fifo.head),
            fifo.push.eq(reader.word.valid & self.keep),
            fifo.data.eq(reader.word.data),
            fifo.pop.eq(writer.pop),
            self.word_valid.eq(reader.word.valid),
            self.word_data.eq(reader.word.data),
            self.word_low.eq(reader.word.low),
            self.word_high.eq(reader.word.high),
        ]
        with m.If(writer.complete):
            m.d.sync += self.stored.eq(self.stored + 1)
        return m
