"""What other houses offer the advisor: named where the package is loaded, loaded when asked for."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_offered: "dict[str, tuple[str, str]]" = {}


def offer(what: str, module: str, name: str) -> None:
    """Say which function of a module does what; nothing is loaded yet."""
    _offered[what] = module, name


def offered(what: str) -> "Callable[..., Any]":
    """Return the function that was offered for what is asked."""
    from importlib import import_module

    module, name = _offered[what]
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
