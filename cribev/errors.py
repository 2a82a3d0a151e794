"""What goes wrong with what a user gave, each in one line that quotes it."""

_LONGEST = 300  # characters of a description


class CribevError(ValueError):
    """Bad input; the base of every error the package raises on purpose.

    >>> issubclass(CribevError, ValueError)
    True
    """


class CardError(CribevError):
    """Text or numbers that are not the cards that were asked for."""


class TableError(CribevError):
    """A table of rank pairs, from a file or by name, that cannot be used."""


class MoveError(CribevError):
    """A move that is against the rules of the game."""


class TurnError(MoveError):
    """A move that is not to be made now."""


class GameError(CribevError):
    """A game that is not there, or cannot be read."""


class PlayerError(CribevError):
    """A program that plays, and breaks the rules or breaks off."""


class RecordError(CribevError):
    """A record of a played game that cannot be, or cannot be read."""


def quote(text: str, *, most: int = 60) -> str:
    """Quote what was given, cut short where it is long."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def describe(error: BaseException) -> str:
    r"""Say in one line what the code of somebody else raised, cut short where it is long."""
    try:
        said = str(error)
    except BaseException:  # it is somebody else's, too
        said = "and what it says cannot be told"
    name = type(error).__name__
    text = " ".join(f"{name}: {said}".split()) if said.strip() else name
    return text if text.isprintable() and len(text) <= _LONGEST else quote(text, most=_LONGEST)
