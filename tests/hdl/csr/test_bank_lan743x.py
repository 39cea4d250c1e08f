"""The registers of lan743x in the bank: masks with two addresses, commands, doorbells, levels and latches."""

import pytest


def test_reset_values(lan):
    async def body(sim):
        for register in sim.registers:
            if register.readable:
                assert await sim.read(register.name) == register.reset, register.name

    lan.run(body)


def test_a_mask_is_set_and_cleared_at_two_addresses_and_by_the_engine(lan):
    async def body(sim):
        await sim.write("INT_EN_SET", 0x0F010201)
        await sim.write("INT_EN_CLR", 0x01000001)
        assert await sim.read("INT_EN_SET") == 0x0E010200
        assert await sim.read("INT_EN_CLR") == 0
        await sim.cycle(inputs={"INT_EN_SET.RX.set": 0b0001, "INT_EN_SET.RX.clear": 0b0011})
        assert await sim.read("INT_EN_SET") == 0x0D010200
        await sim.write("INT_EN_SET", 0x02000000, **{"INT_EN_SET.RX.clear": 0b0110})
        assert await sim.read("INT_EN_SET") == 0x0B010200, "a write wins over an automatic clear"
        await sim.write("INT_EN_CLR", 0x01000000, **{"INT_EN_SET.RX.set": 0b0101})
        assert await sim.read("INT_EN_SET") == 0x0E010200

    lan.run(body)


def test_a_doorbell_tells_index_and_flags_in_its_own_cycle(lan):
    async def body(sim):
        sim.offer(write=(sim.registers.offset("RX0_TAIL"), 0x6000007F))
        assert sim.get("RX0_TAIL.written") and not sim.get("TX0_TAIL.written")
        assert sim.get("RX0_TAIL.merged") == 0x6000007F and sim.ctx.get(sim.bank.wdata) >> 29 == 0b011
        await sim.tick()
        sim.offer()
        assert sim.get("RX0_TAIL.INDEX.value") == 0x7F
        assert sim.get("RX0_TAIL.SET_TOP_INT_EN.value") == sim.get("RX0_TAIL.SET_TOP_INT_VEC_EN.value") == 1
        await sim.tick()
        assert sim.get("RX0_TAIL.SET_TOP_INT_EN.value") == sim.get("RX0_TAIL.SET_TOP_INT_VEC_EN.value") == 0
        assert await sim.read("RX0_TAIL") == 0x7F
        await sim.cycle(inputs={"RX0_TAIL.INDEX.clear": 0xFFFF})
        assert await sim.read("RX0_TAIL") == 0

    lan.run(body)


def test_start_and_stop_of_a_channel_are_its_state(lan):
    async def body(sim):
        await sim.write("DMAC_CMD", 0x30)
        await sim.write("DMAC_CMD", 0x01)
        assert await sim.read("DMAC_CMD") == 0x31, "channel 0 stop pending, channel 1 running"
        await sim.cycle(inputs={"DMAC_CMD.START_R.clear": 0b0001})
        assert await sim.read("DMAC_CMD") == 0x21
        await sim.write("DMAC_CMD", 0x81000100)
        assert await sim.read("DMAC_CMD") == 0x81000121
        await sim.cycle(inputs={
            f"DMAC_CMD.{command}.clear": 1 for command in ("RX_SWR", "STOP_R", "SWR", "TX_SWR")})
        assert await sim.read("DMAC_CMD") == 0x20

    lan.run(body)


def test_the_software_interrupt_is_latched_and_the_others_are_levels(lan):
    async def body(sim):
        await sim.write("INT_SET", 0xFFFFFFFF)
        assert await sim.read("INT_STS") == 0x200
        sim.offer(inputs={"INT_STS.RX.status": 0b0101, "INT_STS.MAS.status": 1})
        assert await sim.cycle(read=sim.registers.offset("INT_STS")) == 0x05000201
        for _ in range(2):
            sim.offer(read=sim.registers.offset("INT_STS_R2C"))
            assert sim.get("INT_STS_R2C.read"), "the engine clears what the configuration says"
            assert await sim.cycle(read=sim.registers.offset("INT_STS_R2C")) == 0x05000201, "SW_GP stays"
        await sim.write("INT_STS", 0xFFFFFFFF)
        assert await sim.cycle(read=sim.registers.offset("INT_STS_R2C")) == 0x05000001
        await sim.write("INT_SET", 0x200, **{"INT_STS.SW_GP.clear": 1})
        assert await sim.read("INT_STS") == 0x05000001, "the engine can lose it"

    lan.run(body)


@pytest.mark.parametrize("register, field, bit", [
    ("DMAC_INT_STS", "RXFRM", 16), ("DMAC_INT_STS", "TX_IOC", 0), ("MAC_RX", "RXD", 1), ("MAC_TX", "TXD", 1)])
def test_a_status_is_kept_if_it_is_set_in_the_cycle_of_its_clear(lan, register, field, bit):
    async def body(sim):
        reset = sim.registers[register].reset
        await sim.cycle(inputs={f"{register}.{field}.set": 1})
        assert await sim.read(register) == reset | 1 << bit
        await sim.write(register, reset | 1 << bit, **{f"{register}.{field}.set": 1})
        assert await sim.read(register) == reset | 1 << bit
        await sim.write(register, reset | 1 << bit)
        assert await sim.read(register) == reset

    lan.run(body)


def test_ptp_commands_are_done_at_once(lan):
    async def body(sim):
        await sim.write("PTP_CMD_CTL", 0x04)
        assert await sim.read("PTP_CMD_CTL") == 0x04
        await sim.write("PTP_CMD_CTL", 0x0A, **{"PTP_CMD_CTL.ENABLE.clear": 1})
        assert sim.get("PTP_CMD_CTL.CLOCK_READ.value") == sim.get("PTP_CMD_CTL.DISABLE.value") == 1
        await sim.cycle(inputs={"PTP_CLOCK_SEC.SEC.we": 1, "PTP_CLOCK_SEC.SEC.next": 77})
        assert await sim.read("PTP_CMD_CTL") == 0 and await sim.read("PTP_CLOCK_SEC") == 77

    lan.run(body)


def test_channels_left_out_are_memory(lan):
    async def body(sim):
        assert not hasattr(sim.bank.regs, "RX1_TAIL")
        await sim.write("RX3_TAIL", 0xE000007F)
        await sim.write("RX3_HEAD", 5)
        assert await sim.read("RX3_TAIL") == 0x7F and await sim.read("RX3_HEAD") == 0

    lan.run(body)
