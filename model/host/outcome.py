"""What a run on the host's side came to, in a form that a file can carry from one process to another."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from model.frames import FrameSet
from model.host.findings import Finding

_FRAME_ARRAYS = ("data", "offset", "length")


@dataclass
class Outcome:
    """The host's side of one run.

    Members: `clock_hz`; cycles: `began_cycle` first action, `up_cycle` the interface is up, `wire_cycle`
    the player was started (-1: never), `end_cycle` the driver is gone. `handed` frames that the driver
    took, in order, without FCS, in `handed_cycle`; `delivered` frames at their reader as the driver
    handed them up, in `delivered_cycle`. `findings` with `finding_counts` by name; `stats` of the network
    device; `driver` counters; `hands_up_fcs` whether it leaves the FCS on what it hands up; `registers` as
    text if the run stood still; `irqs`, `mmio_reads`, `mmio_writes`; `cpu_account_ns` by label;
    `dma_intervals` rows of `model.host.dma.INTERVAL`.
    """

    clock_hz: int
    began_cycle: int
    up_cycle: int
    wire_cycle: int
    end_cycle: int
    handed: FrameSet
    handed_cycle: np.ndarray
    delivered: FrameSet
    delivered_cycle: np.ndarray
    dma_intervals: np.ndarray
    findings: list[Finding] = field(default_factory=list)
    finding_counts: dict[str, int] = field(default_factory=dict)
    stats: dict[str, int] = field(default_factory=dict)
    driver: dict[str, int] = field(default_factory=dict)
    hands_up_fcs: bool = True
    registers: list[str] = field(default_factory=list)
    irqs: int = 0
    mmio_reads: int = 0
    mmio_writes: int = 0
    cpu_account_ns: dict[str, float] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """All that is not an array, for JSON."""
        arrays = ("handed", "handed_cycle", "delivered", "delivered_cycle", "dma_intervals")
        values = {name: value for name, value in vars(self).items() if name not in arrays}
        return values | {"findings": [asdict(finding) for finding in self.findings]}

    def save(self, path: Path) -> None:
        """Write everything to one .npz file (arrays, and the summary as JSON text)."""
        frames = {f"{name}_{part}": getattr(getattr(self, name), part)
                  for name in ("handed", "delivered") for part in _FRAME_ARRAYS}
        with open(path, "wb") as file:
            np.savez(file, summary=json.dumps(self.summary()), handed_cycle=self.handed_cycle,
                     delivered_cycle=self.delivered_cycle, dma_intervals=self.dma_intervals, **frames)

    @classmethod
    def load(cls, path: Path) -> Outcome:
        """What `save` wrote."""
        with np.load(path) as file:
            values = json.loads(str(file["summary"]))
            values["findings"] = [Finding(**finding) for finding in values["findings"]]
            for name in ("handed", "delivered"):
                values[name] = FrameSet(*(file[f"{name}_{part}"] for part in _FRAME_ARRAYS))
            for name in ("handed_cycle", "delivered_cycle", "dma_intervals"):
                values[name] = file[name]
        return cls(**values)
