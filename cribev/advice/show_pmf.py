"""How many points an opponent's hand and a crib show, by the ranks the opponent keeps and throws.

The ranks are known where these are asked for, the suits are not: they are as likely as cards are
left, but that a flush is kept as often as the opponent keeps one. All pmfs are over 0 to 29 points.

Where the player's cards have no suits either, all suits they can have are as likely. Cards of two
ranks then have suits that are independent, so the averages over all suits are products.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import RANK_PAIRS, Floats, Index
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import rank_point_table
from cribev.solution.keeps import RANK_KEEPS, GameSize, keep_rank_counts, kept_points

SHOW_BINS = 30
"""Numbers of points a hand or a crib can have."""

_Shares: TypeAlias = NDArray[np.floating[Any]]
_A_SUIT, _ANOTHER_SUIT = 1 / 4, 1 / 3  # of a card, and of one that is not of the starter's suit
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
    return _hand_pmf(rank, nobs, flushes, suited)


def suitless_hand_pmf(rank: int, flush: Floats, jack: float) -> Floats:
    """Tell how likely each keep makes so many points, ``(1820, 30)``, averaged over your suits.

    Parameters
    ----------
    rank
        Of the starter.
    flush
        As for `hand_pmf`.
    jack
        How likely a jack that is not of your keep has the suit of the starter.
    """
    counts = keep_rank_counts()
    with_jack = counts[:, JACK] > 0
    suited = flush * np.where(with_jack, jack, _A_SUIT) * (counts[:, rank] == 0)
    return _hand_pmf(rank, counts[:, JACK] * jack, flush.copy(), suited)


def _hand_pmf(rank: int, nobs: _Shares, flushes: _Shares, suited: _Shares) -> Floats:
    """Put together how likely nobs, flushes, and flushes of the starter's suit are, ``(1820,)``."""
    counts = keep_rank_counts()
    has_jack, paired = counts[:, JACK] > 0, (counts > 1).any(axis=1)
    flushes[paired] = suited[paired] = 0
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
    return _crib_pmf(_crib_ranks(discard >> 2, rank), nobs, flush, both)


def suitless_crib_pmf(discard: Cards, rank: int, jack: float) -> Floats:
    """Tell how likely the crib makes so many points, ``(91, 30)``, averaged over your suits.

    ``discard`` are two ranks; ``rank`` and ``jack`` are as for `suitless_hand_pmf`.
    """
    ranks = _crib_ranks(discard, rank)
    cards = np.sort(ranks, axis=1)
    differ = (cards[:, 1:] != cards[:, :-1]).all(axis=1)
    is_jack = ranks[:, :4] == JACK
    flush = differ * np.where(is_jack, jack, _A_SUIT).prod(axis=1)
    return _crib_pmf(ranks, jack * is_jack.sum(axis=1), flush, flush * is_jack.any(axis=1))


def suitless_keep_points(keep: Cards, rank: int, *, nobs: bool) -> list[tuple[int, float]]:
    """List the points of a keep of four ranks, and how likely each is, averaged over its suits.

    The starter is of a rank, and is or is not of the suit of a jack in the keep.

    >>> fives_and_jack = np.array([4, 4, 4, 10])
    >>> suitless_keep_points(fives_and_jack, 4, nobs=True)
    [(29, 1.0)]
    """
    base = int(rank_point_table()[np.append(keep, rank) @ 13 ** np.arange(4, -1, -1)]) + nobs
    if len(np.unique(keep)) < len(keep):
        return [(base, 1.0)]
    # How likely each card is of the starter's suit, and of a certain other.
    suited, other = np.full((2, 4), _A_SUIT)
    if rank != JACK:
        suited[keep == JACK], other[keep == JACK] = (1, 0) if nobs else (0, _ANOTHER_SUIT)
    suited[keep == rank], other[keep == rank] = 0, _ANOTHER_SUIT
    five, four = float(suited.prod()), float(3 * other.prod())
    points = ((base, 1 - four - five), (base + 4, four), (base + 5, five))
    return [(made, chance) for made, chance in points if chance]


def _crib_ranks(discard: NDArray[np.integer[Any]], rank: int) -> Index:
    """List the ranks of the discard, of each pair thrown to it and of the starter, ``(91, 5)``."""
    own = discard.astype(np.intp)
    return np.stack(np.broadcast_arrays(*own, *RANK_PAIRS.T, rank), axis=1)


def _crib_pmf(ranks: Index, nobs: Floats, flush: Floats, both: Floats) -> Floats:
    """Put together how likely nobs, a flush and both at once are, ``(91,)``."""
    base = rank_point_table()[ranks @ 13 ** np.arange(4, -1, -1)].astype(np.intp)
    found = np.zeros((len(RANK_PAIRS), SHOW_BINS))
    for gained, chance in (
        (0, 1 - nobs - flush + both), (1, nobs - both), (5, flush - both), (6, both),
    ):  # fmt: skip
        points = np.minimum(base + gained, SHOW_BINS - 1)
        found[np.arange(len(RANK_PAIRS)), points] += chance
    return found
