"""Who throws the other two cards of the crib, with what weight, and what the play brings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike, fspath
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import canonical_deals, class_ranks
from cribev.classes.class_tables import CribAverages, canonical_values, points_to_grid
from cribev.classes.enumeration import DEALS
from cribev.classes.frequency_cribs import (
    PAIR_COMBINATIONS,
    average_frequency_cribs,
    scale_to_max,
    uniform_cribs,
)
from cribev.errors import CribevError, TableError
from cribev.files.pair_tables import PairTable, read_pair_table
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import KEEPS, PAIR_HAS, UNSEEN_PAIRS
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.expert import expert_counts
from cribev.opponents.weights import exact_weights
from cribev.solved.play import ExpectedPegging, KeepFrequencies
from cribev.solved.policies import PolicyLoss
from cribev.solved.solution import (
    Solution,
    load,
    losses_against,
    shipped_expected_pegging,
    shipped_keep_frequencies,
)

_EACH_ONCE = np.where(PAIR_HAS, 0.0, 1.0)
_EACH_ONCE.flags.writeable = False


class Opponent(Protocol):
    """Someone who throws two cards to the crib.

    One of your own needs a name and `weights`, and then advises one deal or many one by one. What
    is said of all deals at once rests on `cribs`, what a review says of luck on `before`.
    """

    name: str
    """What to call this opponent in headings."""

    def __hash__(self) -> int:
        """Tell opponents apart: what is worked out for one is kept."""
        return object.__hash__(self)

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
        raise NotImplementedError

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs that a role meets, for all deals at once.

        Raises
        ------
        CribevError
            If nothing but weights is known.
        """
        raise CribevError(
            f"{self.name!r} cannot be averaged over all deals at once: expected 'expert', "
            "'uniform' or a table of frequencies, or count deal by deal"
        )

    def play(self, role: Role) -> ExpectedPegging:
        """Return what each class and keep of a role pegs, and the opponent, in points.

        It is what two experts peg, whatever he throws.
        """
        return shipped_expected_pegging(role)

    def keeps(self, role: Role) -> KeepFrequencies:
        """Return what he keeps of each class, when the player has this role.

        It is what an expert keeps, where nothing else is known.
        """
        return shipped_keep_frequencies(opposite_role(role))

    def game(self) -> Solution:
        """Return the solved game by which the play goes and the race to 121 is run on."""
        return load(play=True)

    def before(self, role: Role, *, play: bool = True) -> float:
        """Return what a role comes to on average before the deal, its discards the best, in points.

        It is the mean over all 20,358,520 deals by the class tables, within a thousandth of the
        exact one, with the play or for the show alone; NaN where it is not known.
        """
        return float("nan")

    def losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Return what well-known ways to discard lose against him, if that is known."""
        return {}


@dataclass(frozen=True)
class Uniform(Opponent):
    """An opponent who throws any two cards with equal chance.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> Uniform().weights(parse_cards("2H 5D 5H 8D JS QC"), "dealer").sum(axis=0)[:3]
    array([990., 990., 990.])
    """

    name: str = "uniform"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair alike."""
        return _EACH_ONCE

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, the same for both roles."""
        return uniform_cribs()

    def keeps(self, role: Role) -> KeepFrequencies:
        """Keep any four cards, of one suit as often as four cards of different ranks are."""
        ranks = class_ranks()[:, KEEPS]
        share = np.full(ranks.shape[:2], 1 / len(KEEPS))
        differ = (np.diff(ranks.astype(np.int64), axis=2) > 0).all(axis=2)
        return KeepFrequencies(share, share * np.where(differ, 4 / 4**4, 0))

    def before(self, role: Role, *, play: bool = True) -> float:
        """Average the best of every deal."""
        return _average_of_best(self, role, play)


@dataclass(frozen=True)
class Expert(Opponent):
    """An opponent who throws what is best against you over all deals, as a solved game has it.

    Exact: of the 9,366,819 hands he can hold beside your six cards, how many throw each pair.

    Attributes
    ----------
    solution
        The solved game; if none is given, the one that comes with the package in which discards
        weigh the play.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> weights = Expert().weights(parse_cards("2H 5D 5H 8D JS QC"), "dealer")
    >>> float(weights[:, 0].sum())  # hands without the first unseen card
    8145060.0
    """

    solution: Solution = field(default_factory=lambda: load(play=True), repr=False)
    name: str = "expert"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that throw each pair and leave each starter."""
        return exact_weights(deal, expert_counts(self.solution, opposite_role(role)))

    def cribs(self, role: Role) -> CribAverages:
        """Look the average cribs up in the solution."""
        return self.solution.actual_cribs[role]

    def keeps(self, role: Role) -> KeepFrequencies:
        """Look up in the solution what he keeps, if it has it; else in the one that comes along."""
        play = self.solution.play
        if play is None or play.keep_frequencies is None:
            return super().keeps(role)
        return play.keep_frequencies[opposite_role(role)]

    def game(self) -> Solution:
        """Take the solution, if the play and the race are in it; else the one that comes along."""
        if self.solution.play is None or self.solution.win_table is None:
            return super().game()
        return self.solution

    def play(self, role: Role) -> ExpectedPegging:
        """Look the play up in the solution, if it has it; else in the one that comes along."""
        return (
            super().play(role)
            if self.solution.play is None
            else self.solution.play.expected_pegging[role]
        )

    def before(self, role: Role, *, play: bool = True) -> float:
        """Look the average of all deals up in the solution, if it is one with the play or without.

        >>> round(Expert(load()).before("dealer", play=False), 2)
        12.76
        """
        if play == (self.solution.play is not None):
            return self.solution.expected(role)
        return _average_of_best(self, role, play)

    def losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Look the losses up in the solution."""
        return losses_against(self.solution, role)


@dataclass(frozen=True, eq=False)
class Frequencies(Opponent):
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
        each = (scale_to_max(self.table[opposite_role(role)]) / PAIR_COMBINATIONS)[
            ranks[:, 0], ranks[:, 1]
        ]
        weights = np.where(PAIR_HAS, 0.0, each[:, None])
        totals = weights.sum(axis=0)
        if not totals.all():
            raise TableError(
                f"{self.name!r} gives {opposite_role(role)} nothing to throw with these six cards "
                "in sight"
            )
        weights /= totals
        return weights

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, their suits by how often cards of a suit are left to throw."""
        return _frequency_cribs(self, role)

    def before(self, role: Role, *, play: bool = True) -> float:
        """Average the best of every deal."""
        return _average_of_best(self, role, play)


OpponentLike: TypeAlias = str | PathLike[str] | Opponent
"""What is taken for an opponent: a name, a file of frequencies, or an opponent."""


class _OnlyWeights(Opponent):
    """Someone of whom nothing is known but a name and weights."""

    def __init__(self, given: Opponent) -> None:
        self.given, self.name = given, given.name

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        return self.given.weights(deal, role)


@lru_cache(maxsize=4)
def _frequency_cribs(opponent: Frequencies, role: Role) -> CribAverages:
    return average_frequency_cribs(opponent.table[opposite_role(role)])


def averages_met(opponent: Opponent, role: Role, *, play: bool) -> CribAverages:
    """Return the average cribs that a role meets, for all deals, with the play if it counts.

    Raises
    ------
    CribevError
        If nothing but weights is known of the opponent.

    Examples
    --------
    >>> averages_met(Uniform(), "pone", play=True).play.shape
    (18395, 15)
    """
    net = points_to_grid(opponent.play(role).net) if play else None
    return opponent.cribs(role)._replace(play=net)


@lru_cache(maxsize=4)
def _average_of_best(opponent: Opponent, role: Role, play: bool) -> float:
    deals = canonical_deals().deals
    return sum(
        float(values.expected.max(axis=1) @ deals[part])
        for part, values in canonical_values(averages_met(opponent, role, play=play), role=role)
    ) / DEALS  # fmt: skip


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Take an opponent by name, by a file of frequencies, or as it is.

    Parameters
    ----------
    opponent
        ``"expert"`` or ``"uniform"``; or a CSV file with columns
        ``rank1,rank2,dealer_pct,pone_pct``; or an `Opponent`, or any object with the name and
        the weights of one.
    play
        Whether an expert named is one who weighs the play, or throws for the show alone.

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
        more = ("cribs", "play", "keeps", "game", "before", "losses")
        return opponent if all(hasattr(opponent, use) for use in more) else _OnlyWeights(opponent)
    name = fspath(opponent).lower()
    if name == Expert.name:
        return Expert(load(play=play))
    if name == Uniform.name:
        return Uniform()
    table = read_pair_table(opponent, suffix="_pct", known="an opponent (expert, uniform)")
    return Frequencies(fspath(opponent), table)
