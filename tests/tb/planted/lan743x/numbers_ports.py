"""The numbers of docs/engines/lan743x.md, sections 1 to 3, as the golden engine has them: bus, ports, prefetch.

Each is changed by one, or two things that have an order are exchanged, in a stimulus in which the scoreboard finds
that.
"""

from __future__ import annotations

from model.engines.lan743x.events import Kind
from tests.tb.planted.host_numbers import csr_numbers
from tests.tb.planted.lan743x.golden import BUS_TIMING, GOLDEN, constant, in_engine, text
from tests.tb.planted.mutant import Number

READ_PORT, WRITE_PORT, PREFETCHER = "ports:ReadPort", "ports:WritePort", "prefetch:Prefetcher"
RX, TX, UNIT = "rx_channel:RxChannel", "tx_channel:TxChannel", "write_back:WriteBack"
CSR = csr_numbers(GOLDEN, Kind, "two_sent", "head_as_done")

BUS = [
    Number("first beat of a read in a+1", "two_sent", Kind.TX_DESC,
           text(f"{BUS_TIMING}.read", "a + 1 + self.read_latency, False", "a + 2 + self.read_latency, False")),
    Number("a beat a cycle, reads", "two_sent", Kind.TX_DESC,
           text(f"{BUS_TIMING}.read_in_order", "(beats - 1)", "beats")),
    Number("beats of reads follow each other", "eight_tags", Kind.TX_FILL,
           text(f"{BUS_TIMING}.read_in_order", "_last_read_beat + 1)", "_last_read_beat + 2)")),
    Number("first beat of a write in a+1", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "last = a + 1", "last = a + 2")),
    Number("a beat a cycle, writes", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "(beats - 1)", "beats")),
    Number("B in the cycle after the last beat", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "last + 1 + self.write_latency, False", "last + 2 + self.write_latency, False")),
]

PORTS = [
    Number("ADDR from w+1, descriptors", "two_sent", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.granted", "handshake(w + 1)", "handshake(w + 2)")),
    Number("ADDR from w+1, data", "two_sent", Kind.TX_FETCH,
           text(f"{TX}.granted", "handshake(w + 1)", "handshake(w + 2)")),
    Number("FREE from a+1", "two_parts", Kind.TX_FETCH,
           text(f"{READ_PORT}._grant", "granted(w) + 1", "granted(w) + 4")),
    Number("a read is closed in d+1", "one_tag", Kind.TX_FETCH,
           text(f"{READ_PORT}.closed", "self.open -= 1\n    self.kick(d + 1)",
                "self._kernel.call_at(4 * d + 7, lambda: (setattr(self, 'open', self.open - 1), self.kick(d + 2)))")),
    Number("8 reads open", "eight_tags", Kind.TX_FETCH, constant("DEFAULT_TAGS")),
    Number("as many reads open as the strap says", "three_tags", Kind.TX_FETCH,
           in_engine('straps.get("tags", 0)', 'straps.get("tags", 0) + 1')),
    Number("order: RX urgent, TX urgent", "all_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(tx, *rx)")),
    Number("order: RX urgent by channel", "all_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(*rx[::-1], tx)")),
    Number("order: RX, TX", "none_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(tx, *rx)")),
    Number("order: RX by channel", "none_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(*rx[::-1], tx)")),
    Number("order: RX urgent, data", "urgent_and_data", Kind.RX_PREFETCH,
           text(f"{READ_PORT}._choose", "if urgency == 2:", "if urgency == 2 and not self.loader.wants(w):")),
    Number("order: TX urgent, data", "sender_urgent_and_data", Kind.TX_PREFETCH,
           text(f"{READ_PORT}._choose", "if urgency == 2:", "if urgency == 2 and not self.loader.wants(w):")),
    Number("order: data, RX", "later_and_data", Kind.RX_PREFETCH,
           text(f"{READ_PORT}._choose", "if self.loader.wants(w):", "if late is None and self.loader.wants(w):")),
    Number("order: data, TX", "sender_later_and_data", Kind.TX_PREFETCH,
           text(f"{READ_PORT}._choose", "if self.loader.wants(w):", "if late is None and self.loader.wants(w):")),
    Number("AWVALID from w+1, receive", "received", Kind.RX_WRITE,
           text(f"{RX}.granted", '"""Granted in *w*."""', '"""Granted in *w*."""; w += 1')),
    Number("AWVALID from w+1, write-back unit", "two_sent", Kind.TX_HEAD,
           text(f"{UNIT}.granted", '"""Granted in *w*."""', '"""Granted in *w*."""; w += 1')),
    Number("the write port is idle in d+1", "bursts", Kind.RX_WRITE,
           text(f"{WRITE_PORT}._written", "self.free_from = d + 1", "self.free_from = d + 2")),
    Number("order: write-back unit, RX", "writes_together", Kind.RX_HEAD,
           in_engine("(self.write_back, *self.rx)", "(*self.rx, self.write_back)")),
    Number("order: writes of RX by channel", "writes_together", Kind.RX_WRITE,
           in_engine("(self.write_back, *self.rx)", "(self.write_back, *self.rx[::-1])")),
    Number("ID of RX descriptors", "bad_rx_descriptors", Kind.RX_ERROR,
           text(f"{PREFETCHER}.granted", "read(self.requester,", "read(self.requester + 1,")),
    Number("ID of RX writes", "late_bursts", Kind.RX_WRITE,
           text(f"{RX}.granted", "bus.write(self.number, w + 1, address, data", "bus.write(self.number + 1, w + 1, address, data")),
    Number("ID of data", "late_reads", Kind.TX_FILL, constant("TX_DATA_ID")),
    Number("ID of TX descriptors", "late_reads", Kind.TX_DESC, constant("TX_DESC_ID")),
    Number("ID of the write-back unit", "late_bursts", Kind.INT_MESSAGE, constant("WRITE_BACK_ID")),
]

PREFETCH = [
    Number("a cache of 32 entries", "prefetch_32", Kind.RX_PREFETCH, constant("CACHE_ENTRIES")),
    Number("16 entries at most", "prefetch_16", Kind.RX_PREFETCH, constant("PREFETCH_ENTRIES")),
    Number("512 bytes at most", "prefetch_stride_64", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "LONG_BURST // stride", "LONG_BURST // stride + 1")),
    Number("entries that begin before the 4 KiB boundary", "prefetch_page", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "% PAGE) // stride)", "% PAGE) // stride) + 1")),
    Number("the boundary is at 4 KiB", "prefetch_page", Kind.RX_PREFETCH, constant("PAGE", 32)),
    Number("up to the end of the ring", "prefetch_wraps", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "size - index,", "size - index + 1,")),
    Number("stride of 16 << MAX_DSPACE bytes", "prefetch_stride_32", Kind.RX_DESC,
           text("registers:Registers._write__DMAC_CFG", "16 <<", "17 <<")),
    Number("the stride of the reset", "two_sent", Kind.TX_PREFETCH, in_engine("self.stride = 16", "self.stride = 17")),
    Number("an entry has 16 bytes: beats", "two_sent", Kind.TX_DESC,
           text(f"{PREFETCHER}.granted", "+ ENTRY)", "+ ENTRY + WORD)")),
    Number("PF_THRES 0 is 1", "prefetch_none", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "(self.thres or 1)", "(self.thres or 0)")),
    Number("below PF_THRES", "threshold", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "cached >= (self.thres or 1)", "cached >= (self.thres or 1) - 1")),
    Number("urgent below PF_PRI_THRES", "urgency", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "cached < self.pri_thres", "cached < self.pri_thres + 1")),
    Number("a pop in w does not help a request in w: its condition", "popped_as_asked", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "(self.popped_in == w)", "0")),
    Number("a pop in w does not help a request in w: its length", "prefetch_32", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "(self.popped_in == w)", "1")),
    Number("TAIL is exclusive", "two_sent", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.available", "% size\n", "% size + 1\n")),
    Number("tail_inclusive: one more", "tail_inclusive", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.available", "else ahead + 1", "else ahead")),
    Number("tail_inclusive: not again for the same TAIL", "tail_inclusive", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.write_tail", "if index != self.tail:", "if True:")),
    Number("past_tail: R - cached", "past_tail", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.available", "size - cached", "size - cached - 1")),
    Number("nothing with TAIL >= R", "beyond_the_ring", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.available", "self.tail >= size", "self.tail > size")),
    Number("TAIL in c is seen in c+1", "two_sent", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.write_tail", "kick(cycle + 1)", "kick(cycle + 2)")),
    Number("in the cache from d+1", "two_sent", Kind.TX_FETCH,
           text(f"{PREFETCHER}._filled", "channel.kick(d + 1)", "channel.kick(d + 2)")),
    Number("the next request in d+1", "prefetched_twice", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}._filled", "closed(d)", "closed(d + 1)")),
    Number("TAIL after the grant keeps from being blocked", "tail_as_granted", Kind.RX_STARVED,
           text(f"{PREFETCHER}.flush", "< granted_in", "<= granted_in")),
    Number("TAIL in the grant's cycle too", "tail_as_granted", Kind.RX_STARVED,
           text(f"{PREFETCHER}.flush", "< granted_in", "< granted_in + 1")),
]

SECTIONS = {"csr": CSR, "bus": BUS, "ports": PORTS, "prefetch": PREFETCH}
