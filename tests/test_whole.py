"""Files appear whole or not at all, one or several, whoever else writes there."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from shell import files, refused

from cribev import CribevError
from cribev.system.files import (
    AtomicWrites,
    atomic_write,
    check_writable,
    locked,
    remove_stale_parts,
)
from cribev.system.signals import block_signals

pytestmark = pytest.mark.python


def write(path, *, force):
    with atomic_write(path, force=force) as file:
        file.write(b"mine")


def test_file_appears_only_when_complete(tmp_path):
    path = tmp_path / "new"
    with atomic_write(path) as file:
        file.write(b"half")
        assert not path.exists()
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"

    def write_half(stop):
        with atomic_write(path) as file:
            file.write(b"half")
            raise stop

    for stop in (KeyboardInterrupt, ValueError):
        with pytest.raises(stop):
            write_half(stop)
        assert path.read_bytes() == b"half and half"
        assert files(tmp_path) == ["new"]


def test_a_device_stays_one_and_a_link_too(tmp_path):
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    link.symlink_to(file)
    write(link, force=True)
    assert link.is_symlink()
    assert file.read_bytes() == b"mine"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, force=True)
    assert os.read(reader, 9) == b"mine"
    os.close(reader)
    assert pipe.is_fifo()


def write_late(*targets, meanwhile):
    """Write files while another appears."""
    with AtomicWrites() as outputs:
        for target in targets:
            outputs.open(target, force=False).write(b"mine")
        outputs.drop(meanwhile)
        meanwhile.write_bytes(b"another's")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(CribevError, match=r"out' is there already: --force replaces it"):
        write_late(target, meanwhile=target)
    assert target.read_bytes() == b"another's"
    assert files(tmp_path) == ["out"]
    write(target, force=True)
    assert target.read_bytes() == b"mine"
    write(tmp_path / "free", force=False)
    assert files(tmp_path) == ["free", "out"]


def test_a_file_that_appears_at_the_last_moment_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "lexists", lambda _: False)  # asked just before it appeared
    test_a_file_that_appears_meanwhile_is_kept(tmp_path)


def test_of_several_files_all_appear_or_none(tmp_path):
    second = tmp_path / "second"
    with pytest.raises(CribevError, match="second"):
        write_late(tmp_path / "first", second, meanwhile=second)
    assert files(tmp_path) == ["second"]
    assert (tmp_path / "second").read_bytes() == b"another's"


def test_failed_file_keeps_the_others_back(tmp_path):
    outdated = tmp_path / "outdated"
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_late(tmp_path / "first", Path("/dev/full"), meanwhile=outdated)
    assert files(tmp_path) == ["outdated"]
    with AtomicWrites() as outputs:  # a file of an earlier run goes with success
        outputs.open(tmp_path / "first", force=False).write(b"mine")
        outputs.drop(outdated)
    assert files(tmp_path) == ["first"]


def test_file_mode_is_kept_or_default(tmp_path):
    target = tmp_path / "out"
    write(target, force=False)
    (tmp_path / "other").touch()
    assert target.stat().st_mode == (tmp_path / "other").stat().st_mode
    for mode in (0o600, 0o640, 0o755):
        target.chmod(mode)
        with atomic_write(target) as file:
            (part,) = tmp_path.glob(".cribev-*")
            assert stat.S_IMODE(part.stat().st_mode) == mode
            file.write(b"mine")
        assert stat.S_IMODE(target.stat().st_mode) == mode


def test_unwritable_target_is_refused_before_work(tmp_path):
    write(tmp_path / ("x" * 251 + ".csv"), force=False)
    assert [len(name) for name in files(tmp_path)] == [255]
    with pytest.raises(CribevError, match=r"cannot write '.*': File name too long"):
        check_writable(str(tmp_path / ("x" * 256)), force=False)
    assert refused("deal", "3", "-o", "/proc/x.csv").startswith("cannot write '/proc/x.csv': ")


@pytest.mark.parametrize("force", [True, False])
def test_a_circle_of_links(tmp_path, force):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(CribevError, match=r"cannot write '.*a': Too many levels of symbolic links"):
        check_writable(str(tmp_path / "a"), force=force)
    with pytest.raises(OSError, match="Too many levels"):
        write(tmp_path / "a", force=force)


def test_parts_left_behind_go_with_the_next_run(tmp_path):
    code = "import os,sys,pathlib; from cribev.system.files import AtomicWrites; o = AtomicWrites()"
    code += "; o.open(pathlib.Path(sys.argv[1]), force=True); os.kill(os.getpid(), 9)"
    for _ in range(2):  # the second sweeps what the first has left
        subprocess.run([sys.executable, "-c", code, tmp_path / "out"], check=False, timeout=300)
        assert len(files(tmp_path)) == 1
    with atomic_write(tmp_path / "other") as file:
        file.write(b"mine")
        (tmp_path / ".cribev-notes.txt").touch()
        remove_stale_parts(tmp_path)  # but no part that someone is at
        assert len(files(tmp_path)) == 2
    assert files(tmp_path) == [".cribev-notes.txt", "other"]


def test_a_sweeper_that_is_quicker_does_no_harm(tmp_path, monkeypatch):
    opened = Path.open
    swept = []

    def open_and_sweep(path, *arguments, **options):
        file = opened(path, *arguments, **options)
        if not swept:
            swept.append(path)
            remove_stale_parts(tmp_path)
        return file

    monkeypatch.setattr(Path, "open", open_and_sweep)
    write(tmp_path / "out", force=False)
    assert swept
    assert (tmp_path / "out").read_bytes() == b"mine"
    assert files(tmp_path) == ["out"]


@pytest.mark.slow
def test_two_at_once_are_told_apart(started, tmp_path):
    words = ["-m", "cribev", "deal", "60000", "-o", "same.csv"]
    both = [started(*words, cwd=tmp_path) for _ in range(2)]
    errors = [process.communicate(timeout=300)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 2]
    assert b"".join(errors) == b"cribev: error: 'same.csv' is there already: --force replaces it\n"
    assert files(tmp_path) == ["same.csv"]


@pytest.fixture
def windows(monkeypatch):
    """Take the ways of Windows, where a file that is open can neither be removed nor renamed."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not list the files that are open")

    def unless_open(change):
        def changed(path, *others, **options):
            held = Path("/proc/self/fd").iterdir()
            if os.fspath(path) in {str(one.readlink()) for one in held if one.is_symlink()}:
                raise PermissionError(errno.EACCES, "in use by a process", path)
            return change(path, *others, **options)

        return changed

    for name in ("unlink", "replace", "rename"):
        monkeypatch.setattr(os, name, unless_open(getattr(os, name)))
    monkeypatch.setattr(sys, "platform", "win32")


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("force", [True, False])
def test_files_appear_whole_without_locks_too(tmp_path, force):
    path = tmp_path / "new"
    write(path, force=force)
    assert path.read_bytes() == b"mine"
    if force:
        write(path, force=True)
    else:
        with pytest.raises(CribevError, match="there already"):
            write(path, force=False)
    assert files(tmp_path) == ["new"]


@pytest.mark.usefixtures("windows")
def test_stale_parts_go_without_locks(tmp_path):
    (tmp_path / ".cribev-1.part").touch()
    with atomic_write(tmp_path / "new") as file:
        file.write(b"mine")
        remove_stale_parts(tmp_path)
        assert len(files(tmp_path)) == 1
    with locked(tmp_path / "lock"):
        assert files(tmp_path) == ["lock", "new"]


@pytest.mark.usefixtures("windows")
def test_signals_wait_without_a_mask_too():
    def interrupted():
        with block_signals("SIGINT", "SIGHUP"):
            signal.raise_signal(signal.SIGINT)
            reached.append(True)

    reached = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == [True]
