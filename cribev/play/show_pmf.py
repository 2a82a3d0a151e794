"""How many points an opponent's hand and a crib show, by the ranks the opponent keeps and throws.

The ranks are known where these are asked for, the suits are not: they are as likely as cards are
left, but that a flush is kept as often as the opponent keeps one. All pmfs are over 0 to 29 points.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import RANK_PAIRS, Floats
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import rank_point_table
from cribev.solved.keeps import RANK_KEEPS, GameSize, keep_rank_counts, kept_points

SHOW_BINS = 30
"""Numbers of points a hand or a crib can have."""

_FLUSHES = 4 / 4**4  # of all ways to take one card of each of four ranks


def hand_pmf(left: NDArray[np.bool_], starters: Sequence[int], flush: Floats) -> Floats:
    """Tell how likely each keep makes so many points, ``(1820, 30)``.

    Parameters
    ----------
    left
        The cards that may be in it or be cut, by rank and suit, ``(13, 4)``.
    starters
        The cards that may be cut, all of one rank and equally likely.
    flush
        How often each keep is of one suit if all cards are left, ``(1820,)``.
    """
    counts, ranks = keep_rank_counts(), GameSize().holdings(4)
    rank = starters[0] // 4
    has_jack = counts[:, JACK] > 0
    nobs, flushes, suited = np.zeros((3, RANK_KEEPS))
    for starter in starters:
        beside = left.copy()
        beside[divmod(starter, 4)] = False
        number = beside.sum(axis=1)
        of_suit = beside[ranks].prod(axis=1) / np.maximum(number[ranks].prod(axis=1), 1)[:, None]
        total = of_suit.sum(axis=1)
        of_one_suit = np.minimum(flush * total / _FLUSHES, 1)
        flushes += of_one_suit
        suited += of_one_suit * of_suit[:, starter % 4] / np.maximum(total, np.finfo(float).tiny)
        if rank != JACK and beside[JACK, starter % 4]:
            nobs += counts[:, JACK] / number[JACK]
    nobs, flushes, suited = (part / len(starters) for part in (nobs, flushes, suited))
    flushes[(counts > 1).any(axis=1)] = suited[(counts > 1).any(axis=1)] = 0
    base, found = kept_points()[:, rank], np.zeros((RANK_KEEPS, SHOW_BINS))
    for gained, chance in (
        (0, (1 - flushes) * (1 - nobs)),
        (1, (1 - flushes) * nobs),
        (4, flushes - suited),
        (5 + has_jack, suited),
    ):
        points = np.minimum(base + gained, SHOW_BINS - 1)
        found[np.arange(RANK_KEEPS), points] += chance
    return found


def crib_pmf(left: NDArray[np.bool_], discard: Cards, starters: Sequence[int]) -> Floats:
    """Tell how likely the crib makes so many points, by the pair of ranks thrown, ``(91, 30)``.

    ``left`` and ``starters`` are as for `hand_pmf`; ``discard`` are the player's two cards.
    """
    rank, (low, high) = starters[0] // 4, RANK_PAIRS.T
    own = discard.astype(np.intp) >> 2
    ranks = np.stack(np.broadcast_arrays(*own, low, high, rank), axis=1)
    base = rank_point_table()[ranks @ 13 ** np.arange(4, -1, -1)].astype(np.intp)
    nobs, flush, both = np.zeros((3, len(RANK_PAIRS)))
    for starter in starters:
        beside, suit = left.copy(), starter % 4
        beside[divmod(starter, 4)] = False
        number = beside.sum(axis=1)
        jack, suited = np.zeros((2, len(RANK_PAIRS)))
        if rank != JACK:
            if 4 * JACK + suit in discard:
                jack += 1
            elif beside[JACK, suit]:
                jack += (RANK_PAIRS == JACK).sum(axis=1) / number[JACK]
        if (discard & 3 == suit).all():
            of_suit = beside[:, suit] / np.maximum(number, 1)
            suited = np.where(low < high, of_suit[low] * of_suit[high], 0)
        nobs, flush = nobs + jack, flush + suited
        both = both + np.where(jack > 0, suited, 0)  # of a flush a jack thrown makes nobs
    nobs, flush, both = (part / len(starters) for part in (nobs, flush, both))
    found = np.zeros((len(RANK_PAIRS), SHOW_BINS))
    for gained, chance in (
        (0, 1 - nobs - flush + both), (1, nobs - both), (5, flush - both), (6, both),
    ):  # fmt: skip
        points = np.minimum(base + gained, SHOW_BINS - 1)
        found[np.arange(len(RANK_PAIRS)), points] += chance
    return found
