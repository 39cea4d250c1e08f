"""What an interrupt vector's handler does, and what it leaves to the part: the driver's vector flags.

Ref: lan743x_intr_entry_isr, lan743x_rx_isr, lan743x_tx_isr, lan743x_intr_shared_isr; sheet section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from enum import IntFlag, auto
from typing import Any

from model.drivers.lan743x.registers import Registers, bits, channel_bit
from model.host.napi import Napi


class Does(IntFlag):
    """Who reads, clears and sets what. AUTO_*: the part does it; R2C: reading INT_STS_R2C does it."""

    SOURCE_STATUS_READ = auto()
    SOURCE_STATUS_W1C = auto()
    SOURCE_STATUS_R2C = auto()
    SOURCE_STATUS_AUTO_CLEAR = auto()
    SOURCE_ENABLE_CHECK = auto()
    SOURCE_ENABLE_CLEAR = auto()
    SOURCE_ENABLE_R2C = auto()
    SOURCE_ENABLE_AUTO_SET = auto()
    SOURCE_ENABLE_AUTO_CLEAR = auto()
    VECTOR_ENABLE_ISR_CLEAR = auto()
    VECTOR_ENABLE_ISR_SET = auto()
    VECTOR_ENABLE_AUTO_SET = auto()
    VECTOR_ENABLE_AUTO_CLEAR = auto()
    MASTER_ENABLE_CLEAR = auto()
    MASTER_ENABLE_SET = auto()


BY_HAND = (Does.SOURCE_STATUS_READ | Does.SOURCE_STATUS_W1C | Does.SOURCE_ENABLE_CHECK
           | Does.SOURCE_ENABLE_CLEAR)
BY_READING = Does.SOURCE_STATUS_R2C | Does.SOURCE_ENABLE_R2C
VECTOR_BY_HAND = Does.VECTOR_ENABLE_ISR_CLEAR | Does.VECTOR_ENABLE_ISR_SET
MASTER_BY_HAND = Does.MASTER_ENABLE_CLEAR | Does.MASTER_ENABLE_SET
TX_AUTOMATIC = (Does.VECTOR_ENABLE_AUTO_SET | Does.SOURCE_ENABLE_AUTO_SET | Does.SOURCE_ENABLE_AUTO_CLEAR
                | Does.SOURCE_STATUS_AUTO_CLEAR)
RX_AUTOMATIC = TX_AUTOMATIC | Does.VECTOR_ENABLE_AUTO_CLEAR

MAS = bits("INT_STS", "MAS")
SW_GP = bits("INT_STS", "SW_GP")
PTP = bits("INT_STS", "PTP")
Serve = Callable[[int, Does], Coroutine[Any, Any, int]]


class Source:
    """A DMA channel as a cause of interrupts. Members: `status` its bit in INT_STS, `cause` in
    DMAC_INT_STS."""

    def __init__(self, registers: Registers, kind: str, channel: int) -> None:
        self.is_tx = kind == "TX"
        self.status = channel_bit("INT_STS", kind, channel)
        self.cause = channel_bit("DMAC_INT_STS", "TX_IOC" if self.is_tx else "RXFRM", channel)
        self.napi: Napi | None = None
        self._registers = registers

    async def serve(self, int_sts: int, does: Does) -> int:
        """The channel's part of the handler: masks it and has it polled. Returns the bits that it dealt
        with."""
        registers = self._registers
        if self.is_tx:
            await registers.read("INT_EN_SET")
        if does & Does.SOURCE_ENABLE_CLEAR:
            await registers.write("INT_EN_CLR", self.status)
        if int_sts & self.status:
            pending = self.cause
            if does & Does.SOURCE_STATUS_READ:
                pending &= await registers.read("DMAC_INT_STS")
            if does & Does.SOURCE_ENABLE_CHECK:
                pending &= await registers.read("DMAC_INT_EN_SET")
            if pending:
                self.napi.schedule()   # whose poll enables the source again
                return self.status
        await registers.write("INT_EN_SET", self.status)
        return self.status


class Vector:
    """One vector and its handler. Members: `number`; `does`; `sources` bits of INT_STS that are its own;
    `taken` how often."""

    def __init__(self, registers: Registers, number: int, does: Does, sources: int, serve: Serve) -> None:
        self.number = number
        self.does = does
        self.sources = sources
        self.taken = 0
        self._registers = registers
        self._serve = serve

    async def interrupt(self) -> None:
        """The handler of every vector (lan743x_intr_entry_isr)."""
        registers, does, vector = self._registers, self.does, 1 << self.number
        self.taken += 1
        if does & Does.SOURCE_STATUS_READ:
            int_sts = await registers.read("INT_STS")
        elif does & BY_READING:
            int_sts = await registers.read("INT_STS_R2C")
        else:
            int_sts = self.sources | MAS
        if not int_sts & MAS:
            return
        if does & Does.VECTOR_ENABLE_ISR_CLEAR:
            await registers.write("INT_VEC_EN_CLR", vector)
        if does & Does.MASTER_ENABLE_CLEAR:
            await registers.write("INT_EN_CLR", MAS)
        if does & Does.SOURCE_ENABLE_CHECK:
            int_sts &= await registers.read("INT_EN_SET")
        int_sts &= self.sources
        if int_sts:
            await self._serve(int_sts, does)
        if does & Does.MASTER_ENABLE_SET:
            await registers.write("INT_EN_SET", MAS)
        if does & Does.VECTOR_ENABLE_ISR_SET:
            await registers.write("INT_VEC_EN_SET", vector)
