"""The numbers of docs/engines/lan743x.md, sections 1 to 3, as the golden engine has them: bus, ports,
prefetch.

Each is changed by one, or two things that have an order are exchanged, in a stimulus in which the scoreboard
finds that.
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
           text(f"{BUS_TIMING}.read", "a + 1 + self.read_latency, False",
                "a + 2 + self.read_latency, False")),
    Number("a beat a cycle, reads", "two_sent", Kind.TX_DESC,
           text(f"{BUS_TIMING}.read_in_order", "(beats - 1)", "beats")),
    Number("beats of reads follow each other", "eight_tags", Kind.TX_FILL,
           text(f"{BUS_TIMING}.read_in_order", "_last_read_beat + 1)", "_last_read_beat + 2)")),
    Number("first beat of a write in a+1", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "last = a + 1", "last = a + 2")),
    Number("a beat a cycle, writes", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "(beats - 1)", "beats")),
    Number("B in the cycle after the last beat", "received", Kind.RX_WB,
           text(f"{BUS_TIMING}.write", "last + 1 + self.write_latency, False",
                "last + 2 + self.write_latency, False")),
]

PORTS = [
    Number("ADDR from w+1", "two_sent", Kind.TX_PREFETCH,
           text(f"{READ_PORT}._choose", "handshake(w + 1)", "handshake(w + 2)")),
    Number("FREE from a+1", "loaded_apart", Kind.TX_FETCH,
           text(f"{READ_PORT}._choose", "self.free_from = a + 1", "self.free_from = a + 2")),
    Number("a read is closed in d+1", "one_tag", Kind.TX_FETCH,
           text(f"{READ_PORT}.closed", "self.kick(d + 1)\n    self.open -= 1",
                "self.kick(d + 2)\n"
                "    self._kernel.call_at(4 * d + 7, lambda: setattr(self, 'open', self.open - 1))")),
    Number("8 reads open", "eight_tags", Kind.TX_FETCH, constant("DEFAULT_TAGS")),
    Number("as many reads open as the strap says", "three_tags", Kind.TX_FETCH,
           in_engine('straps.get("tags", 0)', 'straps.get("tags", 0) + 1')),
    Number("order: RX urgent, TX urgent", "all_urgent", Kind.TX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(tx, *rx)")),
    Number("order: RX urgent by channel", "all_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(*rx[::-1], tx)")),
    Number("order: RX, TX", "none_urgent", Kind.TX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(tx, *rx)")),
    Number("order: RX by channel", "none_urgent", Kind.RX_PREFETCH,
           text(f"{READ_PORT}.connect", "(*rx, tx)", "(*rx[::-1], tx)")),
    Number("order: RX urgent, data", "urgent_and_data", Kind.TX_FETCH,
           text(f"{READ_PORT}._choose", "urgent or loader or normal", "loader or urgent or normal")),
    Number("order: TX urgent, data", "sender_urgent_and_data", Kind.TX_PREFETCH,
           text(f"{READ_PORT}._choose", "urgent or loader or normal", "loader or urgent or normal")),
    Number("order: data, RX", "later_and_data", Kind.TX_FETCH,
           text(f"{READ_PORT}._choose", "urgent or loader or normal", "urgent or normal or loader")),
    Number("order: data, TX", "sender_later_and_data", Kind.TX_PREFETCH,
           text(f"{READ_PORT}._choose", "urgent or loader or normal", "urgent or normal or loader")),
    Number("AWVALID from w+1", "received", Kind.RX_WRITE,
           text(f"{WRITE_PORT}._choose", "granted(w, w + 1)", "granted(w, w + 2)")),
    Number("the write port is idle in d+1", "bursts", Kind.RX_WRITE,
           text(f"{WRITE_PORT}._written", "self.free_from = d + 1", "self.free_from = d + 2")),
    Number("order: write-back unit, RX", "writes_together", Kind.TX_HEAD,
           in_engine("(self.write_back, *self.rx)", "(*self.rx, self.write_back)")),
    Number("order: writes of RX by channel", "writes_together", Kind.RX_WRITE,
           in_engine("(self.write_back, *self.rx)", "(self.write_back, *self.rx[::-1])")),
    Number("ID of RX descriptors", "bad_rx_descriptors", Kind.RX_ERROR,
           text(f"{PREFETCHER}.granted", "read(self.requester,", "read(self.requester + 1,")),
    Number("ID of RX writes", "late_bursts", Kind.RX_WRITE,
           text(f"{RX}.granted", "bus.write(self.number, a, address",
                "bus.write(self.number + 1, a, address")),
    Number("ID of data", "late_reads", Kind.TX_FILL, constant("TX_DATA_ID")),
    Number("ID of TX descriptors", "late_reads", Kind.TX_DESC, constant("TX_DESC_ID")),
    Number("ID of the write-back unit", "late_bursts", Kind.INT_MESSAGE, constant("WRITE_BACK_ID")),
]

PREFETCH = [
    Number("a cache of 32 entries", "prefetch_32", Kind.RX_PREFETCH, constant("CACHE_ENTRIES")),
    Number("16 entries at most", "prefetch_16", Kind.RX_PREFETCH, constant("PREFETCH_ENTRIES")),
    Number("one entry if they are spaced wider", "prefetch_spaced", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "else 1", "else 2")),
    Number("entries that begin before the 4 KiB boundary", "prefetch_page", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "% PAGE) // stride)", "% PAGE) // stride) + 1")),
    Number("the boundary is at 4 KiB", "prefetch_page", Kind.RX_PREFETCH, constant("PAGE", 32)),
    Number("up to the end of the ring", "prefetch_wraps", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "size - index,", "size - index + 1,")),
    Number("stride of 16 << MAX_DSPACE bytes", "prefetch_stride_32", Kind.RX_PREFETCH,
           text("registers:Registers._write__DMAC_CFG", "16 <<", "17 <<")),
    Number("an entry has 16 bytes: beats", "two_sent", Kind.TX_DESC,
           text(f"{PREFETCHER}.granted", "+ ENTRY)", "+ ENTRY + WORD)")),
    Number("PF_THRES 0 is 1", "prefetch_none", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "(self.thres or 1)", "(self.thres or 0)")),
    Number("below PF_THRES", "threshold", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "cached >= (self.thres or 1)", "cached >= (self.thres or 1) - 1")),
    Number("urgent below PF_PRI_THRES", "popped_as_asked", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "cached < self.pri_thres", "cached < self.pri_thres + 1")),
    Number("a pop in w does not help a request in w: its condition", "asked_as_popped", Kind.TX_PREFETCH,
           text(f"{PREFETCHER}.urgency", "(self.popped_in == w)", "0")),
    Number("a pop in w does not help a request in w: its length", "long_as_popped", Kind.RX_PREFETCH,
           text(f"{PREFETCHER}.granted", "(self.popped_in == w)", "0")),
    Number("TAIL is exclusive", "two_sent", Kind.RX_PREFETCH,
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
           text(f"{PREFETCHER}._filled", "    self.kick(d + 1)\n    self.channel",
                "    self.kick(d + 2)\n    self.channel")),
    Number("TAIL in the grant's cycle keeps from being blocked", "tail_as_granted", Kind.RX_STARVED,
           text(f"{PREFETCHER}.flush", "< granted_in", "<= granted_in")),
    Number("TAIL before the grant does not", "tail_before_grant", Kind.RX_STARVED,
           text(f"{PREFETCHER}.flush", "< granted_in", "< granted_in - 1")),
]

SECTIONS = {"csr": CSR, "bus": BUS, "ports": PORTS, "prefetch": PREFETCH}
