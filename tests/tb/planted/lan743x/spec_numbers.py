"""All numbers of the timing specifications that the golden lan743x engine has, by section and what they
say."""

from tests.tb.planted.lan743x import numbers_in, numbers_link, numbers_out, numbers_ports, numbers_unit
from tests.tb.planted.mutant import Number

NUMBERS: dict[str, Number] = {
    f"{section}: {number.says}": number
    for part in (numbers_ports, numbers_in, numbers_out, numbers_unit, numbers_link)
    for section, numbers in part.SECTIONS.items() for number in numbers}
