"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when all of it is written.

    Until then it lies beside its place under a name of its own, so that several processes can
    write the same file and a reader never finds a part of one. It goes if anything is raised.

    Parameters
    ----------
    path
        The file to be; one that is there is replaced.

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
    part = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
