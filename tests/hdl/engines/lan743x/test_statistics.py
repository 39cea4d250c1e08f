"""The counters: docs/engines/lan743x.md, section 8."""

from collections import Counter

import pytest
from amaranth.sim import Simulator

from hdl.engines.lan743x.events import Reason
from hdl.engines.lan743x.statistics import Statistics
from hdl.registers import load

REGISTERS = load("lan743x")
NAMES = [register.name for register in REGISTERS if register.name.startswith("STAT_")]


def play(script: list[dict[str, object]]) -> Counter:
    """The counters that are not 0 after the script; an entry is what is up in its cycle, `rx_` and `tx_` in
    front of the members of either side."""
    dut, counters = Statistics(), Counter()

    async def bench(ctx):
        for inputs in script:
            for name, value in inputs.items():
                side, _, member = name.partition("_")
                ctx.set(getattr(getattr(dut, side), member) if member else getattr(dut, side), value)
            await ctx.tick()
            for name in inputs:
                side, _, member = name.partition("_")
                ctx.set(getattr(getattr(dut, side), member) if member else getattr(dut, side), 0)
        for name in NAMES:
            ctx.set(dut.address, REGISTERS.offset(name))
            assert ctx.get(dut.data) == 0
            ctx.set(dut.read, 1)
            counters[name] = ctx.get(dut.data)
            ctx.set(dut.read, 0)

    simulator = Simulator(dut)
    simulator.add_clock(8e-9)
    simulator.add_testbench(bench)
    simulator.run()
    return +counters


def received(reason: Reason, length: int = 64, **more: int) -> dict[str, object]:
    return {"rx_end": 1, "rx_reason": reason, "rx_length": length} | {
        f"rx_{name}": value for name, value in more.items()}


@pytest.mark.parametrize(("what", "names"), [
    (received(Reason.CRC), ["FCS_ERRORS"]),
    (received(Reason.CODE), ["ALIGNMENT_ERRORS"]),
    (received(Reason.SHORT, crc_ok=1), ["UNDERSIZE_FRAME_ERRORS"]),
    (received(Reason.SHORT), ["FRAGMENT_ERRORS"]),
    (received(Reason.LONG, crc_ok=1), ["OVERSIZE_FRAME_ERRORS"]),
    (received(Reason.LONG), ["JABBER_ERRORS"]),
    (received(Reason.OVERFLOW, crc_ok=1), ["DROPPED_FRAMES"]),
    (received(Reason.FCT_OFF, crc_ok=1), ["DROPPED_FRAMES"]),
    (received(Reason.PAUSE, crc_ok=1, group=1), ["PAUSE_FRAMES"]),
    (received(Reason.FILTER, crc_ok=1), []),
])
def test_frames_not_received(what, names):
    assert play([what, what]) == {f"STAT_RX_{name}": 2 for name in names}


SIZES = {64: "64_BYTE", 65: "65_127_BYTE", 127: "65_127_BYTE", 128: "128_255_BYTE", 255: "128_255_BYTE",
         256: "256_511_BYTES", 511: "256_511_BYTES", 512: "512_1023_BYTE", 1023: "512_1023_BYTE",
         1024: "1024_1518_BYTE", 1518: "1024_1518_BYTE", 1519: "GREATER_1518_BYTE",
         9000: "GREATER_1518_BYTE"}


@pytest.mark.parametrize("way", ["RX", "TX"])
def test_size_and_kind(way):
    kinds = [("UNICAST", 0, 0), ("MULTICAST", 1, 0), ("BROADCAST", 1, 1)]
    script, expected = [], Counter()
    for number, (length, size) in enumerate(SIZES.items()):
        kind, group, broadcast = kinds[number % 3]
        side = way.lower()
        script.append({f"{side}_end": 1, f"{side}_length": length, f"{side}_group": group,
                       f"{side}_broadcast": broadcast} | ({"rx_reason": Reason.GOOD} if way == "RX" else {}))
        expected.update({f"STAT_{way}_{size}_FRAMES": 1, f"STAT_{way}_TOTAL_FRAMES": 1,
                         f"STAT_{way}_{kind}_FRAMES": 1, f"STAT_{way}_{kind}_BYTE_COUNT": length})
    assert play(script) == expected


def test_both_ways_at_once_and_pause_frames_sent():
    both = received(Reason.GOOD, 70, crc_ok=1) | {"tx_end": 1, "tx_length": 20}
    assert play([both, {"tx_pause": 1, "tx_length": 64}]) == {
        "STAT_RX_65_127_BYTE_FRAMES": 1, "STAT_RX_TOTAL_FRAMES": 1, "STAT_RX_UNICAST_FRAMES": 1,
        "STAT_RX_UNICAST_BYTE_COUNT": 70, "STAT_TX_64_BYTE_FRAMES": 1, "STAT_TX_TOTAL_FRAMES": 1,
        "STAT_TX_UNICAST_FRAMES": 1, "STAT_TX_UNICAST_BYTE_COUNT": 20, "STAT_TX_PAUSE_FRAMES": 1}


def test_clear_wins():
    frame = received(Reason.CRC)
    assert play([frame, frame | {"clear": 1}]) == {}
    assert play([frame, {"clear": 1}, frame]) == {"STAT_RX_FCS_ERRORS": 1}
