"""Files that appear complete or not at all.

Each is written as a part beside its place, which takes its name in the end. A part is locked, so
that one whose writer was killed is known, and removed by the next that writes there.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import IO, Self

from cribev.errors import CribevError, quote
from cribev.system.signals import ENDING, at_forced_exit, block_signals

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock


def check_writable(target: str, *, force: bool, source: str | None = None) -> None:
    """Check that a file can be written, before the work that fills it; else `CribevError`."""
    path, shown = Path(target), quote(target, most=300)
    try:
        mode = _mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise CribevError(f"{shown} is a folder: expected a file to write")
        if not path.parent.is_dir():
            raise CribevError(f"there is no folder {quote(str(path.parent), most=300)}")
        if mode is not None and stat.S_ISREG(mode):
            if source is not None and Path(source).is_file() and path.samefile(source):
                raise CribevError(f"{shown} is the input: write to another file")
            if not force:
                raise exists_already(target)
        if mode is None or stat.S_ISREG(mode):
            with block_signals(*ENDING):
                _Output(path, force=force).discard()
    except OSError as error:
        raise CribevError(f"cannot write {shown}: {error.strerror}") from error


def is_regular_or_new(target: str) -> bool:
    """Return whether this is a regular file, or none yet: no device, no pipe."""
    path = Path(target)
    return path.is_file() or not path.exists()


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise `OSError` at what is no regular file: opening a pipe would block."""
    mode = _mode(Path(path))
    if mode is not None and not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise OSError(errno.EINVAL, f"it is {kind}")


class AtomicWrites:
    """Files that take their names when all of them are written, or none of them does."""

    def __init__(self) -> None:
        self._outputs: list[_Output] = []
        self._outdated: list[Path] = []

    def open(self, path: Path, *, force: bool) -> IO[bytes]:
        """Open a file or device; with `force` one that is there is replaced, and keeps its mode."""
        # A signal between the making of a part and the note of it would leave it behind.
        with block_signals(*ENDING), _errors_name(path):
            self._outputs.append(_Output(path, force=force))
        return self._outputs[-1].file

    def drop(self, path: Path) -> None:
        """Remove a file of an earlier run once these have their names."""
        self._outdated.append(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, _: object) -> None:
        if isinstance(error, OSError) and error.filename is None and self._outputs:
            error.filename = str(self._outputs[0].target)  # the disk is full, say
        try:
            if kind is None:
                for output in self._outputs:
                    output.finish()
                with block_signals(*ENDING):  # else one file would be new, and another old
                    for output in self._outputs:
                        output.take_name()
                    for path in self._outdated:
                        path.unlink(missing_ok=True)
        finally:
            for output in self._outputs:
                output.discard()


@contextmanager
def atomic_write(path: Path, *, force: bool = True) -> Iterator[IO[bytes]]:
    """Open one file that takes its name only when all of it is written, as in `AtomicWrites`."""
    with AtomicWrites() as outputs:
        yield outputs.open(path, force=force)


@contextmanager
def locked(
    path: Path, *, waiting: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[None]:
    """Hold a lock on a file that stays; enter `waiting` until another process releases it."""
    with path.open("ab") as opened:
        if sys.platform != "win32":
            with suppress(OSError):
                try:
                    flock(opened.fileno(), LOCK_EX | LOCK_NB)
                except BlockingIOError:
                    with waiting():
                        flock(opened.fileno(), LOCK_EX)
        yield


def remove_stale_parts(folder: Path) -> None:
    """Remove the parts whose writers were killed."""
    for part in folder.glob(".cribev-*.part"):
        with suppress(OSError):  # it is in use, or gone
            if sys.platform == "win32":  # where what is open cannot be removed
                part.unlink()
            else:
                with part.open("r+b") as opened:
                    flock(opened, LOCK_EX | LOCK_NB)
                    part.unlink()


_remove_stale_parts_once = cache(remove_stale_parts)


class _Output:
    """A file being written: a locked part beside its place, or a device, written directly."""

    def __init__(self, target: Path, *, force: bool) -> None:
        self.target, self._force = target, force
        self._part: Path | None = None
        if (mode := _mode(target)) is not None and not stat.S_ISREG(mode):
            self.file: IO[bytes] = target.open("wb")
            return
        self._place = Path(os.path.realpath(target))  # the file that a link leads to is replaced
        _remove_stale_parts_once(self._place.parent)
        self._part, self.file = _create_part(self._place.parent)
        at_forced_exit.add(self.discard)
        # The lock outlives the file. On Windows, what is open cannot take its name.
        self._lock = None if sys.platform == "win32" else os.dup(self.file.fileno())
        if force and mode is not None:
            with suppress(OSError):
                self._part.chmod(stat.S_IMODE(mode))

    def finish(self) -> None:
        """Write what is left, and check that the name is free."""
        with _errors_name(self.target):
            self.file.close()
            if self._part is not None and not self._force and os.path.lexists(self._place):
                raise exists_already(str(self.target))

    def take_name(self) -> None:
        """Give the file its name; without `force`, one that another process has just made stays."""
        if self._part is None:
            return
        with _errors_name(self.target):
            if not self._force:
                with suppress(OSError):  # a file system without links
                    try:
                        os.link(self._part, self._place)
                    except FileExistsError:
                        raise exists_already(str(self.target)) from None
                    return  # `discard` removes the other name
            self._part.replace(self._place)

    def discard(self) -> None:
        """Remove the part, unless it has its name."""
        with suppress(OSError):
            self.file.close()
        if self._part is not None:
            at_forced_exit.discard(self.discard)
            with suppress(OSError):
                self._part.unlink(missing_ok=True)
            if self._lock is not None:
                os.close(self._lock)


def _create_part(folder: Path) -> tuple[Path, IO[bytes]]:
    """Make a part and lock it, unless a process that removes stale ones was quicker."""
    while True:
        part = folder / f".cribev-{token_hex(8)}.part"
        file = part.open("xb")
        try:
            if sys.platform != "win32":
                flock(file, LOCK_EX | LOCK_NB)
            if part.exists():
                return part, file
        except BlockingIOError:
            pass  # it is being removed
        except OSError:  # a file system without locks, where nobody removes parts
            return part, file
        file.close()


def _mode(path: Path) -> int | None:
    """Return the kind of a file and its permissions, as `os.stat` does; None if there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
    except ValueError as error:  # a byte 0
        raise OSError(errno.EINVAL, str(error)) from error


@contextmanager
def _errors_name(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = str(target)  # not that of its part
        raise


def exists_already(path: str) -> CribevError:
    """Say that a file is not replaced."""
    return CribevError(f"{quote(path, most=300)} is there already: --force replaces it")
