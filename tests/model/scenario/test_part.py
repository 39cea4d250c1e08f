"""What a scenario may say of a MAC, and that driver and engine know the same names."""

from importlib import import_module

import pytest

from model.errors import BenchError
from model.scenario import load_part, macs
from model.scenario.part import Option


def test_an_unknown_mac_names_the_nearest():
    with pytest.raises(BenchError, match="no such MAC: 'at91ethr': did you mean 'at91ether'"):
        load_part("at91ethr")


def test_an_empty_or_odd_name_is_no_mac():
    for name in ("", "..", "at91ether/"):
        with pytest.raises(BenchError, match="no such MAC"):
            load_part(name) if name != "at91ether/" else load_part("at91ether/part.toml")


@pytest.mark.parametrize("mac", macs())
def test_drivers_and_flags_are_those_of_the_driver(mac):
    part = load_part(mac)
    settings = import_module(f"model.drivers.{mac}.settings")
    assert part.drivers == {name: dict(variant.flags) for name, variant in settings.VARIANTS.items()}
    assert part.flags.keys() == settings.FLAGS.keys()
    for name, option in part.flags.items():
        for value in option.choices if option.choices is not None else (option.low, option.high):
            assert settings.FLAGS[name](value), f"{name} = {value!r}"


@pytest.mark.parametrize("mac", macs())
def test_straps_are_those_of_the_engine(mac):
    part = load_part(mac)
    codes = import_module(f"model.engines.{mac}.straps").CODES
    assert part.straps.keys() == codes.keys()
    for name, option in part.straps.items():
        values = option.choices if option.choices is not None else range(option.low, option.high + 1)
        assert set(values) == set(codes[name]), name
        assert option.default == codes[name][0], name


def test_a_flag_is_no_number_and_a_number_no_flag():
    flag, number = Option("tbre", True, (False, True)), Option("fifo_words", 7, None, 1, 7)
    assert flag.accepts(False) and not flag.accepts(0) and not flag.accepts("true")
    assert number.accepts(1) and not number.accepts(0) and not number.accepts(8) and not number.accepts(True)
    assert flag.right() == "one of false, true"
    assert number.right() == "a whole number, 1 to 7"


@pytest.mark.parametrize(("line", "words"), [
    ("clock_hz = 0", "clock_hz = 0: out of range"),
    ('mtu_max = "1500"', "mtu_max = '1500': expected a number and a unit"),
    ("clok_hz = 1", "unknown key 'clok_hz': did you mean 'clock_hz'"),
])
def test_a_faulty_part_file(tmp_path, line, words):
    whole = {"title": '"T"', "clock_hz": "1000", "tick_cycles": "2", "mtu_max": '"1500 B"',
             "frame_min": '"64 B"',
             "frame_max": '"1518 B"', "receive_max": '"1518 B"', "rx_grace": '"1 us"'}
    key, _, value = line.partition(" = ")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "part.toml").write_text("\n".join(f"{k} = {v}" for k,
                                                        v in (whole | {key: value}).items()))
    with pytest.raises(BenchError, match=words):
        load_part("x", tmp_path)
