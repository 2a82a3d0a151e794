"""The least and the most that hand and crib can be, for many deals at once, exactly.

A crib's fifteens, pairs and runs depend on the rank class and the ranks thrown, so their spread
is tabulated for all classes. Of the suits, nobs adds one, and a flush five. Let R be the most that
ranks alone can bring. Nobs comes on top of R if some outcome that brings R can have it; on top of
less than R it brings no more than R. A flush has five different ranks of one suit, so the most it
can be is tabulated by the discard and the unseen ranks of its suit.

The least has neither: whatever is held and thrown, some outcome that brings the least by ranks has
no jack and a rank that is not held, so that its starter can be of any suit.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    class_counts,
    classify_columns,
    discard_rank_pairs,
    rank_pair_numbers,
    sorted_columns,
)
from cribev.game.cards import DECK_SIZE, JACK, Cards
from cribev.game.index_tables import DISCARDS, KEEPS, Points, rank_point_table
from cribev.game.scoring import score_card_arrays

_BLOCK = 1 << 12  # deals at a time: their 52 scores each stay in cache
_ALL_RANKS = (1 << 13) - 1
_OTHER_RANKS = _ALL_RANKS ^ 1 << JACK
_FLUSH, _NOBS = 5, 1
_STARTERS = np.arange(DECK_SIZE, dtype=np.uint8)[:, None]


class Spread(NamedTuple):
    """What can still follow a keep and its discard, points, uint8 ``(N,)``."""

    hand_min: Points
    hand_max: Points
    crib_min: Points
    crib_max: Points


class CribSpread(NamedTuple):
    """The spread of the rank points of the crib, by class and keep, ``(18395, 15)`` each."""

    min: Points
    max: Points
    ranks_of_max: NDArray[np.uint16]
    """The ranks, as bits, of all that brings the most."""
    beside_jack: NDArray[np.uint16]
    """The ranks other than jack of all that brings the most and has a jack in it."""


def spread_of_keeps(deals: Cards, keeps: NDArray[np.integer]) -> Spread:
    """Find the least and the most that hand and crib can be.

    Deals are card numbers, uint8 ``(N, 6)``; keeps are those of the *sorted* deals, ``(N,)``. Hands
    range over the 46 starters, cribs over every pair and starter, whoever throws.

    >>> from cribev import parse_cards
    >>> spread_of_keeps(parse_cards("5H 5D 5S JC 2H 8D").reshape(1, 6), np.array([14]))
    Spread(hand_min=array([6], dtype=uint8), hand_max=array([15], dtype=uint8),
    crib_min=array([2], dtype=uint8), crib_max=array([14], dtype=uint8))
    """
    found = Spread(*(np.empty(len(deals), dtype=np.uint8) for _ in Spread._fields))
    for start in range(0, len(deals), _BLOCK):
        part = slice(start, start + _BLOCK)
        columns = sorted_columns(deals[part])
        blocks = _hand_spread(columns, keeps[part]) + _crib_spread(columns, keeps[part])
        for whole, block in zip(found, blocks, strict=True):
            whole[part] = block
    return found


def _hand_spread(columns: list[Cards], keeps: NDArray[np.integer]) -> tuple[Points, Points]:
    deal, row = np.stack(columns), np.arange(len(keeps))
    a, b, c, d = deal[KEEPS[keeps].T, row]
    points = score_card_arrays((a, b, c, d, _STARTERS), crib=False)
    points[deal, row] = 0
    most: Points = points.max(axis=0)
    points[deal, row] = 255
    least: Points = points.min(axis=0)
    return least, most


def _crib_spread(columns: list[Cards], keeps: NDArray[np.integer]) -> tuple[Points, Points]:
    deal, row = np.stack(columns), np.arange(len(keeps))
    classes, _ = classify_columns(columns)
    tables = crib_spread()
    place = classes * 15 + keeps
    ranks, suits = deal >> 2, deal & 3
    unseen = np.full((4, len(keeps)), _ALL_RANKS, dtype=np.uint16)  # by suit, ranks as bits
    for rank, suit in zip(ranks, suits, strict=True):
        unseen[suit, row] ^= np.uint16(1) << rank
    at = DISCARDS[keeps].T
    first, second = ranks[at, row]
    suit, other = suits[at, row]

    # The starter matches a jack of the discard, or one that the opponent throws beside it.
    to_own = np.where(first == JACK, unseen[suit, row], 0)
    to_own |= np.where(second == JACK, unseen[other, row], 0)
    to_other = np.bitwise_or.reduce(np.where(unseen >> JACK & 1, unseen & _OTHER_RANKS, 0), axis=0)
    nobs = tables.ranks_of_max.take(place) & to_own | tables.beside_jack.take(place) & to_other
    most = tables.max.take(place) + (nobs != 0) * np.uint8(_NOBS)
    pair = rank_pair_numbers()[first, second]
    flush = np.where(suit == other, _flush_max()[pair, unseen[suit, row]], 0)
    return tables.min.take(place), np.maximum(most, flush.astype(np.uint8))


@cache
def crib_spread() -> CribSpread:
    """Tabulate the least and the most that ranks bring in the crib.

    >>> spread = crib_spread()
    >>> int(spread.min[0, 0]), int(spread.max[0, 0])  # deuces, from A A A A 2 2
    (2, 20)
    """
    outcomes = np.array(list(combinations_with_replacement(range(13), 3)))
    needed = (outcomes[:, :, None] == np.arange(13)).sum(axis=1)
    # A rank is short if more of it is held than leaves what is needed: one bit a rank and number.
    short = np.zeros((CLASSES, len(outcomes)), dtype=bool)
    for number in (1, 2, 3):
        short |= (class_counts() > 4 - number) @ (needed >= number).T
    bits = np.bitwise_or.reduce(1 << outcomes, axis=1).astype(np.uint16)
    jack = (bits >> JACK & 1).astype(bool)
    beside = np.where(jack, bits & _OTHER_RANKS, 0).astype(np.uint16)

    shape = CLASSES, 15
    tables = CribSpread(
        np.empty(shape, np.uint8), np.empty(shape, np.uint8),
        np.empty(shape, np.uint16), np.empty(shape, np.uint16),
    )  # fmt: skip
    for pair, points in enumerate(_points_of_pairs(outcomes)):
        classes, keeps = np.nonzero(discard_rank_pairs() == pair)
        held, which = np.unique(classes, return_inverse=True)
        least = np.where(short[held], 255, points).min(axis=1)
        most = np.where(short[held], 0, points).max(axis=1)
        at_most = ~short[held] & (points == most[:, None])
        ranks = np.bitwise_or.reduce(np.where(at_most, bits, 0), axis=1)
        companions = np.bitwise_or.reduce(np.where(at_most, beside, 0), axis=1)
        tables.min[classes, keeps], tables.max[classes, keeps] = least[which], most[which]
        tables.ranks_of_max[classes, keeps] = ranks[which]
        tables.beside_jack[classes, keeps] = companions[which]
    return tables


@cache
def _flush_max() -> Points:
    """Tabulate the most of a crib flush by discard and the unseen ranks of its suit as bits.

    uint8 ``(91, 8192)``; 0 where there can be none.
    """
    outcomes = np.array(list(combinations(range(13), 3)))
    low, high = RANK_PAIRS.T
    jack = (outcomes == JACK).any(axis=1) | (RANK_PAIRS == JACK).any(axis=1)[:, None]
    # With a jack among the five there is nobs too: another of the three can be the starter.
    points = _points_of_pairs(outcomes) + (_FLUSH + jack * _NOBS).astype(np.uint8)
    most = np.zeros((len(RANK_PAIRS), _ALL_RANKS + 1), dtype=np.uint8)
    most[:, (1 << outcomes).sum(axis=1)] = np.where((low == high)[:, None], 0, points)
    by_bits = most.reshape(len(RANK_PAIRS), *(2,) * 13)
    for axis in range(1, 14):  # with one rank more there is at least as much to score
        without, having = np.moveaxis(by_bits, axis, 0)
        np.maximum(without, having, out=having)
    return most


def _points_of_pairs(outcomes: NDArray[np.integer]) -> Points:
    """Count each rank pair with three ranks more, uint8 ``(91, n)``."""
    low, high = RANK_PAIRS.T
    points: Points = rank_point_table()[
        ((low * 13 + high) * 2197)[:, None] + outcomes @ [169, 13, 1]
    ]
    return points
