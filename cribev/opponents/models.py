"""Who throws the other two cards of the crib, and with what weight."""

from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.cribs import frequency_cribs, uniform_cribs
from cribev.classes.values import CribAverages
from cribev.errors import CribevError, TableError
from cribev.files.pair_tables import COMBINATIONS, PairTable, read_pair_table, scaled
from cribev.game.cards import Cards, unseen
from cribev.game.indices import PAIR_HAS, UNSEEN_PAIRS
from cribev.game.roles import ROLES, Role, other
from cribev.opponents.counting import exact_weights
from cribev.opponents.expert import expert_counts
from cribev.solved.solution import load

_EACH_ONCE = np.where(PAIR_HAS, 0.0, 1.0)
_EACH_ONCE.flags.writeable = False


class Opponent(Protocol):
    """Someone who throws two cards to the crib."""

    @property
    def name(self) -> str:
        """What to call this opponent in headings."""

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair this opponent can throw with every starter that can follow.

        Parameters
        ----------
        deal
            The player's six cards, uint8 ``(6,)``, ascending.
        role
            The player's role; the opponent has the other.

        Returns
        -------
        float64 ``(1035, 46)``: pairs of the 46 unseen cards as in `indices.UNSEEN_PAIRS`,
        starters ascending. Zero where the starter is of the pair; every starter has the same
        total, as every unseen card is as likely to be cut.
        """


@dataclass(frozen=True)
class Uniform:
    """An opponent who throws any two cards with equal chance.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> Uniform().weights(parse_cards("2H 5D 5H 8D JS QC"), "dealer").sum(axis=0)[:3]
    array([990., 990., 990.])
    """

    name: str = "uniform"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:  # noqa: ARG002  (all opponents are asked alike)
        """Weigh every pair alike."""
        return _EACH_ONCE


@dataclass(frozen=True)
class Expert:
    """An opponent who throws what is best against you over all deals, as the solved game has it.

    Exact: of the 9,366,819 hands he can hold beside your six cards, how many throw each pair.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> weights = Expert().weights(parse_cards("2H 5D 5H 8D JS QC"), "dealer")
    >>> float(weights[:, 0].sum())  # hands without the first unseen card
    8145060.0
    """

    name: str = "expert"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that throw each pair and leave each starter."""
        return exact_weights(deal, expert_counts(other(role)))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """An opponent known by how often each pair of ranks is thrown.

    The cards in sight thin out a pair's combinations, and its weight with them. Given the
    starter the weights are scaled to the same total, so that every starter stays equally likely.

    Attributes
    ----------
    name
        What to call it.
    table
        How often each pair of ranks is thrown by dealer and by pone, in any unit; a pair that is
        not given (NaN) is never thrown.
    """

    name: str
    table: PairTable

    def __eq__(self, another: object) -> bool:
        return isinstance(another, Frequencies) and self._content() == another._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[str | bytes, ...]:
        return self.name, *(self.table[role].tobytes() for role in ROLES)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Share each pair's frequency among the combinations left.

        Raises
        ------
        TableError
            If with these cards in sight there is nothing the table would throw.
        """
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        each = (scaled(self.table[other(role)]) / COMBINATIONS)[ranks[:, 0], ranks[:, 1]]
        weights = np.where(PAIR_HAS, 0.0, each[:, None])
        totals = weights.sum(axis=0)
        if not totals.all():
            raise TableError(
                f"{self.name!r} gives {other(role)} nothing to throw with these six cards in sight"
            )
        weights /= totals
        return weights


Averaged: TypeAlias = Expert | Uniform | Frequencies
"""Opponents whose cribs can be averaged over all deals at once."""


def average_cribs(opponent: Averaged, role: Role) -> CribAverages:
    """Average the cribs that a role meets, for all deals at once.

    Examples
    --------
    >>> average_cribs(Uniform(), "pone").ranks.shape
    (18395, 15)
    """
    if isinstance(opponent, Frequencies):
        return _frequency_cribs(opponent, role)
    return uniform_cribs() if isinstance(opponent, Uniform) else load().cribs[role]


@lru_cache(maxsize=4)
def _frequency_cribs(opponent: Frequencies, role: Role) -> CribAverages:
    return frequency_cribs(opponent.table[other(role)])


def as_averaged(opponent: str | PathLike[str] | Opponent) -> Averaged:
    """Take an opponent as `as_opponent` does, if his cribs can be averaged.

    Raises
    ------
    TableError
        If a file cannot be read as a table of frequencies.
    CribevError
        If it is an opponent of another kind.

    Examples
    --------
    >>> as_averaged("uniform")
    Uniform(name='uniform')
    """
    thrower = as_opponent(opponent)
    if not isinstance(thrower, Expert | Uniform | Frequencies):
        raise CribevError(
            f"{thrower!r} cannot be averaged over all deals at once: "
            "expected 'expert', 'uniform' or a table of frequencies"
        )
    return thrower


def as_opponent(opponent: str | PathLike[str] | Opponent) -> Opponent:
    """Take an opponent by name, by a file of frequencies, or as it is.

    Parameters
    ----------
    opponent
        ``"expert"`` or ``"uniform"``; or a CSV file with columns
        ``rank1,rank2,dealer_pct,pone_pct``; or an object with a name and the method of `Opponent`.

    Raises
    ------
    TableError
        If the file cannot be read as a table of frequencies.

    Examples
    --------
    >>> as_opponent("uniform")
    Uniform(name='uniform')
    >>> as_opponent("unifrom")
    Traceback (most recent call last):
    cribev.errors.TableError: 'unifrom' is neither an opponent (expert, uniform) nor a file
    that can be read: No such file or directory
    """
    if not isinstance(opponent, str | PathLike):
        if not (hasattr(opponent, "weights") and hasattr(opponent, "name")):
            raise CribevError(
                f"{opponent!r} is no opponent: expected a name, a file, or an object with a name "
                "and weights"
            )
        return opponent
    for known in (Expert(), Uniform()):
        if fspath(opponent).lower() == known.name:
            return known
    table = read_pair_table(opponent, suffix="_pct", known="an opponent (expert, uniform)")
    return Frequencies(fspath(opponent), table)
