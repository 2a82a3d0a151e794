"""Signals end a command without a word, whenever they come."""

import signal

import pytest
from shell import heard, wait_until

CONSOLE_SCRIPT = "import sys\nfrom cribev.__main__ import entry_point\nsys.exit(entry_point())"


def assert_ended(process, status):
    """Ended without a word."""
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (status, b"", b"")


@pytest.mark.parametrize("library", ["numpy", "pandas"])
@pytest.mark.parametrize("entry", [["-m", "cribev"], ["-c", CONSOLE_SCRIPT]])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_while_libraries_load(started, tmp_path, library, entry, how):
    code = f"import os\nos.kill(os.getpid(), {int(how)})\n"
    (tmp_path / f"{library}.py").write_text(code)
    command = {"numpy": ["advise", "5H 5D JS QC 2H 8D"], "pandas": ["batch", "--dealer"]}[library]
    process = started(*entry, *command, path=[tmp_path])
    assert_ended(process, 128 + how)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_while_it_waits(started, how):
    process = started("-m", "cribev", "score")
    process.stdin.write(b"5C 6D 7D QH 6H\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"10\n"
    process.send_signal(how)
    assert_ended(process, 128 + how)


def test_what_is_ignored_stays_ignored(started):
    code = "import signal, sys\nfrom cribev.__main__ import entry_point\n"
    code += "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nsys.exit(entry_point())"
    process = started("-c", code, "score")
    heard(process)
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(b"5C 6D 7D QH 6H\n", timeout=300)
    assert (process.returncode, out, err) == (0, b"10\n", b"")


def test_another_signal_ends_at_once_and_leaves_nothing(started, tmp_path):
    # Here the first is lost in the end of a file that takes its time.
    code = (
        "import sys, time, pathlib\nfrom cribev.__main__ import entry_point\n"
        "from cribev.system import files\n"
        "class Slow(files.AtomicWrites):\n"
        "    def __exit__(self, *_):\n"
        "        pathlib.Path('slow').touch()\n"
        "        time.sleep(60)\n"
        "files.AtomicWrites = Slow\nsys.exit(entry_point())"
    )
    process = started("-c", code, "batch", "-o", "out.csv", "--dealer", cwd=tmp_path)
    wait_until(lambda: [*tmp_path.glob(".cribev-*")], process)
    process.send_signal(signal.SIGINT)
    wait_until((tmp_path / "slow").exists, process)
    process.send_signal(signal.SIGTERM)
    assert_ended(process, 143)
    assert [path.name for path in tmp_path.iterdir()] == ["slow"]


def test_who_catches_everything_ends_all_the_same(started, tmp_path):
    code = "import os\nfrom cribev.commands import cli\ndef main():\n"
    code += " try: os.kill(os.getpid(), 2)\n except BaseException: return 0\ncli.main = main\n"
    assert_ended(started("-c", code + CONSOLE_SCRIPT), 130)
    # Or for itself, or makes another error of it, or is interrupted while signals are loaded.
    code = "import cribev.commands.solve as s\n"
    code += "def _both(_):\n raise KeyboardInterrupt\ns._both = _both\n"
    assert_ended(started("-c", code + CONSOLE_SCRIPT, "solve"), 130)
    code = "import os\ntry:\n os.kill(os.getpid(), 15)\nexcept BaseException as error:\n"
    (tmp_path / "numpy.py").write_text(code + " raise ImportError from error\n")
    command = ["-m", "cribev", "advise", "5H 5D JS QC 2H 8D"]
    assert_ended(started(*command, path=[tmp_path]), 143)
    (tmp_path / "signal.py").write_text("raise KeyboardInterrupt\n")
    assert_ended(started("-c", CONSOLE_SCRIPT, path=[tmp_path]), 130)


def test_little_is_loaded_before_signals_are_heard(started):
    code = (
        "import sys; at = set(sys.modules); import cribev.__main__; print(*set(sys.modules) - at)"
    )
    loaded = set(started("-S", "-c", code).communicate()[0].decode().split())
    assert "cribev.system.signals" in loaded
    assert not loaded & {"typing", "re", "argparse", "numpy"}
