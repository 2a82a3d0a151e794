"""Every hand and crib that can follow the discards of a deal, by weights of what joins them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import class_numbers
from cribev.game.alike import Value
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, PAIRS_BY_STARTER, UNSEEN_PAIRS, Points
from cribev.game.roles import Role
from cribev.game.scorer import FiveCards, points_by_kind, score_card_arrays, score_hands
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import ExpectedPegging

MAX_POINTS = 29
_POINTS = np.arange(MAX_POINTS + 1.0)


@dataclass(frozen=True, eq=False)
class CribScores(Value):
    """The points that each discard's crib can score."""

    chance: NDArray[np.float64]
    """Probability of each (starter, points), sums to 1 a discard: float64 ``(15, 46, 30)``."""
    min_by_starter: NDArray[np.int64]
    """The fewest points once the starter is known, whatever is discarded, int64 ``(15, 46)``."""
    max_by_starter: NDArray[np.int64]  # the most

    @property
    def min(self) -> NDArray[np.int64]:
        """The fewest points that can still follow, ``(15,)``."""
        fewest: NDArray[np.int64] = self.min_by_starter.min(axis=1)
        return fewest

    @property
    def max(self) -> NDArray[np.int64]:
        """The most points that can still follow, ``(15,)``."""
        most: NDArray[np.int64] = self.max_by_starter.max(axis=1)
        return most

    @property
    def mean(self) -> NDArray[np.float64]:
        """Average crib in points, ``(15,)``."""
        mean: NDArray[np.float64] = self.chance.sum(axis=1) @ _POINTS
        return mean

    @property
    def sd(self) -> NDArray[np.float64]:
        """Standard deviation of the crib in points, ``(15,)``."""
        from_mean = _POINTS - self.mean[:, None]
        sd: NDArray[np.float64] = np.sqrt((self.chance.sum(axis=1) * from_mean**2).sum(axis=1))
        return sd

    @property
    def mean_by_starter(self) -> NDArray[np.float64]:
        """Average crib in points once the starter is known, ``(15, 46)``."""
        mean: NDArray[np.float64] = self.chance @ _POINTS / self.chance.sum(axis=2)
        return mean


class DealOutcomes(NamedTuple):
    """All that can follow the 15 discards of a deal, in the order of the keeps."""

    deal: Cards  # the six cards, uint8 ``(6,)``, ascending
    hands: Points  # points of each keep with each starter, uint8 ``(15, 46)``
    cribs: CribScores
    play: ExpectedPegging | None
    """The average points that each keep pegs, ``(15,)``; None where the play does not count."""

    @property
    def hand_mean(self) -> NDArray[np.float64]:
        """Average hand in points, ``(15,)``."""
        mean: NDArray[np.float64] = self.hands.mean(axis=1)
        return mean


def deal_outcomes(deal: Cards, role: Role, opponent: Opponent) -> DealOutcomes:
    """Work out every hand and every crib that can follow, for a sorted deal, uint8 ``(6,)``."""
    cribs = crib_scores(deal, opponent.discards.weights(deal, role))
    return DealOutcomes(deal, hand_scores(deal), cribs, _expected_pegging(deal, role, opponent))


def _expected_pegging(deal: Cards, role: Role, opponent: Opponent) -> ExpectedPegging | None:
    """Return what each keep of a deal pegs, ``(15,)``: by tables, or the best reply."""
    if opponent.is_replied_to and not opponent.play.has_tables:
        from cribev.values.replies import reply_pegging  # loads all of the play

        return reply_pegging(deal, role, opponent)
    pegging = opponent.pegging(role)
    if pegging is None:
        return None
    (number,) = class_numbers(list((deal >> 2)[:, None]))
    return ExpectedPegging(*(table[number] for table in pegging))


def hand_scores(deal: Cards) -> Points:
    """Score every keep of a sorted deal with every starter, uint8 ``(15, 46)``."""
    return score_hands(deal[KEEPS][:, None, :], unseen(deal))


def crib_scores(deal: Cards, weights: NDArray[np.float64]) -> CribScores:
    """Weigh every crib that can follow each discard of a sorted deal, by ``(1035, 46)``."""
    points, weight = crib_outcomes(deal), _weights_by_starter(weights).ravel()
    starters, bins = weights.shape[1], MAX_POINTS + 1
    cell = np.arange(starters)[:, None] * bins
    chance = np.stack(
        [
            np.bincount((cell + of_discard).ravel(), weight, minlength=starters * bins)
            for of_discard in points
        ]
    )
    return CribScores(
        chance=chance.reshape(-1, starters, bins) / weight.sum(),
        min_by_starter=points.min(axis=2).astype(np.int64),
        max_by_starter=points.max(axis=2).astype(np.int64),
    )


def _weights_by_starter(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh the pairs that can be discarded beside each starter, as `PAIRS_BY_STARTER`."""
    return weights[PAIRS_BY_STARTER, np.arange(46)[:, None]]


def mean_by_kind(
    deal: Cards, discard: int, weights: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Average what a keep and its crib make by kind, as `points_by_kind`, ``(5,)`` each."""
    hand = points_by_kind((*deal[KEEPS[discard]], unseen(deal)), crib=False).mean(axis=0)
    weight = _weights_by_starter(weights)
    points = points_by_kind(_cribs(deal, DISCARDS[discard]), crib=True)
    return {"hand": hand, "crib": np.einsum("ij,ijk->k", weight / weight.sum(), points)}


def crib_outcomes(deal: Cards) -> Points:
    """Score cribs by discard, starter and `PAIRS_BY_STARTER`: uint8 ``(15, 46, 990)``."""
    return score_card_arrays(_cribs(deal, DISCARDS), crib=True)


def _cribs(deal: Cards, discards: NDArray[np.integer]) -> FiveCards:
    """List the cribs that can follow discards, positions ``(..., 2)``: four cards and a starter."""
    rest = unseen(deal)
    first, second = np.moveaxis(deal[discards], -1, 0)[..., None, None]
    third, fourth = np.moveaxis(rest[_PAIRS_DISCARDED], -1, 0)
    return first, second, third, fourth, rest[:, None]


_PAIRS_DISCARDED = UNSEEN_PAIRS[PAIRS_BY_STARTER]  # places among the unseen cards, ``(46, 990, 2)``
