"""Optional dependencies."""

import shlex
import sys
from importlib import import_module
from typing import Any

from cribev.errors import CribevError


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
