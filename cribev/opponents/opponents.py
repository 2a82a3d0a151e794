"""An opponent: one object for the discards of the other player, and for the play."""

import functools
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, DEALS, Floats, canonical_deals, class_ranks
from cribev.classes.class_tables import CribAverages, canonical_values, points_to_grid
from cribev.classes.crib_averages import (
    PAIR_COMBINATIONS,
    average_frequency_cribs,
    scale_to_max,
    uniform_cribs,
)
from cribev.errors import CribevError, TableError
from cribev.game.alike import Value
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, PAIR_HAS, UNSEEN_PAIRS, read_only
from cribev.game.roles import Role, opposite_role
from cribev.opponents.counts import exact_weights, expert_counts, thrown_ranks
from cribev.rows.pairs import PairTable
from cribev.solution.policies import PolicyLoss
from cribev.solution.solution import (
    Solution,
    load,
    losses_against,
    shipped_expected_pegging,
    shipped_keep_frequencies,
    shipped_strategy,
)
from cribev.solution.solved_play import ExpectedPegging, KeepFrequencies, any_suits
from cribev.solution.strategy import PlayStrategy

_UNIFORM_WEIGHTS = read_only(np.where(PAIR_HAS, 0.0, 1.0))


class Opponent(Value):
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

    is_expert: bool = False
    """Whether it is one who plays the solved game."""

    is_replied_to: bool = False
    """Whether you play as well as can be against it, and not as an expert does."""

    averages_only: bool = False
    """Whether average cribs are all that is known, so that nobody can tell who wins."""

    has_tables: bool = True
    """Whether the tables against it are known, and not worked out when needed."""

    @property
    def text(self) -> str:
        """What names this opponent in a command or an address."""
        return self.name

    def published_cribs(self, role: Role) -> Floats | None:
        """Return the average cribs of pairs of ranks, ``(13, 13)``; None where they are counted."""
        return None

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

        By default two experts play, whoever the opponent is.
        """
        return shipped_expected_pegging(role)

    def counted_pegging(self, role: Role) -> ExpectedPegging | None:
        """Return `pegging` where the play counts."""
        return self.pegging(role) if self.counts_play else None

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Return how often the opponent keeps what of each class; by default as an expert does."""
        return shipped_keep_frequencies(opposite_role(role))

    def play_strategy(self) -> PlayStrategy:
        """Return how the opponent lays cards; by default as an expert does."""
        return shipped_strategy()

    def solved_game(self) -> Solution:
        """Return the solution that knows how the play and the rest of the game go."""
        return load(play=True)

    def crib_averages(self, role: Role) -> CribAverages:
        """Return `cribs` with the play that goes with them."""
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


@dataclass(frozen=True, eq=False)
class ExpertOpponent(Opponent):
    """An opponent who discards what is best against you over all deals, counted hand by hand."""

    solution: Solution = field(default_factory=lambda: load(play=True), repr=False)
    """The solved game; by default the shipped one in which discards weigh the play."""
    name: str = "expert"
    counts_play: bool = field(default=True, repr=False, kw_only=True)
    is_expert = True

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that discard each pair and leave each starter."""
        return _expert_weights(self.solution, role, np.asarray(deal, np.uint8).tobytes())

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


@functools.lru_cache(maxsize=1)  # cribs and hands of one deal each ask for them
def ranks_thrown(opponent: Opponent, role: Role) -> Floats:
    """Tell how often who faces a role throws each pair of ranks of each class, ``(18395, 91)``."""
    return read_only(thrown_ranks(opponent.keep_frequencies(role)))


@functools.lru_cache(maxsize=2)  # cribs and hands of one deal each ask for them
def _expert_weights(solution: Solution, role: Role, deal: bytes) -> NDArray[np.float64]:
    six = np.frombuffer(deal, dtype=np.uint8)
    weights = exact_weights(six, expert_counts(solution, opposite_role(role)))
    weights.flags.writeable = False  # others share them
    return weights


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
                f"{self.name!r} gives {thrower} nothing to discard with these six cards in sight"
            )
        weights /= totals
        return weights

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, their suits by how often cards of a suit are left to discard."""
        return _frequency_cribs(self, role)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedCribs(ExpertOpponent):
    """An expert whose cribs average what a table says.

    How far cribs spread, and what the expert keeps, is not in such a table: that is the expert's.
    """

    table: PairTable = field(kw_only=True)
    is_expert = False
    averages_only = True

    def published_cribs(self, role: Role) -> Floats:
        """Return the average cribs of pairs of ranks, ``(13, 13)``, in points."""
        return self.table[role]

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs by ranks alone, as the table does."""
        low, high = np.moveaxis(class_ranks()[:, DISCARDS], 2, 0)
        ranks = points_to_grid(self.table[role][low, high])
        suits = np.zeros(7)
        return CribAverages(ranks, suits, np.zeros(CLASSES), suits, own_nobs=False)

    def baseline(self, role: Role) -> float:
        """Average the best discards by the class tables."""
        return Opponent.baseline(self, role)

    def policy_losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Return nothing: policies were measured against an expert."""
        return {}


@dataclass(frozen=True)
class CardPlayer(Opponent):
    """An opponent known by how cards are played alone: what is kept is what an expert keeps."""

    strategy: PlayStrategy

    @property
    def name(self) -> str:  # type: ignore[override]  # of others an attribute
        """Who plays so."""
        return self.strategy.name

    @property
    def play_name(self) -> str:  # type: ignore[override]  # of others an attribute
        """Who plays so."""
        return self.strategy.name

    def play_strategy(self) -> PlayStrategy:
        """Return how cards are played."""
        return self.strategy


@functools.lru_cache(maxsize=8)
def without_play(opponent: Opponent) -> Opponent:
    """Return who discards as another does, where hand and crib alone count."""
    alike = copy(opponent)
    object.__setattr__(alike, "counts_play", False)
    return alike


@functools.lru_cache(maxsize=4)
def _frequency_cribs(opponent: Frequencies, role: Role) -> CribAverages:
    return average_frequency_cribs(opponent.table[opposite_role(role)])


@functools.lru_cache(maxsize=64)
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
