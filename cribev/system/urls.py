"""Files at URLs, by fsspec where it is installed."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from cribev.errors import CribevError, quote
from cribev.system.cache import import_optional
from cribev.system.files import exists_already


def is_url(path: object) -> bool:
    """Return whether this is a URL, such as ``s3://bucket/deals.csv``."""
    return isinstance(path, str) and bool(re.match(r"[a-z][a-z0-9+.]+://", path))


@contextmanager
def open_url(url: str, mode: str = "rb", *, force: bool = False) -> Iterator[IO[bytes]]:
    """Open a URL; what is written appears when it is complete, and replaces others by `force`."""
    fsspec = import_optional("fsspec", "urls")
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:  # fsspec says what it lacks
        raise CribevError(f"cannot open {quote(url, most=300)}: {error}") from error
    with ExitStack() as opened:
        if mode == "wb":
            if not force and system.exists(path):
                raise exists_already(url)
            opened.enter_context(system.transaction)
        yield opened.enter_context(system.open(path, mode))
