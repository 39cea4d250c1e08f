"""Opening and closing the interrupts: which source has which vector, and the self-test.

Ref: lan743x_intr_open, lan743x_intr_test_isr, lan743x_intr_close; sheet sections 2, 3 and 6.
"""

from __future__ import annotations

from model.drivers.lan743x.registers import MAP, Registers, bits
from model.drivers.lan743x.settings import Settings
from model.drivers.lan743x.vectors import (
    BY_HAND,
    BY_READING,
    MAS,
    MASTER_BY_HAND,
    RX_AUTOMATIC,
    SW_GP,
    TX_AUTOMATIC,
    VECTOR_BY_HAND,
    Does,
    Source,
    Vector,
)
from model.host.host import Host
from model.host.netdev import OpenFailed
from model.platforms import NS_PER_S

INTX_LINE = 16
TX_VECTOR, RX_VECTOR = 1, 2
"""Vector of the transmit channel, and of receive channel 0; 0 has all others."""
ALL_VECTORS = 0xFF
MODERATION = 400
"""What the driver writes to each INT_MOD_CFG."""
MODERATION_MAPS = {"INT_MOD_MAP0": 0x5432, "INT_MOD_MAP1": 0x1, "INT_MOD_MAP2": 0x00FF_FFFF}
SELF_TEST_NS = 200_000_000
"""Ten sleeps of 20 ms at most."""
EVERY_SOURCE = bits("INT_STS", "RX", "TX", "SW_GP", "PTP")


class Interrupts:
    """The vectors of one device. Members: `vectors` requested; `self_test_cycles` from the trigger to the
    handler."""

    def __init__(self, host: Host, registers: Registers, settings: Settings, receive: list[Source],
                 transmit: Source) -> None:
        self.host = host
        self.vectors: list[Vector] = []
        self.counts: dict[int, int] = {}
        self.self_test_cycles = 0
        self._registers = registers
        self._settings = settings
        self._receive = receive
        self._transmit = transmit
        self._tested_cycle: int | None = None

    def does(self, source: Source) -> Does:
        """The flags of the vector that `source` has (lan743x_intr_get_vector_flags)."""
        return next((vector.does for vector in self.vectors if vector.sources & source.status), Does(0))

    async def open(self) -> None:
        """Map, request and enable; OpenFailed, with everything closed again, if the self-test's interrupt
        does not come."""
        registers, settings = self._registers, self._settings
        await registers.write("INT_VEC_EN_CLR", 0xFFFF_FFFF)
        for number in range(3):
            await registers.write(f"INT_VEC_MAP{number}", 0)
        rev_a0 = settings.rev == "a0"
        shared = BY_HAND | MASTER_BY_HAND if rev_a0 else BY_READING | VECTOR_BY_HAND
        self._request(Vector(registers, 0, shared, EVERY_SOURCE, self._serve_shared))
        if not rev_a0:
            await registers.write("INT_VEC_EN_SET", 1)
            for number in range(8):
                await registers.write(f"INT_MOD_CFG{number}", MODERATION)
            for name, value in MODERATION_MAPS.items():
                await registers.write(name, value)
        await registers.write("INT_EN_SET", MAS)
        try:
            await self._self_test()
        except OpenFailed:
            await self.close()
            raise
        if settings.automatic:
            await self._open_own_vectors()

    async def close(self) -> None:
        """Mask everything and give the vectors back."""
        await self._registers.write("INT_EN_CLR", MAS)
        await self._registers.write("INT_VEC_EN_CLR", ALL_VECTORS)
        for vector in self.vectors:
            self.host.free_irq(self._line(vector))
            self.counts[vector.number] = self.counts.get(vector.number, 0) + vector.taken
        self.vectors = []

    def taken(self) -> dict[int, int]:
        """Interrupts by vector so far."""
        counts = dict(self.counts)
        for vector in self.vectors:
            counts[vector.number] = counts.get(vector.number, 0) + vector.taken
        return counts

    async def _self_test(self) -> None:
        registers, began = self._registers, self.host.now
        self._tested_cycle = None
        await registers.write("INT_EN_SET", SW_GP)
        await registers.write("INT_SET", SW_GP)
        limit_cycles = SELF_TEST_NS * self.host.world.clock_hz // NS_PER_S
        await self.host.cpu.block_until(lambda: self._tested_cycle is not None, limit_cycles)
        await registers.write("INT_EN_CLR", SW_GP)
        if self._tested_cycle is None:
            raise OpenFailed(f"the self-test's interrupt did not come within {SELF_TEST_NS // 1_000_000} ms")
        self.self_test_cycles = self._tested_cycle - began

    async def _open_own_vectors(self) -> None:
        registers, base = self._registers, self.vectors[0]
        base.sources &= ~self._transmit.status
        await registers.write("INT_VEC_MAP1", MAP.pack("INT_VEC_MAP1", TX0=TX_VECTOR))
        self._request(Vector(registers, TX_VECTOR, TX_AUTOMATIC, self._transmit.status, self._transmit.serve))
        vector_map = automatic = 0
        for channel, source in enumerate(self._receive):
            number = RX_VECTOR + channel
            vector_map |= MAP.pack("INT_VEC_MAP0", **{f"RX{channel}": number})
            await registers.write("INT_VEC_MAP0", vector_map)
            automatic |= 1 << number
            await registers.write("INT_VEC_EN_AUTO_CLR", automatic)
            base.sources &= ~source.status
            self._request(Vector(registers, number, RX_AUTOMATIC, source.status, source.serve))
            await registers.write("INT_VEC_EN_SET", 1 << number)

    def _request(self, vector: Vector) -> None:
        self.vectors.append(vector)
        self.host.request_irq(vector.interrupt, self._line(vector))

    def _line(self, vector: Vector) -> int:
        return INTX_LINE if self._settings.rev == "a0" else vector.number

    async def _serve_shared(self, int_sts: int, does: Does) -> int:
        """Every source that has no vector of its own; what nobody serves is masked."""
        for source in (*self._receive, self._transmit):
            if int_sts & source.status:
                int_sts &= ~await source.serve(int_sts, does)
        if int_sts & SW_GP:
            await self._serve_self_test()
        left = int_sts & ~SW_GP
        if left:
            await self._registers.write("INT_EN_CLR", left)
        return 0

    async def _serve_self_test(self) -> None:
        # The driver looks at INT_STS once more, and masks the cause without ever clearing it: the latch
        # outlives the reading of INT_STS_R2C (rev B0), or the part could never be opened.
        if await self._registers.read("INT_STS") & SW_GP:
            await self._registers.write("INT_EN_CLR", SW_GP)
            self._tested_cycle = self.host.now
