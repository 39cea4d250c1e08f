"""What a run makes the machine do: bring the interface up, send, receive, disturb, and take it down.

One coroutine for both worlds. All of it runs as processes on CPU 0: the sender, the one that starts the
wire's player, one for each action, and the main one that waits for their end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from model.frames import FrameSet
from model.host.netdev import OpenFailed
from model.host.outcome import Outcome
from model.host.registers import register_texts
from model.host.skb import NET_IP_ALIGN

if TYPE_CHECKING:
    from model.drivers.base import Driver
    from model.host.context import Context
    from model.host.host import Host
    from model.host.skb import Skb

AFTERMATH_CYCLES = 100
"""Watched after the driver is gone: its last posted writes arrive, and a burst that was under way shows."""
STANDSTILLS = {"hang", "tx_stopped"}
"""Findings after which the registers are read, before the interface goes down."""
BUSY_RETRY_NS = 1000
"""How long the queue discipline waits before it offers a refused frame again (assumed)."""


DISTURBANCES = ("down", "up", "irqs_off", "busy", "slow_reader", "mtu")
CONFIGURING = ("down", "up", "mtu")
"""Those that configure the interface."""


@dataclass(frozen=True)
class Action:
    """Something done to the machine `at_cycle` cycles after bring-up.

    `do`: "down" stops the interface; "up" opens it; "irqs_off" holds interrupts off and "busy" keeps a
    process on the CPU, both for `for_cycles`; "slow_reader" makes each frame cost its reader `cost_cycles`
    more for `for_cycles`; "mtu" asks for an MTU of `mtu_bytes` (refused: counted in the device's statistics).
    """

    at_cycle: int
    do: str
    for_cycles: int = 0
    cost_cycles: int = 0
    mtu_bytes: int = 0

    def __post_init__(self) -> None:
        if self.do not in DISTURBANCES:
            raise ValueError(f"action {self.do!r}: expected one of {', '.join(DISTURBANCES)}")


@dataclass(frozen=True)
class Workload:
    """One run's work. Cycles count from the end of bring-up.

    Members: `tx` frames to send, without FCS; `tx_ready_cycles` the earliest hand-in of each, None: always
    one waiting; `rx_start_cycles` when the wire's player starts, None: never; `rx_wire_cycles` from its start
    to the last frame's end; `rx_grace_cycles` allowed after that for interrupts and the stack, but only
    `rx_settle_cycles` from when `rx_wanted` frames have reached it (None: the whole grace always); `actions`;
    `tx_timeout_cycles` without a completion after which the transmitter counts as stopped; `deadline_cycles`
    after which the run is given up; `tx_offset_bytes` from a cache line to the first byte of a sent frame.
    """

    tx: FrameSet | Sequence[bytes] = ()
    tx_ready_cycles: np.ndarray | None = None
    rx_start_cycles: int | None = None
    rx_wire_cycles: int = 0
    rx_grace_cycles: int = 20_000
    rx_wanted: int | None = None
    rx_settle_cycles: int = 0
    actions: tuple[Action, ...] = ()
    tx_timeout_cycles: int = 200_000
    deadline_cycles: int = 50_000_000
    tx_offset_bytes: int = NET_IP_ALIGN

    def frame(self, ordinal: int) -> bytes:
        """Frame number `ordinal` of `tx`."""
        return self.tx.bytes(ordinal) if isinstance(self.tx, FrameSet) else self.tx[ordinal]


async def run(host: Host, driver: Driver, workload: Workload) -> Outcome:
    """Run `workload` on `driver` and `host`; ends when everything is sent, received and done, or given up.

    Findings made here: `open_failed` (the run ends with that), `tx_stopped` (frames are waiting or with the
    engine and none was completed for `tx_timeout_cycles`), `hang` (the deadline passed), and `dma_api` for
    what is still mapped or allocated at the end.
    """
    return await host.run(_Run(host, driver, workload).main())


@dataclass
class _Run:
    """The processes of one run and what they share."""

    host: Host
    driver: Driver
    work: Workload
    handed: list[bytes] = field(default_factory=list)
    handed_cycle: list[int] = field(default_factory=list)
    up_cycle: int = -1
    wire_cycle: int = -1
    progress_cycle: int = 0
    registers: list[str] = field(default_factory=list)
    acting: list[Context] = field(default_factory=list)
    configured: bool = False

    async def main(self) -> Outcome:
        host, driver = self.host, self.driver
        try:
            await driver.probe()
            await driver.open()
        except OpenFailed as failure:
            host.findings.note("open_failed", host.now, str(failure))
            await host.cpu.sleep(host.world.csr_write_latency_cycles + AFTERMATH_CYCLES)
            return self._outcome()
        self.up_cycle = self.progress_cycle = host.now
        processes = [host.spawn(self._send(), "sender")]
        if self.work.rx_start_cycles is not None:
            processes.append(host.spawn(self._receive(), "wire"))
        self.acting = [host.spawn(self._act(action), action.do) for action in self.work.actions]
        processes += self.acting
        ended = await host.cpu.block_until(lambda: all(process.done for process in processes),
                                           self.work.deadline_cycles)
        if not ended:
            host.findings.note("hang", host.now,
                               f"not done {self.work.deadline_cycles} cycles after bring-up")
        if host.findings.counts.keys() & STANDSTILLS:
            self.registers = await register_texts(host, driver.mac)
        if driver.netdev.running:
            await driver.stop()
        await driver.remove()
        await host.cpu.sleep(host.world.csr_write_latency_cycles + AFTERMATH_CYCLES)
        if ended:
            self._check_leaks()
        return self._outcome()

    # Sending.

    async def _send(self) -> None:
        for ordinal in range(len(self.work.tx)):
            if self.work.tx_ready_cycles is not None:
                await self._sleep_until(int(self.work.tx_ready_cycles[ordinal]))
            frame = self.work.frame(ordinal)
            skb = await self._make_skb(frame)
            if not await self._hand_in(skb):
                await self.driver.netdev.tx_skbs.free(skb)
                return
            self.handed.append(frame)
            self.handed_cycle.append(self.host.now)
            await self.host.cpu.give_way()
        await self._drain()

    async def _make_skb(self, frame: bytes) -> Skb:
        netdev, host = self.driver.netdev, self.host
        skb = netdev.tx_skbs.allocate(self.work.tx_offset_bytes + len(frame))
        skb.reserve(self.work.tx_offset_bytes)
        host.charge("stack")
        await host.spend("fill", count=len(frame))
        host.cpu_write(skb.put(len(frame)), frame)
        return skb

    async def _hand_in(self, skb: Skb) -> bool:
        while await self._room():
            async with self.host.bottom_halves_off():
                self.host.charge("xmit")
                taken = await self.driver.xmit(skb)
            if taken:
                self.progress_cycle = self.host.now
                return True
            self.driver.netdev.stats["tx_busy"] += 1
            if self._stopped():
                break
            retry_cycles = max(1, BUSY_RETRY_NS * self.host.world.clock_hz // 1_000_000_000)
            await self.host.cpu.sleep(retry_cycles)
        return False

    async def _room(self) -> bool:
        """Wait until the interface is up and its queue open; False if the transmitter has stopped, or nobody
        will open the interface again."""
        netdev = self.driver.netdev
        while not (netdev.running and not netdev.queue_stopped):
            if netdev.running:
                await self._block(lambda: not netdev.queue_stopped or not netdev.running)
                if netdev.running and netdev.queue_stopped and self._stopped():
                    return False
            elif all(action.done for action in self.acting):
                return False
            else:
                await self.host.cpu.block_until(
                    lambda: netdev.running or all(action.done for action in self.acting))
                self.progress_cycle = self.host.now
        return True

    async def _drain(self) -> None:
        while self.driver.tx_pending:
            before = self._transmit_state()
            await self._block(lambda before=before: self._transmit_state() != before)
            if self._stopped():
                return

    def _transmit_state(self) -> tuple[int, bool]:
        return self.driver.tx_pending, self.driver.netdev.running

    async def _block(self, condition: Callable[[], bool]) -> None:
        """Wait for `condition`, at most until the transmitter counts as stopped."""
        left = self._last_progress() + self.work.tx_timeout_cycles - self.host.now
        await self.host.cpu.block_until(condition, max(1, left))

    def _last_progress(self) -> int:
        return max(self.progress_cycle, self.driver.netdev.completed_cycle)

    def _stopped(self) -> bool:
        """Note it if nothing was completed for too long."""
        if self.host.now < self._last_progress() + self.work.tx_timeout_cycles:
            return False
        netdev = self.driver.netdev
        self.host.findings.note(
            "tx_stopped", self.host.now,
            f"no frame completed since cycle {self._last_progress()}: "
            f"{self.driver.tx_pending} with the driver,"
            f" {len(self.work.tx) - len(self.handed)} waiting,"
            f" queue {'stopped' if netdev.queue_stopped else 'open'}")
        return True

    # Receiving and disturbing.

    async def _receive(self) -> None:
        await self._sleep_until(self.work.rx_start_cycles)
        self.wire_cycle = self.host.now
        self.host.world.wire_start()
        cpu, work, netdev = self.host.cpu, self.work, self.driver.netdev
        if work.rx_wanted is None:
            await cpu.sleep(work.rx_wire_cycles + work.rx_grace_cycles)
        else:
            await cpu.sleep(work.rx_wire_cycles)
            if await cpu.block_until(lambda: len(netdev.delivered) >= work.rx_wanted, work.rx_grace_cycles):
                await cpu.sleep(work.rx_settle_cycles)
        await cpu.block_until(lambda: not netdev.backlog_frames)

    async def _act(self, action: Action) -> None:
        await self._sleep_until(action.at_cycle)
        host, netdev = self.host, self.driver.netdev
        if action.do in CONFIGURING:
            # The kernel's RTNL: one configures the interface at a time.
            while self.configured:   # asked again: another may have been quicker
                await host.cpu.block_until(lambda: not self.configured)
            self.configured = True
            await self._configure(action)
            self.configured = False
        elif action.do == "irqs_off":
            async with host.irqs_off():
                await host.spend_cycles("irqs_off", action.for_cycles)
        elif action.do == "busy":
            await host.spend_cycles("busy", action.for_cycles)
        elif action.do == "slow_reader":
            netdev.slow_reader_until = host.now + action.for_cycles
            netdev.slow_reader_cycles = action.cost_cycles

    async def _configure(self, action: Action) -> None:
        host, netdev = self.host, self.driver.netdev
        if action.do == "down" and netdev.running:
            await self.driver.stop()
        elif action.do == "up" and not netdev.running:
            try:
                await self.driver.open()
            except OpenFailed as failure:
                host.findings.note("open_failed", host.now, str(failure))
        elif action.do == "mtu" and not await self.driver.change_mtu(action.mtu_bytes):
            netdev.stats["mtu_refused"] += 1

    async def _sleep_until(self, cycle_from_up: int) -> None:
        left = self.up_cycle + cycle_from_up - self.host.now
        if left > 0:
            await self.host.cpu.sleep(left)

    # The end.

    def _check_leaks(self) -> None:
        netdev = self.driver.netdev
        self.host.dma.check_leaks()
        for side, pool in (("sent", netdev.tx_skbs), ("received", netdev.rx_skbs)):
            if pool.live:
                self.host.findings.note("dma_api", self.host.now,
                                        f"{pool.live} buffers of {side} frames never freed")

    def _outcome(self) -> Outcome:
        host, netdev = self.host, self.driver.netdev
        return Outcome(
            clock_hz=host.world.clock_hz, began_cycle=host.began_cycle, up_cycle=self.up_cycle,
            wire_cycle=self.wire_cycle, end_cycle=host.now,
            handed=FrameSet.of(self.handed), handed_cycle=np.array(self.handed_cycle, np.int64),
            delivered=FrameSet.of([frame.data for frame in netdev.delivered]),
            delivered_cycle=np.array([frame.cycle for frame in netdev.delivered], np.int64),
            dma_intervals=host.dma.intervals(), findings=list(host.findings.noted),
            finding_counts=dict(host.findings.counts), stats=dict(netdev.stats),
            driver=self.driver.counters(), hands_up_fcs=self.driver.hands_up_fcs,
            registers=self.registers, irqs=host.irqs,
            mmio_reads=host.mmio_reads, mmio_writes=host.mmio_writes,
            cpu_account_ns=host.cpu_account_ns())
