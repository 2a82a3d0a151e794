"""The 15 discards of a deal with every crib that can follow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import DISCARDS, PAIR_HAS, PAIRS_BY_STARTER, UNSEEN_PAIRS, Points
from cribev.game.scoring import score_card_arrays

MAX_POINTS = 29
_POINTS = np.arange(MAX_POINTS + 1.0)


@dataclass(frozen=True, eq=False)
class CribScores:
    """What each discard's crib can come to.

    Attributes
    ----------
    chance
        Probability of each (starter, points), float64 ``(15, 46, 30)``, sums to 1 a discard.
    min, max
        The fewest and most points that can still follow, whoever throws, int64 ``(15,)``.
    """

    chance: NDArray[np.float64]
    min: NDArray[np.int64]
    max: NDArray[np.int64]

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


def crib_scores(deal: Cards, weights: NDArray[np.float64]) -> CribScores:
    """Weigh every crib that can follow each discard of a deal.

    Parameters
    ----------
    deal
        Six cards, uint8 ``(6,)``, ascending.
    weights
        Weight of each (pair thrown by the opponent, starter), ``(1035, 46)``, as an
        `cribev.opponents.models.Opponent` gives them.

    Raises
    ------
    CribevError
        If that is not what they are.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> cribs = crib_scores(parse_cards("2H 5D 5H 8D JS QC"), 1.0 - PAIR_HAS)
    >>> round(float(cribs.mean[0]), 4), int(cribs.min[0]), int(cribs.max[0])
    (4.7306, 0, 18)
    """
    if weights.shape != PAIR_HAS.shape:
        raise CribevError(f"an opponent's weights have shape (1035, 46), not {weights.shape}")
    if not (weights >= 0).all() or weights[PAIR_HAS].any() or not 0 < weights.sum() < np.inf:
        raise CribevError(
            "an opponent's weights are finite, from 0 up, not all 0, "
            "and 0 where the starter is of the pair"
        )
    points = crib_outcomes(deal)
    starter = np.arange(46)[:, None]
    weight = weights[PAIRS_BY_STARTER, starter].ravel()
    place = starter * (MAX_POINTS + 1)
    chance = np.stack(
        [
            np.bincount((place + of_discard).ravel(), weight, minlength=46 * (MAX_POINTS + 1))
            for of_discard in points
        ]
    )
    return CribScores(
        chance=chance.reshape(15, 46, MAX_POINTS + 1) / weight.sum(),
        min=points.min(axis=(1, 2)).astype(np.int64),
        max=points.max(axis=(1, 2)).astype(np.int64),
    )


def crib_outcomes(deal: Cards) -> Points:
    """Score every crib that can follow each discard.

    Returns
    -------
    Points, uint8 ``(15, 46, 990)``: discards in the order of `indices.DISCARDS`, starters
    ascending, and the pairs the opponent can throw beside that starter, as in
    `indices.PAIRS_BY_STARTER`.
    """
    rest = unseen(deal)
    theirs = rest[UNSEEN_PAIRS[PAIRS_BY_STARTER]]
    mine = deal[DISCARDS][:, :, None, None]
    return score_card_arrays(
        (mine[:, 0], mine[:, 1], theirs[..., 0], theirs[..., 1], rest[:, None]), crib=True
    )
