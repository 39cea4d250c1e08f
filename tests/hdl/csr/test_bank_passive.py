"""Registers that cost nothing while nobody looks: passive ones in a memory, external ones at the engine."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hdl.csr import RegisterBank, bank_signature
from hdl.registers import load
from tests.hdl.csr.conftest import BankSim

QUIET = """
addrmap quiet {
    default regwidth = 32; default accesswidth = 8; lsb0;
    reg { field { sw = rw; hw = na; } ALL[31:0] = 0xCAFE0123; } WHOLE @0x08;
    reg { default sw = rw; default hw = na; field {} LOW[7:0] = 0x12; field {} HIGH[23:20] = 3; } PARTS @0x0C;
    reg { default hw = na; field { sw = rw; } KEPT[7:0] = 1; field { sw = r; } FIXED[15:8] = 0x5A;
          field { sw = w; } UNSEEN[23:16] = 7; } MIXED @0x10;
    reg { field { sw = r; hw = na; } FIXED[31:0] = 0x7430; } CONSTANT @0x14;
    reg { field { sw = rw; hw = r; } A[7:0] = 0; } SEEN @0x18;
    external reg { field { sw = rw; hw = w; } A[31:0]; } BOTH @0x40;
    external reg { field { sw = r; hw = w; } A[31:0]; } READ @0x44;
};
"""


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quiet")
    (folder / "quiet.rdl").write_text(QUIET)
    return BankSim(load("quiet", folder))


def test_passive_registers_have_no_side_towards_the_engine(quiet):
    assert set(bank_signature(quiet.registers).members) == {"SEEN"}
    assert quiet.registers["CONSTANT"].passive and not quiet.registers["BOTH"].passive


def test_reset_values_and_bits_that_are_not_there(quiet):
    async def body(sim):
        for name, before, after in (
                ("WHOLE", 0xCAFE0123, 0xFFFFFFFF), ("PARTS", 0x00300012, 0x00F000FF),
                ("MIXED", 0x5A01, 0x5AFF), ("CONSTANT", 0x7430, 0x7430)):
            assert sim.registers[name].reset == before
            assert await sim.read(name) == before
            await sim.write(name, 0xFFFFFFFF)
            assert await sim.read(name) == after
        assert await sim.read("SEEN") == 0

    quiet.run(body)


def test_a_read_in_the_cycle_of_a_write_returns_what_was_there(quiet):
    async def body(sim):
        assert await sim.cycle(write=(0x08, 0x11223344), read=0x08) == 0xCAFE0123
        assert await sim.cycle(write=(0x08, 0, 0), read=0x08) == 0x11223344
        assert await sim.read("WHOLE") == 0x11223344

    quiet.run(body)


def test_the_engine_can_look_one_up(quiet):
    async def body(sim):
        peek = sim.bank.peek
        sim.ctx.set(peek.address, 0x0C)
        sim.offer(write=(0x0C, 0xFFFFFFFF, 0b0001))
        assert sim.ctx.get(peek.data) == 0x00300012
        assert sim.ctx.get(sim.bank.writing) == 1 and sim.ctx.get(sim.bank.waddr) == 0x0C
        await sim.tick()
        sim.offer()
        assert sim.ctx.get(peek.data) == 0x003000FF
        assert sim.ctx.get(sim.bank.writing) == 0

    quiet.run(body)


def test_writes_elsewhere_leave_the_memory_alone(quiet):
    async def body(sim):
        for offset in range(0, 0x1000, 4):
            if sim.registers.at(offset) is None or not sim.registers.at(offset).passive:
                await sim.cycle(write=(offset, 0xFFFFFFFF))
        for name in ("WHOLE", "PARTS", "MIXED", "CONSTANT"):
            assert await sim.read(name) == sim.registers[name].reset, name

    quiet.run(body)


def test_external_registers_are_answered_by_the_engine(quiet):
    async def body(sim):
        outside = sim.bank.external
        for name, writable in (("BOTH", 1), ("READ", 0)):
            offset = sim.registers.offset(name)
            sim.ctx.set(outside.data, 0x1000 + offset)
            sim.offer(read=offset, write=(offset, 5))
            assert sim.ctx.get(outside.read) == 1 and sim.ctx.get(sim.bank.raddr) == offset
            assert sim.ctx.get(outside.written) == writable and sim.ctx.get(sim.bank.waddr) == offset
            assert sim.ctx.get(sim.bank.wdata) == 5
            assert await sim.cycle(read=offset, write=(offset, 5)) == 0x1000 + offset
        sim.offer(read=0x18, write=(0x18, 1))
        assert sim.ctx.get(outside.read) == sim.ctx.get(outside.written) == 0
        sim.offer()
        assert sim.ctx.get(outside.read) == sim.ctx.get(outside.written) == 0

    quiet.run(body)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(accesses=st.lists(st.tuples(
    st.sampled_from(range(0x00, 0x20, 4)), st.integers(0, 0xFFFFFFFF), st.integers(0, 15),
    st.sampled_from(range(0x00, 0x20, 4))), min_size=1, max_size=40))
def test_any_order_of_accesses(quiet, accesses):
    async def body(sim):
        kept = {register.offset: register.reset for register in sim.registers if not register.external}
        for write, data, strobes, read in accesses:
            found = await sim.cycle(write=(write, data, strobes), read=read)
            assert found == kept.get(read, 0)
            bits = sum(0xFF << 8 * byte for byte in range(4) if strobes >> byte & 1)
            register = sim.registers.at(write)
            if register is not None:
                for field in register.fields:
                    changed = field.mask & bits if field.readable and field.writable else 0
                    kept[write] = kept[write] & ~changed | data & changed

    quiet.run(body)


def test_a_map_without_such_registers_has_no_ports_for_them():
    bank = RegisterBank(load("at91ether"))
    assert not hasattr(bank, "peek") and not hasattr(bank, "external")
