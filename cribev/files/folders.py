"""The user's own folders, for what is kept from one run to the next."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def user_folder(variable: str, usual: Callable[[str], str]) -> Path | None:
    """Return a folder of the user's: the one a variable names, or the usual one.

    Parameters
    ----------
    variable
        The name of a variable of the environment.
    usual
        What tells the usual folder of a program by its name, such as `platformdirs.user_cache_dir`.

    Returns
    -------
    The folder, which may not be there yet; None for a user who has no home.

    Examples
    --------
    >>> user_folder("CRIBEV_NO_SUCH_VARIABLE", lambda name: f"not/absolute/{name}") is None
    True
    """
    if given := os.environ.get(variable):
        return Path(given)
    with suppress(RuntimeError, OSError, KeyError):  # ways to say that there is no home
        folder = Path(usual("cribev"))
        if folder.is_absolute():
            return folder
    return None
