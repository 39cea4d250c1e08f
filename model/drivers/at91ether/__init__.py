"""The at91ether_* half of Linux's macb driver, before and after the two-deep transmit series, and its safe
relatives.

Ref: reference sheet at91ether, sections 4, 6, 8 and 9; the series "macb: support the 2-deep Tx queue on at91"
(netdev, 2020-10-11); FreeBSD's if_ate for `depth2_bnq`; the vendor's rule for the MStar part for
`free_count`.
"""

from collections.abc import Mapping

from model.drivers.at91ether.driver import At91EtherDriver
from model.drivers.at91ether.settings import FLAGS, VARIANTS, Settings, make_settings
from model.host.host import Host
from model.host.netdev import NetDevice

__all__ = ["FLAGS", "VARIANTS", "At91EtherDriver", "Settings", "make", "make_settings"]


def make(host: Host, netdev: NetDevice, variant: str,
         flags: Mapping[str, object] | None = None) -> At91EtherDriver:
    """The driver of a variant with `flags` over its presets; BenchError for an unknown name or value."""
    return At91EtherDriver(host, netdev, make_settings(variant, flags or {}))
