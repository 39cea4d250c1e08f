"""Receive-side scaling: which channel a frame goes to.

Key and indirection table are shadowed here as they are written.

Ref: docs/engines/lan743x.md, section 4.1, 5; sheet lan743x, section 3 (RFE_RSS_CFG, HASH_KEY, INDX).
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.mac.toeplitz import Toeplitz
from hdl.registers import load

from .events import MOST_RX_CHANNELS, OFFSET_WIDTH

__all__ = ["RxSteering"]

KEY_WORDS = 4
"""What IPv4 uses of the key."""
TABLE_WORDS = 32
ENTRY_BITS = 7
"""Of the hash: 128 entries of a byte."""
WORD_BITS, WORD_BYTES = 32, 4


class RxSteering(wiring.Component):
    """Hash of the flow, and the table's answer.

    Parameters
    ----------
    rx_channels: how many there are; at least 2.

    Members
    -------
    enable: RFE_RSS_CFG: RSS_ENABLE and RSS_QUEUE_ENABLE.
    ipv4, tcp_ipv4, udp_ipv4: RFE_RSS_CFG; looked at in the cycle of `sfd`, as is the key.
    sfd, byte, data, count: from the deframer.
    csr_write, csr_addr, csr_data, csr_strobe: every register write, in its cycle.
    channel: good at the frame's `eof`.
    """

    def __init__(self, rx_channels: int):
        if not 2 <= rx_channels <= MOST_RX_CHANNELS:
            raise ValueError(f"RxSteering: rx_channels must be in 2..{MOST_RX_CHANNELS}, not {rx_channels!r}")
        self.rx_channels = rx_channels
        super().__init__({
            "enable": In(1), "ipv4": In(1), "tcp_ipv4": In(1), "udp_ipv4": In(1),
            "sfd": In(1), "byte": In(1), "data": In(8), "count": In(14),
            "csr_write": In(1), "csr_addr": In(OFFSET_WIDTH), "csr_data": In(WORD_BITS),
            "csr_strobe": In(WORD_BYTES),
            "channel": Out(range(MOST_RX_CHANNELS)),
        })

    def elaborate(self, platform):
        m = Module()
        registers = load("lan743x")
        key_at = registers.offset("RFE_HASH_KEY0") >> 2
        table_at = registers.offset("RFE_INDX0") >> 2
        m.submodules.toeplitz = toeplitz = Toeplitz(KEY_WORDS * WORD_BYTES)
        m.submodules.table = table = Memory(shape=WORD_BITS, depth=TABLE_WORDS, init=[])
        write, read = table.write_port(granularity=8), table.read_port(domain="comb")
        key, entry = Signal(KEY_WORDS * WORD_BITS), Signal(8)
        for name in ("sfd", "byte", "data", "count", "ipv4", "tcp_ipv4", "udp_ipv4"):
            m.d.comb += getattr(toeplitz, name).eq(getattr(self, name))
        m.d.comb += [
            toeplitz.key.eq(key),
            write.addr.eq(self.csr_addr[2:] - table_at), write.data.eq(self.csr_data),
            read.addr.eq(toeplitz.hash[2:ENTRY_BITS]),
            entry.eq(read.data.word_select(toeplitz.hash[:2], 8)),
        ]
        with m.If(self.csr_write):
            word = self.csr_addr[2:]
            with m.If((word >= table_at) & (word < table_at + TABLE_WORDS)):
                m.d.comb += write.en.eq(self.csr_strobe)
            for place in range(KEY_WORDS):
                with m.If(word == key_at + place):
                    for byte in range(WORD_BYTES):
                        with m.If(self.csr_strobe[byte]):
                            m.d.sync += key.word_select(WORD_BYTES * place + byte, 8).eq(
                                self.csr_data.word_select(byte, 8))
        with m.If(self.enable & toeplitz.valid):
            m.d.comb += self.channel.eq(entry % self.rx_channels)
        return m
