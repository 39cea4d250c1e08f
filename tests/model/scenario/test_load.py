"""Scenario files: what a right one becomes, and that every fault is named by file, key and value."""

import re
from pathlib import Path

import pytest

from model.errors import BenchError
from model.scenario import Action, BusError, Damage, Expect, Span, load_scenario
from tests.model.scenario.support import SMALL, changed, loaded, write


def test_defaults(tmp_path):
    scenario = loaded(tmp_path)
    assert (scenario.mac, scenario.name, scenario.variant, scenario.driver) == ("at91ether", "mine", "depth1",
                                                                                "depth1")
    assert scenario.seed == 1 and scenario.mtu_bytes == 1500 and scenario.simulators == ("verilator",
                                                                                         "icarus")
    assert scenario.tx.size_bytes == Span(64, 64) and scenario.tx.interval_cycles == 0
    assert scenario.rx.gap_bytes == Span(12, 12) and scenario.rx.destinations == ("station",)
    assert scenario.straps["depth"] == 2 and scenario.straps["fifo_words"] == 7
    assert scenario.flags["tbre"] is False, "preset of depth1"
    assert scenario.expect == Expect()
    assert scenario.bus.beat_interval_cycles == 1 and scenario.csr.read_latency_cycles == 0


def test_everything_that_can_be_said(tmp_path):
    text = SMALL + """
sizes = { min = "64 B", max = "100 B" }
start = "2 us"
destination = ["station", "broadcast"]
damage = [{ frame = 1, kind = "fcs" }]

[bus]
read_latency = "40 cycles"
write_latency = "1 us"
beat_interval = "2 cycles"
jitter = "7 cycles"
errors = [{ requester = "rx", direction = "write", ordinal = 3 }]

[csr]
write_latency = "4 cycles"
read_latency = "5 cycles"

[host]
irq_entry = "25 us"

[[actions]]
at = "1 us"
do = "irqs_off"
for = "80 us"

[[actions]]
at = "100 us"
do = "down"

[limits.wire_limit_ppm]
tx = 100

[variant.depth2]
seed = 9
flags = { pair_locked = true }
straps = { depth = 4, mstar = true }
traffic.tx.size = "100 B"
"""
    text = changed('size = "600 B"\n', "", changed("[traffic.rx]\nframes = 5",
                                                   "[traffic.rx]\nframes = 5\nframes_long = 50", text))
    file = load_scenario(write(tmp_path, text))
    one, two = file.variants["depth1"], file.variants["depth2"]
    assert one.rx.size_bytes == Span(64, 100) and one.rx.start_cycles == 100 and one.rx.frames_long == 50
    assert one.rx.damage == (Damage(1, "fcs"),) and one.rx.destinations == ("station", "broadcast")
    assert one.bus.read_latency_cycles == 40 and one.bus.write_latency_cycles == 50
    assert one.bus.beat_interval_cycles == 2 and one.bus.jitter_cycles == 7
    assert one.bus.errors == (BusError(1, True, 3),)
    assert one.csr.write_latency_cycles == 4 and one.csr.read_latency_cycles == 5
    assert one.host == {"irq_entry": 25_000.0}
    assert one.actions == (Action(50, "irqs_off", 4000), Action(5000, "down"))
    assert one.wire_limit_ppm == {"tx": 100.0}
    assert (one.seed, two.seed) == (1, 9)
    assert two.flags["pair_locked"] is True and two.straps["depth"] == 4 and one.straps["depth"] == 2
    assert (one.tx.size_bytes.low, two.tx.size_bytes.low) == (64, 100)


def test_expectations_by_variant(tmp_path):
    text = changed('expect = "clean"',
                   'expect = { depth2 = ["tx_stopped"], default = "clean", allow = ["lost_frame"] }')
    file = load_scenario(write(tmp_path, text))
    assert file.variants["depth1"].expect == Expect(frozenset(), frozenset({"lost_frame"}))
    assert file.variants["depth2"].expect.must == {"tx_stopped"}


FAULTS = [
    ('mac = "at91ether"', 'mac = "at91ethr"',
     r"mine\.toml: mac = 'at91ethr': no such MAC; did you mean 'at91ether'"),
    ('mac = "at91ether"', "", "mac is missing"),
    ('mac = "at91ether"', "mac = 5", "mac = 5: expected a string"),
    ('title = "Both ways"', 'title = " "', "title = ' ': expected some text"),
    ('title = "Both ways"', 'titel = "Both ways"', "title is missing"),
    ('platform = "free"', "", "platform is missing"),
    ('platform = "free"', 'platform = "fre"', "platform = 'fre': did you mean 'free'"),
    ('platform = "free"', 'platform = "free"\nsede = 1', "unknown key 'sede': did you mean 'seed'"),
    ('platform = "free"', 'platform = "free"\nseed = -1', "seed = -1: out of range, 0 to 4294967295"),
    ('platform = "free"', 'platform = "free"\nseed = true', "seed = True: expected a whole number"),
    ('platform = "free"', 'platform = "free"\nduplex = "ful"', "duplex = 'ful': did you mean 'full'"),
    ('platform = "free"', 'platform = "free"\nmtu = "9000 B"', "mtu = '9000 B': out of range, 46 to 1500 B"),
    ('platform = "free"', 'platform = "free"\nstation = "01:00:5e:00:00:01"',
     "station = .*expected a unicast"),
    ('platform = "free"', 'platform = "free"\nsimulators = ["vcs"]',
     "simulators = 'vcs': known: icarus, verilator"),
    ('platform = "free"', 'platform = "free"\nmtu = 9000', 'mtu = 9000: needs a unit .*such as "9000 B"'),
    ('size = "600 B"', 'size = { min = "64 B", max = "600 B" }', "did you mean sizes = { min"),
    ('expect = "clean"', 'expect = "hang"', "expect = 'hang': can never be expected: the watchdog"),
    ('expect = "clean"', 'expect = ["golden_differs"]', "expect = 'golden_differs': can never be expected"),
    ('expect = "clean"', 'expect = { default = "clean", allow = ["hang"] }',
     "expect.allow = 'hang': can never be expected"),
    ('expect = "clean"', 'expect = "tx_stopped"', r"""expected "clean" or \["tx_stopped"\]"""),
    ('platform = "free"', 'platform = "free"\nsimulators = []', "simulators = .*expected at least one"),
    ('platform = "free"', 'platform = "free"\ndeadline = 5', "deadline = 5: needs a unit"),
    ('platform = "free"', 'platform = "free"\nhost = { irq_entri = "1 us" }',
     "host.irq_entri = .*did you mean 'irq_entry'"),
    ('platform = "free"', 'platform = "free"\nhost = { irq_entry = 5 }', "host.irq_entry = 5: needs a unit"),
    ('platform = "free"', 'platform = "free"\nhost = { irq_entry = "5 B" }',
     "host.irq_entry = '5 B': unit 'B' does not fit"),
    ('platform = "free"', 'platform = "free"\nflags = { pair_loked = true }',
     "flags.pair_loked = .*did you mean 'pair_locked'"),
    ('platform = "free"', 'platform = "free"\nflags = { pair_locked = 1 }',
     "flags.pair_locked = 1: expected one of false, true"),
    ('platform = "free"', 'platform = "free"\nstraps = { depth = 3 }',
     "straps.depth = 3: expected one of 1, 2, 4"),
    ('platform = "free"', 'platform = "free"\nbus = { latency = "1 us" }',
     "unknown key 'bus.latency': did you mean"),
    ('platform = "free"', 'platform = "free"\nbus = { beat_interval = "0 cycles" }',
     "bus.beat_interval = .*out of range, 1 to"),
    ('platform = "free"', 'platform = "free"\nbus = { errors = [{ requester = "cpu" }] }',
     r"bus.errors\[0\].requester = 'cpu'"),
    ('platform = "free"', 'platform = "free"\nactions = [{ at = "1 us", do = "doze" }]',
     r"actions\[0\].do = 'doze'"),
    ('platform = "free"', 'platform = "free"\nactions = [{ at = "1 us", do = "irqs_off" }]',
     r"actions\[0\].for is missing"),
    ('platform = "free"',
     'platform = "free"\nactions = [{ at = "2 us", do = "up" }, { at = "1 us", do = "up" }]',
     r"actions\[1\].at = '1 us': actions stand in the order"),
    ('platform = "free"', 'platform = "free"\nlimits.wire_limit_ppm = { up = 5 }',
     "limits.wire_limit_ppm.up = 5: no such side"),
    ('platform = "free"', 'platform = "free"\nlimits.wire = 5', "unknown key 'limits.wire'"),
    ('variants = ["depth1", "depth2"]', "variants = []", "variants = .*expected at least one"),
    ('variants = ["depth1", "depth2"]', 'variants = ["depth1", "depth1"]',
     "variants = .*names something twice"),
    ('variants = ["depth1", "depth2"]', 'variants = "depth1"', "variants = 'depth1': expected a list"),
    ('variants = ["depth1", "depth2"]', 'variants = ["../x"]', "variants = '../x': a variant's name is"),
    ('variants = ["depth1", "depth2"]', 'variants = ["depth3"]',
     "variant.depth3.driver is missing.*did you mean 'depth"),
    ('variants = ["depth1", "depth2"]', 'variants = ["a"]\ndriver = "b"', "driver = 'b': known: depth1"),
    ('expect = "clean"', 'expect = "dirty"', 'expect = \'dirty\': expected "clean" or a list'),
    ('expect = "clean"', 'expect = ["tx_stoped"]', "expect = 'tx_stoped': did you mean 'tx_stopped'"),
    ('expect = "clean"', 'expect = ["golden_differs"]', "expect = 'golden_differs'"),
    ('expect = "clean"', 'expect = { depth1 = "clean" }', "says nothing of variant 'depth2'"),
    ('expect = "clean"', 'expect = { default = "clean", depth3 = "clean" }', "unknown key 'expect.depth3'"),
    ("frames = 4", "frames = 0", "traffic.tx.frames = 0: out of range, 1 to"),
    ("frames = 4", "frames = 1.5", "traffic.tx.frames = 1.5: expected a whole number"),
    ("frames = 4", "frames = 4\nframes_long = 3", "traffic.tx.frames_long = 3: out of range, 4 to"),
    ("frames = 4", "", "traffic.tx.frames is missing"),
    ("frames = 4", "frames = 4\nsizes = {}", "traffic.tx.size = .*either size"),
    ("frames = 4", "frames = 4\npcap = 'tests/data/tcp_iperf3.pcap'", "the capture says the sizes"),
    ('size = "64 B"', 'size = "63 B"', "traffic.tx.size = '63 B': out of range, 64 to 1518 B"),
    ('size = "64 B"', 'size = "1519 B"', "traffic.tx.size = '1519 B': out of range, 64 to 1518 B"),
    ('size = "64 B"', "size = 64", "traffic.tx.size = 64: needs a unit"),
    ('size = "64 B"', 'size = "64 cycles"', "traffic.tx.size = '64 cycles': unit 'cycles' does not fit here"),
    ('size = "64 B"', 'sizes = { min = "100 B", max = "99 B" }',
     "traffic.tx.sizes.max = '99 B': out of range, 100 to"),
    ('size = "64 B"', 'sizes = { mni = "100 B", max = "199 B" }', "traffic.tx.sizes.min is missing"),
    ('size = "64 B"', "", "traffic.tx.size = None: expected either"),
    ('gap = "wire"', 'gap = "11 B"', "traffic.rx.gap = '11 B': out of range, 12 to"),
    ('gap = "wire"', 'gap = "minimum"', "traffic.rx.gap = 'minimum': expected a number and a unit"),
    ('gap = "wire"', 'destination = "me"', "traffic.rx.destination = 'me'"),
    ('gap = "wire"', "destination = []", "traffic.rx.destination = .*at least one"),
    ('gap = "wire"', 'damage = [{ frame = 5, kind = "fcs" }]',
     r"traffic.rx.damage\[0\].frame = 5: out of range, 0 to 4"),
    ('gap = "wire"', 'damage = [{ frame = 1, kind = "crc" }]', r"traffic.rx.damage\[0\].kind = 'crc'"),
    ('gap = "wire"', "burst = { frames = 2 }", "traffic.rx.burst.pause is missing"),
    ('gap = "wire"', 'burst = { frames = 0, pause = "50 B" }',
     "traffic.rx.burst.frames = 0: out of range, 1 to"),
    ('gap = "wire"', 'burst = { pauses = 2, frames = 2, pause = "50 B" }',
     "unknown key 'traffic.rx.burst.pauses'"),
    ('platform = "free"', 'platform = "free"\nactions = [{ at = "1 us", do = "slow_reader", for = "5 us" }]',
     r"actions\[0\].cost is missing"),
    ('gap = "wire"', "damage = [5]", "traffic.rx.damage = 5: expected a list of tables"),
    ('gap = "wire"', "[traffic.both]\nframes = 1", "unknown key 'traffic.both'"),
    ('gap = "wire"', "[variant.depth3]\nseed = 1", "variant.depth3 = .*not in `variants`; did you mean"),
    ('gap = "wire"', "[variant]\ndepth1 = 4", "variant.depth1 = 4: expected a table"),
    ('gap = "wire"', "[variant.depth1]\ntitle = 'x'", "variant.depth1.title = 'x': unknown key"),
    ('gap = "wire"', "[variant.depth1.straps]\ndepth = 3",
     "variant.depth1.straps.depth = 3: expected one of"),
    ('gap = "wire"', "[variant.depth1.bus]\njiter = '1 us'", "unknown key 'variant.depth1.bus.jiter'"),
    ('gap = "wire"', "[variant.depth1]\nactions = [{ at = 5, do = 'up' }]",
     r"variant.depth1.actions\[0\].at = 5: needs a unit"),
    ('gap = "wire"', "gap =", "not valid TOML: .*line"),
]


@pytest.mark.parametrize(("old", "new", "words"), FAULTS, ids=[str(n) for n in range(len(FAULTS))])
def test_faults(tmp_path, old, new, words):
    path = write(tmp_path, changed(old, new))
    with pytest.raises(BenchError) as caught:
        load_scenario(path)
    assert re.search(words, str(caught.value)), str(caught.value)
    if "no such MAC" not in words:
        assert str(caught.value).startswith(str(path))


def test_no_traffic_at_all(tmp_path):
    with pytest.raises(BenchError, match=r"traffic is missing: expected a table traffic\.tx or traffic\.rx"):
        loaded(tmp_path, SMALL[:SMALL.index("[traffic.tx]")])


def test_a_limit_without_its_traffic(tmp_path):
    text = SMALL[:SMALL.index("[traffic.rx]")] + "[limits.wire_limit_ppm]\nrx = 100\n"
    with pytest.raises(BenchError,
                       match=r"limits\.wire_limit_ppm\.rx = 100: the scenario has no traffic\.rx"):
        loaded(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(BenchError, match=r"none\.toml: cannot be read: No such file"):
        load_scenario(tmp_path / "none.toml")
    odd = tmp_path / "odd.toml"
    odd.write_bytes(b"mac = '\xff'")
    with pytest.raises(BenchError, match=r"odd\.toml: not UTF-8 text \(byte 7\)"):
        load_scenario(odd)
    with pytest.raises(BenchError, match="cannot be read: Is a directory"):
        load_scenario(tmp_path)


def test_a_capture_that_is_not_there(tmp_path):
    text = changed('size = "64 B"', 'pcap = "no.pcap"')
    with pytest.raises(BenchError, match=r"traffic\.tx\.pcap = 'no\.pcap': no such file, neither beside"):
        loaded(tmp_path, text)


def test_the_example_in_the_documentation(tmp_path):
    text = (Path(__file__).resolve().parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    file = load_scenario(write(tmp_path, text.split("```toml\n")[1].split("```")[0]))
    assert list(file.variants) == ["depth1", "depth2", "slow"]
    assert file.variants["slow"].host == {"irq_entry": 25_000.0}
