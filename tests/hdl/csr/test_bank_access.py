"""Every access type of the bank, one at a time, with the collisions of software and hardware."""

import pytest


def test_reset_values(kinds, at91):
    for bench in (kinds, at91):
        async def body(sim):
            for register in sim.registers:
                if register.readable:
                    assert await sim.read(register.name) == register.reset, register.name

        bench.run(body)


def test_plain_fields_honour_byte_strobes(kinds):
    async def body(sim):
        await sim.write("PLAIN", 0xFFFFFFFF, 0b0001)
        assert await sim.read("PLAIN") == 0x003450FF
        await sim.write("PLAIN", 0xABCDEF01, 0b1100)
        assert await sim.read("PLAIN") == 0xABCD50FF
        await sim.write("PLAIN", 0xABCDEF01, 0b0011)
        assert await sim.read("PLAIN") == 0xABCDE001
        await sim.write("PLAIN", 0, 0)
        assert await sim.read("PLAIN") == 0xABCDE001

    kinds.run(body)


def test_write_strobe_comes_in_the_cycle_of_the_write_before_the_storage_changes(kinds):
    async def body(sim):
        sim.offer(write=(0x00, 0x99887766, 0b0110))
        assert sim.get("PLAIN.written") and not sim.get("LOADED.written")
        assert sim.ctx.get(sim.bank.wdata) == 0x99887766 and sim.ctx.get(sim.bank.wstrb) == 0b0110
        assert sim.get("PLAIN.merged") == 0x00887012
        assert sim.get("PLAIN.HIGH.value") == 0x345
        await sim.tick()
        sim.offer()
        assert not sim.get("PLAIN.written")
        assert sim.get("PLAIN.HIGH.value") == 0x00887
        sim.offer(write=(0x00, 0, 0))
        assert not sim.get("PLAIN.written"), "a write without strobes reaches nothing"

    kinds.run(body)


@pytest.mark.parametrize("field, after", [("SW_WINS", 0x1111), ("HW_WINS", 0x2222)])
def test_precedence_decides_between_a_load_and_a_write(kinds, field, after):
    async def body(sim):
        load = {f"LOADED.{field}.we": 1, f"LOADED.{field}.next": 0x2222}
        await sim.write("LOADED", 0x11111111, **load)
        assert sim.get(f"LOADED.{field}.value") == after
        await sim.cycle(inputs=load)
        assert sim.get(f"LOADED.{field}.value") == 0x2222

    kinds.run(body)


@pytest.mark.parametrize("field, reset, after", [
    ("ONES_CLEAR", 0b1010, 0b1000), ("ONES_SET", 0b1010, 0b1011), ("ONES_TOGGLE", 0b1010, 0b1001),
    ("ZEROS_CLEAR", 0b1010, 0b0010), ("ZEROS_SET", 0b1010, 0b1110), ("ZEROS_TOGGLE", 0b1010, 0b0110),
    ("ANY_CLEARS", 0b1010, 0b0000), ("ANY_SETS", 0b1010, 0b1111),
])
def test_side_effects_of_a_write(kinds, field, reset, after):
    async def body(sim):
        await sim.cycle(inputs={f"FLAGS.{field}.set": 0b1111})
        await sim.cycle(inputs={f"FLAGS.{field}.clear": 0b0101})
        assert sim.get(f"FLAGS.{field}.value") == reset
        await sim.write("FLAGS", sim.registers.pack("FLAGS", **{field: 0b0011}))
        assert sim.get(f"FLAGS.{field}.value") == after

    kinds.run(body)


def test_side_effects_reach_only_bytes_with_a_strobe(kinds):
    everything = {"ONES_CLEAR": 0b1010, "ONES_SET": 0b1010, "ONES_TOGGLE": 0b1010, "ZEROS_CLEAR": 0b1010,
                  "ZEROS_SET": 0b1010, "ZEROS_TOGGLE": 0b1010, "ANY_CLEARS": 0b1010, "ANY_SETS": 0b1010}

    async def body(sim):
        for data in (0, 0xFFFFFFFF):
            for strobes in (0b0000, 0b0011, 0b1100):
                await sim.cycle(inputs={f"FLAGS.{field}.clear": 0b1111 for field in everything})
                await sim.cycle(inputs={f"FLAGS.{field}.set": value for field, value in everything.items()})
                before = await sim.read("FLAGS")
                await sim.write("FLAGS", data, strobes)
                changed = before ^ await sim.read("FLAGS")
                assert not changed & ~(0x0000FFFF if strobes == 0b0011 else 0xFFFF0000 if strobes else 0)
                assert bool(changed) == bool(strobes)

    kinds.run(body)


def test_setting_wins_over_every_way_to_clear(kinds, at91):
    async def kinds_body(sim):
        await sim.write("FLAGS", 0xF, **{"FLAGS.ONES_CLEAR.set": 0b0110, "FLAGS.ONES_CLEAR.clear": 0b0011})
        assert sim.get("FLAGS.ONES_CLEAR.value") == 0b0110
        await sim.read("ON_READ")
        assert await sim.read("ON_READ", {"ON_READ.CLEARS.set": 0x18}) & 0xFF == 0
        assert await sim.read("ON_READ") & 0xFF == 0x18
        assert await sim.read("ON_READ") & 0xFF == 0

    async def at91_body(sim):
        await sim.cycle(inputs={"TSR.COMP.set": 1})
        assert await sim.read("TSR") == 0x38
        await sim.write("TSR", 0x20, **{"TSR.COMP.set": 1})
        assert await sim.read("TSR") == 0x38
        await sim.write("TSR", 0xFFFFFFFF)
        assert await sim.read("TSR") == 0x18

    kinds.run(kinds_body)
    at91.run(at91_body)


def test_software_precedence_lets_a_read_lose_what_is_set(kinds):
    async def body(sim):
        await sim.read("ON_READ", {"ON_READ.LOSES.set": 0xFF})
        assert sim.get("ON_READ.LOSES.value") == 0

    kinds.run(body)


def test_read_to_set(kinds):
    async def body(sim):
        await sim.read("ON_READ", {"ON_READ.SETS.clear": 0x0F})
        assert sim.get("ON_READ.SETS.value") == 0xF0
        assert (await sim.read("ON_READ") >> 8) & 0xFF == 0xF0
        assert sim.get("ON_READ.SETS.value") == 0xFF

    kinds.run(body)


def test_counter_saturates_and_keeps_the_increment_of_the_cycle_it_is_read_in(kinds):
    async def body(sim):
        for _ in range(9):
            await sim.cycle(inputs={"COUNTERS.STOPS.increment": 1})
        assert await sim.read("COUNTERS", {"COUNTERS.STOPS.increment": 1}) == 0x607
        assert await sim.read("COUNTERS") == 0x601
        assert await sim.read("COUNTERS") == 0x600

    kinds.run(body)


def test_counter_that_wraps_and_is_written(kinds):
    async def body(sim):
        for expected in (7, 0, 1):
            await sim.cycle(inputs={"COUNTERS.WRAPS.increment": 1})
            assert sim.get("COUNTERS.WRAPS.value") == expected
        await sim.write("COUNTERS", 0x400, **{"COUNTERS.WRAPS.increment": 1})
        assert sim.get("COUNTERS.WRAPS.value") == 5

    kinds.run(body)


def test_statistics_are_cleared_by_the_bit_in_ctl_and_lose_nothing(at91):
    async def body(sim):
        for _ in range(3):
            await sim.cycle(inputs={"FRA.COUNT.increment": 1, "OK.COUNT.increment": 1})
        await sim.write("CTL", sim.registers.pack("CTL", CSR=1, TE=1))
        assert sim.get("FRA.COUNT.value") == 3 and sim.get("CTL.CSR.value") == 1
        await sim.cycle(inputs={"OK.COUNT.increment": 1})
        assert sim.get("FRA.COUNT.value") == 0 and sim.get("OK.COUNT.value") == 1
        assert await sim.read("CTL") == sim.registers.pack("CTL", TE=1)

    at91.run(body)


def test_single_pulse_lasts_one_cycle(kinds):
    async def body(sim):
        await sim.write("COMMAND", 0x201)
        assert sim.get("COMMAND.GO.value") == 1 and sim.get("COMMAND.MODE.value") == 2
        assert await sim.read("COMMAND") == 0x200, "a write-only field reads 0"
        assert sim.get("COMMAND.GO.value") == 0
        await sim.write("COMMAND", 0x001, 0b0010)
        assert sim.get("COMMAND.GO.value") == 0, "no strobe, no pulse"

    kinds.run(body)


def test_field_that_another_field_sets_or_clears(kinds):
    async def body(sim):
        await sim.write("COMMAND", 1)
        assert await sim.read("REFERRING") == 0xA500
        assert await sim.read("REFERRING") == 0x0001

    kinds.run(body)


def test_what_is_read_may_differ_from_what_is_written(kinds, at91):
    async def kinds_body(sim):
        await sim.write("TWO_FACED", 0x12345678)
        assert sim.get("TWO_FACED.ORDER.value") == 0x12345678
        assert await sim.read("TWO_FACED", {"TWO_FACED.STATUS.status": 0xCAFE}) == 0xCAFE
        assert await sim.read("TWO_FACED") == 0xBEEF

    async def at91_body(sim):
        sim.offer(write=(sim.registers.offset("RBQP"), 0x2000_1003), inputs={"RBQP.CURRENT.status": 0x40})
        assert sim.get("RBQP.written") and sim.get("RBQP.merged") == 0x2000_1000
        await sim.tick()
        sim.offer()
        assert sim.get("RBQP.BASE.value") == 0x2000_1000 >> 2
        assert await sim.read("RBQP") == 0x100

    kinds.run(kinds_body)
    at91.run(at91_body)


def test_locked_register_ignores_writes_and_gives_no_strobe(kinds):
    async def body(sim):
        sim.offer(write=(0x1C, 0xFFFFFFFF), inputs={"LOCKED.lock": 1})
        assert not sim.get("LOCKED.written")
        await sim.tick()
        sim.offer(inputs={"LOCKED.lock": 0})
        assert await sim.read("LOCKED") == 0
        await sim.write("LOCKED", 5)
        assert await sim.read("LOCKED") == 5

    kinds.run(body)


def test_aliases_share_one_storage(kinds, at91):
    async def kinds_body(sim):
        await sim.write("ENABLE_SET", 0xF1)
        await sim.write("ENABLE_CLEAR", 0x60)
        assert await sim.read("ENABLE_SET") == 0x91
        assert await sim.read("ENABLE_CLEAR") == 0

    async def at91_body(sim):
        await sim.write("IER", 0x0C6)
        assert await sim.read("IMR") == 0xF39
        await sim.write("IDR", 0x042)
        assert await sim.read("IMR") == 0xF7B
        await sim.write("IMR", 0)
        assert await sim.read("IMR") == 0xF7B, "the mask itself is read-only"
        assert await sim.read("IER") == await sim.read("IDR") == 0

    kinds.run(kinds_body)
    at91.run(at91_body)
