"""Codes of the straps, as section 10 of the specification has them."""

import pytest

from model.engines.lan743x import encode

FLAGS = ("rev_a0", "tail_inclusive", "past_tail", "head_wb_early", "write_whole_buffer", "edge_irq",
         "head_wb_late")


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name):
    assert (encode({name: False}), encode({name: True})) == ({name: 0}, {name: 1})


@pytest.mark.parametrize(("name", "value", "code"), [
    ("extra_buffer", 0, 0), ("extra_buffer", 15, 15), ("tags", 8, 0), ("tags", 1, 1), ("tags", 7, 7),
    ("tags", 15, 15), ("rx_fifo_kib", 32, 0), ("rx_fifo_kib", 1, 1), ("rx_fifo_kib", 31, 31)])
def test_numbers(name, value, code):
    # 8 tags have two codes, 0 and 8: both say the same
    assert encode({name: value}) == {name: code}


@pytest.mark.parametrize("values", [{"tags": 0}, {"tags": 16}, {"rx_fifo_kib": 0}, {"rx_fifo_kib": 33},
                                    {"extra_buffer": 16}, {"colour": 1}])
def test_what_the_part_does_not_have(values):
    (name, value), = values.items()
    with pytest.raises(ValueError, match=f"strap {name} = {value}"):
        encode(values)
