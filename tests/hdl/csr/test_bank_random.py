"""The bank against a model of its registers in plain Python, cycle by cycle, over random reads, writes and
hardware.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BITS = {  # what writing a strobed bit d over v leaves
    None: lambda v, d: d,
    "woclr": lambda v, d: v & ~d & 1, "woset": lambda v, d: v | d, "wot": lambda v, d: v ^ d,
    "wclr": lambda v, d: 0, "wset": lambda v, d: 1,
    "wzc": lambda v, d: v & d, "wzs": lambda v, d: v | (1 - d), "wzt": lambda v, d: v ^ (1 - d),
}


class Model:
    """State of every stored field, advanced a cycle at a time."""

    def __init__(self, registers):
        self.registers = registers
        self.state = {(register.name, field.name): field.reset
                      for register in registers if not register.alias_of
                      for field in register.fields if field.stored}

    def present(self, register, field, inputs):
        key = (self.registers.primary(register).name, field.name)
        return self.state[key] if key in self.state else inputs.get(f"{key[0]}.{key[1]}.status", field.reset)

    def referred(self, what, width, inputs):
        if not isinstance(what, str):
            return 0
        source, field = self.registers.referred(what)
        value = self.present(source, field, inputs)
        return value if field.width == width else -value & ((1 << width) - 1)

    def read(self, offset, inputs):
        register = self.registers.at(offset)
        return 0 if register is None else sum(
            self.present(register, field, inputs) << field.lsb for field in register.fields if field.readable)

    def software(self, value, register, field, write, read, inputs):
        for other in self.registers:
            if self.registers.primary(other) is not register:
                continue
            port = other[field.name]
            written = (write and self.registers.at(write[0]) is other and write[2] and port.writable
                       and not inputs.get(f"{other.name}.lock"))
            if port.singlepulse:
                value = 0
            if written:
                for bit in range(field.width):
                    place = field.lsb + bit
                    if write[2] >> place // 8 & 1:
                        new = BITS[port.onwrite](value >> bit & 1, write[1] >> place & 1)
                        value = value & ~(1 << bit) | new << bit
            if read is not None and self.registers.at(read) is other and port.onread:
                value = field.max if port.onread == "rset" else 0
        return value

    def hardware(self, value, register, field, inputs):
        def given(name):
            return inputs.get(f"{register.name}.{field.name}.{name}", 0)

        value &= ~(given("clear") | self.referred(field.hwclr, field.width, inputs))
        if given("we"):
            value = given("next")
        value |= given("set") | self.referred(field.hwset, field.width, inputs)
        if given("increment"):
            value = value + 1 if value < field.max else field.max if field.saturate else 0
        return value

    def step(self, write, read, inputs):
        after = {}
        for register in self.registers:
            for field in register.fields:
                if (register.name, field.name) not in self.state:
                    continue
                value = self.state[register.name, field.name]
                by_software = (register, field, write, read, inputs)
                if field.intr and inputs.get(f"{register.name}.naive"):
                    raised = self.hardware(value, register, field, inputs)
                    kept = self.software(field.max, *by_software)
                    value = raised & kept if field.onread == "rclr" else raised
                elif field.precedence == "hw":
                    value = self.hardware(self.software(value, *by_software), register, field, inputs)
                else:
                    value = self.software(self.hardware(value, register, field, inputs), *by_software)
                after[register.name, field.name] = value
        self.state = after

    def line(self, register):
        """The interrupt line of a register."""
        pending = 0
        for field in register.fields:
            mask = self.referred(field.masked_by, field.width, {})
            if field.enabled_by:
                mask = ~self.referred(field.enabled_by, field.width, {})
            pending |= self.state[register.name, field.name] & ~mask
        return int(pending != 0)


def seen(sim):
    """The registers with a side towards the engine."""
    return [register for register in sim.registers if not (register.passive or register.external)]


def inputs_of(sim):
    """Every input of the engine's side: path and width."""
    found = []
    for register in seen(sim):
        face = sim.member(register.name)
        found += [(f"{register.name}.{name}", 1) for name in ("lock", "naive")
                  if hasattr(face, name) and (name, sim.registers.name) != ("naive", "kinds")]
        for field in () if register.alias_of else register.fields:
            for name in ("status", "increment", "we", "next", "set", "clear"):
                signal = getattr(getattr(face, field.name), name, None)
                if signal is not None:
                    found.append((f"{register.name}.{field.name}.{name}", len(signal)))
    return found


def cycles(sim):
    """Strategy of a list of (write, read, inputs)."""
    offsets = st.one_of(st.sampled_from([register.offset for register in sim.registers]),
                        st.integers(0, sim.registers.size_bytes + 8).map(lambda offset: offset & ~3))
    words = st.one_of(st.sampled_from([0, 0xFFFFFFFF, 0x80000001]), st.integers(0, 0xFFFFFFFF))
    strobes = st.one_of(st.sampled_from([0b1111, 0b0011, 0b1100]), st.integers(0, 15))

    def value_of(path, width):
        most = (1 << width) - 1
        return st.tuples(st.just(path), st.just(most) | st.integers(0, most))

    one_input = st.sampled_from(inputs_of(sim)).flatmap(lambda found: value_of(*found))
    return st.lists(st.tuples(st.none() | st.tuples(offsets, words, strobes), st.none() | offsets,
                              st.lists(one_input, max_size=6).map(dict)), min_size=1, max_size=40)


@pytest.mark.parametrize("name", ["kinds", "at91", "lan"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bank_agrees_with_the_model(name, data, request):
    sim = request.getfixturevalue(name)
    stimulus = data.draw(cycles(sim))

    async def body(sim):
        model = Model(sim.registers)
        for number, (write, read, inputs) in enumerate(stimulus):
            expected = model.read(read, inputs) if read is not None else None
            found = await sim.cycle(write=write, read=read, inputs=inputs)
            assert found == expected, f"read of cycle {number}"
            model.step(write, read, inputs)
            for register in seen(sim):
                for field in register.fields:
                    path = f"{register.name}.{field.name}"
                    if (register.name, field.name) in model.state:
                        value = model.state[register.name, field.name]
                        assert sim.get(f"{path}.value") == value, f"{path} after cycle {number}"
                if hasattr(sim.member(register.name), "irq"):
                    line = sim.get(f"{register.name}.irq")
                    assert line == model.line(register), f"irq after cycle {number}"

    sim.run(body)
