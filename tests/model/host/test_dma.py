"""The checks of the DMA API, and whether the device kept to the mappings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.host.dma import INTERVAL, NEVER, Direction
from model.host.dma_check import ACCESS, unmapped_accesses
from model.host.world import FIRST_CYCLE
from tests.model.host.machine import bare, costs

TO, FROM = Direction.TO_DEVICE, Direction.FROM_DEVICE


def complaints_of(body, platform=None):
    """Run `body(host)`; returns (host, texts of what was found)."""
    host, world, _ = bare(platform)
    world.run(host.run(body(host)))
    assert all(finding.name == "dma_api" for finding in host.findings.noted)
    return host, [finding.text for finding in host.findings.noted]


def test_a_right_pair_leaves_an_interval():
    async def body(host):
        await host.dma.map_single(0x8002, 100, TO)
        await host.spend("wait", 200)
        host.dma.unmap_single(0x8002, 100, TO)
        host.dma.check_leaks()
    host, texts = complaints_of(body)
    assert texts == []
    assert host.dma.intervals().tolist() == [(0x8002, 100, TO, FIRST_CYCLE, FIRST_CYCLE + 10)]


@pytest.mark.parametrize("unmap, text", [
    ((0x8004, 100, TO), "not mapped"),
    ((0x8000, 99, TO), "unmap of 99 bytes at 0x8000: mapped were 100 bytes"),
    ((0x8000, 100, FROM), "unmap of 0x8000 FROM_DEVICE: mapped were 100 bytes at 0x8000 TO_DEVICE"),
])
def test_an_unmap_that_does_not_match(unmap, text):
    async def body(host):
        await host.dma.map_single(0x8000, 100, TO)
        host.dma.unmap_single(*unmap)
    _, texts = complaints_of(body)
    assert len(texts) == 1 and text in texts[0]


def test_a_second_unmap():
    async def body(host):
        await host.dma.map_single(0x8000, 100, TO)
        host.dma.unmap_single(0x8000, 100, TO)
        host.dma.unmap_single(0x8000, 100, TO)
    _, texts = complaints_of(body)
    assert len(texts) == 1 and "never, or unmapped before" in texts[0]


def test_what_the_cpu_touches_while_the_device_owns_it():
    async def body(host):
        await host.dma.map_single(0x8000, 100, TO)
        await host.dma.map_single(0x9000, 100, FROM)
        host.cpu_write(0x8063, b"\1\2")      # the last byte
        host.cpu_write(0x8064, b"\1\2")      # behind it
        host.cpu_write(0x7FFF, b"\1\2")      # before it
        host.cpu_read(0x8000, 4)            # allowed: the device only reads
        host.cpu_read(0x8FF0, 17)
    _, texts = complaints_of(body)
    assert [text.split(" while")[0] for text in texts] == [
        "CPU writes 2 bytes at 0x8063", "CPU writes 2 bytes at 0x7fff", "CPU reads 17 bytes at 0x8ff0"]


def test_freeing_and_leaking_what_is_mapped():
    async def body(host):
        block = host.memory.allocate(100)
        await host.dma.map_single(block + 2, 60, TO)
        host.dma.check_free(block, 128)
        host.dma.allocate_coherent(64)
        host.dma.check_leaks()
    host, texts = complaints_of(body)
    assert [text.split()[0] for text in texts] == ["free", "leak:", "leak:"]
    assert sorted(host.dma.intervals()["end_cycle"].tolist()) == [NEVER, NEVER]


def test_mapping_what_is_mapped():
    async def body(host):
        await host.dma.map_single(0x8000, 100, TO)
        await host.dma.map_single(0x8040, 100, TO)
    _, texts = complaints_of(body)
    assert len(texts) == 1 and "overlaps" in texts[0]


def test_cache_lines_are_counted_as_touched():
    async def body(host):
        await host.dma.map_single(0x801E, 4, TO)      # 2 lines of 32
    host, _ = complaints_of(body, costs(cache_line=20, dma_map=40))
    assert host.cpu_account_ns()["cache_line"] == 40
    start = host.dma.intervals()["start_cycle"].tolist()
    assert start == [FIRST_CYCLE + 4], "mapped when the lines are clean"


def rows(dtype, *values):
    return np.array(list(values), dtype)


@pytest.mark.parametrize("edge, found", [(10, 1), (11, 0), (20, 0), (21, 1)])
def test_edges_of_a_mapping(edge, found):
    intervals = rows(INTERVAL, (0x100, 64, TO, 10, 20))
    assert len(unmapped_accesses(rows(ACCESS, (edge, 0x100, 64, False)), intervals)) == found


def test_direction_and_bounds_of_a_device_access():
    intervals = rows(INTERVAL, (0x100, 64, TO, 0, NEVER), (0x200, 64, FROM, 0, NEVER),
                     (0x300, 64, 0, 0, NEVER))
    accesses = rows(ACCESS, (5, 0x100, 4, False), (6, 0x100, 4, True), (7, 0x200, 4, True),
                    (8, 0x200, 4, False), (9, 0x300, 4, True), (10, 0x13E, 4, False), (11, 0x300, 64, False))
    found = unmapped_accesses(accesses, intervals)
    assert [finding.cycle for finding in found] == [6, 8, 10]
    assert "mapped TO_DEVICE only" in found[0].text and "no live mapping" in found[2].text


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20), st.integers(0, 5)), max_size=12),
       st.lists(st.tuples(st.integers(0, 60), st.integers(0, 5)), max_size=12))
def test_the_sweep_agrees_with_the_definition(mapped, accessed):
    intervals = rows(INTERVAL, *[(64 * place, 64, TO, start, start + length)
                                 for start, length, place in mapped])
    accesses = rows(ACCESS, *[(edge, 64 * place + 8, 16, False) for edge, place in accessed])
    expected = sorted(edge for edge, place in accessed
                      if not any(place == where and start < edge <= start + length
                                 for start, length, where in mapped))
    assert [finding.cycle for finding in unmapped_accesses(accesses, intervals)] == expected
