"""Where the project may lie: Verilator's script, make and the linker's options do not quote the paths that
they are given.

`prepare` uses it with the system's Python, so only the standard library may be used here.
"""

from __future__ import annotations  # an older Python must come as far as the message about its age

import re
from pathlib import Path

_AWKWARD = re.compile(r"""[\s"'`$&|;<>()*?#\\:,]""")


def unfit(path: Path) -> str | None:
    """One line that says what is wrong with building below `path` and what to do, or None if nothing is."""
    found = _AWKWARD.search(str(path))
    if found is None:
        return None
    what = "a blank" if found[0].isspace() else repr(found[0])
    return (f"{path}: has {what} in its path, which Verilator and make cannot take: move the project to a "
            "path of letters, digits, '_', '-' and '.'")
