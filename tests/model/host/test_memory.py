"""The allocator: alignment, classes, last in first out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.host.memory import FIRST_ADDRESS, LARGEST_CLASS_BYTES, PAGE_BYTES, Memory, OutOfMemory, align_up

LINE = 32


def make_memory(size_bytes=1 << 20, coherent_bytes=1 << 14):
    complaints = []
    return Memory(np.zeros(size_bytes, np.uint8), LINE, coherent_bytes, complaints.append), complaints


def test_the_block_freed_last_is_used_first():
    memory, _ = make_memory()
    blocks = [memory.allocate(600) for _ in range(3)]
    for block in blocks:
        memory.free(block)
    assert [memory.allocate(1000) for _ in range(3)] == blocks[::-1], "1000 bytes are of the same class"
    assert memory.allocate(600) not in blocks


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 4096), st.integers(0, 30)), max_size=60))
def test_blocks_never_overlap_and_are_aligned(steps):
    memory, complaints = make_memory(1 << 21)
    live = {}
    for allocate, size, choice in steps:
        if allocate:
            address = memory.allocate(size)
            assert address % LINE == 0 and address >= FIRST_ADDRESS and address + size <= len(memory.mem)
            assert all(address + size <= other or other + length <= address for other, length in live.items())
            live[address] = memory.class_bytes(size)
            assert live[address] >= size
        elif live:
            address = sorted(live)[choice % len(live)]
            del live[address]
            memory.free(address)
    assert memory.live_blocks == len(live) and not complaints


@given(st.integers(1, LARGEST_CLASS_BYTES))
def test_classes_are_powers_of_two(size):
    memory, _ = make_memory()
    block = memory.class_bytes(size)
    assert block & (block - 1) == 0 and block >= max(size, LINE) and (block == LINE or block < 2 * size)


@pytest.mark.parametrize("size", [0, -1, LARGEST_CLASS_BYTES + 1])
def test_a_size_out_of_range_is_refused(size):
    memory, _ = make_memory()
    with pytest.raises(ValueError, match=f"allocation of {size} bytes: expected 1 to"):
        memory.allocate(size)


def test_freeing_what_is_not_allocated_is_told():
    memory, complaints = make_memory()
    block = memory.allocate(64)
    memory.free(block)
    memory.free(block)
    assert complaints == [f"free of {block:#x}, which is no allocated block"]


def test_memory_ends():
    memory, _ = make_memory(1 << 16)
    with pytest.raises(OutOfMemory, match="65536 bytes are all in use"):
        for _ in range(100):
            memory.allocate(4096)


def test_coherent_memory_is_zeroed_whole_pages_apart_from_the_slabs():
    memory, _ = make_memory()
    first = memory.allocate_coherent(100)
    second = memory.allocate_coherent(PAGE_BYTES + 1)
    assert first % PAGE_BYTES == second % PAGE_BYTES == 0 and second == first + PAGE_BYTES
    memory.mem[first:first + 100] = 7
    memory.free_coherent(first, 100)
    assert memory.allocate_coherent(50) == first and not memory.mem[first:first + 100].any()
    assert memory.allocate(64) >= FIRST_ADDRESS + (1 << 14)
    with pytest.raises(OutOfMemory, match="coherent"):
        memory.allocate_coherent(1 << 14)


@given(st.integers(0, 10**9), st.integers(0, 12))
def test_align_up(value, power):
    aligned = align_up(value, 1 << power)
    assert aligned % (1 << power) == 0 and 0 <= aligned - value < 1 << power
