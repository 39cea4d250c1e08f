"""Socket buffers: what their pages cost, and frames in several of them."""

import pytest

from model.host.skb import SHARED_INFO_BYTES, SkbPool
from tests.model.host.machine import NS_PER_CYCLE, bare, costs

PRICES = {"alloc": 100, "alloc_order1": 200, "alloc_order2": 400, "free": 60, "fill": NS_PER_CYCLE}


def run(body, failing=frozenset()):
    host, world, _ = bare(costs(**PRICES))
    pool = SkbPool(host, failing)
    result = world.run(host.run(body(host, pool)))
    return host, pool, result


@pytest.mark.parametrize("size, ns", [(1520, 100), (4096 - 32 - SHARED_INFO_BYTES, 100),
                                      (4097 - 32 - SHARED_INFO_BYTES, 300), (7000, 300), (9236, 500)])
def test_contiguous_pages_cost_by_their_order(size, ns):
    async def body(host, pool):
        pool.allocate(size)
        await host.settle()
    host, _, _ = run(body)
    assert sum(ns for label, ns in host.cpu_account_ns().items() if label.startswith("alloc")) == ns


def chain(host, pool, sizes):
    """A frame in buffers with these many bytes each, and its bytes."""
    skbs = []
    for ordinal, size in enumerate(sizes):
        skb = pool.allocate(600)
        skb.reserve(0 if ordinal else 2)
        host.cpu_write(skb.put(size), bytes([ordinal + 1]) * size)
        skbs.append(skb)
    skbs[0].frag_list = skbs[1:]
    return skbs[0], b"".join(bytes([ordinal + 1]) * size for ordinal, size in enumerate(sizes))


@pytest.mark.parametrize("sizes, kept", [((518, 520), 1038), ((518, 520), 514), ((518, 520, 520), 1000),
                                         ((518, 100), 618)])
def test_linearize_copies_what_is_kept_and_pays_for_all(sizes, kept):
    async def body(host, pool):
        skb, data = chain(host, pool, sizes)
        assert skb.total_bytes == sum(sizes)
        whole = await pool.linearize(skb, kept)
        await host.settle()
        assert host.cpu_read(whole.data, whole.length) == data[:kept] and whole.data % 4 == 2
        return pool.live
    host, _, live = run(body)
    account = host.cpu_account_ns()
    assert live == 1 and account["fill"] == sum(sizes) * NS_PER_CYCLE
    assert account["free"] == len(sizes) * PRICES["free"]


def test_a_frame_in_one_buffer_is_only_trimmed():
    async def body(host, pool):
        skb, _ = chain(host, pool, (518,))
        whole = await pool.linearize(skb, 500)
        return whole is skb, whole.length
    host, pool, result = run(body)
    assert result == (True, 500) and pool.allocated == 1 and "fill" not in host.cpu_account_ns()


def test_if_there_is_no_memory_to_linearize_the_frame_is_freed():
    async def body(host, pool):
        skb, _ = chain(host, pool, (518, 520))
        return await pool.linearize(skb, 900)
    host, pool, result = run(body, frozenset({2}))
    assert result is None and pool.live == 0 and host.memory.live_blocks == 0


def test_freeing_twice_is_found():
    async def body(host, pool):
        skb = pool.allocate(100)
        pool.release(skb)
        pool.release(skb)
    host, pool, _ = run(body)
    assert [finding.name for finding in host.findings.noted] == ["dma_api"] and pool.live == 0
