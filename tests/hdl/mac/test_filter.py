"""The address filter (timing specification, section 4.2; word 1 of the sheet's section 4)."""

import dataclasses

import pytest
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.mac.filter import AddressFilter

BROADCAST = "ff:ff:ff:ff:ff:ff"
STATION = "02:00:5e:10:20:30"
GROUP = "01:80:c2:00:00:0e"


def octets(text: str) -> list[int]:
    return [int(part, 16) for part in text.split(":")]


@dataclasses.dataclass
class Setup:
    """CFG bits, hash and active station addresses (number from 1: octets)."""

    caf: bool = False
    nbc: bool = False
    mti: bool = False
    uni: bool = False
    hash_bits: frozenset[int] = frozenset()
    stations: dict[int, list[int]] = dataclasses.field(default_factory=dict)


def hash_index(address: list[int]) -> int:
    """Bit by bit as the datasheets write it: exclusive or of every sixth bit."""
    bits = [octet >> n & 1 for octet in address for n in range(8)]
    return sum((sum(bits[k::6]) & 1) << k for k in range(6))


def expected(setup: Setup, address: list[int]) -> tuple[bool, set[int]]:
    """Whether the frame is accepted, and the bits set in word 1."""
    broadcast = address == [255] * 6
    group = bool(address[0] & 1)
    hashed = hash_index(address) in setup.hash_bits
    flags, match = set(), broadcast and not setup.nbc
    if broadcast:
        flags.add(31)
    if group and setup.mti and hashed:
        flags.add(30)
    if not group and setup.uni and hashed:
        flags.add(29)
    flags |= {27 - number for number, station in setup.stations.items() if station == address}
    match = match or bool(flags - {31})
    if setup.caf and not match:
        flags.add(27)
    return match or setup.caf, flags


class Bench:
    """The filter as the engine uses it: station addresses are written, then addresses come by."""

    def __init__(self) -> None:
        self.dut = AddressFilter()
        self.sim = Simulator(self.dut)
        self.sim.add_clock(1e-6)
        self.sim.add_testbench(self._play)
        self.fresh = True

    def run(self, script) -> None:
        """`script` is an async function of (ctx, dut)."""
        self.script = script
        if not self.fresh:
            self.sim.reset()
        self.fresh = False
        self.sim.run()

    async def _play(self, ctx) -> None:
        await self.script(ctx, self.dut)

    def ask(self, setup: Setup, addresses: list[list[int]]) -> list[tuple[bool, set[int]]]:
        answers = []

        async def script(ctx, dut) -> None:
            for name in ("caf", "nbc", "mti", "uni"):
                ctx.set(getattr(dut, name), getattr(setup, name))
            word = sum(1 << bit for bit in setup.hash_bits)
            ctx.set(dut.hash_low, word & 0xFFFFFFFF)
            ctx.set(dut.hash_high, word >> 32)
            for number, station in setup.stations.items():
                ctx.set(dut.sa_low[number - 1], int.from_bytes(bytes(station[:4]), "little"))
                ctx.set(dut.sa_high[number - 1], int.from_bytes(bytes(station[4:]), "little"))
                ctx.set(dut.high_written, 1 << (number - 1))
                await ctx.tick()
            ctx.set(dut.high_written, 0)
            for address in addresses:
                ctx.set(dut.address, int.from_bytes(bytes(address), "little"))
                flags = ctx.get(dut.flags)
                answers.append((bool(ctx.get(dut.accept)), {23 + n for n in range(9) if flags >> n & 1}))
            await ctx.tick()

        self.run(script)
        return answers


_shared: list[Bench] = []


def shared() -> Bench:
    if not _shared:
        _shared.append(Bench())
    return _shared[0]


@pytest.mark.parametrize(("setup", "address", "accept", "flags"), [
    (Setup(), BROADCAST, True, {31}),
    (Setup(nbc=True), BROADCAST, False, {31}),
    (Setup(nbc=True, caf=True), BROADCAST, True, {31, 27}),
    (Setup(caf=True), BROADCAST, True, {31}),
    (Setup(), STATION, False, set()),
    (Setup(caf=True), STATION, True, {27}),
    (Setup(stations={1: octets(STATION)}), STATION, True, {26}),
    (Setup(stations={2: octets(STATION)}), STATION, True, {25}),
    (Setup(stations={3: octets(STATION)}), STATION, True, {24}),
    (Setup(stations={4: octets(STATION)}), STATION, True, {23}),
    (Setup(stations={1: octets(STATION), 4: octets(STATION)}, caf=True), STATION, True, {26, 23}),
    (Setup(hash_bits=frozenset(range(64))), STATION, False, set()),
    (Setup(hash_bits=frozenset(range(64)), uni=True), STATION, True, {29}),
    (Setup(hash_bits=frozenset(range(64)), mti=True), STATION, False, set()),
    (Setup(hash_bits=frozenset(range(64)), mti=True), GROUP, True, {30}),
    (Setup(hash_bits=frozenset(range(64)), uni=True), GROUP, False, set()),
    (Setup(hash_bits=frozenset(range(64)), mti=True, nbc=True), BROADCAST, True, {31, 30}),
])
def test_case(setup: Setup, address: str, accept: bool, flags: set[int]) -> None:
    assert shared().ask(setup, [octets(address)]) == [(accept, flags)]


@pytest.mark.parametrize("text", [
    GROUP, "01:00:5e:00:00:01", "33:33:00:00:00:01", STATION, "00:00:00:00:00:00"])
def test_the_hash_picks_one_bit_of_64(text: str) -> None:
    address = octets(text)
    index = hash_index(address)
    for bit in {index, index ^ 32, (index + 1) % 64}:
        setup = Setup(hash_bits=frozenset({bit}), mti=True, uni=True)
        assert shared().ask(setup, [address])[0][0] == (bit == index)


addresses = st.one_of(
    st.just([255] * 6), st.just(octets(STATION)), st.just(octets(GROUP)),
    st.lists(st.integers(0, 255), min_size=6, max_size=6))


@settings(max_examples=60, deadline=None)
@given(st.builds(Setup, caf=st.booleans(), nbc=st.booleans(), mti=st.booleans(), uni=st.booleans(),
                 hash_bits=st.frozensets(st.integers(0, 63)),
                 stations=st.dictionaries(st.integers(1, 4), addresses)),
       st.lists(addresses, min_size=1, max_size=6))
def test_any_setup(setup: Setup, asked: list[list[int]]) -> None:
    asked = asked + list(setup.stations.values())
    assert shared().ask(setup, asked) == [expected(setup, address) for address in asked]


def test_a_station_address_is_active_between_its_high_and_its_low_word() -> None:
    seen = []

    async def script(ctx, dut) -> None:
        ctx.set(dut.address, 0)  # matches the words as reset, if they were active
        for low, high in [(0, 0), (0, 1), (0, 0), (1, 0), (0, 0), (0, 2), (0, 1), (2, 0), (0, 0)]:
            ctx.set(dut.low_written, low)
            ctx.set(dut.high_written, high)
            seen.append(ctx.get(dut.flags) >> 2)
            await ctx.tick()

    shared().run(script)
    # SA1 is bit 1 here, SA2 bit 0; each acts from the cycle after its write.
    assert seen == [0, 0, 2, 2, 0, 0, 1, 3, 2]
