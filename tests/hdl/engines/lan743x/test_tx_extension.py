"""The entry behind one with LS and EXT, which ends the frame: docs/engines/lan743x.md, section 5.1."""

import pytest

from tests.hdl.engines.lan743x.test_tx_load import fetches, on_the_wire
from tests.hdl.engines.lan743x.tx_bench import GAP_CYCLES, TxBench, pattern

EXTENSIONS = {"extension": {"DTYPE": 1, "IOC": 1, "LS": 1, "FCS": 1, "length": 200},
              "data": {"IOC": 1, "FCS": 1, "length": 200},
              "data that would be extended": {"LS": 1, "EXT": 1, "length": 200}, "nothing": {"length": 0}}
"""What may stand behind an entry with LS and EXT."""


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("length", [0, 60])
def test_behind_ls_with_ext_one_more_entry_belongs_to_the_frame_whatever_it_is(extension, length):
    bench = TxBench(txen=0)
    bench.put(0x18000, pattern(40))
    bench.put(0x19000, pattern(length, 2))
    bench.entry(0x18000, 40, FS=1)
    bench.entry(0x19000, length, LS=1, EXT=1)
    bench.entry(0x1A000, **EXTENSIONS[extension])
    follower = bench.frame(pattern(60, 5))
    bench.start()
    bench.at(300, txen=1)
    bench.run(700)
    sizes = [40, length, 60] if length else [40, 60]
    assert [size for _, _, size in fetches(bench)] == sizes, "no data of the extension"
    data = pattern(40) + pattern(length, 2)
    assert bench.wire == [(300, data), (300 + 8 + len(data) + GAP_CYCLES, on_the_wire(follower))]
    assert [count for _, count in bench.done] == [3, 1]
    assert bench.pulses["cause"] == [bench.done[1][0]], "its flags do not count"


@pytest.mark.parametrize("late", [False, True])
def test_an_extended_frame_is_loaded_when_its_extension_is_taken_and_its_data_is_in(late):
    """The extension comes with the data entry, before its burst has come in; or with a later tail."""
    bench = TxBench(latency=5)
    bench.put(0x8000, pattern(60))
    bench.entry(0x8000, 60, FS=1, FCS=1, LS=1, EXT=1)
    bench.entry(0, 0, DTYPE=1)
    bench.at(10, start=1, tail=1 if late else 2)
    bench.at(200, tail=2)
    bench.run(400)
    filled, = bench.cycles("tx_fill")
    x = bench.cycles("tx_desc")[-1] + 1
    assert (x > 200) == late
    loaded = x + 2 if late else filled + 1
    assert bench.wire == [(loaded, on_the_wire(pattern(60)))] and bench.done == [(loaded + 72, 2)]


@pytest.mark.parametrize("ext", [0, 1])
def test_an_extension_ends_a_frame_as_an_entry_with_ls_and_without_data_does(ext):
    """The same cycles, down to the next frame's."""
    bench = TxBench()
    bench.put(0x18000, pattern(60))
    bench.entry(0x18000, 60, FS=1, FCS=1, IOC=1, LS=ext, EXT=ext)
    bench.entry(0x19000, 500 * ext, DTYPE=ext, LS=1)
    bench.frame(pattern(60, 3))
    w = bench.start()
    bench.run(400)
    first = w + 1 + 12 + 1 + 3  # AR; twelve beats; IDLE, SETUP, LOAD, AR
    # granted in `first` - 1: IDLE in `first`, SETUP, IDLE, SETUP, LOAD, AR
    assert bench.cycles("tx_fetch") == [first, first + 5]
    assert bench.done[0] == (first + 15 + 1 + 72, 2) and bench.pulses["cause"][0] == bench.done[0][0]


@pytest.mark.parametrize("how", ["stop", "swr"])
def test_a_frame_thrown_away_before_its_extension_leaves_nothing_behind(how):
    """The entry that would have been its extension is not there; what is taken next begins a frame."""
    bench = TxBench()
    bench.entry(0x8000, 70, FS=1, FCS=1, LS=1, EXT=1)
    bench.start(10)
    bench.at(200, **{how: 1})
    bench.entries = 0
    bench.when = 210
    data = bench.frame(pattern(60, 3))
    bench.at(220, start=1, tail=1)
    bench.run(500)
    assert bench.named("tx_done")[0].index == 1 and [sent for _, sent in bench.wire] == [on_the_wire(data)]
    assert [count for _, count in bench.done] == [1]
