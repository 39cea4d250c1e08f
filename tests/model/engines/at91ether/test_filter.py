"""Which frames are wanted, from addresses taken apart bit by bit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.registers import load
from model.engines.at91ether.filter import AddressFilter, hash_index

CFG = load("at91ether")["CFG"]
ADDRESS = st.binary(min_size=6, max_size=6)
CALM = settings(deadline=None, max_examples=120)
BROADCAST, MULTICAST_HASH, UNICAST_HASH, UNKNOWN = 31, 30, 29, 27
FIRST_STATION = 26


def bit(address: bytes, n: int) -> int:
    """Address bit `n`: bit 0 is the first on the wire, the group bit."""
    return address[n // 8] >> n % 8 & 1


@CALM
@given(ADDRESS)
def test_the_hash_is_six_parities_of_eight_bits(address):
    assert hash_index(address) == sum(
        (sum(bit(address, n) for n in range(k, 48, 6)) & 1) << k for k in range(6))


def flags(*bits):
    return sum(1 << n for n in bits)


def store(table, number, address):
    table.station(number, False, int.from_bytes(address[:4], "little"))
    table.station(number, True, int.from_bytes(address[4:], "little"))


@CALM
@given(st.lists(ADDRESS, min_size=4, max_size=4), ADDRESS, st.integers(0, 4), st.integers(0, 2**64 - 1),
       st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_every_way_in(stations, other, pick, hash_bits, caf, nbc, mti, uni):
    """Pick one of four stations or another address; hash, broadcast and promiscuous bits as they come."""
    table = AddressFilter()
    for number, address in enumerate(stations):
        store(table, number, address)
    table.hash_bits = hash_bits
    address = stations[pick] if pick < 4 else other
    cfg = CFG.pack(CAF=caf, NBC=nbc, MTI=mti, UNI=uni)
    broadcast = address == b"\xff" * 6
    expected = set()
    if hash_bits >> hash_index(address) & 1:
        if bit(address, 0) and mti:
            expected.add(MULTICAST_HASH)
        if not bit(address, 0) and uni:
            expected.add(UNICAST_HASH)
    expected |= {FIRST_STATION - n for n, station in enumerate(stations) if station == address}
    wanted = bool(expected) or (broadcast and not nbc) or caf
    if not expected and not (broadcast and not nbc) and caf:
        expected.add(UNKNOWN)
    if broadcast:
        expected.add(BROADCAST)
    assert table.match(address, cfg) == (flags(*expected) if wanted else None)


@pytest.mark.parametrize(("cfg", "result"), [
    ({}, flags(BROADCAST)), ({"NBC": 1}, None), ({"NBC": 1, "CAF": 1}, flags(BROADCAST, UNKNOWN)),
    ({"CAF": 1}, flags(BROADCAST))])
def test_broadcast(cfg, result):
    assert AddressFilter().match(b"\xff" * 6, CFG.pack(**cfg)) == result


def test_a_station_address_is_active_from_its_high_half_to_its_next_low_half():
    table, address = AddressFilter(), bytes.fromhex("020000000001")
    nothing = b"\0" * 6
    assert table.match(nothing, 0) is None, "reset leaves no station of zeros active"
    table.station(2, False, int.from_bytes(address[:4], "little"))
    assert table.match(address, 0) is None
    table.station(2, True, int.from_bytes(address[4:], "little"))
    assert table.match(address, 0) == flags(FIRST_STATION - 2)
    assert table.match(address[::-1], 0) is None
    table.station(2, False, int.from_bytes(address[:4], "little"))
    assert table.match(address, 0) is None
