"""Errors of games, besides those of the advisor."""

from cribev.errors import CribevError


class MoveError(CribevError):
    """A move that is against the rules of the game."""


class TurnError(MoveError):
    """A move that is not to be made now."""


class GameError(CribevError):
    """A game that is not there, or cannot be read."""
