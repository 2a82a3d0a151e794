"""What other houses offer the advisor: named where the package is loaded, loaded when asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_OFFERED: dict[str, tuple[str, str]] = {}


def offer(what: str, module: str, name: str) -> None:
    """Say which function of a module does what; nothing is loaded yet."""
    _OFFERED[what] = module, name


def offered(what: str) -> Callable[..., Any]:
    """Return the function that was offered for what is asked."""
    module, name = _OFFERED[what]
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
