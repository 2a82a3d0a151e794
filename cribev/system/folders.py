"""The user's own folders, for what is kept between runs of the program."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


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
