"""The six ways in which a game may end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Chance = TypeVar("Chance", bound=Any)  # a number, or an array of them

OUTCOME_COLUMNS = ("win", "skunk", "double_skunk", "lose", "skunked", "double_skunked")
"""The names of the chances in tables and JSON."""

SCORED_COLUMNS = (*OUTCOME_COLUMNS, "value")  # the same, and what they are worth

SHOWN_SKUNKS = 0.005  # tables to look at tell of skunks where one is likelier than this


class Outcomes(NamedTuple, Generic[Chance]):
    """Chances that a game ends in each of six ways, as a player sees it: together they are one.

    >>> ends = Outcomes(0.05, 0.15, 0.4, 0.3, 0.1, 0.0)
    >>> round(ends.win, 2), round(ends.skunk, 2), ends.turned.skunk
    (0.6, 0.2, 0.1)
    """

    won_by_two: Chance  # the player wins by a double skunk: the opponent has fewer than 61 points
    won_by_one: Chance  # by a skunk: the opponent has fewer than 91, but not fewer than 61
    won: Chance  # and the opponent has more
    lost: Chance  # the opponent wins, and the player is not skunked
    lost_by_one: Chance
    lost_by_two: Chance

    @classmethod
    def of_nested(
        cls,
        win: NDArray[np.float64],
        skunk: NDArray[np.float64] | float = 0.0,
        double_skunk: NDArray[np.float64] | float = 0.0,
        skunked: NDArray[np.float64] | float = 0.0,
        double_skunked: NDArray[np.float64] | float = 0.0,
    ) -> Outcomes[NDArray[np.float64]]:
        """Split wins and losses ``(...)`` by the skunks among them, as `to_dict` names them.

        Approximate chances of skunks are cut off at the wins or losses that they are part of. If no
        skunks are given, all wins are `won` and all losses are `lost`.
        """
        skunk, skunked = np.minimum(skunk, win), np.minimum(skunked, 1 - win)
        twice, lost_twice = np.minimum(double_skunk, skunk), np.minimum(double_skunked, skunked)
        won = twice, skunk - twice, win - skunk
        lost = 1 - win - skunked, skunked - lost_twice, lost_twice
        return Outcomes(*sum_to_one(np.stack([*won, *lost])))

    @classmethod
    def over(cls, won: Any, skunks: Any) -> Outcomes[NDArray[np.float64]]:
        """Return how games ended, each 0 or 1, ``(...)``: whether won, and by how many skunks.

        >>> [float(part) for part in Outcomes.over(won=False, skunks=1)]
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        """
        outcome = np.where(won, 2 - np.asarray(skunks), 3 + np.asarray(skunks))
        return Outcomes(*(np.equal(outcome, number).astype(np.float64) for number in range(6)))

    @property
    def win(self) -> Chance:
        """The player wins."""
        return cast(Chance, self.skunk + self.won)

    @property
    def skunk(self) -> Chance:
        """The player wins, and the opponent has fewer than 91 points by then; part of `win`."""
        return cast(Chance, self.won_by_two + self.won_by_one)

    @property
    def double_skunk(self) -> Chance:
        """The player wins, and the opponent has fewer than 61; part of `skunk`."""
        return self.won_by_two

    @property
    def lose(self) -> Chance:
        """The opponent wins."""
        return self.turned.win

    @property
    def skunked(self) -> Chance:
        """The opponent wins, and the player has fewer than 91 points by then; part of `lose`."""
        return self.turned.skunk

    @property
    def double_skunked(self) -> Chance:
        """The opponent wins, and the player has fewer than 61; part of `skunked`."""
        return self.lost_by_two

    @property
    def turned(self) -> Outcomes[Chance]:
        """These outcomes as the opponent sees them."""
        return Outcomes(*self[::-1])

    def to_dict(self) -> dict[str, Chance]:
        """Name chances as tables and JSON do, where a win by a skunk is a win too."""
        return {name: getattr(self, name) for name in OUTCOME_COLUMNS}


_BITS = 40  # of chances that sum to one


def sum_to_one(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round chances ``(n, ...)`` that exclude each other, so that they sum to one exactly.

    They become whole multiples of ``2**-40``, of which no sum is rounded. The likeliest takes
    what is left, which is what rounding took from all or gave them.

    >>> sum_to_one(np.array([0.1, 0.2, 0.7, 1e-15])).sum(), sum_to_one(np.array([1 / 3] * 3)).sum()
    (np.float64(1.0), np.float64(1.0))
    """
    whole = np.rint(chances * 2.0**_BITS) + 0.0  # and no nought below nought
    likeliest = whole.argmax(axis=0)[None]
    most = np.take_along_axis(whole, likeliest, axis=0)
    np.put_along_axis(whole, likeliest, most + 2.0**_BITS - whole.sum(axis=0), axis=0)
    return np.asarray(whole * 2.0**-_BITS)


Goal: TypeAlias = Callable[[Outcomes[NDArray[np.float64]]], NDArray[np.float64]]
"""A function that returns the average worth of outcomes."""


def wins_of(outcomes: Outcomes[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return how likely the game is won: the goal of who plays to win it."""
    return outcomes.win
