"""Who is granted in which cycle (section 2), with requesters that want what the test says."""

from types import SimpleNamespace

import pytest

from model.bus import BusTiming
from model.engines.lan743x.events import Kind
from model.engines.lan743x.ports import ReadPort, WritePort
from model.engines.lan743x.prefetch import IDLE, NORMAL, URGENT
from model.kernel import Kernel
from tests.model.engines.lan743x.play import Bench


class Asker:
    """Wants to be granted so many `times`."""

    def __init__(self, name, granted, level=NORMAL, times=1):
        self.name, self.grants, self.level, self.times = name, granted, level, times

    def urgency(self, w):
        return self.level if self.times else IDLE

    def wants(self, w):
        return self.times > 0

    def granted(self, w, a):
        self.times -= 1
        self.grants.append((self.name, w, a))


def read_order(levels):
    kernel, grants = Kernel(), []
    port = ReadPort(kernel, SimpleNamespace(handshake=lambda earliest: earliest), 8)
    rx = [Asker(f"rx{n}", grants, level) for n, level in enumerate(levels[:-1])]
    port.connect(rx, Asker("tx", grants, levels[-1]), Asker("data", grants))
    port.kick(10)
    kernel.run(until=400)
    return grants


@pytest.mark.parametrize(("levels", "order"), [
    ([NORMAL, NORMAL], ["data", "rx0", "tx"]),
    ([URGENT, NORMAL], ["rx0", "data", "tx"]),
    ([NORMAL, URGENT], ["tx", "data", "rx0"]),
    ([NORMAL, URGENT, URGENT], ["rx1", "tx", "data", "rx0"]),
    ([NORMAL, NORMAL, NORMAL, NORMAL, NORMAL], ["data", "rx0", "rx1", "rx2", "rx3", "tx"]),
])
def test_the_order_of_reads(levels, order):
    """FREE in w, ADDR with the handshake in w+1, FREE again in w+2."""
    grants = read_order(levels)
    assert grants == [(name, 10 + 2 * n, 11 + 2 * n) for n, name in enumerate(order)]


def test_no_more_reads_than_tags():
    """The fourth when the first is closed: in d+1."""
    kernel, grants = Kernel(), []
    port = ReadPort(kernel, SimpleNamespace(handshake=lambda earliest: earliest), 3)
    port.connect([], Asker("tx", grants, IDLE), Asker("data", grants, times=9))
    for cycle in range(10, 60):
        port.kick(cycle)
    kernel.call_at(4 * 30 + 3, port.closed, 30)
    kernel.run(until=400)
    assert [w for _, w, _ in grants] == [10, 12, 14, 31]


@pytest.mark.parametrize("tags", [1, 2, 8])
def test_tags_of_the_engine(tags):
    """Small frames behind a slow memory: at most so many reads open, the next one in the cycle after the
    last word of the first."""
    bench = Bench(bus=BusTiming(read_latency=60, outstanding=8), tags=tags % 8)
    bench.transmit_ring(ring=16, send=False)
    for n in range(10):
        bench.outgoing(n, 64, address=0x30000 + 64 * n)
    bench.write("TX0_TAIL", INDEX=10)
    bench.run(2000)
    asked = bench.cycles(Kind.TX_PREFETCH, Kind.TX_FETCH)
    answered = bench.cycles(Kind.TX_DESC, Kind.TX_FILL)
    assert len(asked) == len(answered) == 11
    open_at = [sum(a <= cycle for a in asked) - sum(d < cycle for d in answered) for cycle in asked]
    assert max(open_at) == tags
    for number in range(1 + tags, 11):
        assert asked[number] == max(answered[number - tags] + 2, asked[number - 1] + 2)


def test_the_first_of_the_write_port():
    """One open: granted in w, and again in d+1."""
    kernel, grants = Kernel(), []
    port = WritePort(kernel)

    class Writer(Asker):
        def granted(self, w, a):
            super().granted(w, a)
            kernel.call_at(4 * (a + 3), port.replying(lambda d, failed: None), a + 3, False)

    port.requesters = [Writer("heads", grants), Writer("rx0", grants, times=2), Writer("rx1", grants)]
    port.kick(6)
    kernel.run(until=200)
    assert grants == [("heads", 6, 7), ("rx0", 11, 12), ("rx0", 16, 17), ("rx1", 21, 22)]
