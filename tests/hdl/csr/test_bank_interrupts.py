"""Interrupt causes in the bank: latching, masks, the line, and the race that a naive part loses."""


def test_cause_latches_while_masked_and_shows_on_the_line_when_enabled(at91):
    async def body(sim):
        await sim.cycle(inputs={"ISR.TCOM.set": 1})
        assert sim.get("ISR.TCOM.value") == 1 and sim.get("ISR.irq") == 0
        await sim.write("IER", 0x80)
        assert sim.get("ISR.irq") == 1
        await sim.write("IDR", 0x80)
        assert sim.get("ISR.irq") == 0
        assert await sim.read("ISR") == 0x80
        assert await sim.read("ISR") == 0

    at91.run(body)


def test_line_follows_the_registers_by_one_cycle(at91):
    async def body(sim):
        await sim.write("IER", 0x2)
        sim.offer(inputs={"ISR.RCOM.set": 1})
        assert sim.get("ISR.irq") == 0
        await sim.tick()
        sim.offer(inputs={"ISR.RCOM.set": 0})
        assert sim.get("ISR.irq") == 1
        sim.offer(read=0x24)
        assert sim.get("ISR.irq") == 1 and sim.get("ISR.read") == 1
        await sim.tick()
        sim.offer()
        assert sim.get("ISR.irq") == 0 and sim.get("ISR.read") == 0

    at91.run(body)


def test_cause_in_the_cycle_of_the_read_is_kept_unless_naive(at91):
    async def body(sim):
        for naive, kept in ((0, 0x80), (1, 0)):
            await sim.cycle(inputs={"ISR.RCOM.set": 1})
            assert await sim.read("ISR", {"ISR.TCOM.set": 1, "ISR.naive": naive}) == 0x02
            assert await sim.read("ISR") == kept

    at91.run(body)


def test_causes_that_software_raises_and_takes_back(kinds):
    async def body(sim):
        await sim.write("ENABLE_SET", 0x21)
        await sim.write("RAISE", 0xC0)
        assert await sim.read("CAUSES") == 0xC0 and sim.get("CAUSES.irq") == 0
        await sim.cycle(inputs={"CAUSES.B.set": 0b0010})
        assert await sim.read("CAUSES") == 0xE0 and sim.get("CAUSES.irq") == 1
        await sim.write("CAUSES", 0x60, **{"CAUSES.B.set": 0b0100})
        assert await sim.read("CAUSES") == 0xC0 and sim.get("CAUSES.irq") == 0

    kinds.run(body)


def test_only_bytes_with_a_strobe_raise_or_take_back(kinds):
    async def body(sim):
        await sim.write("RAISE", 0xFFFFFFFF, 0b1110)
        assert await sim.read("CAUSES") == 0
        await sim.write("RAISE", 0xFFFFFFFF, 0b0001)
        await sim.write("CAUSES", 0xFFFFFFFF, 0b1110)
        assert await sim.read("CAUSES") == 0xF1

    kinds.run(body)
