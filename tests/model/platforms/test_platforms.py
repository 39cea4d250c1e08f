"""Platform files: all there are load, and what is wrong in one is named."""

import pytest

from model.errors import BenchError
from model.platforms import LABELS, load, load_file, names, whole_cycles

GOOD = 'title = "Test"\ncache_line_bytes = 32\ncoherent = false\n'


def cost(label, ns=1, origin='"assumed"'):
    return f"[cost.{label}]\nns = {ns}\norigin = {origin}\n"


def write(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", names())
def test_every_platform_loads_and_tells_where_its_numbers_come_from(name):
    platform = load(name)
    assert set(platform.costs) == set(LABELS)
    for cost_of in platform.costs.values():
        assert cost_of.origin.split(":")[0] in ("assumed", "inferred", "measured", "source", "by definition")


def test_the_free_platform_is_free():
    assert all(cost_of.ns == 0 for cost_of in load("free").costs.values())


def test_dead_time_of_the_mstar_platform_is_what_its_header_says():
    """Sheet section 7: +50 % at 600 bytes asks for about 25 us from TCOM to the next TCR write."""
    platform = load("msc313e")
    once = ("irq_entry", "dma_unmap", "wake", "irq_exit", "softirq", "free", "sched", "xmit", "dma_map")
    lines = -(-600 // platform.cache_line_bytes)
    ns = sum(platform.costs[label].ns for label in once) + lines * platform.costs["cache_line"].ns
    ns += 2 * platform.costs["mmio_read"].ns + 2 * platform.costs["mmio_write"].ns
    assert ns == pytest.approx(25_000, rel=0.02)


@pytest.mark.parametrize("buffer_bytes, order_2, mbit_per_s", [(9236, 1, 203), (1520, 0, 496)])
def test_the_imx6_platform_receives_as_fast_as_the_thread_says(buffer_bytes, order_2, mbit_per_s):
    """Sheet sections 7 and 8: a frame of 1448 bytes of payload, its time stamp, a poll of 64 and a tail write
    every 8 entries."""
    cost = {label: float(cost_of.ns) for label, cost_of in load("imx6").costs.items()}
    lines = -(-buffer_bytes // load("imx6").cache_line_bytes)
    ns = cost["alloc"] + order_2 * cost["alloc_order2"] + cost["free"] + cost["dma_map"] + cost["dma_unmap"]
    ns += 2 * lines * cost["cache_line"] + 13 * cost["descriptor"] + 2 / 8 * cost["mmio_write"]
    ns += cost["napi"] / 64 + cost["stack_rx"]
    assert 1448 * 8 / ns * 1000 == pytest.approx(mbit_per_s, rel=0.01)


def test_a_file_from_anywhere(tmp_path):
    path = write(tmp_path, GOOD + "".join(cost(label, 2.5) for label in LABELS))
    platform = load_file(path)
    assert (platform.name, platform.cache_line_bytes, float(platform.costs["stack"].ns)) == ("mine", 32, 2.5)


@pytest.mark.parametrize("text, said", [
    (GOOD + cost("irq_entri"), "irq_entri.*no such label.*did you mean 'irq_entry'"),
    (GOOD + cost("irq_entry", -3), "cost.irq_entry.ns = -3: expected a number of ns, 0 or more"),
    (GOOD + cost("irq_entry", '"3 us"'), "cost.irq_entry.ns = '3 us': expected a number of ns"),
    (GOOD + cost("irq_entry", "inf"), "cost.irq_entry.ns = inf: expected a number"),
    (GOOD + "[cost.irq_entry]\nns = 3\n", "cost.irq_entry.origin is missing"),
    (GOOD + cost("irq_entry", 3, '" "'), "cost.irq_entry.origin = ' '"),
    (GOOD + cost("irq_entry"), "cost.irq_exit is missing: expected ns and origin"),
    (GOOD.replace("32", "48"), "cache_line_bytes = 48: expected a power of 2"),
    (GOOD.replace("false", '"no"'), "coherent = 'no'"),
    (GOOD + "cpu = 1\n" + "".join(cost(label) for label in LABELS), "unknown key 'cpu'"),
])
def test_mistakes_are_named(tmp_path, text, said):
    path = write(tmp_path, text)
    with pytest.raises(BenchError, match=said) as raised:
        load_file(path)
    assert str(path) in str(raised.value)


def test_an_unknown_platform_names_the_nearest():
    with pytest.raises(BenchError, match="did you mean 'msc313e'"):
        load("msc313")


def test_replaced_costs():
    platform = load("free").with_costs({"stack": 12.5}, "a.toml")
    assert float(platform.costs["stack"].ns) == 12.5 and platform.costs["stack"].origin == "a.toml"
    with pytest.raises(BenchError, match=r"a\.toml: host.stak = 1: no such label.*did you mean 'stack'"):
        platform.with_costs({"stak": 1}, "a.toml")
    with pytest.raises(BenchError, match=r"a\.toml: host.stack = -1"):
        platform.with_costs({"stack": -1}, "a.toml")


@pytest.mark.parametrize("ns, hz, cycles", [
    (0, 50_000_000, 0), (9.99, 50_000_000, 0), (10, 50_000_000, 1), (3.2, 156_250_000, 1),
    (1000, 125_000_000, 125),
])
def test_whole_cycles(ns, hz, cycles):
    assert whole_cycles(ns, hz) == cycles
