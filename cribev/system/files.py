"""Files that appear complete or not at all.

We use our own code: libraries write only one file at a time, and leave parts behind when killed.
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
from shutil import rmtree
from typing import IO, Any, Self

from cribev.errors import CribevError, quote
from cribev.system.signals import ENDING, block_signals, on_forced_exit

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock

_PARTS = ".cribev-*.part"
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.EINVAL}


def check_writable(target: str, *, force: bool, source: str | None = None) -> None:
    """Check that a file can be written, before the work that fills it; else `CribevError`."""
    path = Path(target)
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        kind = None
    except (OSError, ValueError) as error:
        raise CribevError(_unwritable(target, error)) from error
    if kind == stat.S_IFDIR:
        raise CribevError(f"{_named(target)} is a folder: expected a file to write")
    if not path.parent.is_dir():
        raise CribevError(f"there is no folder {_named(str(path.parent))}")
    if kind == stat.S_IFREG:
        if source is not None and Path(source).is_file() and path.samefile(source):
            raise CribevError(f"{_named(target)} is the input: write to another file")
        if not force:
            raise CribevError(_exists_already(target))
    if kind in (None, stat.S_IFREG):
        try:
            with block_signals(*ENDING):
                _Output(path, force=force).discard()
        except OSError as error:
            raise CribevError(_unwritable(target, error)) from error


def make_folder(path: Path, *, mode: int = 0o777) -> None:
    """Make a folder and its parents, unless they exist; `OSError` if that fails."""
    for folder in reversed(path.parents):  # `Path.mkdir` calls itself for each
        folder.mkdir(exist_ok=True)
    path.mkdir(mode, exist_ok=True)


def is_regular_or_new(target: str) -> bool:
    """Return whether this is a regular file, or none yet: no device, no pipe."""
    path = Path(target)
    return path.is_file() or not path.exists()


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise `OSError` unless this is a regular file: opening a pipe would block."""
    try:
        kind = stat.S_IFMT(Path(path).stat().st_mode)
    except ValueError as error:  # a byte 0
        raise OSError(errno.EINVAL, str(error)) from error
    if kind != stat.S_IFREG:
        raise OSError(
            errno.EINVAL, "it is a folder" if kind == stat.S_IFDIR else "it is not a regular file"
        )


class AtomicWrites:
    """Files that take their names when all of them are written, or none of them does.

    Until then each is a part beside its place, so that several processes can write the same file.
    An exception removes the parts; those of a process that was killed, the next that writes there.
    """

    def __init__(self) -> None:
        self._files: list[_Output] = []
        self._outdated: list[Path] = []

    def open(self, path: Path, *, force: bool) -> IO[bytes]:
        """Open a file or device; with `force` one that is there is replaced, and keeps its mode."""
        # A signal between the making of a part and the note of it would leave it behind.
        with _errors_name(path), block_signals(*ENDING):
            self._files.append(_Output(path, force=force))
        return self._files[-1].file

    def adopt(self, part: Path, path: Path, *, force: bool) -> None:
        """Add a complete file, to be moved to a name in the same file system with the others."""
        self._files.append(_Output(path, force=force, part=part))

    def drop(self, path: Path) -> None:
        """Remove a file of an earlier run once these have their names."""
        self._outdated.append(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                for output in self._files:
                    output.file.close()
                for output in self._files:
                    output.take_name()
                self._files = []
                for path in self._outdated:
                    path.unlink(missing_ok=True)
        finally:
            for output in self._files:
                output.discard()


@contextmanager
def atomic_write(path: Path, *, force: bool = True) -> Iterator[IO[bytes]]:
    """Open one file that takes its name only when all of it is written, as in `AtomicWrites`."""
    with AtomicWrites() as outputs:
        yield outputs.open(path, force=force)


@contextmanager
def part_folder(folder: Path) -> Iterator[Path]:
    """Make a temporary folder for files that will appear together in the folder above it."""
    remove_stale_parts(folder)
    part, descriptor = _create_part(folder, folder=True)
    _FOLDERS.add(part)
    try:
        yield part
    finally:
        rmtree(part, ignore_errors=True)
        _FOLDERS.discard(part)
        if descriptor >= 0:
            os.close(descriptor)


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
    with suppress(OSError):
        for path in folder.glob(_PARTS):
            with suppress(OSError):
                _remove_if_stale(path)


class _Raw(io.FileIO):
    """A file whose errors name the path that was asked for."""

    def __init__(self, file: int | Path, target: Path) -> None:
        super().__init__(file, "wb")
        self._target = target

    def write(self, data: Any) -> Any:
        with _errors_name(self._target):
            return super().write(data)

    def close(self) -> None:
        with _errors_name(self._target):
            super().close()


class _Output:
    """A file being written: a locked part beside its place, or a device, written directly."""

    def __init__(self, target: Path, *, force: bool, part: Path | None = None) -> None:
        self._given, self._force, self._named, self._lock = target, force, False, -1
        self._part = part
        self.file: IO[bytes] = io.BytesIO()
        if part is not None:
            self._target = _resolved(target)
            with suppress(OSError):
                if force:
                    part.chmod(stat.S_IMODE(self._target.stat().st_mode))
            return
        if not is_regular_or_new(str(target)):
            self.file = io.BufferedWriter(_Raw(target, target))
            return
        self._target = _resolved(target)
        _remove_stale_parts_once(self._target.parent)
        self._part, descriptor = _create_part(self._target.parent)
        if sys.platform != "win32":  # where what is open cannot take its name
            self._lock = os.dup(descriptor)  # the lock outlives the file, until it has its name
        self.file = io.BufferedWriter(_Raw(descriptor, target))
        _UNDER_WAY.add(self)
        with suppress(OSError):
            if force and sys.platform != "win32":
                os.fchmod(descriptor, stat.S_IMODE(self._target.stat().st_mode))

    def take_name(self) -> None:
        """Give the file its name."""
        if self._part is None:
            return
        try:
            if self._force:
                self._part.replace(self._target)
            else:
                self._take_free_name(self._part)
        except FileExistsError:
            raise CribevError(_exists_already(str(self._given))) from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._given)) from error
        self._named = True
        self._release()

    def discard(self) -> None:
        """Remove the part, and the file itself if it has taken a name that was free."""
        with suppress(OSError):
            self.file.close()
        self._release()
        with suppress(OSError):
            if self._part is not None and not self._named:
                self._part.unlink(missing_ok=True)
            elif self._named and not self._force:
                self._target.unlink(missing_ok=True)

    def _take_free_name(self, part: Path) -> None:
        try:
            os.link(part, self._target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._target.touch(exist_ok=False)  # no hard links: an empty file keeps the place
            part.replace(self._target)
        else:
            part.unlink(missing_ok=True)

    def _release(self) -> None:
        _UNDER_WAY.discard(self)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


_UNDER_WAY: set[_Output] = set()
_FOLDERS: set[Path] = set()


def _discard_unfinished() -> None:
    for part in list(_UNDER_WAY):
        part.discard()
    for folder in list(_FOLDERS):
        rmtree(folder, ignore_errors=True)


on_forced_exit(_discard_unfinished)


@contextmanager
def _errors_name(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = str(target)  # not that of its part
        raise


def _create_part(place: Path, *, folder: bool = False) -> tuple[Path, int]:
    """Make a part and lock it, unless a process that removes stale ones was quicker."""
    while True:
        path = place / _PARTS.replace("*", token_hex(4))
        with suppress(FileExistsError):
            if folder:
                path.mkdir()
                if sys.platform == "win32":  # where a folder cannot be opened
                    return path, -1
                descriptor = os.open(path, os.O_RDONLY)
            else:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, 0o666)
            try:
                _lock(descriptor)
                if os.path.samestat(path.stat(), os.fstat(descriptor)):
                    return path, descriptor
            except (BlockingIOError, FileNotFoundError):
                pass
            except OSError:  # a file system without locks, where nobody removes parts
                return path, descriptor
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a file unless another process has; on Windows an open file cannot be removed."""
    if sys.platform != "win32":
        flock(descriptor, LOCK_EX | LOCK_NB)


_remove_stale_parts_once = cache(remove_stale_parts)


def _remove_if_stale(path: Path) -> None:
    if sys.platform == "win32":
        path.unlink()
        return
    mode = os.O_RDONLY if path.is_dir() else os.O_RDWR
    descriptor = os.open(path, mode | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        _lock(descriptor)
        if mode == os.O_RDONLY:
            rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(descriptor)


def _resolved(path: Path) -> Path:
    """Follow links: the file a link points to is replaced, not the link."""
    with suppress(RuntimeError):  # how Python before 3.13 says that links go in a circle
        if not (found := path.resolve()).is_symlink():
            return found
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _named(target: str) -> str:
    return quote(target, most=300)


def _exists_already(target: str) -> str:
    return f"{_named(target)} is there already: --force replaces it"


def _unwritable(target: str, error: Exception) -> str:
    return f"cannot write {_named(target)}: {getattr(error, 'strerror', None) or error}"


_BINARY = getattr(os, "O_BINARY", 0)  # Windows only
