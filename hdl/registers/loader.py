"""Finding a MAC's register map by its name. A new MAC is a new .rdl file here, and no list to add it to.

Compiling takes about a tenth of a second, and so does importing the compiler: a map is compiled once a
process, the compiler imported only when one is asked for, and nothing is kept on disk.
"""

import functools
import pathlib

from .errors import RegisterMapError
from .maps import RegisterMap

__all__ = ["known_macs", "load"]

HERE = pathlib.Path(__file__).parent


def known_macs(folder: pathlib.Path = HERE) -> tuple[str, ...]:
    """The MACs that have a register map, in alphabetical order; files named _* are not MACs."""
    return tuple(sorted(path.stem for path in folder.glob("[!_]*.rdl")))


@functools.cache
def load(mac: str, folder: pathlib.Path = HERE) -> RegisterMap:
    """The register map of a MAC.

    Parameters
    ----------
    mac: name as in `hdl/registers/<mac>.rdl`.
    folder: where to look instead (for tests).

    Raises
    ------
    RegisterMapError
        No such file, or one that does not compile.
    """
    path = folder / f"{mac}.rdl"
    if mac not in known_macs(folder):
        raise RegisterMapError(f"there is no register map {path.name} for MAC {mac!r} in hdl/registers; "
                               f"there is one for {', '.join(known_macs(folder)) or 'none'}")
    from .rdl import compile_map

    return compile_map(path)
