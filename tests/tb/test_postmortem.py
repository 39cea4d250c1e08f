"""What is said of a run that stands still, and where two memories differ."""

import zlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.at91ether import STATE_AFTER, Kind
from model.events import EVENT
from tb.postmortem import LAST_EVENTS, PAGE_BYTES, page_sums, standstill


def log(*rows):
    return np.array(list(rows), EVENT)


def said(*rows):
    return dict(line.split(": ", 1) for line in standstill(log(*rows), Kind, STATE_AFTER, "at91ether"))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 4 * PAGE_BYTES - 1), st.integers(1, 255))
def test_one_changed_byte_is_one_changed_page(place, change):
    mem = np.arange(4 * PAGE_BYTES, dtype=np.uint32).astype(np.uint8)
    before = page_sums(mem)
    assert before[1] == zlib.crc32(mem[PAGE_BYTES:2 * PAGE_BYTES].tobytes()) and len(before) == 4
    mem[place] ^= change
    after = page_sums(mem)
    assert [n for n in range(4) if before[n] != after[n]] == [place // PAGE_BYTES]


def test_where_each_machine_stands():
    lines = said((5, Kind.TX_QUEUE, 0, 4, 0), (9, Kind.TX_FETCH, 0, 4, 0), (30, Kind.RX_OWN, 1, 8, 0),
                 (44, Kind.RX_WRITE, 1, 71, 0), (50, Kind.CSR_READ, 2, 0x24, 0))
    assert lines["states"] == ("mover WRITE since cycle 44 (RX_WRITE 71); pair frame held since cycle 5 "
                               "(TX_QUEUE 4); reader DATA since cycle 9 (TX_FETCH 4)")
    assert lines["last events"].endswith("cycle 44 RX_WRITE 71 0x0; cycle 50 CSR_READ 36 0x0")


def test_interrupts_that_nobody_has_served():
    rise, fall = (10, Kind.IRQ_RISE, 2, 0, 1 << 7), (14, Kind.IRQ_FALL, 2, 0, 0)
    assert said()["pending interrupts"] == said(rise, fall)["pending interrupts"] == "none, the line is low"
    again = (90, Kind.IRQ_RISE, 2, 0, 1 << 10 | 1 << 2)
    assert said(rise, fall, again)["pending interrupts"] == (
        "the line is high since cycle 90, ISR 0x404 (RBNA, ROVR)")


def test_the_last_events_are_few_and_none_is_said():
    rows = [(n, Kind.CSR_READ, 2, 0x14, n) for n in range(50)]
    text = said(*rows)["last events"]
    assert text.count(";") == LAST_EVENTS - 1 and text.endswith("cycle 49 CSR_READ 20 0x31")
    assert said() == {"states": "as after reset", "pending interrupts": "none, the line is low",
                      "last events": "none"}
