"""Errors about bad input, each in one line that quotes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSE = 0.7  # how alike a name is to what is likely meant, from 0 to 1


class CribevError(ValueError):
    """Bad input; the base of every error the package raises on purpose.

    >>> issubclass(CribevError, ValueError)
    True
    """


class CardError(CribevError):
    """Text or numbers that are not the cards that were asked for."""


class TableError(CribevError):
    """A table of rank pairs, from a file or by name, that cannot be used."""


class RecordError(CribevError):
    """A record of a played game that cannot be, or cannot be read."""


def quote(text: str, *, most: int = 60) -> str:
    """Quote what was given, cut short where it is long."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def unknown(what: str, text: str, known: Iterable[str], *, expected: str = "") -> str:
    """Say that a name is unknown, and which is likely meant; or else which are known.

    >>> unknown("command", "advse", ["advise", "play"])
    "unknown command 'advse'; did you mean 'advise'?"
    >>> unknown("level", "king", ["beginner", "club"])
    "unknown level 'king': expected beginner or club"
    """
    from difflib import get_close_matches

    names = list(known)
    if near := get_close_matches(text, names, 1, _CLOSE):
        return f"unknown {what} {quote(text)}; did you mean {near[0]!r}?"
    *others, last = names or ["none"]
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"unknown {what} {quote(text)}: expected {expected or listed}"
