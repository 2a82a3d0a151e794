"""How a game may end, by who wins and where the loser stands then."""

from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

Chance = TypeVar("Chance", bound=Any)
"""A number, or an array of them."""

OUTCOME_COLUMNS = ("win", "skunk", "double_skunk", "lose", "skunked", "double_skunked")
"""How the parts are named in tables and JSON."""

SHOWN_SKUNKS = 0.005
"""Tables to look at tell of skunks where one is likelier than this."""


class Outcomes(NamedTuple, Generic[Chance]):
    """How likely a game ends how, from 0 to 1, as a player sees it.

    >>> found = Outcomes(0.6, 0.2, 0.05, 0.1, 0.0)
    >>> found.lose, found.turned.skunked
    (0.4, 0.2)
    """

    win: Chance
    """The player wins."""
    skunk: Chance
    """The player wins, and the opponent has fewer than 91 points by then; part of `win`."""
    double_skunk: Chance
    """The player wins, and the opponent has fewer than 61; part of `skunk`."""
    skunked: Chance
    """The opponent wins, and the player has fewer than 91 points by then."""
    double_skunked: Chance
    """The opponent wins, and the player has fewer than 61; part of `skunked`."""

    @property
    def lose(self) -> Chance:
        """The opponent wins."""
        return cast(Chance, 1 - self.win)

    @property
    def turned(self) -> Self:
        """The same as the opponent sees it."""
        return type(self)(
            self.lose, self.skunked, self.double_skunked, self.skunk, self.double_skunk
        )

    def to_dict(self) -> dict[str, Chance]:
        """Name the parts, as tables and JSON do."""
        return {name: getattr(self, name) for name in OUTCOME_COLUMNS}
