"""Stale lines: what the CPU reads of a buffer whose lines it held when the device wrote."""

import numpy as np
import pytest

from model.host.cache import LineCache
from model.host.dma import Direction
from tests.model.host.machine import bare

FROM = Direction.FROM_DEVICE
BUFFER, SIZE = 0x200000, 256
OLD, NEW = b"\x11" * SIZE, b"\x77" * SIZE


def received(map_skips, sync_bytes, unmap_skips, touch, freed=True):
    """What the CPU reads of a buffer that held OLD, whose bytes [2, 2 + 64) it touched before, and that the
    device filled with NEW. Returns (bytes, lines overwritten)."""
    host, world, _ = bare()

    async def main():
        cache = host.dma.cache = LineCache(world.mem, 32)
        world.mem[BUFFER:BUFFER + SIZE] = np.frombuffer(OLD, np.uint8)
        if touch == "read":
            host.cpu_read(BUFFER + 2, 64)
        else:
            host.cpu_write(BUFFER + 2, OLD[:64])
        if freed:
            host.dma.check_free(BUFFER, SIZE)
        await host.dma.map_single(BUFFER, SIZE, FROM, skip_sync=map_skips)
        world.mem[BUFFER:BUFFER + SIZE] = np.frombuffer(NEW, np.uint8)
        if sync_bytes:
            host.dma.sync_single_for_cpu(BUFFER, sync_bytes, FROM)
        host.dma.unmap_single(BUFFER, SIZE, FROM, skip_sync=unmap_skips)
        return host.cpu_read(BUFFER, SIZE), cache.overwritten
    data, overwritten = world.run(host.run(main()))
    return data, overwritten


TOUCHED = 96   # bytes 2..66 are in three lines


@pytest.mark.parametrize("touch", ["read", "write"])
@pytest.mark.parametrize("map_skips, sync_bytes, unmap_skips", [(False, 0, False), (False, SIZE, True)])
def test_what_is_invalidated_as_it_is_mapped_is_right(touch, map_skips, sync_bytes, unmap_skips):
    assert received(map_skips, sync_bytes, unmap_skips, touch) == (NEW, 0)


@pytest.mark.parametrize("touch, freed", [("read", True), ("write", True), ("write", False)])
def test_dirty_lines_of_a_buffer_mapped_without_it_win_over_the_device(touch, freed):
    """The thread's experiment b: a sync before the CPU looks does not help."""
    data, overwritten = received(True, SIZE, True, touch, freed)
    assert data == OLD[:TOUCHED] + NEW[TOUCHED:] and overwritten == TOUCHED // 32


def test_clean_lines_are_gone_with_the_sync():
    assert received(True, SIZE, True, "read", freed=False) == (NEW, 0)


def test_without_any_sync_the_cpu_reads_what_it_held():
    data, overwritten = received(True, 0, True, "read", freed=False)
    assert data == OLD[:TOUCHED] + NEW[TOUCHED:] and overwritten == 0


def test_giving_the_buffer_to_the_device_after_the_map_helps():
    """The thread's experiment c."""
    host, world, _ = bare()

    async def main():
        host.dma.cache = LineCache(world.mem, 32)
        host.cpu_write(BUFFER, OLD)
        await host.dma.map_single(BUFFER, SIZE, FROM, skip_sync=True)
        host.dma.sync_single_for_device(BUFFER, SIZE, FROM)
        world.mem[BUFFER:BUFFER + SIZE] = np.frombuffer(NEW, np.uint8)
        host.dma.sync_single_for_cpu(BUFFER, SIZE, FROM)
        host.dma.unmap_single(BUFFER, SIZE, FROM, skip_sync=True)
        return host.cpu_read(BUFFER, SIZE)
    assert world.run(host.run(main())) == NEW
