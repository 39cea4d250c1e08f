"""What a register write does in its very cycle, for fields that act before their storage has changed."""

from amaranth.hdl import Mux, Value

from hdl.csr import RegisterBank

__all__ = ["written_ones"]


def written_ones(bank: RegisterBank, register: str, field: str) -> Value:
    """The bits of a field to which a write that is taken in this cycle writes 1.

    Parameters
    ----------
    bank: the register bank; the register must not be passive.
    register, field: names; of an alias the write at its own address.
    """
    place = bank.registers.field(register, field)
    ones = bank.ones[place.lsb:place.lsb + place.width]
    return Mux(getattr(bank.regs, register).written, ones, 0)[:place.width]
