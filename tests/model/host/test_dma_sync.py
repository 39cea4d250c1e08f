"""Partial synchronisation: what it costs, what the CPU may touch then, and what was never synchronised."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.host.dma import Direction
from model.host.ownership import NeverSynced, without
from tests.model.host.machine import NS_PER_CYCLE, bare, costs

TO, FROM = Direction.TO_DEVICE, Direction.FROM_DEVICE
BUFFER, SIZE = 0x8000, 1520


def found(body, platform=None):
    """Run `body(host)`; returns (host, [(name, text)])."""
    host, world, _ = bare(platform)
    world.run(host.run(body(host)))
    return host, [(finding.name, finding.text) for finding in host.findings.noted]


def test_synchronised_bytes_may_be_read_while_the_mapping_lives():
    async def body(host):
        await host.dma.map_single(BUFFER, SIZE, FROM)
        host.cpu_read(BUFFER, 4)
        host.dma.sync_single_for_cpu(BUFFER, 100, FROM)
        host.cpu_read(BUFFER, 100)
        host.cpu_read(BUFFER + 50, 51)
        host.dma.sync_single_for_device(BUFFER, 40, FROM)
        host.cpu_read(BUFFER + 40, 60)
        host.cpu_read(BUFFER + 30, 20)
        host.dma.unmap_single(BUFFER, SIZE, FROM)
    _, findings = found(body)
    assert [(name, text.split(" while")[0]) for name, text in findings] == [
        ("dma_api", "CPU reads 4 bytes at 0x8000"), ("dma_api", "CPU reads 51 bytes at 0x8032"),
        ("dma_api", "CPU reads 20 bytes at 0x801e")]


@pytest.mark.parametrize("read, stale", [((BUFFER + 2, 98), False), ((BUFFER + 2, 99), True),
                                         ((BUFFER + SIZE - 1, 1), True), ((BUFFER + SIZE, 8), False)])
def test_bytes_that_came_back_without_a_sync(read, stale):
    async def body(host):
        await host.dma.map_single(BUFFER, SIZE, FROM)
        host.dma.sync_single_for_cpu(BUFFER, 100, FROM)
        host.dma.unmap_single(BUFFER, SIZE, FROM, skip_sync=True)
        host.cpu_read(*read)
    _, findings = found(body)
    assert [name for name, _ in findings] == ["stale_read"] * stale
    if stale:
        assert "from 0x8064 up to 0x85f0 were unmapped without a sync" in findings[0][1]


def test_an_unmap_without_a_sync_matters_no_more_once_the_memory_is_mapped_or_freed():
    async def body(host):
        for again in (lambda: host.dma.check_free(BUFFER - 32, 2048), None):
            await host.dma.map_single(BUFFER, SIZE, FROM)
            host.dma.unmap_single(BUFFER, SIZE, FROM, skip_sync=True)
            if again:
                again()
                host.cpu_read(BUFFER, 10)
        await host.dma.map_single(BUFFER, SIZE, FROM)
        host.dma.unmap_single(BUFFER, SIZE, FROM)
        host.cpu_read(BUFFER, SIZE)
        await host.dma.map_single(BUFFER, SIZE, TO)
        host.dma.unmap_single(BUFFER, SIZE, TO, skip_sync=True)
        host.cpu_read(BUFFER, SIZE)
    assert found(body)[1] == []


@pytest.mark.parametrize("sync, said", [
    ((BUFFER + 1500, 21, FROM), "sync for cpu of 21 bytes at 0x85dc FROM_DEVICE: not in one mapping"),
    ((BUFFER - 1, 4, FROM), "not in one mapping"),
    ((0x9000, 4, FROM), "not in one mapping"),
    ((BUFFER, 4, TO), "sync for cpu of 4 bytes at 0x8000 TO_DEVICE: mapped were 1520 bytes"),
])
def test_a_sync_must_lie_in_a_mapping_of_its_direction(sync, said):
    async def body(host):
        await host.dma.map_single(BUFFER, SIZE, FROM)
        host.dma.sync_single_for_cpu(*sync)
    _, findings = found(body)
    assert len(findings) == 1 and findings[0][0] == "dma_api" and said in findings[0][1]


@pytest.mark.parametrize("skip, lines", [((False, False), 48 * 2), ((False, True), 48), ((True, True), 0)])
def test_skipping_saves_the_lines(skip, lines):
    async def body(host):
        await host.dma.map_single(BUFFER, SIZE, FROM, skip_sync=skip[0])
        host.dma.unmap_single(BUFFER, SIZE, FROM, skip_sync=skip[1])
        await host.settle()
    host, _ = found(body, costs(cache_line=NS_PER_CYCLE))
    assert host.cpu_account_ns().get("cache_line", 0) == lines * NS_PER_CYCLE


def test_a_partial_sync_costs_the_lines_it_touches():
    async def body(host):
        await host.dma.map_single(BUFFER, SIZE, FROM, skip_sync=True)
        host.dma.sync_single_for_cpu(BUFFER, 65, FROM)
        host.dma.sync_single_for_device(BUFFER + 31, 2, FROM)
        await host.settle()
    host, _ = found(body, costs(cache_line=NS_PER_CYCLE, dma_sync=2 * NS_PER_CYCLE))
    account = host.cpu_account_ns()
    assert (account["cache_line"], account["dma_sync"]) == ((3 + 2) * NS_PER_CYCLE, 4 * NS_PER_CYCLE)


pieces = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=8)


@given(pieces)
def test_ranges_less_ranges(taken):
    ranges = [(0, 80)]
    for first, size in taken:
        ranges = without(ranges, (first, first + size))
    expected = set(range(80)) - {place for first, size in taken for place in range(first, first + size)}
    assert [place for first, end in ranges for place in range(first, end)] == sorted(expected)
    assert all(end <= following for (_, end), (following, _) in pairwise(ranges))


@given(st.dictionaries(st.integers(0, 9), st.tuples(st.integers(0, 99), st.integers(1, 100)), max_size=8),
       st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), max_size=4), st.integers(0, 999),
       st.integers(1, 300))
def test_never_synced_against_the_definition(buffers, forgotten, address, size):
    unsynced, bytes_of = NeverSynced(), {}
    for number, (first, length) in buffers.items():
        low, high = 100 * number + first, min(100 * number + first + length, 100 * number + 100)
        unsynced.add(100 * number, [(low, high)] if low < high else [])
        bytes_of[number] = set(range(low, high))
    for number, count in forgotten:
        unsynced.forget(100 * number, 100 * count)
        for gone in range(number, number + count):
            bytes_of.pop(gone, None)
    inside = set().union(*bytes_of.values()) & set(range(address, address + size))
    reaches_back = any(number * 100 < address + size <= number * 100 + 100 and
                       inside & places for number, places in bytes_of.items())
    assert not unsynced.overlap(address, size) or inside
    if size <= 100 and reaches_back:
        assert unsynced.overlap(address, size)
