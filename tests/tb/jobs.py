"""Coroutines that the tests of the bench run inside a simulator; the dummy engine's registers are in
dummy_engine.v."""

from __future__ import annotations

from typing import Any

SRC, DST, SHAPE, CMD, ISR, MASK, SCRATCH, STRAPS, MDIO, PULSE = range(0, 0x28, 4)
READS, WRITES = 1, 2


def fill(native: Any, **_: Any) -> None:
    """Host memory holds its own word addresses."""
    native.mem.view("<u4")[:] = range(0, native.mem.size, 4)


def odd(native: Any, **_: Any) -> None:
    """The same plus one: every word's bit 0 is set."""
    fill(native)
    native.mem.view("<u4")[:] += 1


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


class Recorder:
    """Makes register accesses and keeps `accesses`: [kind, cycle issued, cycle returned], in order."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.accesses: list[list[Any]] = []

    def write(self, offset: int, value: int) -> None:
        self.accesses.append(["w", self.world.now(), None])
        self.world.csr_write(offset, value)

    async def read(self, offset: int) -> int:
        access = ["r", self.world.now(), None]
        self.accesses.append(access)
        value = await self.world.csr_read(offset)
        access[2] = self.world.now()
        return value


async def shuttle(world: Any, src: int, dst: int, beats_read: int, reads: int, beats_write: int, writes: int,
                  pauses: list[int], watch: int | None = None,
                  again_from: int | None = None) -> dict[str, Any]:
    """Reads into the buffer; then reads (from `again_from` if given) and writes at once, with register
    accesses after each of `pauses`, until both are done. Nothing here waits for an interrupt.

    Returns the accesses and, of each word from `watch` on (one a write), the first cycle in which it differs
    from before.
    """
    registers = Recorder(world)
    changed: list[int] = []

    async def look() -> None:
        words = world.mem[watch:watch + 4 * writes].view("<u4")
        before = words.copy()
        for k in range(writes):
            while words[k] == before[k]:
                await world.sleep(1)
            changed.append(world.now())

    async def done(wanted: int) -> None:
        k, seen = 0, 0
        while seen != wanted:
            await world.sleep(pauses[k % len(pauses)])
            registers.write(SCRATCH, k)
            seen |= await registers.read(ISR)
            k += 1

    registers.write(SRC, src)
    registers.write(DST, dst)
    registers.write(SHAPE, beats_read - 1 | beats_write - 1 << 8 | reads << 16 | writes << 24)
    registers.write(CMD, READS)
    await done(READS)
    if watch is not None:
        world.spawn(look())
    if again_from is not None:
        registers.write(SRC, again_from)
    registers.write(CMD, READS | WRITES)
    await done(READS | WRITES)
    await world.sleep(2000)
    return {"accesses": registers.accesses, "changed": changed}


async def interrupts(world: Any, data: int, dst: int, writes: int, again: int) -> dict[str, Any]:
    """Write 32 words to `dst` and, once the engine has handed them over, a message to each of `writes` lines;
    then `again` more messages to line 0, of which only every second finds it acknowledged.

    Returns the accesses; `woken`: by line the cycle in which its waiter woke, whether the words were all
    there, and the line's level once acknowledged; `later`: cycle and level of line 0 after two messages, its
    level once acknowledged, and a cycle later.
    """
    registers = Recorder(world)
    woken: dict[str, Any] = {}

    async def waiter(line: int) -> None:
        signal = world.irq(line)
        await world.wait(None, signal)
        signal.acknowledge()
        complete = bool((world.mem[dst:dst + 128] == world.mem[data:data + 128]).all())
        woken[str(line)] = [world.now(), complete, signal.level()]

    async def command(address: int, beats: int, bursts: int) -> None:
        registers.write(DST, address)
        registers.write(SHAPE, 31 | beats - 1 << 8 | 1 << 16 | bursts << 24)
        registers.write(CMD, WRITES)
        while not await registers.read(ISR) & WRITES:
            await world.sleep(1)

    registers.write(SRC, data)
    registers.write(SHAPE, 31 | 1 << 16)
    registers.write(CMD, READS)
    while not await registers.read(ISR) & READS:
        await world.sleep(50)
    for line in range(writes):
        world.spawn(waiter(line))
    await command(dst, 32, 1)
    await command(0xFEE0_0000, 1, writes)
    while len(woken) < writes:
        await world.sleep(100)
    line, later = world.irq(0), []
    for k in range(again):
        await command(0xFEE0_0000, 1, 1)
        if k % 2:      # two messages for one acknowledgement
            await world.wait(None, line)
            await world.sleep(3000)
            levels = [line.level()]
            line.acknowledge()
            levels.append(line.level())
            await world.sleep(1)
            later.append([world.now(), *levels, line.level()])
    return {"accesses": registers.accesses, "woken": woken, "later": later}
