"""What a workload needs of a driver, whatever the MAC."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from model.errors import BenchError
from model.host.host import Host
from model.host.netdev import NetDevice
from model.host.skb import Skb
from model.scenario.reader import nearest


@dataclass(frozen=True)
class Variant:
    """Members: `title`, one line; `flags` that it presets."""

    title: str
    flags: dict[str, Any] = field(default_factory=dict)


class Driver(ABC):
    """Members: `mac`, the part's name; `hands_up_fcs` whether frames go up with their FCS; `host`; `netdev`,
    which the workload reads the queue's state and the statistics from."""

    mac: str
    hands_up_fcs = True

    def __init__(self, host: Host, netdev: NetDevice) -> None:
        self.host = host
        self.netdev = netdev

    @abstractmethod
    async def probe(self) -> None:
        """Set the part up once and request its interrupt."""

    @abstractmethod
    async def open(self) -> None:
        """Bring the interface up; `OpenFailed` if the part does not answer as it must."""

    @abstractmethod
    async def stop(self) -> None:
        """Take the interface down."""

    @abstractmethod
    async def remove(self) -> None:
        """Give the interrupt back."""

    @abstractmethod
    async def xmit(self, skb: Skb) -> bool:
        """Take a frame (ndo_start_xmit); False is NETDEV_TX_BUSY. Called with bottom halves off and the queue
        open."""

    @abstractmethod
    def set_mtu(self, mtu_bytes: int) -> None:
        """Change the MTU; BenchError if the part or driver cannot."""

    async def change_mtu(self, mtu_bytes: int) -> bool:
        """Change the MTU while the machine runs (ndo_change_mtu); False if it is refused."""
        self.set_mtu(mtu_bytes)
        return True

    @property
    @abstractmethod
    def tx_pending(self) -> int:
        """How many frames the driver believes to be with the engine."""

    @abstractmethod
    def counters(self) -> dict[str, int]:
        """The driver's own counters by name."""


def checked_flags(mac: str, variant: str, variants: Mapping[str, Variant],
                  known: Mapping[str, Callable[[Any], bool]], flags: Mapping[str, Any]) -> dict[str, Any]:
    """A variant's presets with `flags` over them.

    Parameters: `known` flag -> whether a value is right for it. BenchError for an unknown variant or flag, or
    a value that is not right.
    """
    if variant not in variants:
        raise BenchError(f"no driver variant {variant!r} for {mac}: {nearest(variant, variants)}")
    for name, value in flags.items():
        if name not in known:
            raise BenchError(f"driver {mac}.{variant}: no flag {name!r}: {nearest(name, known)}")
        if not known[name](value):
            raise BenchError(f"driver {mac}.{variant}: flag {name} = {value!r}: not a value of this flag")
    return {**variants[variant].flags, **flags}
