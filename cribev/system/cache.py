"""The user's own folders, what is unpacked into them once, and libraries that may be missing."""

import mmap
import os
import shlex
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.system.files import atomic_write, is_regular_or_new


def user_folder(variable: str, usual: Callable[[str], str]) -> Path | None:
    """Return the folder that a variable of the environment names, or else the usual one.

    `usual` gives the folder of a program by its name, as `platformdirs.user_cache_dir` does. The
    folder may not exist yet; it is None for a user who has no home.
    """
    if given := os.environ.get(variable):
        return Path(given)
    with suppress(RuntimeError, OSError, KeyError):  # ways to say that there is no home
        folder = Path(usual("cribev"))
        if folder.is_absolute():
            return folder
    return None


def cache_folder() -> Path | None:
    """Return where results are cached: ``CRIBEV_CACHE_DIR``, or the user's cache folder.

    It may not be there yet; None for a user without a home.
    """
    from platformdirs import user_cache_dir

    return user_folder("CRIBEV_CACHE_DIR", user_cache_dir)


def import_optional(module: str, name: str) -> Any:
    """Import a module of an optional dependency, or say which command installs it.

    `name` is that of the extra in ``pyproject.toml``.

    >>> import_optional("no_such_library", "parquet")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cribev.errors.CribevError: this needs no_such_library: ...python... -m pip install
    'cribev[parquet]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        wanted = module.split(".")[0]
        install = shlex.join([sys.executable, "-m", "pip", "install", f"cribev[{name}]"])
        raise CribevError(f"this needs {wanted}: {install}") from error


_CHUNK = 1 << 20


def unpacked(archive: ZipFile, member: str, *, doing: str) -> NDArray[np.uint8]:
    """Return the bytes of a member of a zip file, not to be written, ``(n,)``.

    The first time they are unpacked and kept in `cache_folder`; if that takes more than a second, a
    bar that says what it is ``doing`` shows on a terminal's standard error. Then they are mapped
    from there, and processes share them. The name in the cache has the checksum and the size of the
    content, which the zip file tells without being unpacked, and both are checked at every opening.
    So a file of other content is never taken, and a damaged one is replaced. A folder that cannot
    be written, or no home to have it in, does no harm: the bytes are in memory then.

    Raises KeyError if there is no such member, and what `zipfile` raises if it is damaged.
    """
    info = archive.getinfo(member)
    folder = cache_folder()
    file = folder and folder / f"{member}-{info.CRC:08x}-{info.file_size}.bin"
    if file:
        with suppress(OSError, ValueError):
            return _mapped(file, info)
    content = _unpack(archive, info, doing)
    with suppress(OSError):
        if file and is_regular_or_new(str(file)):
            file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(file) as made:
                made.write(content)
    return np.frombuffer(content, dtype=np.uint8)


def _mapped(file: Path, info: ZipInfo) -> NDArray[np.uint8]:
    """Map a file of the cache; raise OSError or ValueError if it is not what was unpacked."""
    if not file.is_file():  # a pipe would have us wait
        raise FileNotFoundError(file)
    with file.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise ValueError(f"{file} is damaged")
    return np.frombuffer(content, dtype=np.uint8)


def _unpack(archive: ZipFile, info: ZipInfo, doing: str) -> bytes:
    from tqdm import tqdm

    with (
        archive.open(info) as member,
        tqdm(
            total=info.file_size,
            desc=doing,
            unit="B",
            unit_scale=True,
            leave=False,
            disable=None,
            delay=1,
        ) as bar,
    ):
        chunks = []
        while chunk := member.read(_CHUNK):
            chunks.append(chunk)
            bar.update(len(chunk))
    content = b"".join(chunks)
    if len(content) != info.file_size:
        raise BadZipFile(f"{info.filename} has {len(content)} bytes, not {info.file_size}")
    return content
