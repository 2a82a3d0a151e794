"""Who discards the other two cards of the crib, and who plays: one object for both."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike, fspath
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, DEALS, canonical_deals
from cribev.classes.class_tables import CribAverages, canonical_values, points_to_grid
from cribev.classes.crib_averages import (
    PAIR_COMBINATIONS,
    average_frequency_cribs,
    scale_to_max,
    uniform_cribs,
)
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import KEEPS, PAIR_HAS, UNSEEN_PAIRS
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import Score
from cribev.opponents.counts import exact_weights, expert_counts
from cribev.rows.pairs import PairTable, read_pair_table
from cribev.solution.solution import (
    Solution,
    load,
    losses_against,
    shipped_expected_pegging,
    shipped_keep_frequencies,
)
from cribev.solution.statistics import ExpectedPegging, KeepFrequencies, PolicyLoss, any_suits

Objective: TypeAlias = Literal["points", "wins"]

_UNIFORM_WEIGHTS = np.where(PAIR_HAS, 0.0, 1.0)
_UNIFORM_WEIGHTS.flags.writeable = False


class Opponent:
    """Someone who discards two cards to the crib, and plays.

    One of your own needs a name and `weights`, and then advises deal by deal. With `cribs` it
    values all deals at once, and a review knows what is luck. Everywhere `role` is the role of the
    player who faces it.
    """

    name: str
    """Who discards, in headings."""

    play_name: str = "expert"
    """Who plays, in headings."""

    counts_play: bool = True
    """Whether the play counts at all."""

    plays_for: Objective = "points"
    """What discards and play are for at a score."""

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair this opponent can discard with every starter that can follow.

        Parameters
        ----------
        deal
            The player's six cards, uint8 ``(6,)``, ascending.
        role
            The player's role; the opponent has the other.

        Returns
        -------
        float64 ``(1035, 46)``: pairs of the 46 unseen cards as in `index_tables.UNSEEN_PAIRS`,
        starters ascending. Zero where the starter is of the pair; every starter has the same
        total, as every unseen card is as likely to be cut.
        """
        raise NotImplementedError

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs that a role meets, for all deals at once, without the play.

        Raises
        ------
        CribevError
            If only weights are known.
        """
        raise CribevError(
            f"{self.name!r} cannot be averaged over all deals at once: expected 'expert', "
            "'uniform' or a table of frequencies, or count deal by deal"
        )

    def pegging(self, role: Role) -> ExpectedPegging | None:
        """Return what each class and keep of a role is expected to peg; None without the play.

        By default two experts play, whoever discards.
        """
        return shipped_expected_pegging(role)

    def counted_pegging(self, role: Role) -> ExpectedPegging | None:
        """Return `pegging` where the play counts."""
        return self.pegging(role) if self.counts_play else None

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Return how often the opponent keeps what of each class; by default as an expert does."""
        return shipped_keep_frequencies(opposite_role(role))

    def solved_game(self) -> Solution:
        """Return the solution that knows how the play and the rest of the game go."""
        return load(play=True)

    def at_score(self, score: Score) -> "Opponent":
        """Return who discards and plays at a score before the deal; by default nobody else."""
        return self

    def crib_averages(self, role: Role) -> CribAverages:
        """Return `cribs` with the play that goes with them.

        >>> Uniform().crib_averages("pone").play.shape
        (18395, 15)
        """
        pegging = self.counted_pegging(role)
        net = None if pegging is None else points_to_grid(pegging.net)
        return self.cribs(role)._replace(play=net)

    def baseline(self, role: Role) -> float:
        """Return what the best discards of a role average over all 20,358,520 deals, in points.

        By the class tables, within a thousandth of the exact mean; NaN without `cribs`.
        """
        return _average_of_best(self, role)

    def policy_losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Return what well-known discard policies lose against this opponent, if known."""
        return {}


@dataclass(frozen=True)
class Uniform(Opponent):
    """An opponent who discards any two cards with equal chance."""

    name: str = "uniform"
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair alike."""
        return _UNIFORM_WEIGHTS

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, the same for both roles."""
        return uniform_cribs()

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Keep any four cards, of one suit as often as four cards of different ranks are."""
        return any_suits(np.full((CLASSES, len(KEEPS)), 1 / len(KEEPS)))


@dataclass(frozen=True)
class ExpertOpponent(Opponent):
    """An opponent who discards what is best against you over all deals, as a solved game has it.

    Exact: of the 9,366,819 hands it can hold beside your six cards, how many discard each pair.
    What the solution lacks (play, chances to win) comes from the one that is shipped.
    """

    solution: Solution = field(default_factory=lambda: load(play=True), repr=False)
    """The solved game; by default the shipped one in which discards weigh the play."""
    name: str = "expert"
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that discard each pair and leave each starter."""
        return exact_weights(deal, expert_counts(self.solution, opposite_role(role)))

    def cribs(self, role: Role) -> CribAverages:
        """Look the average cribs up in the solution."""
        return self.solution.actual_cribs[role]

    def pegging(self, role: Role) -> ExpectedPegging | None:
        """Look the play up in the solution."""
        play = self.solution.play
        return super().pegging(role) if play is None else play.expected_pegging[role]

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Look the keeps up in the solution."""
        play = self.solution.play
        if play is None:
            return super().keep_frequencies(role)
        return play.keep_frequencies[opposite_role(role)]

    def solved_game(self) -> Solution:
        """Return the solution, if it is complete."""
        complete = self.solution.play is not None and self.solution.win_table is not None
        return self.solution if complete else super().solved_game()

    def baseline(self, role: Role) -> float:
        """Look the average up in the solution, if the play counts in both or in neither."""
        if self.counts_play is (self.solution.play is None):
            return super().baseline(role)
        return self.solution.expected(role)

    def policy_losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Look the losses up in the solution."""
        return losses_against(self.solution, role)


@dataclass(frozen=True, eq=False)
class Frequencies(Opponent):
    """An opponent known by how often each pair of ranks is discarded.

    The cards in sight thin out a pair's combinations, and its weight with them. Given the
    starter the weights are scaled to the same total, so that every starter stays equally likely.

    Attributes
    ----------
    name
        What to call it.
    table
        How often dealer and pone discard each pair of ranks, in any unit; NaN for never.
    """

    name: str
    table: PairTable
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def __eq__(self, another: object) -> bool:
        return isinstance(another, Frequencies) and self._content() == another._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[str | bytes | bool, ...]:
        return self.name, self.counts_play, *(self.table[role].tobytes() for role in ROLES)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Share each pair's frequency among the combinations left.

        Raises
        ------
        TableError
            If with these cards in sight there is nothing the table would discard.
        """
        thrower = opposite_role(role)
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        each = (scale_to_max(self.table[thrower]) / PAIR_COMBINATIONS)[ranks[:, 0], ranks[:, 1]]
        weights = np.where(PAIR_HAS, 0.0, each[:, None])
        totals = weights.sum(axis=0)
        if not totals.all():
            raise TableError(
                f"{self.name!r} gives {thrower} nothing to throw with these six cards in sight"
            )
        weights /= totals
        return weights

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, their suits by how often cards of a suit are left to discard."""
        return _frequency_cribs(self, role)


OpponentLike: TypeAlias = str | PathLike[str] | Opponent
"""What is taken for an opponent: a name, a file of frequencies, or an opponent."""


@lru_cache(maxsize=8)
def without_play(opponent: Opponent) -> Opponent:
    """Return who discards as another does, where hand and crib alone count.

    >>> without_play(Uniform()).counted_pegging("dealer") is None
    True
    """
    alike = copy(opponent)
    object.__setattr__(alike, "counts_play", False)
    return alike


def _adopted(given: object) -> Opponent:
    """Make an opponent of an object that may be none; what it lacks is as in any `Opponent`."""
    adopted = Opponent()
    names = ("name", *(name for name in vars(Opponent) if not name.startswith("_")))
    vars(adopted).update({name: getattr(given, name) for name in names if hasattr(given, name)})
    return adopted


@lru_cache(maxsize=4)
def _frequency_cribs(opponent: Frequencies, role: Role) -> CribAverages:
    return average_frequency_cribs(opponent.table[opposite_role(role)])


@lru_cache(maxsize=4)
def _average_of_best(opponent: Opponent, role: Role) -> float:
    try:
        averages = opponent.crib_averages(role)
    except CribevError:
        return float("nan")
    deals = canonical_deals().deals
    return sum(
        float(values.expected.max(axis=1) @ deals[part])
        for part, values in canonical_values(averages, role=role)
    ) / DEALS  # fmt: skip


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Take an opponent by name, by a file of frequencies, or as it is.

    The file has columns ``rank1,rank2,dealer_pct,pone_pct``; any object with the name and the
    weights of an `Opponent` is one. If the play does not count, an expert by name is the one who
    discards for the show alone. `TableError` if the file cannot be read as a table of frequencies,
    `CribevError` if it is none of these.

    >>> as_opponent("uniform")
    Uniform(name='uniform')
    >>> as_opponent("unifrom")
    Traceback (most recent call last):
    cribev.errors.TableError: 'unifrom' is neither an opponent (expert, uniform) nor a file
    that can be read: No such file or directory
    """
    given: object = opponent
    found: Opponent
    if not isinstance(opponent, str | PathLike):
        if not (hasattr(opponent, "weights") and hasattr(opponent, "name")):
            raise CribevError(
                f"{quote(repr(opponent))} is no opponent: expected a name, a file, or an object "
                "with a name and weights"
            )
        found = opponent if isinstance(given, Opponent) else _adopted(given)
    elif (name := fspath(opponent).lower()) == ExpertOpponent.name:
        found = ExpertOpponent(load(play=play))
    elif name == Uniform.name:
        found = Uniform()
    else:
        table = read_pair_table(opponent, suffix="_pct", known="an opponent (expert, uniform)")
        found = Frequencies(fspath(opponent), table)
    return found if play or not found.counts_play else without_play(found)
