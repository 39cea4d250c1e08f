"""Linux's lan743x driver: the receive poll before, in and after the ping-pong fix, its buffer and cache
variants.

Ref: reference sheet lan743x, sections 3, 4, 6, 7 and 9; the threads and commits that it names.
"""

from collections.abc import Iterable, Mapping

from model.drivers.lan743x.bringup import check_mtu
from model.drivers.lan743x.driver import Lan743xDriver
from model.drivers.lan743x.settings import FLAGS, VARIANTS, Settings, make_settings
from model.errors import BenchError
from model.host.host import Host
from model.host.netdev import NetDevice

__all__ = ["FLAGS", "VARIANTS", "Lan743xDriver", "Settings", "check", "make", "make_settings"]


def make(host: Host, netdev: NetDevice, variant: str,
         flags: Mapping[str, object] | None = None) -> Lan743xDriver:
    """The driver of a variant with `flags` over its presets; BenchError for an unknown name or value, and for
    a ring in which a frame could get stuck."""
    return Lan743xDriver(host, netdev, make_settings(variant, flags or {}))


def check(variant: str, flags: Mapping[str, object], parameters: Mapping[str, int],
          mtus: Iterable[int]) -> None:
    """What the driver refuses of a scenario, before anything runs.

    BenchError for what `make` refuses, for more receive channels than the engine is built with
    (`parameters`), and for an MTU (bytes) that the driver does not take.
    """
    settings = make_settings(variant, flags)
    built = parameters.get("rx_channels", 1)
    if settings.rx_channels > built:
        raise BenchError(f"flags.rx_channels = {settings.rx_channels}: the engine is built with {built}; "
                         f"expected parameters.rx_channels = {settings.rx_channels} as well")
    for mtu_bytes in mtus:
        check_mtu(mtu_bytes)
