"""How often an opponent throws each pair and leaves each starter beside six cards, exactly.

The opponent holds one of 9,366,819 hands. They need not be gone through: of the hands of the whole
deck that throw a pair and keep a card x, let N(S) be those that also keep the cards S. By inclusion
and exclusion over the player's six cards, those that keep none of them are

    N() - Σ N(s) + Σ N(s, t) - Σ N(s, t, u),

for three cards are kept beside x. `DiscardCounts` has all but the last sum, which is over the
303,600 hands of three of the player's cards and three others. Hands are counted in parts, as there,
so nothing is rounded before the end.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    PATTERNS,
    RANK_PAIRS,
    Floats,
    Index,
    class_numbers,
    class_ways,
    discard_rank_pairs,
    pattern_numbers,
    rank_pair_numbers,
)
from cribev.classes.enumeration import colex_rank
from cribev.game.cards import Cards, CardsLike, as_cards, unseen
from cribev.game.index_tables import DISCARDS, PAIR_HAS, UNSEEN_PAIRS
from cribev.opponents.discard_counts import DiscardCounts, pair_kinds, suit_permutations
from cribev.solution.play import KeepFrequencies

UNSEEN = 46
_TWO_OWN = np.array(list(combinations(range(6), 2))).T
_THREE_OWN = np.array(list(combinations(range(6), 3)))
_STEPS = np.arange(3)[:, None]
_THREE_RANKS = np.array(list(combinations_with_replacement(range(13), 3)), dtype=np.uint8)
_THREE_RANKS = _THREE_RANKS[np.lexsort(_THREE_RANKS.T)].T  # in the order of their numbers


def exact_weights(deal: CardsLike, counts: DiscardCounts) -> NDArray[np.float64]:
    """Count the opponent's hands that throw each pair and leave each starter beside six cards.

    float64 ``(1035, 46)``: for each pair of the ascending unseen cards, and each of them as
    starter, how many of the 9,366,819 hands throw that pair and do not contain that starter. A hand
    with several equal keeps counts for each of them in part. Each starter's column sums to
    C(45, 6) = 8,145,060.

    >>> from cribev.opponents.expert import expert_counts
    >>> from cribev.solution.solution import load
    >>> weights = exact_weights("5H 5D JS QC 2H 8D", expert_counts(load(), "pone"))
    >>> weights.shape, round(float(weights[:, 0].sum()))
    ((1035, 46), 8145060)
    """
    own = np.sort(as_cards(deal, count=6))
    rest = unseen(own)
    held = _with_none_to_two(own, rest, counts)
    held.reshape(-1)[_unseen_triples().cells] -= _with_three(own, rest, counts)
    held[PAIR_HAS] = 0
    # A hand keeps four cards, so it was counted for four of the starters.
    left = held.sum(axis=1, keepdims=True) // 4 - held
    left[PAIR_HAS] = 0
    weights: NDArray[np.float64] = left / counts.parts
    return weights


def rank_weights(deal: Cards, frequencies: KeepFrequencies) -> Floats:
    """Count the same for one who keeps by ranks alone, whatever the suits, as often as these say.

    >>> from cribev.game.cards import parse_cards
    >>> from cribev.solution.solution import shipped_keep_frequencies
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> weights = rank_weights(deal, shipped_keep_frequencies("pone"))
    >>> weights.shape, round(float(weights[:, 0].sum()))
    ((1035, 46), 8145060)
    """
    ranks = unseen(deal) >> 2
    number, thrown = np.bincount(ranks, minlength=13), discard_rank_pairs().ravel()
    low, high = RANK_PAIRS.T
    by_starter = np.zeros((len(RANK_PAIRS), 13))  # of each two cards of such ranks
    for starter in np.flatnonzero(number):
        left = number - (np.arange(13) == starter)
        weights = (class_ways(4 - left)[:, None] * frequencies.share).ravel()
        pairs = np.where(low == high, left[low] * (left[low] - 1) // 2, left[low] * left[high])
        by_starter[:, starter] = np.bincount(thrown, weights, len(pairs)) / np.maximum(pairs, 1)
    of_pair = rank_pair_numbers()[tuple(ranks[UNSEEN_PAIRS].T)]
    return np.where(PAIR_HAS, 0.0, by_starter[of_pair[:, None], ranks])


def _with_none_to_two(own: Cards, rest: Cards, counts: DiscardCounts) -> NDArray[np.int64]:
    """Look up N() - Σ N(s) + Σ N(s, t) for each pair thrown and card kept, ``(1035, 46)``."""
    pairs = tuple(rest[UNSEEN_PAIRS.T])
    kinds, suits = (table[pairs] for table in pair_kinds())
    six = suit_permutations()[:, own].T.astype(np.intp)[..., None]  # (6, 24, 1)
    other = suit_permutations()[:, rest].astype(np.intp)  # (24, 46)
    row = kinds[:, None] * counts.with_one.shape[1]
    held: NDArray[np.int64] = counts.with_one.reshape(-1).take(row + other.take(suits, axis=0))
    row = kinds[:, None] * counts.with_two.shape[1]
    for two in colex_rank(*_sort_columns(six, other)):
        held -= counts.with_two.reshape(-1).take(row + two.take(suits, axis=0))
    row = kinds[:, None] * counts.with_three.shape[1]
    for three in colex_rank(*_sort_columns(*six[_TWO_OWN], other)):
        held += counts.with_three.reshape(-1).take(row + three.take(suits, axis=0))
    return held


def _with_three(own: Cards, rest: Cards, counts: DiscardCounts) -> NDArray[np.int32]:
    """Go through the hands of three own cards and three others, that throw two of the others.

    int32 ``(15180, 3)``, in the order of `_unseen_triples`: hands that throw the first two of three
    others and keep the third, that keep the second, that keep the first.
    """
    others, merging = _unseen_triples(), _merging()
    three = own[_THREE_OWN]
    # All that matters of another card but its rank: how many own cards are below it, and its suit.
    # Of three others the former stand in bits 6 to 11, the suits in bits 0 to 5, the first highest.
    codes = (three[:, :, None] < rest).sum(axis=1) << 6 | (rest & 3)
    patterns = _patterns(three & 3)
    classes = _classes(three >> 2) * PATTERNS
    ranks = colex_rank(*((rest >> 2)[others.cards].astype(np.intp) + _STEPS))
    # For each set of keeps and way to merge the share of each throw, and a fourth column: numpy
    # takes rows of sixteen bytes as fast as numbers.
    shares = np.zeros((len(counts.sets) * 64, 4), dtype=np.int32)
    each = counts.parts // np.maximum(np.bitwise_count(counts.sets), 1)
    thrown = counts.sets[:, None, None] >> merging.keeps & 1
    shares[:, :3] = (thrown * each[:, None, None]).reshape(-1, 3)
    found = np.zeros((len(ranks), 4), dtype=np.int32)
    for code, pattern, of_ranks in zip(codes, patterns, classes, strict=True):
        first, second, third = others.cards
        coded = (code << 4).take(first) + (code << 2).take(second) + code.take(third)
        canonical = pattern.take(coded) + of_ranks.take(ranks)
        which = (counts.set_of_canonical.take(canonical).astype(np.intp) << 6) + (coded >> 6)
        found += shares.take(which, axis=0)
    return found[:, :3]


def _patterns(suits: Cards) -> Index:
    """Find the pattern of three own cards and three others by their codes, ``(20, 4096)``."""
    own, others = np.split(2 * _merging().places, 2)
    codes = (suits[:, :, None].astype(np.intp) << own).sum(axis=1)  # (20, 64)
    of_others = np.indices((4, 4, 4)).reshape(3, 1, 64) << others[..., None]
    patterns = pattern_numbers().take(codes[..., None] + of_others.sum(axis=0))
    by_code: Index = patterns.reshape(len(suits), -1)
    return by_code


def _classes(ranks: Cards) -> Index:
    """Find the class of three own cards and three others by the ranks of these, ``(20, 455)``."""
    shape = len(ranks), _THREE_RANKS.shape[1]
    own, others = ranks.T[:, :, None], _THREE_RANKS[:, None, :]
    columns = [np.broadcast_to(column, shape) for column in (*own, *others)]
    return class_numbers(list(np.sort(np.stack(columns), axis=0)))


class _UnseenTriples(NamedTuple):
    """Three of the 46 unseen cards."""

    cards: Index
    """Their places, ascending, ``(3, 15180)``."""
    cells: Index
    """Where in ``(1035, 46)`` two of them are and the third, ``(15180, 3)``, as `_with_three`."""


@cache
def _unseen_triples() -> _UnseenTriples:
    cards = np.array(list(combinations(range(UNSEEN), 3))).T
    pairs = np.zeros((UNSEEN, UNSEEN), dtype=np.intp)
    pairs[tuple(UNSEEN_PAIRS.T)] = np.arange(len(UNSEEN_PAIRS))
    a, b, c = cards
    return _UnseenTriples(
        cards,
        np.stack([pairs[a, b] * UNSEEN + c, pairs[a, c] * UNSEEN + b, pairs[b, c] * UNSEEN + a], 1),
    )


class _Merging(NamedTuple):
    """How three own cards and three others, both ascending, merge into a sorted hand.

    A way is numbered by how many own cards are below each of the others, two bits each, the lowest
    card first; numbers that do not ascend stand for none.
    """

    places: Index
    """Places of the own cards and of the others in the hand, ``(6, 64)``."""
    keeps: Index
    """Keeps that throw the first two of the others, first and third, the last two, ``(64, 3)``."""


@cache
def _merging() -> _Merging:
    below = np.indices((4, 4, 4)).reshape(3, 64)
    others = np.minimum(below + _STEPS, 5)
    free = (np.arange(6)[:, None, None] != others).all(axis=1)
    own = np.argsort(~free, axis=0, kind="stable")[:3]
    keep_of = np.zeros((6, 6), dtype=np.intp)
    keep_of[tuple(DISCARDS.T)] = np.arange(15)
    a, b, c = others
    keeps = np.stack([keep_of[a, b], keep_of[a, c], keep_of[b, c]], axis=1)
    return _Merging(np.concatenate([own, others]), keeps)


def _sort_columns(*cards: Index) -> list[Index]:
    """Sort arrays of cards place by place."""
    columns = list(cards)
    for last in range(len(columns) - 1, 0, -1):
        for at in range(last):
            low, high = columns[at : at + 2]
            columns[at : at + 2] = np.minimum(low, high), np.maximum(low, high)
    return columns
