"""The network device between driver and stack: queue state, statistics, delivery of received and freeing of
sent frames.

Two softirqs as in the kernel: NET_TX frees what the interrupt handler has finished with (so an skb's memory
comes back into use only after the handler, and after a transmit function that runs with bottom halves off),
NET_RX takes received frames up the stack.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.host.skb import Skb, SkbPool
from model.host.softirq import NET_RX_SOFTIRQ, NET_TX_SOFTIRQ

if TYPE_CHECKING:
    from model.host.host import Host

BACKLOG_FRAMES = 1000
"""net.core.netdev_max_backlog's default: received frames beyond it are dropped."""
STATISTICS = ("tx_packets", "tx_bytes", "tx_errors", "tx_dropped", "tx_busy",
              "rx_packets", "rx_bytes", "rx_errors", "rx_dropped", "multicast", "mtu_refused")


class OpenFailed(RuntimeError):
    """The interface cannot be brought up: the part did not do what open asks of it."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """A frame at its reader. Members: `cycle`; `data` as the driver handed it up."""

    cycle: int
    data: bytes


class NetDevice:
    """Members: `station` address, 6 bytes; `mtu_bytes`; `running` between open and stop; `queue_stopped`;
    `stats` by name; `delivered` frames in order; `completed` how many sent frames the driver has released,
    the last in `completed_cycle`; `slow_reader_until`, `slow_reader_cycles`: extra time a frame takes its
    reader till that cycle."""

    def __init__(self, host: Host, station: bytes, mtu_bytes: int = 1500,
                 failing_allocations: frozenset[int] = frozenset()) -> None:
        self.host = host
        self.station = station
        self.mtu_bytes = mtu_bytes
        self.running = False
        self.queue_stopped = True
        self.stats = dict.fromkeys(STATISTICS, 0)
        self.delivered: list[Delivered] = []
        self.completed = 0
        self.completed_cycle = 0
        self.slow_reader_until = 0
        self.slow_reader_cycles = 0
        self.tx_skbs = SkbPool(host)
        self.rx_skbs = SkbPool(host, failing_allocations)
        self._finished: deque[Skb] = deque()
        self._backlog: deque[Skb] = deque()

    # The transmit queue.

    def start_queue(self) -> None:
        """Let the stack hand frames in (at open)."""
        self.queue_stopped = False

    def stop_queue(self) -> None:
        """Keep the stack from handing frames in."""
        self.queue_stopped = True

    def wake_queue(self) -> None:
        """Let the stack hand frames in again and wake it; charges `wake` if the queue was stopped."""
        if self.queue_stopped:
            self.host.charge("wake")
            self.queue_stopped = False

    def sent(self, skb: Skb, size_bytes: int) -> None:
        """A frame is done with (dev_consume_skb_irq): counted now, freed in softirq."""
        self.stats["tx_packets"] += 1
        self.stats["tx_bytes"] += size_bytes
        self.completed += 1
        self.completed_cycle = self.host.now
        self.drop_later(skb)

    def drop_later(self, skb: Skb) -> None:
        """Free a frame in softirq, without counting it as sent."""
        self._finished.append(skb)
        self.host.cpu.raise_softirq(NET_TX_SOFTIRQ, self._net_tx)

    async def _net_tx(self) -> None:
        while self._finished:
            await self.tx_skbs.free(self._finished.popleft())

    # Reception.

    async def rx(self, skb: Skb) -> None:
        """Queue a received frame for the stack (netif_rx); from the interrupt handler. Charges `netif_rx`."""
        self.host.charge("netif_rx")
        if len(self._backlog) >= BACKLOG_FRAMES:
            self.stats["rx_dropped"] += 1
            await self.rx_skbs.free(skb)
            return
        self._backlog.append(skb)
        self.host.cpu.raise_softirq(NET_RX_SOFTIRQ, self._net_rx)

    async def _net_rx(self) -> None:
        while self._backlog:
            skb = self._backlog.popleft()
            await self._to_reader(skb)
            await self.rx_skbs.free(skb)

    async def receive(self, skb: Skb) -> None:
        """Take a received frame up the stack to its reader at once (napi_gro_receive); from a poll. Costs
        `stack_rx`, charges `free`."""
        await self._to_reader(skb)
        self.rx_skbs.release(skb)

    async def _to_reader(self, skb: Skb) -> None:
        host = self.host
        await host.spend("stack_rx")
        if host.now < self.slow_reader_until:
            await host.spend_cycles("slow_reader", self.slow_reader_cycles)
        data = host.cpu_read(skb.data, skb.length)
        for part in skb.frag_list:
            data += host.cpu_read(part.data, part.length)
        self.delivered.append(Delivered(host.now, data))

    @property
    def backlog_frames(self) -> int:
        """Received frames that are still on their way to the reader."""
        return len(self._backlog)
