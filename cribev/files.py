"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
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
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "new") as file:
    ...         _ = file.write(b"all of it")
    ...     [found.name for found in Path(folder).iterdir()]
    ['new']
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        # mkstemp makes a file private; give it the permissions that any new file gets.
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
