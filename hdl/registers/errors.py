"""The error of this package: a ValueError of its own, since `hdl` may not import `model`."""

__all__ = ["RegisterMapError"]


class RegisterMapError(ValueError):
    """A register map, or a use of one, is wrong.

    The text names map, register, field and value, and what would be right.
    """
