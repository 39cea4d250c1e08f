"""Coroutines that the tests of the bench run inside a simulator; the dummy engine's registers are in
dummy_engine.v."""

from __future__ import annotations

from typing import Any

SRC, DST, SHAPE, CMD, ISR, MASK, SCRATCH, STRAPS, MDIO, PULSE = range(0, 0x28, 4)
READS, WRITES = 1, 2


def fill(native: Any, **_: Any) -> None:
    """Host memory holds its own word addresses."""
    native.mem.view("<u4")[:] = range(0, native.mem.size, 4)


async def idle(world: Any, cycles: int) -> int:
    await world.sleep(cycles)
    return world.now()


async def copy(world: Any, src: int, dst: int, beats_read: int, reads: int, beats_write: int, writes: int,
               both: bool = False) -> list[int]:
    """Read bursts into the dummy's buffer, then (or, with `both`, at once) write bursts from it."""
    world.csr_write(SRC, src)
    world.csr_write(DST, dst)
    world.csr_write(SHAPE, beats_read - 1 | beats_write - 1 << 8 | reads << 16 | writes << 24)
    world.csr_write(MASK, 3)
    world.csr_write(CMD, READS | WRITES if both else READS)
    seen = 0
    wanted = READS | WRITES if both else READS
    cycles = []
    while seen != (READS | WRITES):
        await world.wait(None, world.irq())
        cycles.append(world.now())
        seen |= await world.csr_read(ISR)
        if seen == wanted == READS:
            wanted = READS | WRITES
            world.csr_write(CMD, WRITES)
    return cycles


async def registers(world: Any) -> dict[str, Any]:
    """Posted writes and reads issued in a pattern; says when each read returned and with what."""
    issued, returned = [], []
    for k in range(3):                                    # three at one falling edge
        issued.append(["w", world.now()])
        world.csr_write(SCRATCH, 0x11111111 * (k + 1), 1 << k)
    issued.append(["r", world.now()])
    returned.append([world.now(), await world.csr_read(SCRATCH), world.now()])
    for pause in (1, 2, 3, 7):
        await world.sleep(pause)
        issued.append(["r", world.now()])
        returned.append([world.now(), await world.csr_read(STRAPS), world.now()])
        issued.append(["w", world.now()])
        world.csr_write(SCRATCH, pause)
        if pause > 2:
            issued.append(["r", world.now()])
            returned.append([world.now(), await world.csr_read(SCRATCH), world.now()])
    await world.sleep(50)
    return {"issued": issued, "returned": returned}


async def loop(world: Any, start_after: int, cycles: int) -> int:
    """Start the player, let the dummy send everything back."""
    await world.sleep(start_after)
    started = world.now()
    world.wire_start()
    await world.sleep(cycles)
    return started


async def signals(world: Any) -> list[list[Any]]:
    """Several coroutines that wake at the same falling edges; the order in which they did."""
    order: list[list[Any]] = []
    flag = world.signal()

    async def sleeper(name: str, cycles: int, sets: bool) -> None:
        await world.sleep(cycles)
        order.append([name, world.now()])
        if sets:
            flag.set()

    async def waiter(name: str, cycles: int | None, *what: Any) -> None:
        await world.wait(cycles, *what)
        order.append([name, world.now(), flag.level(), world.irq(1).level()])

    world.spawn(sleeper("sleep a", 20, False))
    world.spawn(waiter("limit", 20, flag))
    world.spawn(waiter("flag", None, flag))
    world.spawn(sleeper("sleep b", 20, True))
    await world.sleep(1)
    world.spawn(waiter("line", None, world.irq(1)))
    await world.sleep(15)
    world.csr_write(PULSE, 0)                             # irq 1 is high in the cycle after it is taken
    await world.sleep(2)
    order.append(["main", world.now(), world.irq(1).level()])
    await world.sleep(10)
    flag.clear()
    await world.wait(5, flag)
    order.append(["end", world.now()])
    return order


async def mdio(world: Any, phy: int, writes: list[list[int]], reads: list[int]) -> list[int]:
    """Clause 22 frames by setting pins, as slow as a CPU does it."""
    async def bit(value: int | None) -> int:
        pins = 0 if value is None else 4 | value << 1
        world.csr_write(MDIO, pins)
        await world.sleep(6)
        seen = await world.csr_read(MDIO)
        world.csr_write(MDIO, pins | 1)
        await world.sleep(6)
        return seen >> 3 & 1

    async def send(value: int, bits: int) -> None:
        for k in reversed(range(bits)):
            await bit(value >> k & 1)

    for register, value in writes:
        await send(2**32 - 1, 32)
        await send(0b0101 << 28 | phy << 23 | register << 18 | 0b10 << 16 | value, 32)
    values = []
    for register in reads:
        await send(2**32 - 1, 32)
        await send(0b0110 << 10 | phy << 5 | register, 14)
        turnaround = await bit(None) << 1 | await bit(None)
        value = 0
        for _ in range(16):
            value = value << 1 | await bit(None)
        values.append(turnaround << 16 | value)
    return values


async def fails(world: Any) -> None:
    await world.sleep(3)
    raise LookupError("on purpose")


async def deadlock(world: Any) -> None:
    await world.wait(None, world.signal())


async def unanswered(world: Any) -> None:
    world.csr_write(SCRATCH, 1)
    await world.sleep(10)


async def race(world: Any, at: int, words: int) -> None:
    """Fill the buffer, then read and write the same words at the same time."""
    await copy(world, 0x1000, 0x2000, 1, words, 1, words)
    await copy(world, at, at, 1, words, 1, words, both=True)


async def outside(world: Any) -> None:
    await copy(world, world.mem.size, 0x100, 4, 1, 4, 1)
    await copy(world, 0x100, world.mem.size + 64, 1, 1, 2, 1)


async def stuck(world: Any, marker: str) -> None:
    """Never gives control back."""
    with open(marker, "w") as file:
        file.write(str(__import__("os").getpid()))
    while True:
        pass
