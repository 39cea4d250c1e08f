"""What a scenario says of the part, as the numbers that the strap pins carry (docs/engines/lan743x.md,
section 10)."""

from __future__ import annotations

from functools import partial

from model.engines import strap_codes

FLAGS = ("rev_a0", "tail_inclusive", "past_tail", "head_wb_early", "write_whole_buffer", "edge_irq",
         "head_wb_late")
DEFAULT_TAGS, MOST_TAGS = 8, 15
DEFAULT_FIFO_KIB, MOST_FIFO_KIB = 32, 31
"""The default FIFO has the code 0."""

CODES: dict[str, tuple[object, ...]] = dict.fromkeys(FLAGS, (False, True)) | {
    "extra_buffer": tuple(range(16)),
    "tags": (DEFAULT_TAGS, *range(1, MOST_TAGS + 1)),
    "rx_fifo_kib": (DEFAULT_FIFO_KIB, *range(1, MOST_FIFO_KIB + 1)),
}
"""Values of each strap in the order of their codes."""

encode = partial(strap_codes.encode, CODES)
