"""Discards of five cards where three or four play, for all deals that a hand without suits can be.

Three cards and a starter join the card you discard: any four of the 47 unseen, equally likely, so
averages are exact. Apart from suits, the points of the crib do not depend on which of its five
cards is the starter. If n of your five cards are of the suit of the card you discard, the crib is a
flush in C(13 - n, 4) of C(47, 4) cases, and a jack you discard makes nobs in (13 - n) / 47. An
unseen jack is in the crib in 3 / 47, and then makes nobs in (12 - n) / 46.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import DECK_SIZE, JACK, Cards
from cribev.game.index_tables import DISCARDS_OF, KEEPS_OF, rank_point_table, read_only
from cribev.game.scorer import score_card_arrays

_DEALT = 5
_UNSEEN = DECK_SIZE - _DEALT
_STARTERS = np.arange(DECK_SIZE, dtype=np.uint8)[:, None]
_FLUSHES = np.array([5 * comb(13 - held, 4) / comb(_UNSEEN, 4) for held in range(_DEALT + 1)])


def any_card_values(deals: Cards, dealer: NDArray[np.bool_]) -> DiscardValues:
    """Value the five discards of deals, uint8 ``(5, N)``, each ascending, against any cards.

    `dealer` tells whether the crib counts for the player, ``(N,)``. Arrays are ``(N, 5)``.
    """
    rows = np.arange(deals.shape[1])
    hand = np.empty((len(rows), _DEALT))
    for keep, at in enumerate(KEEPS_OF[_DEALT]):
        a, b, c, d = deals[at]
        points = score_card_arrays((a, b, c, d, _STARTERS), crib=False)
        points[deals, rows] = 0
        hand[:, keep] = points.sum(axis=0, dtype=np.int64) / _UNSEEN
    return DiscardValues.of(hand, any_crib_parts(deals).sum(axis=0), dealer)


def any_crib_parts(deals: Cards) -> Floats:
    """Split average cribs of deals with suits, uint8 ``(5, N)``: ranks, flush, nobs, ``(3, N, 5)``.

    Each deal ascends.
    """
    number = deals.shape[1]
    rows, parts = np.arange(number), np.empty((3, number, _DEALT))
    ranks, suits = (deals >> 2).astype(np.intp), deals & 3
    of_suit = (suits[:, None] == suits).sum(axis=0)  # of each card's suit, (5, N)
    by_suit = np.stack([(suits == suit).sum(axis=0) for suit in range(4)])
    jack = (deals == 4 * JACK + np.arange(4)[:, None, None]).any(axis=1)  # of each suit, (4, N)
    others = (3 / _UNSEEN * np.where(jack, 0, 12 - by_suit) / (_UNSEEN - 1)).sum(axis=0)
    classes, which = np.unique(13 ** np.arange(_DEALT) @ ranks, return_inverse=True)
    of_ranks = _crib_ranks(classes[:, None] // 13 ** np.arange(_DEALT) % 13)[which.ravel()]
    for keep, thrown in enumerate(DISCARDS_OF[_DEALT][:, 0]):
        held = of_suit[thrown]
        nobs = np.where(ranks[thrown] == JACK, 13 - held, 0) / _UNSEEN
        parts[:, :, keep] = of_ranks[rows, ranks[thrown]], _FLUSHES[held], nobs + others
    return parts


def _crib_ranks(ranks: NDArray[np.integer]) -> Floats:
    """Average fifteens, pairs and runs of cribs by the rank thrown, of deals by ranks ``(n, 5)``.

    Float64 ``(n, 13)``, of ranks that are held.
    """
    ways, left, points = _four_ranks()
    same = ranks[:, :, None] == ranks[:, None]
    # Each rank held leaves fewer ways; told at the first of its cards.
    held = np.where(same.argmax(axis=2) == np.arange(_DEALT), same.sum(axis=2), 0)
    found = np.empty((len(ranks), 13))
    for start in range(0, len(ranks), 1 << 8):
        part = slice(start, start + (1 << 8))
        found[part] = (left[held[part], ranks[part]].prod(axis=1) * ways) @ points
    return found / comb(_UNSEEN, 4)


@cache
def _four_ranks() -> tuple[Floats, Floats, Floats]:
    """Tabulate the 1,820 sets of four ranks that may be in a crib beside the card thrown.

    How many ways each has in a whole deck, ``(1820,)``; the part of these that is left by 0 to 4
    cards held of a rank, ``(5, 13, 1820)``; and the points of each with a rank, ``(1820, 13)``.
    """
    four = np.array(list(combinations_with_replacement(range(13), 4)))
    needed = (four[:, :, None] == np.arange(13)).sum(axis=1).T  # (13, 1820)
    ways = np.array([[comb(4 - held, cards) for cards in range(5)] for held in range(5)], float)
    of_deck = ways[0][needed]
    points = rank_point_table()[(four @ 13 ** np.arange(1, 5))[:, None] + np.arange(13)]
    left = ways[:, needed] / of_deck
    return read_only(of_deck.prod(axis=0)), read_only(left), read_only(points.astype(np.float64))
