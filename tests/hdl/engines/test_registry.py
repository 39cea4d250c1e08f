"""Engines are found by looking for their packages."""

import pathlib

import pytest

import hdl.engines
from hdl.emit import emit


def test_every_package_is_an_engine():
    folder = pathlib.Path(hdl.engines.__file__).parent
    packages = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
    assert hdl.engines.names() == packages and "at91ether" in packages
    for name in packages:
        assert isinstance(hdl.engines.load(name).Engine, type)


def test_unknown_engine_names_the_known_ones():
    with pytest.raises(ValueError, match=r"no engine for MAC 'at91'; there are: .*at91ether"):
        hdl.engines.load("at91")


def test_a_helper_module_is_no_engine():
    with pytest.raises(ValueError, match="no engine"):
        hdl.engines.load("os")


@pytest.mark.parametrize("name", hdl.engines.names())
def test_every_engine_can_be_emitted(name):
    emitted = emit(hdl.engines.load(name).Engine(), name)
    assert f"module {name}(" in emitted.verilog
    assert {"clk", "rst", "csr__awvalid", "bus__awvalid"} <= set(emitted.sidecar["ports"])
    assert emitted.sidecar["lanes"] and emitted.sidecar["straps"] and emitted.sidecar["fsms"]
