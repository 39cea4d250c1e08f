"""Register bank: AXI4-Lite on one side, the engine's view of it (`hdl.csr.interface`) on the other.

Timing: a write is taken in the cycle c in which awvalid and wvalid are both up and no response is stuck, and
takes effect at the edge that ends c, with bvalid in c+1. A read is taken in the cycle in which arvalid is up
and no data are stuck; it returns the state of c in c+1, and its side effects happen at the edge that ends c.
A read and a write may be taken in the same cycle; the read returns what was there before. Offsets without a
register read 0 and ignore writes; both answer OKAY.

The two low address bits are not looked at. Writes honour byte strobes; a read has none, so it reads (and
clears) the whole register.
"""

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi4 import AXI4Lite, Response
from hdl.irq import InterruptLatch
from hdl.registers import Field, Register, RegisterMap

from .interface import bank_signature
from .storage import HardwareInputs, SoftwarePort, next_value

__all__ = ["RegisterBank"]

DATA_WIDTH = 32


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
    reading: what the read being taken will return in the next cycle; 0 while none is.
    regs: the engine's side: `regs.<REG>.<member>` and `regs.<REG>.<FIELD>.<member>`.

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
        super().__init__({
            "csr": In(AXI4Lite(addr_width=addr_width, data_width=DATA_WIDTH)),
            "wdata": Out(DATA_WIDTH), "wstrb": Out(DATA_WIDTH // 8),
            "reading": Out(DATA_WIDTH),
            "regs": Out(bank_signature(registers)),
        })

    def elaborate(self, platform):
        m = Module()
        self._strobed = Signal(DATA_WIDTH)  # which bits of wdata are in bytes with a strobe
        self._face(m)
        self._keep(m)
        return m

    def _face(self, m: Module) -> None:
        """The AXI4-Lite handshakes, the decoded strobes and the read multiplexer."""
        csr = self.csr
        taken, asked = Signal(), Signal()
        m.d.comb += [
            taken.eq(csr.awvalid & csr.wvalid & (~csr.bvalid | csr.bready)),
            asked.eq(csr.arvalid & (~csr.rvalid | csr.rready)),
            csr.awready.eq(taken), csr.wready.eq(taken), csr.arready.eq(asked),
            csr.bresp.eq(Response.OKAY), csr.rresp.eq(Response.OKAY),
            self.wdata.eq(csr.wdata), self.wstrb.eq(csr.wstrb),
            self._strobed.eq(Cat(strobe.replicate(8) for strobe in csr.wstrb)),
        ]
        with m.If(taken):
            m.d.sync += csr.bvalid.eq(1)
        with m.Elif(csr.bready):
            m.d.sync += csr.bvalid.eq(0)
        with m.If(asked):
            m.d.sync += csr.rvalid.eq(1)
        with m.Elif(csr.rready):
            m.d.sync += csr.rvalid.eq(0)

        effective = taken & csr.wstrb.any()
        for register in self.registers:
            index, face = register.offset >> 2, getattr(self.regs, register.name)
            if register.writable:
                written = effective & (csr.awaddr[2:] == index)
                m.d.comb += face.written.eq(written & ~face.lock if hasattr(face, "lock") else written)
            if register.readable:
                m.d.comb += face.read.eq(asked & (csr.araddr[2:] == index))
            if hasattr(face, "merged"):
                stored = self._word(register, lambda field: field.writable)
                writable = C(register.write_mask, DATA_WIDTH)
                m.d.comb += face.merged.eq((stored & ~self._strobed) | (csr.wdata & self._strobed & writable))

        # One multiplexer, evaluated only while a read is taken: simulators pay for it a few times a frame.
        with m.If(asked):
            with m.Switch(csr.araddr[2:]):
                for register in self.registers:
                    if register.readable:
                        with m.Case(register.offset >> 2):
                            m.d.comb += self.reading.eq(self._word(register, lambda field: field.readable))
            m.d.sync += csr.rdata.eq(self.reading)

    def _keep(self, m: Module) -> None:
        """The storage: one vector for fields only software changes, one for counters, one for the others.

        A vector a field would be the plainer hardware, and costs an event-driven simulator an assignment for
        each of the hundred fields in every cycle. Waves show the fields as `regs__<REG>__<FIELD>__value` in
        any case.
        """
        vectors: dict[str, list[tuple[Signal, int, Value]]] = {"settings": [], "statistics": [], "state": []}
        for register in self.registers:
            if register.alias_of:
                continue
            causes = [field for field in register.fields if field.intr]
            if causes:
                self._latch(m, register, causes)
            for field in register.fields:
                if not field.stored or field.intr:
                    continue
                value = self._member(register, field).value
                inputs = self._inputs(register, field)
                after = next_value(value, field, self._ports(register, field), inputs)
                changing = inputs.any or field.singlepulse
                name = "statistics" if field.counter else "state" if changing else "settings"
                vectors[name].append((value, field.reset, after))
        for name, parts in vectors.items():
            if not parts:
                continue
            init, position = 0, 0
            for value, reset, _ in parts:
                init |= reset << position
                position += len(value)
            vector = Signal(position, name=name, init=init)
            m.d.comb += Cat(value for value, _, _ in parts).eq(vector)
            m.d.sync += vector.eq(Cat(Value.cast(after)[:len(value)] for value, _, after in parts))

    def _latch(self, m: Module, register: Register, causes: list[Field]) -> None:
        """Interrupt causes of one register. Software clears them, or (woset) adds to those that occur."""
        face = getattr(self.regs, register.name)
        width = sum(field.width for field in causes)
        m.submodules[f"{register.name.lower()}_latch"] = latch = InterruptLatch(width)
        occur, clear, mask = [], [], []
        for field in causes:
            ones, zeros = C(0, field.width), C(0, field.width)
            for port in self._ports(register, field):
                asserted = port.data & port.strobed
                if port.written is not None and port.field.onwrite == "woclr":
                    zeros = zeros | Mux(port.written, asserted, 0)
                elif port.written is not None and port.field.onwrite == "woset":
                    ones = ones | Mux(port.written, asserted, 0)
                elif port.written is not None and port.field.writable:
                    raise ValueError(
                        f"{self.registers.name}: cause {register.name}.{field.name} can be written with "
                        f"onwrite = {port.field.onwrite}; an interrupt cause takes woclr or woset")
                if port.read is not None and port.field.onread == "rclr":
                    zeros = zeros | port.read.replicate(field.width)
            occur.append(self._member(register, field).set | ones | self._referred(field.hwset, field))
            clear.append(zeros | self._referred(field.hwclr, field))
            if field.masked_by:
                mask.append(self._referred(field.masked_by, field))
            elif field.enabled_by:
                mask.append(~self._referred(field.enabled_by, field))
            else:
                mask.append(C(0, field.width))
        m.d.comb += [
            latch.set.eq(Cat(occur)), latch.clear.eq(Cat(clear)), latch.mask.eq(Cat(mask)),
            latch.naive.eq(face.naive), face.irq.eq(latch.irq),
            Cat(self._member(register, field).value for field in causes).eq(latch.pending),
        ]

    def _member(self, register: Register, field: Field):
        """The interface object of a field; of an alias that of the register that holds the storage."""
        return getattr(getattr(self.regs, self.registers.primary(register).name), field.name)

    def _present(self, register: Register, field: Field) -> Value:
        """What software would read of a field."""
        member = self._member(register, field)
        return member.value if hasattr(member, "value") else member.status

    def _word(self, register: Register, wanted) -> Value:
        """The register as a 32-bit word made of the fields that `wanted` picks; the other bits are 0."""
        parts, position = [], 0
        for field in register.fields:
            if wanted(field):
                parts += [C(0, field.lsb - position), self._present(register, field)]
                position = field.lsb + field.width
        return Cat(*parts, C(0, register.width - position))

    def _ports(self, register: Register, field: Field) -> list[SoftwarePort]:
        """Every address at which software reaches a field of a primary register."""
        ports = []
        for other in self.registers:
            if self.registers.primary(other) is not register or field.name not in other:
                continue
            face = getattr(self.regs, other.name)
            span = slice(field.lsb, field.lsb + field.width)
            ports.append(SoftwarePort(
                field=other[field.name],
                written=getattr(face, "written", None), read=getattr(face, "read", None),
                data=self.csr.wdata[span], strobed=self._strobed[span]))
        return ports

    def _referred(self, path, field: Field) -> Value:
        """The bits that the field which `path` names applies to this one: one for all, or bit by bit."""
        if not isinstance(path, str):
            return C(0, field.width)
        value = self._present(*self.registers.referred(path))
        if len(value) not in (1, field.width):
            raise ValueError(
                f"{self.registers.name}: {path} is {len(value)} bits wide and is to act on {field.name} of "
                f"{field.width} bits; it must have 1 bit, or as many")
        return value.replicate(field.width) if len(value) == 1 else value

    def _inputs(self, register: Register, field: Field) -> HardwareInputs:
        member = self._member(register, field)
        names = ("increment", "we", "next", "set", "clear")
        inputs = HardwareInputs(**{name: getattr(member, name) for name in names if hasattr(member, name)})
        if isinstance(field.hwset, str):
            inputs.set = self._referred(field.hwset, field)
        if isinstance(field.hwclr, str):
            inputs.clear = self._referred(field.hwclr, field)
        return inputs
