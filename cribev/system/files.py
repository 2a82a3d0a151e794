"""Files that appear complete or not at all.

Each is written as a part beside its place, which takes its name in the end. A part is locked, so
that one whose writer was killed is known, and removed by the next that writes there.
"""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, Self

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
                raise _exists_already(path)
        if mode is None or stat.S_ISREG(mode):
            with block_signals(*ENDING):
                _Output(path, force=force).discard()
    except OSError as error:
        raise CribevError(f"cannot write {shown}: {error.strerror}") from error


def make_folder(path: Path, *, mode: int = 0o777) -> None:
    """Make a folder and its parents, unless they exist; `OSError` if that fails."""
    path.mkdir(mode, parents=True, exist_ok=True)


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
        with _errors_name(path), block_signals(*ENDING):
            self._outputs.append(_Output(path, force=force))
        return self._outputs[-1].file

    def drop(self, path: Path) -> None:
        """Remove a file of an earlier run once these have their names."""
        self._outdated.append(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                for output in self._outputs:
                    output.close()
                for output in self._outputs:
                    output.take_name()
                self._outputs = []
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


class _Raw(io.FileIO):
    """A file whose errors name the path that was asked for."""

    def __init__(self, file: int | Path, target: Path) -> None:
        super().__init__(file, "wb")
        self._target = target

    def write(self, data: Any) -> Any:
        with _errors_name(self._target):
            return super().write(data)


class _Output:
    """A file being written: a locked part beside its place, or a device, written directly."""

    def __init__(self, target: Path, *, force: bool) -> None:
        self._target, self._force = target, force
        self._part: Path | None = None
        self._lock, self._named = -1, False
        if (mode := _mode(target)) is not None and not stat.S_ISREG(mode):
            self.file = io.BufferedWriter(_Raw(target, target))
            return
        self._place = Path(os.path.realpath(target))  # the file that a link leads to is replaced
        _remove_stale_parts_once(self._place.parent)
        self._part, descriptor = _create_part(self._place.parent)
        if sys.platform != "win32":  # where what is open cannot take its name
            self._lock = os.dup(descriptor)  # the lock outlives the file, until it has its name
        self.file = io.BufferedWriter(_Raw(descriptor, target))
        at_forced_exit.add(self.discard)
        if force and mode is not None:
            with suppress(OSError):
                self._part.chmod(stat.S_IMODE(mode))

    def close(self) -> None:
        """Finish what is written."""
        with _errors_name(self._target):
            self.file.close()

    def take_name(self) -> None:
        """Give the file its name."""
        if self._part is None:
            return
        try:
            with _errors_name(self._target):
                (self._part.replace if self._force else self._take_free_name)(self._place)
        except FileExistsError:
            raise _exists_already(self._target) from None
        self._named = True
        self._release()

    def _take_free_name(self, place: Path) -> None:
        assert self._part is not None
        try:
            os.link(self._part, place)
        except FileExistsError:
            raise
        except OSError:  # no hard links here: an empty file keeps the place
            place.touch(exist_ok=False)
            self._part.replace(place)
        else:
            self._part.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the part, and the file itself if it has taken a name that was free."""
        with suppress(OSError):
            self.file.close()
        self._release()
        if self._part is not None and not (self._named and self._force):
            with suppress(OSError):
                (self._place if self._named else self._part).unlink(missing_ok=True)

    def _release(self) -> None:
        at_forced_exit.discard(self.discard)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _create_part(folder: Path) -> tuple[Path, int]:
    """Make a part and lock it, unless a process that removes stale ones was quicker."""
    while True:
        part = folder / f".cribev-{token_hex(8)}.part"
        descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, 0o666)
        try:
            if sys.platform != "win32":
                flock(descriptor, LOCK_EX | LOCK_NB)
            if part.exists():
                return part, descriptor
        except BlockingIOError:
            pass  # it is being removed
        except OSError:  # a file system without locks, where nobody removes parts
            return part, descriptor
        os.close(descriptor)


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


def _exists_already(target: Path) -> CribevError:
    return CribevError(f"{quote(str(target), most=300)} is there already: --force replaces it")


_BINARY = getattr(os, "O_BINARY", 0)  # Windows only
