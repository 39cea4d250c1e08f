"""A register bank under Amaranth's simulator, driven cycle by cycle."""

import pytest
from amaranth.sim import Simulator

from hdl.csr import RegisterBank
from hdl.registers import load

KINDS = """
addrmap kinds {
    default regwidth = 32; default accesswidth = 8; lsb0;
    reg { default sw = rw; default hw = r; default swmod;
          field { } LOW[7:0] = 0x12; field { } HIGH[31:12] = 0x345; } PLAIN @0x00;
    reg { field { sw = rw; hw = rw; we; } SW_WINS[15:0] = 0;
          field { sw = rw; hw = rw; we; precedence = hw; } HW_WINS[31:16] = 0; } LOADED @0x04;
    reg { default sw = rw; default hw = rw; default hwset; default hwclr; default precedence = hw;
          field { onwrite = woclr; } ONES_CLEAR[3:0] = 0;   field { onwrite = woset; } ONES_SET[7:4] = 0;
          field { onwrite = wot; } ONES_TOGGLE[11:8] = 0;   field { onwrite = wzc; } ZEROS_CLEAR[15:12] = 15;
          field { onwrite = wzs; } ZEROS_SET[19:16] = 0;    field { onwrite = wzt; } ZEROS_TOGGLE[23:20] = 0;
          field { onwrite = wclr; } ANY_CLEARS[27:24] = 15; field { onwrite = wset; } ANY_SETS[31:28] = 0;
    } FLAGS @0x08;
    reg { field { sw = r; hw = rw; onread = rclr; hwset; precedence = hw; } CLEARS[7:0] = 0x81;
          field { sw = r; hw = rw; onread = rset; hwclr; precedence = hw; } SETS[15:8] = 0;
          field { sw = r; hw = rw; onread = rclr; hwset; } LOSES[23:16] = 0; } ON_READ @0x0C;
    reg { field { sw = r; hw = r; counter; incrsaturate; onread = rclr; precedence = hw; } STOPS[2:0] = 0;
          field { sw = rw; hw = r; counter; precedence = hw; } WRAPS[10:8] = 6; } COUNTERS @0x10;
    reg { field { sw = w; hw = r; singlepulse; } GO[0:0] = 0;
          field { sw = rw; hw = r; } MODE[9:8] = 1; } COMMAND @0x14;
    reg { field { sw = r; hw = w; } STATUS[15:0] = 0xBEEF;
          field { sw = w; hw = r; } ORDER[31:0] = 0; } TWO_FACED @0x18;
    reg { field { sw = rw; hw = r; swwel; swmod; } ALL[31:0] = 0; } LOCKED @0x1C;
    reg mask_t { default sw = rw; default hw = r; default onwrite = woset;
                 field { } A[0:0] = 0; field { } B[7:4] = 0; };
    reg unmask_t { default sw = w; default hw = r; default onwrite = woclr;
                   field { } A[0:0] = 0; field { } B[7:4] = 0; };
    mask_t ENABLE_SET @0x20;
    alias ENABLE_SET unmask_t ENABLE_CLEAR @0x24;
    reg cause_t { default sw = rw; default hw = rw; default intr; default hwset; default onwrite = woclr;
                  default precedence = hw; field { } A[0:0] = 0; field { } B[7:4] = 0; };
    reg raise_t { default sw = w; default hw = rw; default intr; default hwset; default onwrite = woset;
                  default precedence = hw; field { } A[0:0] = 0; field { } B[7:4] = 0; };
    cause_t CAUSES @0x28;
    alias CAUSES raise_t RAISE @0x2C;
    CAUSES.A->enable = ENABLE_SET.A; CAUSES.B->enable = ENABLE_SET.B;
    RAISE.A->enable = ENABLE_SET.A; RAISE.B->enable = ENABLE_SET.B;
    reg { default sw = rw; default hw = r;
          field { } BUSY[0:0] = 0; field { } TOTAL[15:8] = 0xA5; } REFERRING @0x40;
    REFERRING.BUSY->hwset = COMMAND.GO; REFERRING.TOTAL->hwclr = COMMAND.GO;
};
"""


class BankSim:
    """One bank, elaborated once, run as often as wanted from reset."""

    def __init__(self, registers, **options):
        self.registers = registers
        self.bank = RegisterBank(registers, **options)
        self.simulator = Simulator(self.bank)
        self.simulator.add_clock(1e-8)
        self._body = None

    async def _testbench(self, ctx):
        self.ctx = ctx
        ctx.set(self.bank.csr.bready, 1)
        ctx.set(self.bank.csr.rready, 1)
        await self._body(self)

    def run(self, body):
        """Run `async def body(sim)` from reset."""
        first, self._body = self._body is None, body
        if first:
            self.simulator.add_testbench(self._testbench)
        else:
            self.simulator.reset()
        self.simulator.run()

    def member(self, path):
        """The engine's side of "REG.member" or "REG.FIELD.member"."""
        found = self.bank.regs
        for name in path.split("."):
            found = getattr(found, name)
        return found

    def get(self, path):
        return self.ctx.get(self.member(path))

    def offer(self, *, write=None, read=None, inputs=None):
        """Drive this cycle: a write (offset, data[, strobes]), a read (offset), engine inputs by path."""
        csr = self.bank.csr
        offset, data, strobes = (*write, 0xF)[:3] if write else (0, 0, 0)
        values = {"awvalid": write is not None, "wvalid": write is not None, "awaddr": offset, "wdata": data,
                  "wstrb": strobes, "arvalid": read is not None, "araddr": read or 0}
        for name, value in values.items():
            self.ctx.set(getattr(csr, name), value)
        for path, value in (inputs or {}).items():
            self.ctx.set(self.member(path), value)

    async def tick(self):
        await self.ctx.tick()

    async def cycle(self, **offered):
        """One cycle as `offer` says; returns the data of a read. Engine inputs are released after it."""
        self.offer(**offered)
        if offered.get("write"):
            assert self.ctx.get(self.bank.csr.awready) and self.ctx.get(self.bank.csr.wready)
        if offered.get("read") is not None:
            assert self.ctx.get(self.bank.csr.arready)
        reading = self.ctx.get(self.bank.reading)
        await self.tick()
        self.offer(inputs={path: self.member(path).init if path.endswith("status") else 0
                           for path in offered.get("inputs") or ()})
        assert self.ctx.get(self.bank.csr.bvalid) == bool(offered.get("write"))
        if offered.get("read") is not None:
            assert self.ctx.get(self.bank.csr.rvalid) and self.ctx.get(self.bank.csr.rdata) == reading
            return reading
        assert reading == 0
        return None

    async def write(self, name, data, strobes=0xF, **inputs):
        await self.cycle(write=(self.registers.offset(name), data, strobes), inputs=inputs)

    async def read(self, name, inputs=None):
        return await self.cycle(read=self.registers.offset(name), inputs=inputs)


@pytest.fixture(scope="session")
def kinds_map(tmp_path_factory):
    """A map with every kind of access that the bank knows."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.rdl").write_text(KINDS)
    return load("kinds", folder)


@pytest.fixture(scope="session")
def kinds(kinds_map):
    return BankSim(kinds_map)


@pytest.fixture(scope="session")
def at91():
    return BankSim(load("at91ether"))


@pytest.fixture(scope="session")
def lan():
    """The build with one RX channel: the registers of the others are passive."""
    return BankSim(load("lan743x").passive("RX[123]_*"), addr_width=13)
