"""Register accesses of FIFO controllers and MAC (docs/engines/lan743x.md, sections 4, 5 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .part import MAP

if TYPE_CHECKING:
    from .engine import Engine

_field = MAP.field


class MacRegisters:
    """The part of `Registers` that speaks of them; members are its."""

    engine: Engine
    value: dict[str, int]
    _rxd: bool
    _txd: bool

    # FIFO controllers.

    def _write__FCT_RX_CTL(self, c: int, value: int, strobed: int) -> None:
        self.value["FCT_RX_CTL"] = 0
        enable, disable, reset = (_field("FCT_RX_CTL", name).extract(strobed)
                                  for name in ("EN", "DIS", "RESET"))
        for channel in self.engine.rx:
            n = channel.number
            if disable >> n & 1:
                channel.enabled = False
            elif enable >> n & 1:
                channel.enabled = True
            if reset >> n & 1:
                channel.reset_fifo(c)

    def _read__FCT_RX_CTL(self, c: int) -> int:
        value = 0
        for channel in self.engine.rx:
            value |= (_field("FCT_RX_CTL", "EN").place(channel.enabled << channel.number)
                      | _field("FCT_RX_CTL", "RESET").place(channel.fct_reset << channel.number))
        return value

    def _write__FCT_TX_CTL(self, c: int, value: int, strobed: int) -> None:
        self.value["FCT_TX_CTL"] = 0
        tx = self.engine.tx
        enable, disable, reset = (_field("FCT_TX_CTL", name).extract(strobed)
                                  for name in ("EN", "DIS", "RESET"))
        if disable:
            tx.enabled = False
        elif enable:
            tx.enabled = True
            self.engine.sender.kick(c + 1)
        if reset:
            tx.reset_fifo(c)

    def _read__FCT_TX_CTL(self, c: int) -> int:
        tx = self.engine.tx
        return (_field("FCT_TX_CTL", "EN").place(int(tx.enabled))
                | _field("FCT_TX_CTL", "RESET").place(int(tx.fct_reset)))

    # MAC.

    def _write__MAC_RX(self, c: int, value: int, strobed: int) -> None:
        mac = self.engine.mac
        done = _field("MAC_RX", "RXD").mask
        if strobed & done:
            self._rxd = False
        self.value["MAC_RX"] &= ~done
        mac.max_size = _field("MAC_RX", "MAX_SIZE").extract(value)
        enabled = bool(value & _field("MAC_RX", "RXEN").mask)
        if mac.enabled and not enabled and mac.busy_until <= c:
            self.engine.kernel.call_at(4 * (c + 1) + 3, self._set_rxd)
        mac.enabled = enabled

    def receiver_disabled(self, decided: int) -> None:
        """RXEN is down and the last frame was decided in `decided`."""
        self.engine.kernel.call_at(4 * decided + 3, self._set_rxd)

    def _set_rxd(self) -> None:
        self._rxd = True

    def _read__MAC_RX(self, c: int) -> int:
        return self.value["MAC_RX"] | _field("MAC_RX", "RXD").place(int(self._rxd))

    def _write__MAC_TX(self, c: int, value: int, strobed: int) -> None:
        sender = self.engine.sender
        done = _field("MAC_TX", "TXD").mask
        if strobed & done:
            self._txd = False
        self.value["MAC_TX"] &= ~done
        enabled = bool(value & _field("MAC_TX", "TXEN").mask)
        if sender.enabled and not enabled and not sender.sending(c + 1):
            self.engine.kernel.call_at(4 * (c + 1) + 3, self.transmitter_disabled)
        if sender.enabled != enabled:
            sender.moved_in = c
        sender.enabled = enabled
        if enabled:
            sender.kick(c + 1)

    def transmitter_disabled(self) -> None:
        """TXEN is down and nothing is being sent: at the edge that ends this cycle."""
        self._txd = True

    def _read__MAC_TX(self, c: int) -> int:
        return self.value["MAC_TX"] | _field("MAC_TX", "TXD").place(int(self._txd))

    def _write__MAC_FLOW(self, c: int, value: int, strobed: int) -> None:
        self.engine.obeys_pause = bool(value & _field("MAC_FLOW", "RX_FCEN").mask)

    def _write__MAC_MII_ACC(self, c: int, value: int, strobed: int) -> None:
        self.engine.mdio.access_written(c, strobed)

    def _read__MAC_MII_ACC(self, c: int) -> int:
        return self.value["MAC_MII_ACC"] & ~1 | self.engine.mdio.busy(c)
