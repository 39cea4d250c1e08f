"""The order and the values of the register accesses, against the sheet's section 6, for every variant."""

import pytest

from model.drivers.at91ether import VARIANTS
from model.host.workload import Action
from tests.model.host.fake_engine import MAP, PHY, FakeEngine, bit
from tests.model.host.machine import STATION, frames, machine

PROBE = ["W NCR", "W NCFGR", "W NCR"]
MDIO = ["W MAN", "R NSR", "R MAN"]
OPEN = ["W RBQP", "R NCR", "W NCR", "W SA1L", "W SA1H", "R NCR", "W NCR", "W IER", *MDIO, *MDIO,
        "R NCFGR", "W NCFGR"]
STOP = ["R NCR", "W NCR", "W IDR"]
XMIT = {"depth1": ["R TSR", "W TAR", "W TCR"], "depth2": ["W TAR", "W TCR"],
        "depth2_bnq": ["R TSR", "W TAR", "W TCR"], "free_count": ["R TSR", "W TAR", "W TCR"]}
COMPLETE = {"depth1": ["R ISR"], "depth2": ["R ISR", "R TSR"], "depth2_bnq": ["R ISR", "R TSR"],
            "free_count": ["R ISR", "R TSR"]}
ENABLED = ("RCOM", "RBNA", "TUND", "RTRY", "TCOM", "ROVR", "ABT")


def engine_for(variant, **options):
    mstar = variant == "free_count"
    return FakeEngine(places=4 if mstar else 2, mstar=mstar, **options)


def written(m, name):
    return [value for _, kind, register, value, _ in m.engine.log if (kind, register) == ("W", name)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_bring_up_and_down(variant):
    m = machine(variant, engine=engine_for(variant))
    m.work()
    assert m.register_log() == PROBE + OPEN + STOP
    re_te = bit("NCR", "RE") | bit("NCR", "TE")
    mpe = bit("NCR", "MPE")
    csr = bit("NCR", "CSR")
    assert written(m, "NCR") == [0, mpe, mpe | csr, mpe | csr | re_te, mpe | csr]   # the stand-in keeps CSR
    assert written(m, "NCFGR") == [MAP.pack("NCFGR", CLK=2, BIG=1),
                                   MAP.pack("NCFGR", CLK=2, BIG=1, SPD=1, FD=1)]
    assert written(m, "SA1L") == [int.from_bytes(STATION[:4], "little")]
    assert written(m, "SA1H") == [int.from_bytes(STATION[4:], "little")]
    enabled = sum(bit("ISR", name) for name in ENABLED) | (bit("ISR", "TBRE") if variant == "depth2" else 0)
    assert written(m, "IER") == written(m, "IDR") == [enabled]


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_frame(variant):
    m = machine(variant, engine=engine_for(variant))
    m.work(tx=frames(1))
    # after its hand-over the register pair is free: TBRE interrupts, where it is enabled, before TCOM
    early = COMPLETE[variant] if variant == "depth2" else []
    assert m.register_log()[len(PROBE + OPEN):-len(STOP)] == XMIT[variant] + early + COMPLETE[variant]
    assert written(m, "TAR") == [m.outcome.dma_intervals["address"][-1]] and written(m, "TCR") == [60]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("split", ["low_first", "high_first"])
def test_halves(variant, split):
    m = machine(variant, {"split16": split}, engine=engine_for(variant))
    m.work(tx=frames(1))
    strobes = [strobe for _, kind, name, _, strobe in m.engine.log if (kind, name) == ("W", "TAR")]
    assert strobes == ([0x3, 0xC] if split == "low_first" else [0xC, 0x3])
    assert m.engine.values["TAR"] == m.outcome.dma_intervals["address"][-1]
    assert all(strobe == 0xF for _, kind, _, _, strobe in m.engine.log if kind == "R"), "reads are whole"


def test_reception_touches_no_register_but_isr():
    m = machine("depth2")
    m.engine.programme = [(1000, frames(1, 64)[0])]
    m.work(rx_start_cycles=0, rx_wire_cycles=1000)
    assert m.register_log()[len(PROBE + OPEN):-len(STOP)] == ["R ISR"]


def test_a_full_ring_is_followed_by_two_writes_after_one_read():
    m = machine("depth2")
    m.engine.programme = [(1000 + 10 * n, frame) for n, frame in enumerate(frames(10, 64))]
    m.work(rx_start_cycles=0, rx_wire_cycles=1200, actions=(Action(900, "irqs_off", 400),))
    assert m.register_log()[len(PROBE + OPEN):-len(STOP)] == ["R ISR", "R NCR", "W NCR", "W NCR"]
    off, on = written(m, "NCR")[-3:-1]
    assert on ^ off == bit("NCR", "RE") and on & bit("NCR", "RE") and on & bit("NCR", "TE")
    assert len(m.outcome.delivered) == 9


def test_word_1_is_read_after_word_0():
    """The stand-in makes word 1 right only in the cycle in which it sets the ownership bit: the ring's every
    length is right."""
    m = machine("depth2")
    sizes = range(64, 164)
    m.engine.programme = [(700 * n, bytes([n]) * size) for n, size in enumerate(sizes)]
    m.work(rx_start_cycles=0, rx_wire_cycles=700 * len(sizes))
    assert m.outcome.delivered.length.tolist() == list(sizes)


@pytest.mark.parametrize("anlpar, fields", [
    (1 << 8, {"SPD": 1, "FD": 1}), (1 << 7, {"SPD": 1}), (1 << 6, {"FD": 1}), (0, {}),
])
def test_speed_and_duplex_follow_the_partner(anlpar, fields, monkeypatch):
    monkeypatch.setitem(PHY, 5, anlpar)
    m = machine("depth1")
    m.work()
    assert written(m, "NCFGR")[-1] == MAP.pack("NCFGR", CLK=2, BIG=1, **fields)


def test_without_link_it_does_not_come_up(monkeypatch):
    monkeypatch.setitem(PHY, 1, 0)
    with pytest.raises(RuntimeError, match="PHY 0: no link"):
        machine("depth1").work()


def test_causes_are_counted_as_read():
    m = machine("depth1")
    m.work(tx=frames(3))
    assert m.outcome.driver["isr_tcom"] == 3 and m.outcome.stats["tx_errors"] == 0


def test_failed_frames_are_counted_and_released():
    engine = FakeEngine()
    finish = engine.finish

    def failing(cycle, frame):
        engine.isr |= bit("ISR", "TUND")
        finish(cycle, frame)
    engine.finish = failing
    m = machine("depth2_bnq", engine=engine)
    m.work(tx=frames(3))
    assert m.outcome.stats["tx_errors"] == 3 and m.outcome.stats["tx_packets"] == 3
    assert m.outcome.driver["isr_tund"] == 3
