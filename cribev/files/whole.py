"""Files that may be written, and appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO

from cribev.errors import CribevError, quote


def check_target(target: str, *, force: bool, source: str | None = None) -> None:
    """Check that a file may be written.

    Parameters
    ----------
    target
        The file.
    force
        Whether it may replace one that is there.
    source
        The file that is read, which it may not replace.

    Raises
    ------
    CribevError
        If it is the source, a folder, in a folder that is not there, or there already.

    Examples
    --------
    >>> check_target("no-such-folder/result.csv", force=True)
    Traceback (most recent call last):
    cribev.errors.CribevError: there is no folder 'no-such-folder'
    """
    path = Path(target)
    if path.is_dir():
        raise CribevError(f"{quote(target)} is a folder: expected a file to write")
    if not path.parent.is_dir():
        raise CribevError(f"there is no folder {quote(str(path.parent))}")
    if path.is_file():
        if source is not None and Path(source).is_file() and path.samefile(source):
            raise CribevError(f"{quote(target)} is the input: write to another file")
        if not force:
            raise CribevError(f"{quote(target)} is there already: --force replaces it")


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when all of it is written.

    Until then it lies beside its place under a name of its own, so that several processes can
    write the same file and a reader never finds a part of one. It goes if anything is raised.

    Parameters
    ----------
    path
        The file to be; one that is there is replaced. A device is written as it is.

    Raises
    ------
    OSError
        If it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "new") as file:
    ...         _ = file.write(b"all of it")
    ...     [found.name for found in Path(folder).iterdir()]
    ['new']
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()  # what a link points to is replaced, not the link
    part = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
