"""Files of arrays, the user's folders, the cache in them, and libraries that may be missing.

A cache file always appears complete. If it is missing, damaged or holds something else, it is made
again. A folder that cannot be written, or a missing home, does no harm.
"""

import mmap
import os
import re
import shlex
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.resources import files
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.errors import CribevError, TableError
from cribev.system.files import atomic_write, is_regular_or_new, locked

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
_Found = TypeVar("_Found")

READ_ERRORS = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, RuntimeError),
    *(BadZipFile, LZMAError, zlib.error),
)
"""The errors that reading a damaged file of arrays may raise."""

SHIPPED = files("cribev") / "data" / "expert.npz"
"""Arrays that take seconds to work out, under the names of the cache."""

_CHUNK = 1 << 20


@contextmanager
def open_arrays(
    file: Path | str | IO[bytes], what: str, *, version: tuple[str, int] | None = None, remedy: str
) -> Iterator[NpzFile]:
    """Open an ``.npz`` file; `TableError` if it or an array in it is missing, damaged or outdated.

    It is called ``what`` in errors; ``version`` is the name and the value of the array that says
    the version of its format, and ``remedy`` what to do about another.
    """
    name = str(file if isinstance(file, str | Path) else getattr(file, "name", "memory"))
    try:
        with ExitStack() as opened:
            if isinstance(file, str | Path):
                file = opened.enter_context(Path(file).open("rb"))
            start = file.tell()
            arrays = opened.enter_context(np.load(file, allow_pickle=False))
            if version is not None and (stored := int(arrays[version[0]])) != version[1]:
                wanted = f"this version of cribev reads {version[1]}"
                raise TableError(f"{name} has format {stored}, {wanted}: {remedy}")
            yield arrays
            file.seek(start)  # more of it may be read later
    except TableError:
        raise
    except READ_ERRORS as error:
        # numpy and zipfile speak of pickles and archives.
        kind = what.removeprefix("the ").removesuffix(" in")
        reason = error.strerror if isinstance(error, OSError) else None
        why = reason or f"it is damaged, or no {kind}"
        raise TableError(f"cannot read {what} {name}: {why}") from error


def _user_folder(kind: str) -> Path | None:
    """Return the folder that a variable names, or the usual one; None without a home."""
    import platformdirs

    if setting := os.environ.get(f"CRIBEV_{kind.upper()}_DIR"):
        return Path(setting)
    with suppress(RuntimeError, OSError, KeyError):  # ways to say that there is no home
        folder = Path(getattr(platformdirs, f"user_{kind}_dir")("cribev"))
        if folder.is_absolute():
            return folder
    return None


def cache_folder() -> Path | None:
    """Return the cache folder, which may not exist: ``CRIBEV_CACHE_DIR``, or the user's."""
    return _user_folder("cache")


def data_folder() -> Path | None:
    """Return the folder of games and reviews: ``CRIBEV_DATA_DIR``, or the user's."""
    return _user_folder("data")


def import_optional(module: str, extra: str) -> Any:
    """Import a module of an optional dependency, or say what to install for it."""
    try:
        return import_module(module)
    except ImportError as error:
        from importlib.metadata import requires  # loaded only where something is missing

        package, needed = module.split(".")[0], list[str]()
        with suppress(ImportError):  # run from a folder, and not installed
            of_extra = re.compile(rf"(.*); extra == .{extra}\W")
            matches = map(of_extra.match, requires("cribev") or ())
            needed = [match[1] for match in matches if match]
        install = shlex.join([sys.executable, "-m", "pip", "install", *(needed or [package])])
        raise CribevError(f"this needs {package}: {install}") from error


def read_cached(name: str, read: Callable[[IO[bytes]], _Found]) -> _Found | None:
    """Read a file of the cache; None if it is missing or is not what was cached."""
    folder = cache_folder()
    with suppress(*READ_ERRORS):
        if folder and (file := folder / name).is_file():  # a pipe would have us wait
            with file.open("rb") as opened:
                return read(opened)
    return None


def write_cached(name: str, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file to the cache, if possible."""
    folder = cache_folder()
    with suppress(OSError):
        if folder and is_regular_or_new(str(folder / name)):
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(folder / name) as file:
                write(file)


def read_cached_arrays(name: str, read: Callable[[Arrays], _Found]) -> _Found | None:
    """Read what `write_cached_arrays` wrote under this name; None as for `read_cached`."""

    def read_own(opened: IO[bytes]) -> _Found:
        with np.load(opened, allow_pickle=False) as stored:
            if stored["name"].item() != name:
                raise ValueError("it was kept under another name")
            return read(stored)

    return read_cached(name, read_own)


def read_shipped_arrays(name: str, read: Callable[[Arrays], _Found]) -> _Found | None:
    """Read what ships with the package of what may be cached under this name; None if nothing."""
    with SHIPPED.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        keys = [key.partition("/") for key in stored.files]
        arrays = {key: stored[f"{of}/{key}"] for of, _, key in keys if of == name}
    return read(arrays) if arrays else None


def write_cached_arrays(
    name: str, arrays: Arrays, *, packed: bool, most: int | None = None
) -> None:
    """Write arrays under a name that says all they depend on; drop the unused of the kind."""
    named: dict[str, Any] = {"name": np.array(name), **arrays}
    write_cached(name, lambda made: (np.savez_compressed if packed else np.savez)(made, **named))
    if most is not None:
        _drop_unused(name, most=most)


def _drop_unused(name: str, *, most: int) -> None:
    """Remove all but the last used of the files whose names begin like this one up to a hyphen."""
    if folder := cache_folder():
        alike = folder.glob(f"{name.partition('-')[0]}-*{Path(name).suffix}")
        for file in sorted(alike, key=_last_used)[:-most]:
            with suppress(OSError):
                file.unlink()


@contextmanager
def one_at_a_time(name: str, *, doing: str, long: bool = False) -> Iterator[None]:
    """Let one process at a time do this, by a lock in the cache; the others wait and say so."""
    waiting = partial(_waiting, f"another process is {doing}: waiting", on_pipe=long)
    with ExitStack() as held:
        with suppress(OSError):
            if (folder := cache_folder()) and is_regular_or_new(str(folder / name)):
                folder.mkdir(parents=True, exist_ok=True)
                held.enter_context(locked(folder / name, waiting=waiting))
        yield


@contextmanager
def _waiting(said: str, *, on_pipe: bool) -> Iterator[None]:
    from cribev.system.bars import tqdm

    with tqdm(desc=said, bar_format="{desc}", leave=False, disable=None) as bar:
        if bar.disable and on_pipe:
            sys.stderr.write(f"cribev: {said}\n")
            sys.stderr.flush()
        yield


def read_mapped_arrays(name: str, read: Callable[[list[NDArray[Any]]], _Found]) -> _Found | None:
    """Map what `write_mapped_arrays` wrote under this name, checked and read-only."""

    def mapped(folder: Path, number: object) -> NDArray[Any]:
        if not (file := folder / f"{name}-{number}.npy").is_file():  # a pipe would have us wait
            raise FileNotFoundError
        return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))

    with suppress(*READ_ERRORS):
        if folder := cache_folder():
            sums = mapped(folder, _SUMS).tolist()
            arrays = [mapped(folder, number) for number in range(len(sums))]
            if [_checksum(name, array) for array in arrays] == sums:
                return read(arrays)
    return None


def write_mapped_arrays(name: str, arrays: Iterable[NDArray[Any]]) -> None:
    """Write arrays to be mapped, by a name that says all they depend on; remove stale ones."""
    numbered = dict[object, NDArray[Any]](enumerate(map(np.ascontiguousarray, arrays)))
    numbered[_SUMS] = np.array([_checksum(name, array) for array in numbered.values()])
    for number, array in numbered.items():
        write_cached(f"{name}-{number}.npy", partial(np.save, arr=array, allow_pickle=False))
    if folder := cache_folder():
        for file in folder.glob(f"{name.partition('-')[0]}-*"):
            if not file.name.startswith(f"{name}-"):
                with suppress(OSError):
                    file.unlink()


_SUMS = "sums"  # the part with the checksums of all others


def _checksum(name: str, array: NDArray[Any]) -> int:
    return zlib.crc32(array.data, zlib.crc32(name.encode()))


def mark_used(name: str) -> None:
    """Record that a file of the cache was used now."""
    with suppress(OSError):
        if folder := cache_folder():
            os.utime(folder / name)


def _last_used(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0  # another process has removed it


def unpacked(archive: ZipFile, member: str, *, doing: str) -> NDArray[np.uint8]:
    """Return the bytes of a member of a zip file, not to be written, ``(n,)``.

    They are unpacked once, with a bar that says what it is ``doing``, and then mapped from the
    cache, as they are, under a name with their checksum and size: those of the archive hold for
    both, and are checked at every opening.
    """
    info = archive.getinfo(member)
    name = f"{member}-{info.CRC:08x}-{info.file_size}.bin"

    def mapped(opened: IO[bytes]) -> mmap.mmap:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise ValueError("it is damaged")
        return content

    content: mmap.mmap | bytes | None = read_cached(name, mapped)
    if content is None:
        unpacked_now = content = _unpack(archive, info, doing)
        write_cached(name, lambda made: made.write(unpacked_now))
    return np.frombuffer(content, dtype=np.uint8)


def _unpack(archive: ZipFile, info: ZipInfo, doing: str) -> bytes:
    from cribev.system.bars import tqdm

    shown: dict[str, Any] = {"desc": doing, "unit": "B", "unit_scale": True, "leave": False}
    shown |= {"total": info.file_size, "disable": None, "delay": 1}
    chunks = []
    with archive.open(info) as member, tqdm(**shown) as bar:
        while chunk := member.read(_CHUNK):
            chunks.append(chunk)
            bar.update(len(chunk))
    content = b"".join(chunks)
    if len(content) != info.file_size:
        raise BadZipFile(f"{info.filename} has {len(content)} bytes, not {info.file_size}")
    return content
