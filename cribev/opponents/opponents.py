"""An opponent: made of how the other player discards, and of how they play cards."""

import functools
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, DEALS, Floats, canonical_deals
from cribev.classes.class_tables import CribAverages, canonical_values, points_to_grid
from cribev.classes.crib_averages import (
    PAIR_COMBINATIONS,
    average_frequency_cribs,
    frequency_crib_variances,
    rank_crib_variances,
    scale_to_max,
    uniform_crib_variances,
    uniform_cribs,
)
from cribev.errors import CribevError, TableError
from cribev.game.alike import Value
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import KEEPS, PAIR_HAS, UNSEEN_PAIRS, read_only
from cribev.game.roles import Role, opposite_role
from cribev.opponents.counts import exact_weights, expert_counts
from cribev.rows.pairs import PairTable
from cribev.solution.solution import (
    Solution,
    load,
    shipped_expected_pegging,
    shipped_keep_frequencies,
    shipped_strategy,
)
from cribev.solution.solved_play import ExpectedPegging, KeepFrequencies, any_suits
from cribev.solution.strategy import PlayStrategy
from cribev.system.cache import Arrays, read_cached_arrays, read_shipped_arrays, write_cached_arrays

_VARIANCES_FORMAT = 1  # version of how variances are worked out and kept
_VARIANCES_CACHED = 20
_UNIFORM_WEIGHTS = read_only(np.where(PAIR_HAS, 0.0, 1.0))


class Discards(Value):
    """The discards of an opponent.

    A `role` is always the role of the player who faces the opponent.
    """

    name: str
    """The name of a player who discards so, in headings."""

    @property
    def text(self) -> str:
        """The text for such an opponent in a command or an address."""
        return self.name

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair this opponent can discard with every starter that can follow.

        The player, of the role, has six cards, uint8 ``(6,)``, ascending. Weights are ``(1035,
        46)``, by pairs of the 46 unseen cards as in `index_tables.UNSEEN_PAIRS`, and by starters,
        ascending. They are zero if the starter is in the pair; every starter has the same total,
        because every unseen card is equally likely to be cut.
        """
        raise NotImplementedError

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs that a role faces, for all deals at once, without the play."""
        raise NotImplementedError

    def crib_variances(self, role: Role) -> Floats:
        """Return the variances of the cribs that a role faces, by ranks, ``(18395, 15)``.

        By class and keep, in points², from what the opponent keeps. The expert's are shipped;
        others are worked out once, in three seconds, and stored in the cache.
        """
        return _crib_variances(self, role)

    def keeps(self, role: Role) -> KeepFrequencies:
        """Return how often the opponent keeps each keep of a class; by default like an expert."""
        return shipped_keep_frequencies(opposite_role(role))


class PlayedCards(Value):
    """The cards an opponent plays, the points these peg, and the course of games."""

    name: str
    """The name of a player who plays so, in headings."""

    @property
    def has_tables(self) -> bool:
        """Whether the tables of what is pegged are shipped, and need not be computed first."""
        return True

    @property
    def checksum(self) -> str:
        """Tells best responses apart where they are stored."""
        return ""

    def pegging(self, role: Role) -> ExpectedPegging:
        """Return what each class and keep of a role is expected to peg."""
        raise NotImplementedError

    def strategy(self) -> PlayStrategy:
        """Return how cards are played."""
        raise NotImplementedError

    def game(self) -> Solution:
        """Return the solution for the play and the rest of the game."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Opponent(Value):
    """Someone who discards two cards to the crib, and plays.

    Attributes
    ----------
    discards
        How they discard.
    cards
        How they play; None if the play does not count.
    """

    discards: Discards
    cards: PlayedCards | None

    @classmethod
    def of(cls, discards: Discards) -> "Opponent":
        """Return an opponent who discards so, and plays by the same, or else as an expert."""
        return cls(discards, discards if isinstance(discards, PlayedCards) else Solved())

    @property
    def name(self) -> str:
        """The name of the opponent, in headings."""
        return self.discards.name

    @property
    def text(self) -> str:
        """The text for this opponent in a command or an address."""
        return self.discards.text

    @property
    def counts_play(self) -> bool:
        """Whether the play counts at all."""
        return self.cards is not None

    @property
    def is_expert(self) -> bool:
        """Whether they discard as in the solved game."""
        return isinstance(self.discards, Solved)

    @property
    def is_replied_to(self) -> bool:
        """Whether you play the best response to them, and not like an expert."""
        return not isinstance(self.cards, Solved | None)

    @property
    def play(self) -> PlayedCards:
        """The way they play; an expert's if the play does not count."""
        return self.cards or Solved()

    def pegging(self, role: Role) -> ExpectedPegging | None:
        """Return what each class and keep of a role is expected to peg; None without the play."""
        return None if self.cards is None else self.cards.pegging(role)

    def crib_averages(self, role: Role) -> CribAverages:
        """Return the average cribs with the play that goes with them."""
        pegging = self.pegging(role)
        net = None if pegging is None else points_to_grid(pegging.net)
        return self.discards.cribs(role)._replace(play=net)

    def baseline(self, role: Role) -> float:
        """Return the average of the best discards of a role over all 20,358,520 deals, in points.

        Solved games have it, if the play counts in both or in neither. Others are from the class
        tables, within a thousandth of the exact mean; NaN where these are missing.
        """
        if isinstance(self.discards, Solved):
            solution = self.discards.solution
            if self.counts_play is (solution.play is not None):
                return solution.expected(role)
        return _average_of_best(self, role)


@dataclass(frozen=True, eq=False)
class Solved(Discards, PlayedCards):
    """An expert, who does what is best against you over all deals, counted hand by hand."""

    solution: Solution = field(default_factory=lambda: load(play=True), repr=False)
    """The solved game; by default the shipped one in which discards count the play."""
    name = "expert"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that discard each pair and leave each starter."""
        return _expert_weights(self.solution, role, tuple(deal.tolist()))

    def cribs(self, role: Role) -> CribAverages:
        """Look up the average cribs in the solution."""
        return self.solution.actual_cribs[role]

    def keeps(self, role: Role) -> KeepFrequencies:
        """Look up the keeps in the solution."""
        play = self.solution.play
        return super().keeps(role) if play is None else play.keep_frequencies[opposite_role(role)]

    def pegging(self, role: Role) -> ExpectedPegging:
        """Look up the play in the solution, or else in the shipped one."""
        play = self.solution.play
        return shipped_expected_pegging(role) if play is None else play.expected_pegging[role]

    def strategy(self) -> PlayStrategy:
        """Return the shipped strategy."""
        return shipped_strategy()

    def game(self) -> Solution:
        """Return the solution, if it is complete, or else the shipped one."""
        complete = self.solution.play is not None and self.solution.win_table is not None
        return self.solution if complete else load(play=True)


@dataclass(frozen=True, eq=False)
class Uniform(Discards):
    """An opponent who discards any two cards with equal chance."""

    name = "uniform"

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh all pairs equally."""
        return _UNIFORM_WEIGHTS

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, the same for both roles."""
        return uniform_cribs()

    def crib_variances(self, role: Role) -> Floats:
        """Return the variances, the same for both roles."""
        return uniform_crib_variances()

    def keeps(self, role: Role) -> KeepFrequencies:
        """Keep any four cards; of different ranks, they have one suit as often as by chance."""
        return any_suits(np.full((CLASSES, len(KEEPS)), 1 / len(KEEPS)))


@functools.lru_cache(maxsize=1)  # cribs and hands of one deal each ask for them
def ranks_discarded(discards: Discards, role: Role) -> Floats:
    """Return how often the opponent of a role discards ranks of each class, ``(18395, 91)``."""
    return read_only(discards.keeps(role).discarded_ranks())


@functools.lru_cache(maxsize=2)  # cribs and hands of one deal each ask for them
def _expert_weights(solution: Solution, role: Role, deal: tuple[int, ...]) -> NDArray[np.float64]:
    six = np.array(deal, dtype=np.uint8)
    weights = exact_weights(six, expert_counts(solution, opposite_role(role)))
    weights.flags.writeable = False  # others share them
    return weights


@dataclass(frozen=True, eq=False)
class Frequencies(Discards):
    """An opponent known by how often each pair of ranks is discarded.

    Cards that you see reduce the combinations of a pair, and its weight with them. For each
    starter, the weights are scaled to the same total, so that all starters stay equally likely.
    They play as an expert.

    Attributes
    ----------
    name
        Its name.
    table
        How often dealer and pone discard each pair of ranks, in any unit; NaN for never.
    """

    name: str
    table: PairTable

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Divide each pair's frequency among the combinations that are left.

        Raises
        ------
        TableError
            If the table has nothing to discard, given these cards.
        """
        discarder = opposite_role(role)
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        frequency = (scale_to_max(self.table[discarder]) / PAIR_COMBINATIONS)[
            ranks[:, 0], ranks[:, 1]
        ]
        weights = np.where(PAIR_HAS, 0.0, frequency[:, None])
        totals = weights.sum(axis=0)
        if not totals.all():
            raise TableError(
                f"{self.name!r} gives {discarder} nothing to discard with these six cards in sight"
            )
        weights /= totals
        return weights

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, with suits as often as cards of a suit are left to discard."""
        return _frequency_cribs(self, role)

    def crib_variances(self, role: Role) -> Floats:
        """Work out the variances for the frequencies, in a second."""
        return frequency_crib_variances(self.table[opposite_role(role)])


@functools.lru_cache(maxsize=4)
def _frequency_cribs(discards: Frequencies, role: Role) -> CribAverages:
    return average_frequency_cribs(discards.table[opposite_role(role)])


def _crib_variances(discards: Discards, role: Role) -> Floats:
    discarded = ranks_discarded(discards, role)
    name = variances_name(discarded)

    def read(stored: Arrays) -> Floats:
        if stored["variances"].shape != (CLASSES, len(KEEPS)):
            raise ValueError("variances of another shape")
        return stored["variances"].astype(np.float64)

    variances = read_shipped_arrays(name, read)
    if variances is None:
        variances = read_cached_arrays(name, read)
    if variances is None:
        variances = rank_crib_variances(discarded)
        write_cached_arrays(name, {"variances": variances}, packed=False, most=_VARIANCES_CACHED)
    return variances


def variances_name(discarded: Floats) -> str:
    """Name the variances of cribs, by what the opponent discards, ``(18395, 91)``."""
    return f"variances-{crc32(discarded.data):08x}-{_VARIANCES_FORMAT}.npz"


@functools.lru_cache(maxsize=64)
def _average_of_best(opponent: Opponent, role: Role) -> float:
    try:
        averages = opponent.crib_averages(role)
    except CribevError:
        return float("nan")
    deals = canonical_deals().deals
    return sum(
        float(values.expected.max(axis=1) @ deals[block])
        for block, values in canonical_values(averages, role=role)
    ) / DEALS  # fmt: skip
