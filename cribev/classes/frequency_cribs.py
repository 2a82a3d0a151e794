"""The average crib against an opponent known by how often each pair of ranks is thrown."""

from functools import cache

import numpy as np

from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    STARTERS,
    Floats,
    class_counts,
    discard_rank_pairs,
)
from cribev.classes.class_tables import CribAverages
from cribev.classes.crib_averages import crib_points, round_to_grid
from cribev.game.cards import JACK

PAIR_COMBINATIONS = np.where(np.eye(13, dtype=bool), 6, 16)
"""How many pairs of cards have each pair of ranks, ``(13, 13)``."""


def scale_to_max(frequencies: Floats) -> Floats:
    """Scale how often each pair of ranks is thrown, in any unit, so that the commonest has 1.

    >>> scale_to_max(np.array([[2.0, 4.0], [4.0, np.nan]])).tolist()
    [[0.5, 1.0], [1.0, 0.0]]
    """
    frequencies = np.nan_to_num(frequencies)
    parts: Floats = frequencies / max(frequencies.max(), np.finfo(float).smallest_subnormal)
    return parts


@cache
def uniform_cribs() -> CribAverages:
    """Average the crib against an opponent who throws any two cards alike.

    >>> uniform_cribs().ranks.shape
    (18395, 15)
    """
    return average_frequency_cribs(PAIR_COMBINATIONS.astype(np.float64))


def average_frequency_cribs(frequencies: Floats) -> CribAverages:
    """Average the crib by how often each pair of ranks is thrown, ``(13, 13)``, NaN for never.

    A pair's frequency is shared among its combinations; your cards and the starter leave some of
    them. Every starter is equally likely: given it, the weights of what is left are scaled to the
    same total. Exact in ranks; suits enter by averages over which cards are held. NaN for classes
    beside which nothing is left to throw.

    >>> kings = np.full((13, 13), np.nan)
    >>> kings[12, 12] = 1.0
    >>> cribs = average_frequency_cribs(kings)  # two kings, whenever possible
    >>> float((cribs.ranks[0, 0] / 46).round(2))  # deuces from A A A A 2 2
    5.57
    """
    low, high = RANK_PAIRS.T
    frequencies = scale_to_max(frequencies)[low, high]
    each = frequencies / PAIR_COMBINATIONS[low, high]
    unseen = 4 - class_counts()
    ranks, thrown = np.zeros((CLASSES, len(RANK_PAIRS))), np.zeros((CLASSES, len(RANK_PAIRS)))
    for starter in range(13):
        left = unseen - (np.arange(13) == starter)
        ways = np.where(low == high, left[:, low] * (left[:, low] - 1) // 2,
                        left[:, low] * left[:, high])  # fmt: skip
        weights = each * ways
        total = weights.sum(axis=1)
        cut = unseen[:, starter] / STARTERS
        with np.errstate(invalid="ignore", divide="ignore"):
            weights *= np.where(cut > 0, cut / total, 0)[:, None]
        ranks += weights @ crib_points()[:, :, starter]
        thrown += weights

    own = np.arange(7)
    left = np.maximum(13 - own, 0)
    # Of all pairs, those of one suit: 78 pairs of ranks and 11 starters, each unseen in so much.
    suited = each[low != high].sum() * 11 * left * (left - 1) * (left - 2) / (13 * 12 * 11)
    total = frequencies.sum() * (45 * 44) / (52 * 51)
    flush = np.where(own >= 2, 5 * suited / max(total, np.finfo(float).tiny), 0)

    jacks = (RANK_PAIRS == JACK).sum(axis=1)
    both = (
        2 * frequencies[jacks == 2].sum() / max((frequencies * jacks).sum(), np.finfo(float).tiny)
    )
    # Of the suit of a jack 12 - own others are unseen, and one may be thrown beside it: not a jack,
    # and of the 45 cards left 48 in 51 are none.
    others = np.maximum(12 - own, 0)
    beside = (1 - both) * others / (45 * 48 / 51)
    return CribAverages(
        ranks=round_to_grid(np.take_along_axis(ranks * STARTERS, discard_rank_pairs(), axis=1)),
        flush=round_to_grid(flush),
        jacks=np.where(class_counts()[:, JACK] == 4, 0.0, thrown @ jacks),
        nobs=(others - beside) / 44,
    )
