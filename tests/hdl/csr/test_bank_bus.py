"""The AXI4-Lite face: handshakes, back-pressure, unmapped offsets, and what no bank is made of."""

import pytest

from hdl.csr import RegisterBank, bank_signature, descriptor_layouts, register_layout
from hdl.registers import Field, Register, RegisterMap, load


def test_write_waits_for_both_channels(kinds):
    async def body(sim):
        csr, ctx = sim.bank.csr, sim.ctx
        sim.offer(write=(0x00, 0xFF, 0xF))
        ctx.set(csr.wvalid, 0)
        assert not ctx.get(csr.awready)
        await sim.tick()
        ctx.set(csr.awvalid, 0)
        ctx.set(csr.wvalid, 1)
        assert not ctx.get(csr.wready)
        await sim.tick()
        assert sim.get("PLAIN.LOW.value") == 0x12 and not ctx.get(csr.bvalid)
        ctx.set(csr.awvalid, 1)
        assert ctx.get(csr.awready) and ctx.get(csr.wready)
        await sim.tick()
        assert sim.get("PLAIN.LOW.value") == 0xFF and ctx.get(csr.bvalid)

    kinds.run(body)


def test_stuck_response_holds_the_next_write(kinds):
    async def body(sim):
        csr, ctx = sim.bank.csr, sim.ctx
        ctx.set(csr.bready, 0)
        sim.offer(write=(0x00, 0x01, 0xF))
        await sim.tick()
        sim.offer(write=(0x00, 0x02, 0xF))
        for _ in range(3):
            assert ctx.get(csr.bvalid) and not ctx.get(csr.awready) and not sim.get("PLAIN.written")
            await sim.tick()
        assert sim.get("PLAIN.LOW.value") == 0x01
        ctx.set(csr.bready, 1)
        assert ctx.get(csr.awready), "the response leaves and the next write is taken in one cycle"
        await sim.tick()
        assert sim.get("PLAIN.LOW.value") == 0x02 and ctx.get(csr.bvalid)

    kinds.run(body)


def test_stuck_data_hold_the_next_read_and_its_side_effects(kinds):
    async def body(sim):
        csr, ctx = sim.bank.csr, sim.ctx
        ctx.set(csr.rready, 0)
        sim.offer(read=0x00)
        await sim.tick()
        sim.offer(read=0x0C)
        for _ in range(3):
            assert ctx.get(csr.rvalid) and ctx.get(csr.rdata) == 0x00345012
            assert not ctx.get(csr.arready) and not sim.get("ON_READ.read")
            await sim.tick()
        assert sim.get("ON_READ.CLEARS.value") == 0x81
        ctx.set(csr.rready, 1)
        await sim.tick()
        assert ctx.get(csr.rdata) == 0x81 and sim.get("ON_READ.CLEARS.value") == 0

    kinds.run(body)


def test_read_and_write_in_one_cycle(kinds):
    async def body(sim):
        assert await sim.cycle(write=(0x00, 0xFFFFFFFF), read=0x00) == 0x00345012
        assert await sim.cycle(read=0x00) == 0xFFFFF0FF

    kinds.run(body)


def test_back_to_back_reads_take_a_cycle_each(kinds):
    async def body(sim):
        csr, ctx = sim.bank.csr, sim.ctx
        for offset, before in ((0x00, None), (0x18, 0x00345012), (0x20, 0xBEEF)):
            sim.offer(read=offset)
            assert ctx.get(csr.arready)
            assert before is None or ctx.get(csr.rdata) == before
            await sim.tick()

    kinds.run(body)


def test_unmapped_offsets_read_0_ignore_writes_and_answer_okay(at91):
    async def body(sim):
        for offset in (0x1C, 0x38, 0x88, 0xFC, 0x100, 0xFFC):
            assert sim.registers.at(offset) is None
            await sim.cycle(write=(offset, 0xFFFFFFFF))
            assert sim.ctx.get(sim.bank.csr.bresp) == 0
            assert await sim.cycle(read=offset) == 0
            assert sim.ctx.get(sim.bank.csr.rresp) == 0
        for register in sim.registers:
            if register.readable:
                assert await sim.read(register.name) == register.reset, register.name

    at91.run(body)


def one_register(**changes):
    return RegisterMap("toy", (Register(**({"name": "R", "offset": 0, "width": 32, "accesswidth": 32,
                                            "fields": (Field("A", 0, 4),)} | changes)),), size_bytes=4)


@pytest.mark.parametrize("changes, text", [
    ({"width": 64}, "toy: register R is 64 bits wide at 0x0; the bank takes 32 bits at multiples of 4"),
    ({"offset": 2}, "toy: register R is 32 bits wide at 0x2; the bank takes 32 bits at multiples of 4"),
    ({"fields": (Field("written", 0, 4),)},
     "register R: a field may not be named 'written', which is a member that every register has"),
])
def test_map_that_no_bank_can_be_made_of(changes, text):
    with pytest.raises(ValueError) as error:
        RegisterBank(one_register(**changes))
    assert str(error.value) == text


def test_map_that_needs_more_address_bits():
    with pytest.raises(ValueError, match=r"at91ether: 184 bytes of registers need an addr_width of 8, not 7"):
        RegisterBank(load("at91ether"), addr_width=7)


def test_reference_of_another_width_is_refused():
    fields = (Field("WIDE", 0, 4, hwset="R.PAIR"), Field("PAIR", 8, 2))
    with pytest.raises(ValueError, match=r"toy: R\.PAIR is 2 bits wide and is to act on WIDE of 4 bits"):
        RegisterBank(one_register(fields=fields)).elaborate(None)


def test_cause_with_a_plain_write_is_refused():
    fields = (Field("A", 0, 1, sw="rw", intr=True),)
    with pytest.raises(ValueError, match=r"toy: cause R\.A can be written with onwrite = None; .* woclr"):
        RegisterBank(one_register(fields=fields)).elaborate(None)


def test_signature_has_what_each_field_needs_and_no_more():
    regs = bank_signature(load("at91ether")).members
    assert set(regs["TSR"].signature.members["IDLE"].signature.members) == {"status"}
    assert set(regs["TSR"].signature.members["OVR"].signature.members) == {"value", "set"}
    assert set(regs["FRA"].signature.members["COUNT"].signature.members) == {"value", "increment"}
    assert set(regs["MAN"].signature.members["DATA"].signature.members) == {"value", "we", "next"}
    assert set(regs["IER"].signature.members) == {"written"}
    assert {"written", "read", "merged", "lock"} <= set(regs["MAN"].signature.members)


def test_layouts_have_the_fields_in_place():
    at91 = load("at91ether")
    layout = register_layout(at91["TCR"])
    assert layout.size == 32 and layout["NCRC"].offset == 15 and layout["LEN"].width == 11
    words = descriptor_layouts(at91.descriptor("rx_descriptor"))
    assert words["WORD0"]["ADDRESS"].offset == 2 and words["WORD1"]["BROADCAST"].offset == 31
