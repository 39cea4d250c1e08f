"""Thresholds and pause frames wanted: docs/engines/lan743x.md, section 4.1, 7."""

import pytest
from amaranth.sim import Simulator

from hdl.engines.lan743x.flow import Flow


def play(script: list[dict[str, int]], rx_channels: int = 1) -> list[tuple[int, int | None]]:
    """(xoff, quanta if a frame is wanted) cycle by cycle; a script's entry is what changes in its cycle, the
    inputs of channel n with that number behind their names."""
    dut, seen = Flow(rx_channels), []

    async def bench(ctx):
        for inputs in script:
            for channel in dut.channels:
                ctx.set(channel.was_reset, 0)
            for name, value in inputs.items():
                of = dut.channels[int(name[-1])] if name[-1].isdigit() else dut
                ctx.set(getattr(of, name.rstrip("0123")), value)
            seen.append((ctx.get(dut.xoff), ctx.get(dut.quanta) if ctx.get(dut.want) else None))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(8e-9)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


SET_UP = {"on0": 2, "off0": 1, "req_en0": 1, "tx_fcen": 1, "time": 0xABC}


def test_on_and_off():
    seen = play([SET_UP, {"used0": 255}, {"used0": 256}, {"used0": 300}, {"used0": 129}, {"used0": 128},
                 {"used0": 127}, {"used0": 400}, {}])
    assert seen == [(0, None), (0, None), (0, 0xABC), (1, None), (1, None), (1, 0), (0, None), (0, 0xABC),
                    (1, None)]


def test_only_a_change_of_used_counts():
    seen = play([SET_UP | {"req_en0": 0}, {"used0": 300}, {"req_en0": 1}, {"on0": 0}, {"used0": 301}, {}])
    assert seen == [(0, None)] * 4 + [(0, 0xABC), (1, None)]


def test_without_tx_fcen_the_state_changes_all_the_same():
    seen = play([SET_UP | {"tx_fcen": 0}, {"used0": 300}, {"tx_fcen": 1}, {"used0": 1}, {}])
    assert seen == [(0, None), (0, None), (1, None), (1, 0), (0, None)]


@pytest.mark.parametrize("later", [0, 1])
def test_a_reset_ends_xoff_without_a_frame(later):
    seen = play([SET_UP, {"used0": 300}, *[{}] * later, {"was_reset0": 1}, {"used0": 0}, {}])
    assert seen[-2:] == [(0, None), (0, None)]


def test_the_last_of_several_channels_counts():
    seen = play([SET_UP | {"on2": 1, "off2": 0, "req_en2": 1}, {"used2": 128}, {"used0": 256, "used2": 0}, {},
                 {"used0": 0, "used2": 128}, {}], rx_channels=3)
    assert seen == [(0, None), (0, 0xABC), (4, 0), (1, None), (1, 0xABC), (4, None)]
