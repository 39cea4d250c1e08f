"""The numbers of docs/engines/lan743x.md, section 5, as the golden engine has them: the transmitter.

Each is changed by one, or two things that have an order are exchanged, in a stimulus in which the scoreboard
finds that.
"""

from __future__ import annotations

from model.engines.lan743x.events import Kind
from tests.tb.planted.lan743x.golden import both, constant, later, text
from tests.tb.planted.mutant import Number

TX, SENDER, MAC, REGISTERS = "tx_channel:TxChannel", "sender:Sender", "rx_mac:RxMac", "registers:Registers"

LOAD = [
    Number("SETUP in x+1", "two_sent", Kind.TX_FETCH,
           text(f"{TX}.step", "self._setup(x + 1)", "self._setup(x + 2)")),
    Number("LOAD or IDLE from x+2", "two_sent", Kind.TX_FETCH,
           text(f"{TX}._setup", "4 * (setup + 1), goes_on, setup + 1",
                "4 * (setup + 2), goes_on, setup + 2")),
    Number("requests from x+2", "two_sent", Kind.TX_FETCH,
           text(f"{TX}._load", "self._load_from = x\n        self.engine.read_port.kick(x)",
                "self._load_from = x + 1\n        self.engine.read_port.kick(x + 1)")),
    Number("the next entry from x+2 on after one without data", "extension_between", Kind.TX_FETCH,
           text(f"{TX}._without_data", "    self.kick(x)", "    self.kick(x + 1)")),
    Number("one entry more after LS with EXT", "extension_behind", Kind.TX_HEAD,
           text(f"{TX}._setup", "and data0 & EXT_MASK:", "and False:")),
    Number("bursts of 128 bytes", "loaded_apart", Kind.TX_FETCH,
           text(f"{TX}._next_burst", "else SHORT_BURST", "else SHORT_BURST + 4")),
    Number("bursts of 512 bytes", "loaded_apart_long", Kind.TX_FETCH,
           text(f"{TX}._next_burst", "LONG_BURST if", "LONG_BURST + 4 if")),
    Number("whole words: down", "extension_between", Kind.TX_FILL,
           text(f"{TX}._next_burst", "- self._address // WORD + 1", "- self._address // WORD + 2")),
    Number("8,192 words", "fifo_filled", Kind.TX_FETCH, constant("TX_FIFO_WORDS")),
    Number("8,192 words and no fewer", "fifo_filled_exactly", Kind.TX_FETCH, constant("TX_FIFO_WORDS", -1)),
    Number("the next burst from w+1: three cycles later, since ADDR has the port for two", "loaded_apart",
           Kind.TX_FETCH, text(f"{TX}.granted", "self._load_from = w + 1",
                               "self._load_from = w + 3; self.engine.read_port.kick(w + 3)")),
    Number("IDLE from w+1", "two_parts", Kind.TX_FETCH,
           text(f"{TX}.granted", "self.kick(w + 1)", "self.kick(w + 2)")),
    Number("loaded from d+1", "two_sent", Kind.TX_SFD,
           text(f"{TX}._filled", "kick(d + 1)\n    engine.read_port",
                                                            "kick(d + 2)\n    engine.read_port")),
    Number("a frame without data is loaded from x+2", "without_bytes", Kind.TX_DROP,
           text(f"{TX}._without_data", "sender.kick(x)", "sender.kick(x + 1)")),
    Number("1,024 frames", "frames_begun", Kind.TX_FETCH, constant("MOST_FRAMES")),
    Number("1,024 frames and no fewer", "frames_begun", Kind.TX_FETCH, constant("MOST_FRAMES", -1)),
    Number("one entry more from F+1", "frames_begun", Kind.TX_FETCH,
           text(f"{TX}.completed", "MOST_FRAMES:\n        self.kick(f + 1)",
                "MOST_FRAMES:\n        self.kick(f + 2)")),
    Number("a dropped frame takes one cycle", "dropped_in_a_row", Kind.TX_DROP,
           text(f"{SENDER}._send", "self.free_from = t + 1", "self.free_from = t + 2")),
    Number("a dropped frame is completed in t", "without_bytes", Kind.TX_HEAD,
           text(f"{SENDER}._send", "4 * t + 3, engine.tx.completed, frame, False, t",
                "4 * t + 7, engine.tx.completed, frame, False, t + 1")),
]

SEND = [
    Number("SFD in t+7", "two_sent", Kind.TX_SFD, constant("SFD_CYCLES")),
    Number("first byte in t+8", "two_sent", Kind.TX_DONE, constant("PREAMBLE_CYCLES")),
    Number("padded to 60 bytes", "padded", Kind.TX_DONE, constant("MIN_BYTES")),
    Number("4 bytes of FCS", "two_sent", Kind.TX_DONE, constant("FCS_BYTES")),
    Number("F = t + 8 + N", "own_fcs", Kind.TX_DONE,
           text(f"{SENDER}._send", "f = t + PREAMBLE_CYCLES + wire_bytes",
                "f = t + PREAMBLE_CYCLES + wire_bytes + 1")),
    Number("the next start from F+12 on", "two_sent", Kind.TX_SFD, constant("GAP_CYCLES")),
    Number("HEAD in F", "head_once_done", Kind.CSR_READ,
           later(f"{TX}.completed", "self.advance(frame.entries, f)", "f")),
    Number("TX_IOC in F", "ioc_once_done", Kind.CSR_READ,
           later(f"{TX}.completed", "self.engine.interrupts.cause(self.cause, self.source, f)", "f")),
    Number("room from F+1", "fifo_filled", Kind.TX_FETCH,
           text(f"{TX}.completed", "read_port.kick(f + 1)", "read_port.kick(f + 2)")),
    Number("TXEN in c is seen in c+1", "txen_last", Kind.TX_SFD,
           text(f"{REGISTERS}._write__MAC_TX", "sender.kick(c + 1)", "sender.kick(c + 2)")),
    Number("FCT_TX EN in c is seen in c+1", "fct_last", Kind.TX_SFD,
           text(f"{REGISTERS}._write__FCT_TX_CTL", "sender.kick(c + 1)", "sender.kick(c + 2)")),
    Number("TXD at the edge that ends c+1", "txd_just_not_yet", Kind.CSR_READ,
           text(f"{REGISTERS}._write__MAC_TX", "4 * (c + 1) + 3", "4 * (c + 2) + 3")),
    Number("TXD at the edge that ends F", "txd_just_after_frame", Kind.CSR_READ,
           later(f"{SENDER}._ended", "self.engine.registers.transmitter_disabled()", "f")),
    Number("a pause frame goes before data", "asked_with_frame", Kind.TX_SFD,
           text(f"{SENDER}._ask", "if self.wanted_pause is not None:",
                "if self.wanted_pause is not None and not self.engine.tx.loaded:")),
    Number("a pause frame: SFD in t+7", "asked_to_pause", Kind.TX_PAUSE,
           text(f"{SENDER}._send_pause", "t + SFD_CYCLES", "t + SFD_CYCLES + 1")),
    Number("a pause frame has 60 bytes", "asked_with_frame", Kind.TX_SFD,
           text(f"{SENDER}._send_pause", "+ MIN_BYTES", "+ MIN_BYTES + 1")),
    Number("64 cycles a quantum", "pause_none", Kind.TX_SFD, constant("QUANTUM_CYCLES")),
    Number("paused until e + 1 + 64 q", "pause_first", Kind.TX_SFD,
           text(f"{SENDER}.pause", "decided + 1 + QUANTUM", "decided + 2 + QUANTUM")),
    Number("not paused in e+1", "pause_none", Kind.TX_SFD,
           both(text(f"{MAC}._begins", "4 * decided + 1", "4 * decided - 3"),
                text(f"{MAC}._decide", "4 * decided + 3, engine.sender.pause",
                     "4 * decided - 1, engine.sender.pause"))),
    Number("paused in e+2", "pause_first", Kind.TX_SFD,
           text(f"{MAC}._decide", "4 * decided + 3, engine.sender.pause",
                "4 * decided + 7, engine.sender.pause")),
    Number("ID of a bad read of data", "bad_data", Kind.TX_ERROR,
           text(f"{TX}._filled", "TX_DATA_ID", "TX_DATA_ID + 1")),
    Number("ID of a bad read of descriptors", "bad_descriptors", Kind.TX_ERROR,
           text("prefetch:Prefetcher._filled", "self.requester, 0)", "self.requester + 1, 0)")),
]

SECTIONS = {"load": LOAD, "send": SEND}
