"""Register bank: AXI4-Lite on one side, the engine's view of it (`hdl.csr.interface`) on the other.

Timing: a write is taken in the cycle c in which awvalid and wvalid are both up and no response is stuck, and
takes effect at the edge that ends c, with bvalid in c+1. A read is taken in the cycle in which arvalid is up
and no data are stuck; it returns the state of c in c+1, and its side effects happen at the edge that ends c.
A read and a write may be taken in the same cycle; the read returns what was there before. Offsets without a
register read 0 and ignore writes; both answer OKAY.

The two low address bits are not looked at. Writes honour byte strobes; a read has none, so it reads (and
clears) the whole register.
"""

import contextlib

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, Signature

from hdl.bus.axi4 import AXI4Lite, Response
from hdl.irq import InterruptLatch
from hdl.registers import Field, Register, RegisterMap

from .interface import bank_signature
from .passive import PassiveMemory, passive_kinds
from .reach import Reach
from .storage import next_value, written_value

__all__ = ["RegisterBank"]

DATA_WIDTH = 32


def _joined(parts) -> int:
    """One value of parts (width, value), the first one lowest."""
    joined, position = 0, 0
    for width, value in parts:
        joined |= value << position
        position += width
    return joined


class RegisterBank(wiring.Component):
    """The registers of a map.

    Parameters
    ----------
    registers: the map; every register 32 bits wide at a multiple of 4 bytes.
    addr_width: bits of a byte address on `csr`.

    Members
    -------
    csr: AXI4-Lite, the bank being the subordinate.
    wdata, wstrb: the write being taken, beside the `written` strobes.
    ones: the bits to which it writes 1; 0 while no write is taken.
    writing, waddr: 1 while a write with a strobe is taken, to a register or not; its byte address.
    reading: what the read being taken will return in the next cycle; 0 while none is.
    raddr: byte address of the read being taken.
    regs: the engine's side: `regs.<REG>.<member>` and `regs.<REG>.<FIELD>.<member>`. Passive and external
        registers have none.
    peek: with passive registers, which are kept in a memory: `peek.data` is what the one at byte address
        `peek.address` holds, in the same cycle. A reset does not restore that memory.
    external: with external registers: 1 on `external.read` or `external.written` while an access to one of
        them is taken, beside `raddr` or `waddr`; `external.data` is what the read returns.

    Raises
    ------
    ValueError
        The map does not fit the address width, or has a register of another width or alignment.
    """

    def __init__(self, registers: RegisterMap, *, addr_width: int = 12):
        for register in registers:
            if register.width != DATA_WIDTH or register.offset % (DATA_WIDTH // 8):
                raise ValueError(
                    f"{registers.name}: register {register.name} is {register.width} bits wide at "
                    f"{register.offset:#x}; the bank takes 32 bits at multiples of 4")
        if registers.size_bytes > 1 << addr_width:
            raise ValueError(
                f"{registers.name}: {registers.size_bytes} bytes of registers need an addr_width of "
                f"{(registers.size_bytes - 1).bit_length()}, not {addr_width}")
        self.registers = registers
        self._passive = [register for register in registers if register.passive and register.writable]
        self._external = [register for register in registers if register.external]
        members = {}
        if self._passive:
            members["peek"] = Out(Signature({"address": In(addr_width), "data": Out(DATA_WIDTH)}))
        if self._external:
            members["external"] = Out(Signature({"read": Out(1), "written": Out(1), "data": In(DATA_WIDTH)}))
        super().__init__(members | {
            "csr": In(AXI4Lite(addr_width=addr_width, data_width=DATA_WIDTH)),
            "wdata": Out(DATA_WIDTH), "wstrb": Out(DATA_WIDTH // 8), "ones": Out(DATA_WIDTH),
            "writing": Out(1), "waddr": Out(addr_width), "reading": Out(DATA_WIDTH), "raddr": Out(addr_width),
            "regs": Out(bank_signature(registers)),
        })

    def elaborate(self, platform):
        m = Module()
        self._zeros, self._kept = Signal(DATA_WIDTH), Signal(DATA_WIDTH)  # 0 while no write is taken
        self._reach = Reach(self.registers, self.regs, self.ones, self._zeros, self._kept)
        if self._passive:
            m.submodules.passive = self._memory = PassiveMemory(self.registers, len(self.csr.awaddr))
            m.d.comb += [
                self._memory.waddr.eq(self.csr.awaddr), self._memory.wdata.eq(self.csr.wdata),
                self._memory.raddr.eq(self.csr.araddr),
                self._memory.paddr.eq(self.peek.address), self.peek.data.eq(self._memory.pdata),
            ]
        self._face(m)
        self._keep(m)
        return m

    def _face(self, m: Module) -> None:
        """The AXI4-Lite handshakes, the decoded strobes and the read multiplexer."""
        csr = self.csr
        taken = Signal()
        self._asked = asked = Signal()  # a read is taken
        m.d.comb += [
            taken.eq(csr.awvalid & csr.wvalid & (~csr.bvalid | csr.bready)),
            asked.eq(csr.arvalid & (~csr.rvalid | csr.rready)),
            csr.awready.eq(taken), csr.wready.eq(taken), csr.arready.eq(asked),
            csr.bresp.eq(Response.OKAY), csr.rresp.eq(Response.OKAY),
            self.wdata.eq(csr.wdata), self.wstrb.eq(csr.wstrb),
        ]
        with m.If(taken):
            m.d.sync += csr.bvalid.eq(1)
        with m.Elif(csr.bready):
            m.d.sync += csr.bvalid.eq(0)
        with m.If(asked):
            m.d.sync += csr.rvalid.eq(1)
        with m.Elif(csr.rready):
            m.d.sync += csr.rvalid.eq(0)

        m.d.comb += [
            self.writing.eq(taken & csr.wstrb.any()), self.waddr.eq(csr.awaddr), self.raddr.eq(csr.araddr)]
        with m.If(self.writing):
            strobed = Cat(strobe.replicate(8) for strobe in csr.wstrb)
            m.d.comb += [
                self.ones.eq(csr.wdata & strobed), self._zeros.eq(~csr.wdata & strobed),
                self._kept.eq(~strobed),
            ]
        self._writes(m)
        # One multiplexer, evaluated only while a read is taken: simulators pay for it a few times a frame.
        with m.If(asked):
            self._reads(m)
            m.d.sync += csr.rdata.eq(self.reading)

    def _writes(self, m: Module) -> None:
        """The write strobes, and the storage that nothing but a write can change.

        All of it below one condition and one decoder, for the simulators' sake again: in a cycle without a
        write nothing here is looked at, however many registers there are.
        """
        seen = [register for register in self._reach.active if register.writable]
        strobes = Signal(len(seen))
        settings = self._settings(m)
        with m.If(self.writing), m.Switch(self.csr.awaddr[2:]):
            for number, register in enumerate(seen):
                with m.Case(register.offset >> 2):
                    m.d.comb += strobes[number].eq(1)
                    face = getattr(self.regs, register.name)
                    if hasattr(face, "merged"):
                        stored = self._reach.word(register, lambda field: field.writable)
                        m.d.comb += face.merged.eq(
                            (stored & self._kept) | (self.ones & C(register.write_mask, DATA_WIDTH)))
                    self._write_settings(m, register, settings)
            if self._passive:
                with m.Case(*(register.offset >> 2 for register in self._passive)):
                    m.d.comb += self._memory.enable.eq(self.csr.wstrb)
            outside = [register.offset >> 2 for register in self._external if register.writable]
            if outside:
                with m.Case(*outside):
                    m.d.comb += self.external.written.eq(1)
        for number, register in enumerate(seen):
            face = getattr(self.regs, register.name)
            written = strobes[number]
            m.d.comb += face.written.eq(written & ~face.lock if hasattr(face, "lock") else written)

    def _reads(self, m: Module) -> None:
        """The read strobes and what a read returns."""
        seen = [register for register in self._reach.active if register.readable]
        strobes = Signal(len(seen))
        with m.Switch(self.csr.araddr[2:]):
            for number, register in enumerate(seen):
                with m.Case(register.offset >> 2):
                    m.d.comb += strobes[number].eq(1)
                    m.d.comb += self.reading.eq(self._reach.word(register, lambda field: field.readable))
            for (kept, constant), registers in passive_kinds(self.registers).items():
                stored = self._memory.rdata & kept if kept else C(0, DATA_WIDTH)
                with m.Case(*(register.offset >> 2 for register in registers)):
                    m.d.comb += self.reading.eq(stored | constant)
            outside = [register.offset >> 2 for register in self._external if register.readable]
            if outside:
                with m.Case(*outside):
                    m.d.comb += [self.external.read.eq(1), self.reading.eq(self.external.data)]
        for number, register in enumerate(seen):
            m.d.comb += getattr(self.regs, register.name).read.eq(strobes[number])

    def _keep(self, m: Module) -> None:
        """The storage that more than a write can change: one vector for counters, one for the others.

        A vector a field would be the plainer hardware, and costs an event-driven simulator an assignment for
        each field in every cycle. Waves show the fields as `regs__<REG>__<FIELD>__value` in any case.
        """
        vectors: dict[str, list[tuple[Signal, int, Value]]] = {"statistics": [], "state": []}
        # A cycle in which nothing happens to any of a vector's fields costs a look at this.
        events: dict[str, list[Value]] = {name: [self.writing, self._asked] for name in vectors}
        for register in self._reach.active:
            if register.alias_of:
                continue
            causes = [field for field in register.fields if field.intr]
            if causes:
                self._latch(m, register, causes)
            for field in register.fields:
                if not field.stored or field.intr or self._reach.is_setting(register, field):
                    continue
                value = self._reach.member(register, field).value
                inputs = self._reach.inputs(register, field)
                after = next_value(value, field, self._reach.ports(register, field), inputs)
                name = "statistics" if field.counter else "state"
                vectors[name].append((value, field.reset, after))
                events[name] += [*inputs.events, *([value] if field.singlepulse else [])]
        for name, parts in vectors.items():
            if not parts:
                continue
            vector = Signal(sum(len(value) for value, _, _ in parts), name=name,
                            init=_joined((len(value), reset) for value, reset, _ in parts))
            m.d.comb += Cat(value for value, _, _ in parts).eq(vector)
            with m.If(Cat(events[name]).any()):
                m.d.sync += vector.eq(Cat(Value.cast(after)[:len(value)] for value, _, after in parts))

    def _settings(self, m: Module) -> dict[str, dict[str, Value]]:
        """The bits of each setting, by the names of register and field, in the one vector that keeps them."""
        fields = [(register, field) for register in self._reach.active if not register.alias_of
                  for field in register.fields if field.stored and self._reach.is_setting(register, field)]
        if not fields:
            return {}
        vector = Signal(sum(field.width for _, field in fields), name="settings",
                        init=_joined((field.width, field.reset) for _, field in fields))
        m.d.comb += Cat(self._reach.member(*both).value for both in fields).eq(vector)
        found, position = {}, 0
        for register, field in fields:
            found.setdefault(register.name, {})[field.name] = vector[position:position + field.width]
            position += field.width
        return found

    def _write_settings(self, m: Module, register: Register, settings) -> None:
        """What a write to this register (or alias) that is being taken does to settings."""
        slices = settings.get(self.registers.primary(register).name, {})
        face = getattr(self.regs, register.name)
        with m.If(~face.lock) if hasattr(face, "lock") else contextlib.nullcontext():
            for field in register.fields:
                if field.writable and field.name in slices:
                    port = self._reach.port(register, field)
                    m.d.sync += slices[field.name].eq(written_value(port, slices[field.name]))

    def _latch(self, m: Module, register: Register, causes: list[Field]) -> None:
        """Interrupt causes of one register. Software clears them, or (woset) adds to those that occur."""
        face = getattr(self.regs, register.name)
        width = sum(field.width for field in causes)
        m.submodules[f"{register.name.lower()}_latch"] = latch = InterruptLatch(width)
        occur, clear, mask = [], [], []
        for field in causes:
            ones, zeros = C(0, field.width), C(0, field.width)
            for port in self._reach.ports(register, field):
                if port.written is not None and port.field.onwrite == "woclr":
                    zeros = zeros | Mux(port.written, port.ones, 0)
                elif port.written is not None and port.field.onwrite == "woset":
                    ones = ones | Mux(port.written, port.ones, 0)
                elif port.written is not None and port.field.writable:
                    raise ValueError(
                        f"{self.registers.name}: cause {register.name}.{field.name} can be written with "
                        f"onwrite = {port.field.onwrite}; an interrupt cause takes woclr or woset")
                if port.read is not None and port.field.onread == "rclr":
                    zeros = zeros | port.read.replicate(field.width)
            member = self._reach.member(register, field)
            occur.append(member.set | ones | self._reach.referred(field.hwset, field))
            clear.append(zeros | self._reach.referred(field.hwclr, field))
            if field.masked_by:
                mask.append(self._reach.referred(field.masked_by, field))
            elif field.enabled_by:
                mask.append(~self._reach.referred(field.enabled_by, field))
            else:
                mask.append(C(0, field.width))
        m.d.comb += [
            latch.set.eq(Cat(occur)), latch.clear.eq(Cat(clear)), latch.mask.eq(Cat(mask)),
            latch.naive.eq(face.naive), face.irq.eq(latch.irq),
            Cat(self._reach.member(register, field).value for field in causes).eq(latch.pending),
        ]
