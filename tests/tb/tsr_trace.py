"""Seven hand-overs back to back, with TSR read before and after each: what the trace of April 2021 did.

Runs in the golden world and inside a simulator alike.
"""

from hdl.registers import load

REGISTERS = load("at91ether")
FLAGS = REGISTERS.pack("TSR", OVR=1, COL=1, RLE=1, COMP=1, UND=1)
BUFFER, FRAME_BYTES = 0x4000, 1514
HAND_OVERS = 7


async def seven_hand_overs(world):
    """[TSR before, TSR after] of each. One frame was sent before, whose COMP is still there; flags are
    cleared after each hand-over by writing 1."""
    async def tsr():
        return await world.csr_read(REGISTERS.offset("TSR"))

    def hand_over(size):
        world.csr_write(REGISTERS.offset("TAR"), BUFFER)
        world.csr_write(REGISTERS.offset("TCR"), size)

    world.csr_write(REGISTERS.offset("CFG"), REGISTERS.pack("CFG", FD=1, SPD=1))
    world.csr_write(REGISTERS.offset("CTL"), REGISTERS.pack("CTL", TE=1))
    hand_over(60)
    while not await tsr() & REGISTERS.pack("TSR", COMP=1):
        await world.sleep(50)
    seen = []
    for _ in range(HAND_OVERS):
        before = await tsr()
        hand_over(FRAME_BYTES)
        seen.append([before, await tsr()])
        world.csr_write(REGISTERS.offset("TSR"), FLAGS)
    return seen
