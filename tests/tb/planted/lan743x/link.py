"""Stimuli behind a PCIe link. They hold the numbers of docs/link.md, as `model.link` has them, to the
simulated top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from model.link import LinkTiming
from tests.tb.planted.lan743x.script import Script
from tests.tb.planted.script import sound


def linked(lengths: tuple[int, ...] = (300, 60), received: tuple[int, ...] = (64, 300), cycles: int = 2500,
           reads: int = 3, cfg: dict[str, Any] | None = None, **timing: int) -> Callable[[], Script]:
    """Frames both ways, and register reads now and then."""
    def make() -> Script:
        s = Script(link=LinkTiming(**timing), cfg=cfg or {})
        s.end(1500)
        s.post(6)
        s.send(*lengths)
        for number, length in enumerate(received):
            s.frame(sound(length, fill=number), 40)
        s.play()
        for _ in range(reads):
            s.end(400)
            s.read("TX0_HEAD")
        return s.end(cycles)
    return make


LINKED: dict[str, Callable[[], Script]] = {
    "linked": linked(),
    "linked_far": linked(up_latency_ns=320, down_latency_ns=240, memory_latency_ns=480),
    "linked_few_headers": linked((1500, 1500), (400, 400), posted_headers=1, nonposted_headers=1,
                                 credit_return_ns=400, cfg={"TX0_CFG_B": {"TDMABL_512": 1}}),
    "linked_little_data": linked((60,), (68, 68), posted_data=12, credit_return_ns=2000,
                                 posted_room_bytes=512),
    "linked_small_requests": linked((1500,), (1400,), mrrs_bytes=128, rcb_bytes=128,
                                    cfg={"TX0_CFG_B": {"TDMABL_512": 1}, "RX0_CFG_B": {"RDMABL_512": 1}}),
    "linked_wide": linked((1500,), (1400,), generation=2, lanes=4, mps_bytes=256,
                          cfg={"RX0_CFG_B": {"RDMABL_512": 1}}),
}
