"""The numbers of docs/engines/lan743x.md, sections 6 to 8, as the golden engine has them: heads, messages,
commands, bring-up.

Each is changed by one, or two things that have an order are exchanged, in a stimulus in which the scoreboard
finds that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from model.engines.lan743x import statistics
from model.engines.lan743x.events import Kind
from model.engines.lan743x.statistics import SIZES
from tests.tb.planted.lan743x.golden import constant, in_engine, text
from tests.tb.planted.mutant import Change, Number

UNIT, INTERRUPTS, CHANNEL = "write_back:WriteBack", "interrupts:Interrupts", "channel:Channel"
REGISTERS, MDIO, RX, TX = "registers:Registers", "mdio:Mdio", "rx_channel:RxChannel", "tx_channel:TxChannel"
BUS, STATISTICS = "model.golden_bus:IdealBus", "statistics:Statistics"



def _size_class(size: int, by: int) -> Change:
    """One of the limits of the size classes is changed."""
    @contextmanager
    def change() -> Iterator[None]:
        before = statistics.SIZES
        statistics.SIZES = tuple((most + by * (most == size), name) for most, name in before)
        try:
            yield
        finally:
            statistics.SIZES = before
    return change


HEADS = [
    Number("WB_THRES 0 is 1", "head_of_each", Kind.TX_HEAD,
           text(f"{CHANNEL}.configure", "[self.threshold_field] or 1", "[self.threshold_field] or 2")),
    Number("TX head due at the threshold", "head_of_two", Kind.TX_HEAD,
           text(f"{UNIT}._scan", "channel.pending >= channel.wb_thres",
                "channel.pending > channel.wb_thres")),
    Number("RX head due at the threshold", "head_of_two_received", Kind.RX_HEAD,
           text(f"{UNIT}._scan", "channel.pending >= channel.wb_thres",
                "channel.pending > channel.wb_thres")),
    Number("the timer flag at the edge that ends the first cycle", "by_timer_alone", Kind.TX_HEAD,
           text(f"{INTERRUPTS}._look", "channel.flag_from, cycle + 1)\n            self.look(cycle + 1)",
                "channel.flag_from, cycle + 2)\n            self.look(cycle + 2)")),
    Number("head_wb_late: not at the threshold", "only_by_timer", Kind.TX_HEAD,
           text(f"{UNIT}._scan", "and not self.late", "")),
    Number("the timer flag of the transmitter without IOC: pending > 0", "moderated_by_pending", Kind.TX_HEAD,
           text(f"{INTERRUPTS}._look", "channel.pending > 0", "channel.pending > 1")),
    Number("order: heads, INTx", "intx", Kind.INTX,
           text(f"{UNIT}._scan", "if level and not self.level:", "if False:")),
    Number("order: TX head, RX head", "moderated_both", Kind.TX_HEAD,
           in_engine("(self.tx, *self.rx)", "(*self.rx, self.tx)")),
    Number("order: RX heads by channel", "everything_at_once", Kind.RX_HEAD,
           in_engine("(self.tx, *self.rx)", "(self.tx, *self.rx[::-1])")),
    Number("order: heads, messages", "everything_at_once", Kind.TX_HEAD,
           text(f"{UNIT}._scan", "in interrupts.channels:",
                "in (() if first >= 0 else interrupts.channels):")),
    Number("requests from x+1", "two_sent", Kind.TX_HEAD,
           text(f"{UNIT}._choose", "self._request_from = x + 1\n    self.engine.write_port.kick(x + 1)",
                "self._request_from = x + 2\n    self.engine.write_port.kick(x + 2)")),
    Number("SCAN in d+1", "two_sent", Kind.INT_MESSAGE,
           text(f"{UNIT}._written", "self._scan_from = d + 1\n    self._scans.ask(d + 1)",
                "self._scan_from = d + 2\n    self._scans.ask(d + 2)")),
    Number("pending restarts in w", "three_dropped", Kind.TX_HEAD,
           text(f"{UNIT}.granted", "4 * w + 2, self._head_taken", "4 * (w + 1) + 2, self._head_taken")),
]

MESSAGES = [
    Number("order: lowest vector first", "messages_of_two", Kind.INT_MESSAGE,
           text(f"{INTERRUPTS}.ready_vectors", "enumerate(self.vector_sources)",
                "reversed(list(enumerate(self.vector_sources)))")),
    Number("8 vectors", "messages_of_two", Kind.TX_HEAD, constant("VECTORS", -1)),
    Number("8 timers", "last_timer", Kind.TX_HEAD,
           text(f"{REGISTERS}._map_sources", "number < len(table)", "number < len(table) - 1")),
    Number("1 us has 125 cycles", "moderated", Kind.TX_HEAD, constant("US_CYCLES")),
    Number("expired again from w + 1 + 125 n", "moderated", Kind.TX_HEAD,
           text(f"{INTERRUPTS}.sent", "w + 1 + US_CYCLES", "w + 2 + US_CYCLES")),
    Number("causes are cleared in w", "auto_cleared", Kind.CSR_READ,
           text(f"{UNIT}.granted", "4 * w + 3, engine.interrupts.sent, vector, firing, w",
                "4 * w + 7, engine.interrupts.sent, vector, firing, w + 1")),
    Number("taken back: SCAN in the next cycle", "moderated_both", Kind.TX_HEAD,
           text(f"{UNIT}.look", "self._scan_from = cycle + 1\n        self._scans.ask(cycle + 1)",
                "self._scan_from = cycle + 2\n        self._scans.ask(cycle + 2)")),
    Number("the message of vector v: 4 v", "just_arrives", Kind.CSR_READ,
           text(f"{UNIT}.granted", "MESSAGE_BASE + 4 * vector", "MESSAGE_BASE + 4 * vector + 4")),
    Number("the first message's address", "just_arrives", Kind.CSR_READ,
           text(f"{UNIT}.granted", "MESSAGE_BASE + 4 * vector", "MESSAGE_BASE - 4 + 4 * vector")),
    Number("INTx at 0x40", "intx_arrives", Kind.CSR_READ,
           text(f"{UNIT}.granted", "MESSAGE_BASE + 4 * INTX_MESSAGE", "MESSAGE_BASE + 4 * INTX_MESSAGE + 4")),
    Number("a message arrives after its beat", "arrives", Kind.CSR_READ,
           text(f"{BUS}.write", '"little"), last + 1)',
                                                                              '"little"), last)')),
    Number("a message arrives no later", "just_arrives", Kind.CSR_READ,
           text(f"{BUS}.write", '"little"), last + 1)',
                                                                             '"little"), last + 2)')),
    Number("INT_STS: RX sources from bit 24", "everything_at_once", Kind.INT_MESSAGE, constant("RX_BIT")),
    Number("INT_STS: TX source in bit 16", "two_sent", Kind.INT_MESSAGE, constant("TX_BIT")),
    Number("DMAC_INT_STS: RX causes from bit 16", "cause_once_received", Kind.CSR_READ,
           constant("RXFRM_BIT")),
    Number("DMAC_INT_STS: TX cause in bit 0", "ioc_once_done", Kind.CSR_READ, constant("TX_IOC_BIT")),
    Number("edge_irq: masks as seen in the cycle", "masked_as_it_comes", Kind.CSR_READ,
           text(f"{REGISTERS}._latch", "interrupts.keep_masks(c)", "pass")),
    Number("a cause that arrives as it is acknowledged stays", "acknowledged_as_it_comes", Kind.CSR_READ,
           text("model.engines.latch:Latch.clear", "if self.naive", "if True")),
]

COMMANDS = [
    Number("START in c: RUN from c+1", "started_with_entries", Kind.TX_PREFETCH,
           text(f"{CHANNEL}.start", "prefetcher.kick(c + 1)", "prefetcher.kick(c + 2)")),
    Number("STOP in c: stop pending from c+1", "rx_stopped", Kind.RX_STOPPED,
           text(f"{CHANNEL}.stop", "self.kick(c + 1)", "self.kick(c + 2)")),
    Number("SWR in c takes effect from c+1", "swr", Kind.CSR_READ,
           text(f"{CHANNEL}.software_reset", "self.kick(c + 1)", "self.kick(c + 2)")),
    Number("SWR reads 0 from x+1", "swr", Kind.CSR_READ,
           text(f"{CHANNEL}._wake", "4 * cycle + 3, self._reset, cycle",
                "4 * cycle + 7, self._reset, cycle + 1")),
    Number("SWR takes effect in d+1 of a write", "swr_in_write", Kind.CSR_READ,
           text(f"{RX}._written", "self.kick(d + 1)", "self.kick(d + 2)")),
    Number("SWR takes effect in d+1 of a read of data", "swr_in_fetch", Kind.CSR_READ,
           text(f"{TX}._filled", "        self.kick(d + 1)", "        self.kick(d + 2)")),
    Number("SWR takes effect in F+1", "swr_in_frame", Kind.CSR_READ,
           text(f"{TX}.completed", "self.fct_reset:\n        self.kick(f + 1)",
                "self.fct_reset:\n        self.kick(f + 2)")),
    Number("SWR takes effect in d+1 of descriptors", "swr_in_prefetch", Kind.CSR_READ,
           text("prefetch:Prefetcher._filled", "channel.kick(d + 1)", "channel.kick(d + 2)")),
    Number("RX RESET in c takes effect from c+1", "fifo_reset", Kind.CSR_READ,
           text(f"{RX}.reset_fifo", "self.kick(c + 1)", "self.kick(c + 2)")),
    Number("TX RESET in c takes effect from c+1", "tx_fifo_reset", Kind.CSR_READ,
           text(f"{TX}.reset_fifo", "self.kick(c + 1)", "self.kick(c + 2)")),
]

BRING_UP = [
    Number("resets read 1 for 125 cycles", "lite_reset_over", Kind.CSR_READ, constant("SELF_CLEAR_CYCLES")),
    Number("resets read 1 for no fewer", "lite_reset", Kind.CSR_READ, constant("SELF_CLEAR_CYCLES", -1)),
    Number("CNTR_RST clears at the edge that ends c+1", "cleared_as_counted", Kind.CSR_READ,
           text(f"{REGISTERS}._reset_bit", "4 * (c + 2)", "4 * (c + 1)")),
    Number("CNTR_RST clears no later", "cleared_as_counted", Kind.CSR_READ,
           text(f"{REGISTERS}._reset_bit", "4 * (c + 2)", "4 * (c + 3)")),
    Number("CNTR_RST reads 1 in c+1", "counters_reset", Kind.CSR_READ,
           text(f"{REGISTERS}._reset_bit", "self._cleared_in = c + 1", "self._cleared_in = c + 2")),
    Number("64 bits of 64 cycles", "managed", Kind.MDIO_DONE, constant("FRAME_CYCLES")),
    Number("BUSY reads 1 to c+4096", "managed", Kind.CSR_READ,
           text(f"{MDIO}.busy", "cycle <= self", "cycle < self")),
    Number("BUSY reads 0 from c+4097", "managed_over", Kind.CSR_READ,
           text(f"{MDIO}.busy", "cycle <= self", "cycle - 1 <= self")),
    Number("data from c+4097", "managed_data_there", Kind.CSR_READ,
           text(f"{MDIO}._done", "4 * cycle + 3, self._arrives", "4 * cycle + 7, self._arrives")),
    Number("data not before", "managed_data", Kind.CSR_READ,
           text(f"{MDIO}._done", "4 * cycle + 3, self._arrives", "4 * cycle + 1, self._arrives")),
    Number("8 ns a cycle", "clock_read", Kind.CSR_READ, constant("CYCLE_NS")),
    Number("a second", "clock_read", Kind.CSR_READ, constant("SECOND_NS", -8)),
    Number("ENABLE acts at the edge that ends c", "clock_read", Kind.CSR_READ,
           text(f"{REGISTERS}._write__PTP_CMD_CTL", "enable(True, c + 1)", "enable(True, c + 2)")),
    Number("DISABLE acts at the edge that ends c", "clock_read", Kind.CSR_READ,
           text(f"{REGISTERS}._write__PTP_CMD_CTL", "enable(False, c + 1)", "enable(False, c + 2)")),
    Number("CLOCK_LOAD acts at the edge that ends c", "second_in_s", Kind.RX_WB,
           text(f"{REGISTERS}._write__PTP_CMD_CTL", '["PTP_CLOCK_NS"], c + 1)', '["PTP_CLOCK_NS"], c + 2)')),
    Number("CLOCK_READ reads the clock of c", "clock_read", Kind.CSR_READ,
           text(f"{REGISTERS}._write__PTP_CMD_CTL", "clock.read(c)", "clock.read(c + 1)")),
    Number("received frames are counted at e+1", "received_not_yet_counted", Kind.CSR_READ,
           text(f"{STATISTICS}.read", "when >= cycle", "when > cycle")),
    Number("received frames are counted no later", "received_counted", Kind.CSR_READ,
           text(f"{STATISTICS}.read", "when >= cycle", "when >= cycle - 1")),
    Number("frames sent are counted at F", "sent_counted", Kind.CSR_READ,
           text(f"{STATISTICS}.read", "when >= cycle", "when >= cycle - 1")),
    *(Number(f"size class up to {size} bytes, {says}", stimulus, Kind.CSR_READ, _size_class(size, by))
      for size, _ in SIZES
      for says, stimulus, by in (("no less", "sizes_at_limits", -1), ("no more", "sizes_above_limits", 1))),
]

SECTIONS = {"heads": HEADS, "messages": MESSAGES, "commands": COMMANDS, "bring-up": BRING_UP}
