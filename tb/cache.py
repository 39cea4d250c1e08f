"""Built things under build/, made once: a folder is named by the hash of all that went into it and appears
complete.

Two processes that want the same folder do not build it twice (a lock), and a folder that is being made is
never seen under its name (it is renamed when it is done).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

HASH_DIGITS = 16


def digest(*parts: str | bytes | Path) -> str:
    """Hash of texts, byte strings and the contents of files (with their names), in this order."""
    hashed = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            part = f"{part.name}\0".encode() + part.read_bytes()
        data = part.encode() if isinstance(part, str) else part
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()[:HASH_DIGITS]


def tree(root: Path, suffixes: Iterable[str]) -> list[Path]:
    """Files below `root` with one of these suffixes, in a fixed order."""
    wanted = tuple(suffixes)
    return sorted(path for path in root.rglob("*") if path.suffix in wanted and path.is_file())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; waits for whoever holds it. The system frees it if a process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made(directory: Path, make: Callable[[Path], None]) -> Path:
    """`directory`, made by `make(temporary folder)` unless it is there already.

    What `make` raises is raised; nothing is left behind then, but for files of the name `*.log`, which move
    to `<directory>.failed` for whoever looks for the reason.
    """
    if directory.is_dir():
        return directory
    with locked(directory.parent / ".locks" / f"{directory.name}.lock"):
        if directory.is_dir():
            return directory
        temporary = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
        try:
            make(temporary)
            os.chmod(temporary, 0o755)
            temporary.rename(directory)
        except BaseException:
            logs = list(temporary.glob("*.log"))
            if logs:
                failed = directory.with_name(f"{directory.name}.failed")
                failed.mkdir(exist_ok=True)
                for log in logs:
                    log.replace(failed / log.name)
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    return directory


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(name, path)
