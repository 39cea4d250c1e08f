"""The `[link]` table: the PCIe link between the engine's bus and host memory, or none."""

from dataclasses import replace

from model.errors import BenchError
from model.link import ACK_LIMIT, GIGATRANSFERS, LinkTiming
from model.scenario.reader import TableReader

LANES = (1, 2, 4, 8, 16)
PACKET_BYTES = (128, 256, 512, 1024, 2048, 4096)
"""What PCIe's device control register can say for MRRS."""
MPS_BYTES = tuple(sorted({mps_bytes for _, mps_bytes in ACK_LIMIT}))
"""Those with a known ACK latency limit."""
RCB_BYTES = (64, 128)
_MAX_LATENCY_NS = 1e6
_MAX_CREDITS = 4096
_MAX_ROOM_BYTES = 65536


def read_link(table: TableReader, clock_hz: int, default: LinkTiming | None = None) -> LinkTiming:
    """The link that `table` describes; what it does not say is as in `default`, None for `LinkTiming`'s own.

    Times may be given in cycles of `clock_hz`. BenchError for a value that no link has, or a combination
    without a known ACK latency limit (docs/link.md, section 1).
    """
    base = default if default is not None else LinkTiming()
    values = {"generation": _one_of(table, "generation", tuple(GIGATRANSFERS), base.generation),
              "lanes": _one_of(table, "lanes", LANES, base.lanes)}
    for key, allowed in (("mps", MPS_BYTES), ("mrrs", PACKET_BYTES), ("rcb", RCB_BYTES)):
        member = f"{key}_bytes"
        values[member] = table.size(key, allowed[0], allowed[-1], getattr(base, member))
        if values[member] not in allowed:
            raise table.fault(key, table.raw(key), "one of " + ", ".join(f"{size} B" for size in allowed))
    for key in ("up_latency", "down_latency", "memory_latency", "credit_return"):
        member = f"{key}_ns"
        values[member] = round(table.nanoseconds(key, clock_hz, 0, _MAX_LATENCY_NS, getattr(base, member)))
    least = -(-values["mps_bytes"] // 16)
    for key, low in (("posted_headers", 1), ("posted_data", least), ("nonposted_headers", 1)):
        # fewer data credits than one packet needs would stop the link for good
        values[key] = table.integer(key, low, _MAX_CREDITS, max(low, getattr(base, key)))
    values["posted_room_bytes"] = table.size("posted_room", 0, _MAX_ROOM_BYTES, base.posted_room_bytes)
    table.done()
    link = replace(base, **values)
    try:
        link.share()
    except BenchError as error:
        raise BenchError(f"{table.file}: {table.key}: {error}") from error
    return link


def _one_of(table: TableReader, key: str, allowed: tuple[int, ...], default: int) -> int:
    value = table.typed(key, int, default)
    if value not in allowed:
        raise table.fault(key, value, "one of " + ", ".join(map(str, allowed)))
    return value


def scenario_link(top: TableReader, clock_hz: int, part_link: LinkTiming | None,
                  mac: str) -> LinkTiming | None:
    """The link of a scenario: true is the part's own, a table the part's with changes, false or nothing none.

    BenchError for a part that has no link.
    """
    value = top.raw("link", False)
    if value is False:
        return None
    if part_link is None:
        raise top.fault("link", value, f"{mac} is on no link: leave the key out")
    if value is True:
        return part_link
    if not isinstance(value, dict):
        raise top.fault("link", value, "expected true (the part's own), false, or a table")
    return read_link(top.table("link"), clock_hz, part_link)
