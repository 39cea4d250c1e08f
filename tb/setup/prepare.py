"""Make a fresh machine ready: .venv with the pinned packages, and the Debian packages that are missing.

`make` calls it with the system's Python when .venv/ready is older than the files it depends on, so only the
standard library may be used here. A set-up that fails leaves no stamp, and the next call starts from an empty
.venv.
"""

from __future__ import annotations  # an older Python must come as far as the message about its age

import argparse
import fcntl
import hashlib
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import debian
import place

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "ready"
LOG = ROOT / "build" / "setup.log"
INPUTS = ("pyproject.toml", "constraints.txt")
OLDEST = (3, 11)


class SetupError(Exception):
    """The machine cannot be made ready; the text is the one line to print."""


def fingerprint() -> str:
    """What .venv depends on: the dependency files and the Python that made it."""
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in INPUTS)
    return hashlib.sha256((text + sys.version).encode()).hexdigest()


def requirements() -> list[str]:
    """All dependencies of pyproject.toml, the optional ones too: one environment serves sim, test and
    lint."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["dependencies"] + [name for extra in project["optional-dependencies"].values()
                                      for name in extra]


def logged(command: list[str]) -> int:
    """Run a command with its output in the log; its exit status."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def build_venv() -> None:
    """An empty .venv with the pinned packages in it; SetupError if that fails."""
    shutil.rmtree(VENV, ignore_errors=True)
    print("set-up: making .venv with the pinned packages (once, about half a minute) ...", flush=True)
    if logged([sys.executable, "-m", "venv", str(VENV)]):
        raise SetupError(f"python -m venv failed: see {LOG.relative_to(ROOT)}")
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--no-input",
           "-c", str(ROOT / "constraints.txt")]
    if logged(pip + requirements()):
        raise SetupError(f"pip could not install what constraints.txt pins: see {LOG.relative_to(ROOT)}")


def prepare() -> None:
    """Do what is still to do. SetupError with one line if nothing could run afterwards."""
    wanted = fingerprint()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted:
        STAMP.touch()
        return
    STAMP.unlink(missing_ok=True)
    LOG.write_text("", encoding="utf-8")
    missing = debian.provide(debian.REQUIRED + debian.USEFUL, logged)
    needed = [need for need in missing if need in debian.REQUIRED]
    if needed:
        raise SetupError(debian.advice(missing))
    build_venv()
    if missing:
        print("set-up: " + debian.advice(missing), flush=True)
    STAMP.write_text(wanted, encoding="utf-8")


def main() -> int:
    """Exit status 0, 2 if the machine lacks something that is needed, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waves", action="store_true", help="also what only `make waves` needs")
    options = parser.parse_args()
    if sys.version_info < OLDEST:
        print(f"set-up: Python {'.'.join(map(str, OLDEST))} or newer is needed, this is "
              f"{sys.version.split()[0]}: make PYTHON=/path/to/python3 ...", file=sys.stderr)
        return 2
    wrong = place.unfit(ROOT)
    if wrong:
        print(f"set-up: {wrong}", file=sys.stderr)
        return 2
    LOG.parent.mkdir(exist_ok=True)
    with (LOG.parent / "setup.lock").open("w") as lock:
        # `make sim` and `make test` may both come first
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if options.waves:
                missing = debian.provide(debian.WAVES, logged)
                if missing:
                    print("set-up: " + debian.advice(missing), flush=True)
            else:
                prepare()
        except BaseException as error:
            if not options.waves:
                # half an environment would only break the next call
                shutil.rmtree(VENV, ignore_errors=True)
            if isinstance(error, SetupError):
                print(f"set-up: {error}", file=sys.stderr)
                return 2
            if isinstance(error, KeyboardInterrupt):
                return 130
            raise
    return 0


if __name__ == "__main__":
    # make hands SIGTERM on: half an environment must not stay then either
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
