"""The average crib of every class and discard, exact by ranks, where suits are random.

If the player holds class H, the opponent is dealt class X in M[H, X] = ∏ C(4 - h_r, x_r) of
C(46, 6) ways, discards rank pair p with frequency P[X, p], and leaves u_r - x_r of 40 starters with
rank r, where u = 4 - h. So the average crib of a discard d is

    Σ_X M[H, X] Σ_p P[X, p] Σ_r (u_r - x_r) points(d, p, r) / (40 C(46, 6)),

which falls into (M P) weighted by u, less M times (P weighted by x). M is a product over the ranks,
so it is applied in two steps, ace to six and seven to king, at a tenth of the cost of the whole.

An opponent may also be known only by how often they discard each pair of ranks.
"""

from collections.abc import Iterator
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Index
from cribev.classes.class_tables import GRID, CribAverages
from cribev.game.cards import JACK
from cribev.game.index_tables import read_only
from cribev.system.blas import one_blas_thread

_PAIRS = len(canonical.RANK_PAIRS)
_LOW_RANKS = 6  # ace to six on one side of the split, seven to king on the other
_CHUNK = 13  # columns at a time: the half-transformed table takes 0.15 GB


def average_rank_cribs(discarded: Floats) -> CribAverages:
    """Average the crib by the ranks that classes discard, ``(18395, 91)``; suits are random."""
    low, high = canonical.RANK_PAIRS.T
    often = canonical.deals_of_classes() @ discarded
    table = np.zeros((13, 13))
    table[low, high] = table[high, low] = often
    suits = average_frequency_cribs(table)
    held = sum_over_opponents(discarded)
    ranks = _averages(discarded, held, canonical.crib_points())
    jacks = (held / comb(canonical.STARTERS, 6)) @ (canonical.RANK_PAIRS == JACK).sum(axis=1)
    return CribAverages(
        ranks=round_to_grid(ranks),
        flush=suits.flush,
        jacks=np.where(canonical.class_counts()[:, JACK] == 4, 0.0, jacks),
        nobs=suits.nobs,
    )


@one_blas_thread()
def rank_crib_variances(discarded: Floats) -> Floats:
    """Return the variances of what `average_rank_cribs` averages by ranks, ``(18395, 15)``."""
    held = sum_over_opponents(discarded)
    mean, square = (
        _averages(discarded, held, canonical.crib_points() ** power) for power in (1, 2)
    )
    return square / canonical.STARTERS - (mean / canonical.STARTERS) ** 2


def _averages(discarded: Floats, held: Floats, points: Floats) -> Floats:
    """Average points of two pairs and a starter, ``(91, 91, 13)``, by class and keep, in 46ths."""
    counts = canonical.class_counts()
    inside = sum_over_opponents(_weighted(discarded, counts, points))
    total = _weighted(held, 4 - counts, points) - inside
    by_pair = total * (canonical.STARTERS / (40 * comb(canonical.STARTERS, 6)))
    return np.take_along_axis(by_pair, canonical.discard_rank_pairs(), axis=1)


def round_to_grid(values: Floats) -> Floats:
    """Round 46ths of a point so that sums of them are exact."""
    return np.rint(values / GRID) * GRID


def _weighted(discarded: Floats, starters: NDArray[np.int64], points: Floats) -> Floats:
    """Sum, for each class and discard, discarded × starters × points over pairs and starters."""
    total = np.zeros((canonical.CLASSES, _PAIRS))
    for rank in range(13):
        total += (discarded @ points[:, :, rank]) * starters[:, rank, None]
    return total


class _Split(NamedTuple):
    """The classes as a low half and a high half, each half sorted by its number of cards."""

    low_ways: Floats  # ∏ C(4 - h_r, x_r) over the low ranks, ``(882, 882)``
    high_ways: Floats
    low_edges: Index  # where the halves of each number of cards start, ``(8,)``
    high_edges: Index
    classes: list[Index]  # for each number of low cards, the classes by low and high half


@cache
def _split() -> _Split:
    halves, edges, ways = [], [], []
    for ranks in (_LOW_RANKS, 13 - _LOW_RANKS):
        choices = [np.zeros((1, 0), dtype=np.int64)]
        for _ in range(ranks):
            grown = [np.insert(choices[-1], choices[-1].shape[1], n, axis=1) for n in range(5)]
            choices.append(np.concatenate(grown))
            choices[-1] = choices[-1][choices[-1].sum(axis=1) <= 6]
        half = choices[-1][np.argsort(choices[-1].sum(axis=1), kind="stable")]
        halves.append(half)
        edges.append(np.searchsorted(half.sum(axis=1), np.arange(8)))
        binomial = np.array([[comb(4 - h, x) for x in range(5)] for h in range(5)], dtype=float)
        way = np.ones((len(half), len(half)))
        for rank in range(ranks):
            way *= binomial[half[:, rank, None], half[:, rank]]
        ways.append(way)
    low, high = np.split(canonical.class_counts(), [_LOW_RANKS], axis=1)
    order = np.lexsort((_places(halves[1], high), _places(halves[0], low)))
    sizes = [(edges[0][n + 1] - edges[0][n], edges[1][7 - n] - edges[1][6 - n]) for n in range(7)]
    starts = np.cumsum([0, *(a * b for a, b in sizes)])
    classes = [order[starts[n] : starts[n + 1]].reshape(sizes[n]) for n in range(7)]
    return _Split(ways[0], ways[1], edges[0], edges[1], classes)


def _places(half: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions in a half of numbers of cards by rank."""
    powers = 5 ** np.arange(half.shape[1])
    places = np.full(5 ** half.shape[1], -1)
    places[half @ powers] = np.arange(len(half))
    return np.asarray(places[counts @ powers])


def sum_over_opponents(values: Floats) -> Floats:
    """Sum values by the opponent's class, ``(18395, n)``, for each class of the player's."""
    split = _split()
    low, high = split.low_edges, split.high_edges
    total = np.empty_like(values)
    # One buffer for all: fresh memory costs as much as the arithmetic.
    buffer = np.empty(len(split.low_ways) * len(split.high_ways) * _CHUNK)
    for start in range(0, values.shape[1], _CHUNK):
        columns = values[:, start : start + _CHUNK]
        width = columns.shape[1]
        shape = len(split.low_ways), len(split.high_ways), width
        half = buffer[: shape[0] * shape[1] * width].reshape(shape)
        for n, classes in enumerate(split.classes):
            ways = split.high_ways[:, high[6 - n] : high[7 - n]]
            np.matmul(ways, columns[classes], out=half[low[n] : low[n + 1]])
        for n, classes in enumerate(split.classes):
            ways = split.low_ways[low[n] : low[n + 1]]
            of_high = half[:, high[6 - n] : high[7 - n]].reshape(len(half), -1)
            total[classes, start : start + _CHUNK] = (ways @ of_high).reshape(*classes.shape, width)
    return total


PAIR_COMBINATIONS = np.where(np.eye(13, dtype=bool), 6, 16)
"""The number of pairs of cards of each pair of ranks, ``(13, 13)``."""


def scale_to_max(frequencies: Floats) -> Floats:
    """Scale the frequencies of discards, in any unit, so that the largest is 1."""
    frequencies = np.nan_to_num(frequencies)
    return np.divide(frequencies, max(frequencies.max(), np.finfo(float).smallest_subnormal))


@cache
def uniform_cribs() -> CribAverages:
    """Average the crib against an opponent who discards any two cards with equal chance."""
    return average_frequency_cribs(PAIR_COMBINATIONS.astype(np.float64))


def average_frequency_cribs(frequencies: Floats) -> CribAverages:
    """Average the crib by how often each pair of ranks is discarded, ``(13, 13)``, NaN for never.

    A pair's frequency is shared among its combinations; your cards and the starter leave some of
    them. Every starter is equally likely: given it, the weights of what is left are scaled to the
    same total. Exact in ranks; suits enter by averages over which cards are held. NaN for classes
    beside which nothing is left to discard.
    """
    low, high = canonical.RANK_PAIRS.T
    frequencies = scale_to_max(frequencies)
    ranks, discarded = np.zeros((2, canonical.CLASSES, _PAIRS))
    for starter, weights in _starter_weights(frequencies):
        ranks += weights @ canonical.crib_points()[:, :, starter]
        discarded += weights
    frequencies = frequencies[low, high]
    frequency = frequencies / PAIR_COMBINATIONS[low, high]

    own = np.arange(7)
    left = 13 - own
    # Of all pairs, those of one suit: 78 pairs of ranks and 11 starters, each unseen that often.
    suited = frequency[low != high].sum() * 11 * left * (left - 1) * (left - 2) / (13 * 12 * 11)
    total = frequencies.sum() * (45 * 44) / (52 * 51)
    flush = np.where(own >= 2, 5 * suited / max(total, np.finfo(float).tiny), 0)

    jacks = (canonical.RANK_PAIRS == JACK).sum(axis=1)
    of_jacks = max((frequencies * jacks).sum(), np.finfo(float).tiny)
    both = 2 * frequencies[jacks == 2].sum() / of_jacks
    # Of the suit of a jack 12 - own others are unseen, and one may be discarded beside it: not a
    # jack, and of the 45 cards left 48 in 51 are none.
    others = np.maximum(12 - own, 0)
    beside = (1 - both) * others / (45 * 48 / 51)
    ranks = np.take_along_axis(ranks * canonical.STARTERS, canonical.discard_rank_pairs(), axis=1)
    return CribAverages(
        ranks=round_to_grid(ranks),
        flush=round_to_grid(flush),
        jacks=np.where(canonical.class_counts()[:, JACK] == 4, 0.0, discarded @ jacks),
        nobs=(others - beside) / 44,
    )


def frequency_crib_variances(frequencies: Floats) -> Floats:
    """Return the variances of what `average_frequency_cribs` averages by ranks, ``(18395, 15)``."""
    mean, square = np.zeros((2, canonical.CLASSES, _PAIRS))
    for starter, weights in _starter_weights(scale_to_max(frequencies)):
        mean += weights @ canonical.crib_points()[:, :, starter]
        square += weights @ canonical.crib_points()[:, :, starter] ** 2
    return np.take_along_axis(square - mean**2, canonical.discard_rank_pairs(), axis=1)


@cache
def uniform_crib_variances() -> Floats:
    """Return the variances of the cribs that `uniform_cribs` averages, ``(18395, 15)``."""
    return read_only(frequency_crib_variances(PAIR_COMBINATIONS.astype(np.float64)))


def _starter_weights(frequencies: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield the rank of each starter, and how likely it comes with each pair, ``(18395, 91)``."""
    low, high = canonical.RANK_PAIRS.T
    frequency = (frequencies / PAIR_COMBINATIONS)[low, high]
    unseen = 4 - canonical.class_counts()

    def weigh(left: NDArray[np.int64], pairs: NDArray[np.bool_]) -> Floats:
        first, other, same = left[:, low[pairs]], left[:, high[pairs]], (low == high)[pairs]
        weights: Floats = frequency[pairs] * np.where(same, first * (first - 1) // 2, first * other)
        return weights

    of_all = weigh(unseen, np.ones(_PAIRS, dtype=bool))
    for starter in range(13):
        weights, with_it = of_all.copy(), (low == starter) | (high == starter)
        weights[:, with_it] = weigh(unseen - (np.arange(13) == starter), with_it)
        total = weights.sum(axis=1)
        cut = unseen[:, starter] / canonical.STARTERS
        with np.errstate(invalid="ignore", divide="ignore"):
            weights *= np.where(cut > 0, cut / total, 0)[:, None]
        yield starter, weights
