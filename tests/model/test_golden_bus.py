"""The two buses behind a golden engine: when bytes are in memory, when they are read, who is told."""

import pytest

from model.bus import BusTiming
from model.golden_bus import MESSAGE_BASE, IdealBus, LinkBus
from model.kernel import Kernel
from model.link import UNITS, Link, LinkTiming

CLOCK_HZ = 125_000_000
SIZE = 1 << 12
WORD = 4
UP, DOWN, MEMORY = 19, 19, 31


class World:
    """A bus on memory that counts up. `seen`: what it called, in order."""

    def __init__(self, link=None, **timing):
        self.kernel, self.seen, self.messages = Kernel(), [], []
        self.memory = bytearray(n & 0xFF for n in range(SIZE))
        timing = BusTiming(**{"outstanding": 8, **timing})
        arguments = (self.kernel, memoryview(self.memory), timing, WORD, self.message)
        self.link = link and Link(link, CLOCK_HZ)
        self.bus = LinkBus(*arguments, self.link) if link else IdealBus(*arguments)

    def message(self, number, data, cycle):
        self.messages.append((number, data, cycle))

    def read(self, a, address, beats, requester=0):
        self.kernel.call_at(4 * a - 3, self.bus.read, requester, a, address, beats,
                            lambda last, data, failed: self.seen.append(("read", last, data, failed)))

    def write(self, a, address, data, requester=0):
        self.kernel.call_at(4 * a - 3, self.bus.write, requester, a, address, data,
                            lambda done, failed: self.seen.append(("write", done, failed)))

    def at(self, cycle, address, size):
        """Memory as it is during `cycle`."""
        self.kernel.run(until=4 * cycle + 2)
        return bytes(self.memory[address:address + size])


# The ideal bus: words from a+1+latency on; B in the cycle after the last word, and latency.

def test_a_read_of_the_ideal_bus():
    world = World(read_latency=5, beat_interval=2)
    world.read(10, 0x10, 4)
    world.kernel.run(until=400)
    assert world.seen == [("read", 16 + 3 * 2, bytes(range(0x10, 0x20)), False)]
    assert world.bus.busy_cycles == 4


def test_reads_of_the_ideal_bus_come_one_after_the_other():
    world = World(read_latency=5, outstanding=2)
    assert world.bus.handshake(10) == 10
    world.read(10, 0, 4)
    world.read(12, 16, 2)
    world.kernel.run(until=400)
    assert [row[1] for row in world.seen] == [16 + 3, 19 + 2]
    assert world.bus.handshake(14) == 20, "two are open: the cycle after the first one's last word"
    assert world.bus.handshake(30) == 30


def test_a_write_of_the_ideal_bus_changes_memory_behind_its_last_word():
    """Five bytes from 0x102 on touch two words: taken in a+1 and a+2."""
    world = World(write_latency=3)
    world.write(10, 0x102, b"\xaa" * 5)
    assert world.at(12, 0x100, 8) == bytes(range(8))
    assert world.at(13, 0x100, 8) == b"\x00\x01" + b"\xaa" * 5 + b"\x07"
    world.kernel.run(until=400)
    assert world.seen == [("write", 12 + 1 + 3, False)]


def test_a_read_sees_what_was_written_before_its_first_word():
    """Written behind cycle 9; read in a+1."""
    for a, sees in ((8, bytes(range(4))), (9, b"\xaa" * 4)):
        world = World()
        world.write(8, 0x100, b"\xaa" * 4)
        world.read(a, 0x100, 1)
        world.kernel.run(until=400)
        assert ("read", a + 1, sees, False) in world.seen


def test_messages_of_the_ideal_bus():
    world = World()
    world.write(10, MESSAGE_BASE + 4 * 3, (3).to_bytes(4, "little"))
    world.kernel.run(until=400)
    assert world.messages == [(3, 3, 12)] and world.seen == [("write", 12, False)]
    assert bytes(world.memory) == bytes(n & 0xFF for n in range(SIZE))


def test_errors_of_the_ideal_bus():
    errors = frozenset({(2, True, 1), (2, False, 0)})
    world = World(errors=errors)
    world.write(10, 0, b"\xaa" * 4, 2)
    world.write(20, 4, b"\xbb" * 4, 2)
    world.read(30, 0, 2, 2)
    world.write(40, MESSAGE_BASE, bytes(4), 1)
    world.kernel.run(until=400)
    assert world.seen == [("write", 12, False), ("write", 22, True),
                          ("read", 32, b"\xaa" * 4 + bytes(range(4, 8)), True), ("write", 42, False)]
    assert len(world.messages) == 1


def test_beyond_the_memory_there_are_zeros_and_writes_vanish():
    world = World()
    world.write(10, SIZE - 4, b"\xaa" * 8)
    world.read(20, SIZE - 4, 3)
    world.write(40, SIZE + 16, b"\xbb" * 4)
    world.kernel.run(until=400)
    assert world.seen[1] == ("read", 23, b"\xaa" * 4 + bytes(8), False)
    assert len(world.memory) == SIZE and world.bus.errors == 1 + 2 + 1


@pytest.mark.parametrize(("address", "size", "beats"), [
    (0, 4, 1), (3, 1, 1), (3, 2, 2), (2, 512, 129), (0, 512, 128)])
def test_words_that_a_write_touches(address, size, beats):
    assert World().bus.beats(address, size) == beats


# The link.

UNIT = LinkTiming().byte_units(CLOCK_HZ)


def cycle_from(units):
    return -(-units // UNITS)


def test_a_write_over_the_link():
    """Five bytes from 0x102 on, the last word in w = 12: two words of payload. Visible at the edge that
    begins W; B in w+2."""
    world = World(LinkTiming())
    world.write(10, 0x102, b"\xaa" * 5)
    visible = cycle_from(13 * UNITS + (24 + 8) * UNIT) + UP
    assert world.at(visible - 1, 0x100, 8) == bytes(range(8))
    assert world.at(visible, 0x100, 8) == b"\x00\x01" + b"\xaa" * 5 + b"\x07"
    assert world.seen == [("write", 14, False)]


def test_a_message_comes_behind_the_writes_before_it():
    world = World(LinkTiming())
    world.write(10, 0x100, bytes(128))          # the last word in 42
    world.write(45, MESSAGE_BASE + 4, (1).to_bytes(4, "little"))
    world.kernel.run(until=4000)
    first = 43 * UNITS + 152 * UNIT
    behind = max(first, 47 * UNITS) + 28 * UNIT
    assert world.messages == [(1, 1, cycle_from(behind) + UP)]


def test_a_read_over_the_link():
    """Memory is read in M; the words come when all are there, one a cycle."""
    world = World(LinkTiming())
    world.read(10, 0x104, 4)
    request = cycle_from(11 * UNITS + 24 * UNIT)
    fetch = request + UP + MEMORY
    begin = cycle_from(fetch * UNITS + (16 + 20) * UNIT) + DOWN
    world.kernel.run(until=4 * fetch - 1)
    world.memory[0x104:0x108] = b"\xee" * 4
    world.kernel.run(until=4 * fetch + 1)
    world.memory[0x108:0x10C] = b"\xdd" * 4
    world.kernel.run(until=4000)
    assert world.seen == [("read", begin + 3, b"\xee" * 4 + bytes(range(8, 20)), False)]


def test_a_read_sees_writes_that_are_visible_in_the_cycle_of_its_fetch():
    """Both on their way: the read cannot overtake the write (docs/link.md: the row keeps its order)."""
    world = World(LinkTiming(memory_latency_ns=0))
    world.write(10, 0x100, b"\xaa" * 4)
    world.read(11, 0x100, 1)
    world.kernel.run(until=4000)
    assert next(row[2] for row in world.seen if row[0] == "read") == b"\xaa" * 4


def test_a_read_sees_a_write_that_becomes_visible_in_the_very_cycle_of_its_fetch():
    """The read goes first, the write behind it; the longer memory takes, the later it is read."""
    seen = {}
    for latency in range(1, 30):
        world = World(LinkTiming(memory_latency_ns=8 * latency))
        world.read(10, 0x100, 1)
        world.write(12, 0x100, b"\xaa" * 4)
        world.kernel.run(until=4000)
        request = 11 * UNITS + 24 * UNIT
        fetch = cycle_from(request) + UP + latency
        visible = cycle_from(max(request, 14 * UNITS) + 28 * UNIT) + UP
        data = next(row[2] for row in world.seen if row[0] == "read")
        assert data == (b"\xaa" * 4 if visible <= fetch else bytes(range(4)))
        seen[fetch - visible] = data
    assert {-1, 0} <= set(seen)


def test_of_equal_stamps_the_write_goes_first():
    """The write's last word and the read's address are both of cycle 11."""
    for order in ((0, 1), (1, 0)):
        world = World(LinkTiming())
        offers = [lambda world: world.write(10, 0x100, b"\xaa" * 4), lambda world: world.read(11, 0x200, 1)]
        for n in order:
            offers[n](world)
        world.kernel.run(until=4000)
        write_end = 12 * UNITS + 28 * UNIT
        fetch = cycle_from(write_end + 24 * UNIT) + UP + MEMORY
        assert next(row[1] for row in world.seen if row[0] == "read") == cycle_from(
            fetch * UNITS + 24 * UNIT) + DOWN


def test_a_read_that_fails_still_takes_its_way_and_a_write_vanishes():
    world = World(LinkTiming(), errors=frozenset({(0, True, 0), (0, False, 0)}))
    world.write(10, 0x100, b"\xaa" * 4)
    world.read(12, 0x100, 1)
    world.kernel.run(until=4000)
    assert [row[-1] for row in world.seen] == [False, True], "posted: B is OKAY"
    assert world.seen[1][2] == bytes(range(4)) == bytes(world.memory[0x100:0x104])


def test_answers_wait_for_the_words_before_them():
    """A slow word rate: the second read's first word comes after the last of the first."""
    world = World(LinkTiming(), beat_interval=3)
    world.read(10, 0, 64)
    world.read(12, 0x100, 8)
    world.kernel.run(until=40000)
    (_, first, _, _), (_, second, _, _) = world.seen
    assert second == first + 1 + 7 * 3
