"""Was every access of the device inside a live mapping? Asked after the run, of the event log and the DMA
intervals."""

from __future__ import annotations

import numpy as np

from model.host.dma import Direction
from model.host.findings import Finding

ACCESS = np.dtype([("edge", "<i8"), ("address", "<u8"), ("size_bytes", "<u4"), ("write", "?")])
"""One access of the device. `edge`: the rising edge at which memory is read or changed; edge n begins cycle
n."""


def unmapped_accesses(accesses: np.ndarray, intervals: np.ndarray) -> list[Finding]:
    """The accesses that no mapping covers at their edge, or only one of the wrong direction, as
    `dma_unmapped`.

    Parameters: `accesses` ACCESS rows in any order; `intervals` INTERVAL rows (`DmaApi.intervals`).
    """
    findings = []
    begins = intervals[np.argsort(intervals["start_cycle"], kind="stable")]
    live: list[tuple[int, int, int, int]] = []
    following = 0
    for edge, address, size, write in accesses[np.argsort(accesses["edge"], kind="stable")].tolist():
        while following < len(begins) and int(begins[following]["start_cycle"]) < edge:
            begin, length, direction, _, end = begins[following].tolist()
            live.append((begin, begin + length, direction, end))
            following += 1
        live = [mapping for mapping in live if mapping[3] >= edge]
        wrong_way = Direction.TO_DEVICE if write else Direction.FROM_DEVICE
        over = [mapping for mapping in live if mapping[0] <= address and address + size <= mapping[1]]
        if not any(direction != wrong_way for _, _, direction, _ in over):
            why = f"mapped {wrong_way.name} only" if over else "no live mapping"
            what = f"device {'write' if write else 'read'} of {size} bytes at {address:#x}"
            findings.append(Finding("dma_unmapped", edge, f"{what}: {why}"))
    return findings
