"""The commands to channels and FIFOs: DMAC_CMD, FCT_RX_CTL, FCT_TX_CTL.

The bits START and STOP in the bank are the channel's state as software reads it: 00 initial, 10 running,
11 stop pending, 01 stopped. A channel sees it as levels and answers with pulses. Nothing here is as wide as
the register: `rx` and `tx` are slices of one vector, receive channels first.

Ref: docs/engines/lan743x.md, section 7; sheet lan743x, section 2 (DMAC_CMD, FCT_RX_CTL).
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.csr import RegisterBank

from .software import written_ones

__all__ = ["Commands"]


class Commands(wiring.Component):
    """Channel state and FIFO enables. All vectors have a bit a channel: receive channels, then transmit.

    Parameters
    ----------
    rx_channels: channels that are built. The bits of the others read 0.

    Members
    -------
    stopped, fail, was_reset: from the channels: stopped from the next cycle on; stop pending from the next
        cycle on; SWR takes effect.
    fifo_was_reset: the RESET of the FIFO takes effect.
    running, stop_pending, resetting: levels, to the channels.
    fifo_enabled, fifo_reset: levels, likewise.

    The others are between this and the bank, and wired by `connect`: what a write is about to set, what the
    bank holds, and what it shall set and clear.
    """

    def __init__(self, rx_channels: int):
        self.rx_channels = rx_channels
        self.channels = channels = rx_channels + 1
        super().__init__({
            "stopped": In(channels), "fail": In(channels), "was_reset": In(channels),
            "fifo_was_reset": In(channels),
            "running": Out(channels), "stop_pending": Out(channels), "resetting": Out(channels),
            "fifo_enabled": Out(channels), "fifo_reset": Out(channels),
            # to and from the bank
            "start_written": In(channels), "stop_written": In(channels),
            "swr_written": In(channels), "all_swr_written": In(1),
            "start": In(channels), "stop": In(channels), "swr": In(channels),
            "start_clear": Out(channels), "stop_set": Out(channels), "stop_clear": Out(channels),
            "swr_set": Out(channels), "swr_clear": Out(channels),
            "any_swr_set": Out(1), "any_swr_clear": Out(1),
            "reset_written": In(channels), "disable_written": In(channels),
            "enable": In(channels), "reset": In(channels),
            "enable_clear": Out(channels), "reset_clear": Out(channels),
        })

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.running.eq(self.start & ~self.stop), self.stop_pending.eq(self.start & self.stop),
            self.resetting.eq(self.swr), self.fifo_enabled.eq(self.enable), self.fifo_reset.eq(self.reset),
            self.enable_clear.eq(self.disable_written),
            self.reset_clear.eq(self.fifo_was_reset & ~self.reset_written),
        ]
        changing = Signal()
        m.d.comb += changing.eq(Cat(
            self.start_written, self.stop_written, self.swr_written, self.all_swr_written, self.stopped,
            self.fail, self.was_reset).any())
        with m.If(changing):
            swr_set = Signal.like(self.swr)
            starts, idles = Signal(self.channels), Signal(self.channels)
            m.d.comb += [
                # START without STOP: to running, from wherever. STOP: only from running.
                starts.eq(self.start_written & ~self.stop_written),
                idles.eq(self.stop_written & ~self.start),
                self.start_clear.eq(idles | (self.stopped & ~starts) | self.was_reset),
                self.stop_set.eq((self.fail | self.stopped & ~starts) & ~self.was_reset),
                self.stop_clear.eq(starts | (idles & ~self.stop) | self.was_reset),
                swr_set.eq(self.swr_written | self.all_swr_written.replicate(self.channels)),
                self.swr_set.eq(swr_set),
                self.swr_clear.eq(self.was_reset & ~swr_set),
                self.any_swr_set.eq(swr_set.any()),
                self.any_swr_clear.eq(~(self.swr & ~self.was_reset).any()),
            ]
        return m

    def connect(self, m: Module, bank: RegisterBank) -> None:
        """The wires between the bank and this component, which is a submodule of `m`."""
        regs, n = bank.regs, self.rx_channels

        def write(register: str, rx: str, tx: str, tx_register: str | None = None):
            return Cat(written_ones(bank, register, rx)[:n], written_ones(bank, tx_register or register, tx))

        command, fct_rx, fct_tx = regs.DMAC_CMD, regs.FCT_RX_CTL, regs.FCT_TX_CTL
        m.d.comb += [
            self.start_written.eq(write("DMAC_CMD", "START_R", "START_T")),
            self.stop_written.eq(write("DMAC_CMD", "STOP_R", "STOP_T")),
            self.swr_written.eq(write("DMAC_CMD", "RX_SWR", "TX_SWR")),
            self.all_swr_written.eq(written_ones(bank, "DMAC_CMD", "SWR")),
            self.reset_written.eq(write("FCT_RX_CTL", "RESET", "RESET", "FCT_TX_CTL")),
            self.disable_written.eq(write("FCT_RX_CTL", "DIS", "DIS", "FCT_TX_CTL")),
            self.start.eq(Cat(command.START_R.value[:n], command.START_T.value)),
            self.stop.eq(Cat(command.STOP_R.value[:n], command.STOP_T.value)),
            self.swr.eq(Cat(command.RX_SWR.value[:n], command.TX_SWR.value)),
            self.enable.eq(Cat(fct_rx.EN.value[:n], fct_tx.EN.value)),
            self.reset.eq(Cat(fct_rx.RESET.value[:n], fct_tx.RESET.value)),
            # never seen set; and nothing is held up that would keep the bank busy
            fct_rx.DIS.clear.eq(fct_rx.written.replicate(len(fct_rx.DIS.clear))),
            fct_tx.DIS.clear.eq(fct_tx.written),
            command.SWR.set.eq(self.any_swr_set), command.SWR.clear.eq(self.any_swr_clear),
        ]
        for written, rx, tx, bits in (
                (command.written, command.START_R.clear, command.START_T.clear, self.start_clear),
                (command.written, command.STOP_R.clear, command.STOP_T.clear, self.stop_clear),
                (command.written, command.RX_SWR.clear, command.TX_SWR.clear, self.swr_clear),
                (fct_rx.written, fct_rx.EN.clear, fct_tx.EN.clear, self.enable_clear),
                (fct_rx.written, fct_rx.RESET.clear, fct_tx.RESET.clear, self.reset_clear)):
            m.d.comb += [rx.eq(Cat(bits[:n], written.replicate(len(rx) - n))), tx.eq(bits[n])]
        m.d.comb += [
            command.STOP_R.set.eq(self.stop_set[:n]), command.STOP_T.set.eq(self.stop_set[n]),
            command.RX_SWR.set.eq(self.swr_set[:n]), command.TX_SWR.set.eq(self.swr_set[n]),
        ]
