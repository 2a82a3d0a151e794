"""What a policy throws, and what it keeps beside it, over all hands of the deck.

A policy does not know the names of suits, so it is enough to count for one pair of each of 169
*kinds*: two ranks, of one suit or of two. Kinds are numbered ``13 * rank + rank``, the lower rank
first for two suits and the higher first for one, and the pair that stands for a kind is of clubs,
or of clubs and diamonds, the lower rank of clubs.

A hand counts as many *parts* as make the share of each of its equal keeps a whole number.
"""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Index, Policy, canonical_deals, keep_entries
from cribev.classes.enumeration import colex_rank, unrank_deals
from cribev.errors import TableError
from cribev.game.cards import DECK_SIZE, Cards
from cribev.game.index_tables import DISCARDS, KEEPS

KIND_COUNT = 13 * 13
_BLOCK = 1 << 16  # canonical deals at a time


class DiscardCounts(NamedTuple):
    """What a policy throws and keeps, in parts of a hand."""

    parts: NDArray[np.int64]
    """How many parts a hand has, ``()``."""
    sets: Policy
    """The different sets of keeps of the policy, ``(n,)``."""
    set_of_canonical: NDArray[np.unsignedinteger[Any]]
    """Which of them each canonical deal has, ``(18395 * 187,)``."""
    with_one: NDArray[np.int64]
    """Hands that throw a pair and keep a certain card, by kind and card, ``(169, 52)``."""
    with_two: NDArray[np.int64]
    """… that keep two certain cards, by kind and their number, ``(169, 1326)``."""
    with_three: NDArray[np.unsignedinteger[Any]]
    """… that keep three certain cards, by kind and their number, ``(169, 22100)``."""


class PairKinds(NamedTuple):
    """The kinds of pairs, by their two cards, lower first, each ``(52, 52)``."""

    number: Index
    permutation: Index
    """Which of `suit_permutations` makes it the pair that stands for its kind; one of several."""


def discard_counts(
    policy: Policy, *, report: Callable[[int], object] = lambda _deals: None
) -> DiscardCounts:
    """Count what a policy, sets of keeps uint16 ``(18395, 187)``, throws and keeps.

    `report` is called with the number of deals done since it was last called. `TableError` if the
    policy throws otherwise where suits are renamed.

    >>> from cribev.classes.frequency_cribs import uniform_cribs
    >>> from cribev.classes.class_tables import best_response
    >>> counts = discard_counts(best_response(uniform_cribs(), role="pone"))
    >>> fives = 4 * 13 + 4  # who throws two of them, and keeps two given aces, keeps all four
    >>> float(counts.with_two[fives, 0] / counts.parts)
    1.0
    """
    canonical = canonical_deals()
    sets, set_of_canonical = np.unique(policy, return_inverse=True)
    parts = np.lcm.reduce(np.bitwise_count(sets[sets > 0]).astype(np.int64))
    with_three = np.zeros(KIND_COUNT * comb(DECK_SIZE, 3), dtype=np.int64)
    for start in range(0, len(canonical.deals), _BLOCK):
        part = slice(start, start + _BLOCK)
        deals = unrank_deals(canonical.examples[part])
        rows, keeps, of = keep_entries(policy[canonical.classes[part], canonical.patterns[part]])
        discards, held = (deals[rows[:, None], places[keeps]] for places in (DISCARDS, KEEPS))
        _count(with_three, discards, held, canonical.deals[part][rows] * (parts // of))
        report(int(canonical.deals[part].sum()))
    # Every canonical deal stood for all its suit permutations, and each was counted in all of them.
    with_three, left = np.divmod(with_three.reshape(KIND_COUNT, -1), len(suit_permutations()))
    if left.any():
        raise TableError("expected a policy that does not know the names of suits")
    with_two = _with_one_less(with_three, 3)
    with_one = _with_one_less(with_two, 2)
    return DiscardCounts(
        parts,
        sets,
        set_of_canonical.ravel().astype(np.min_scalar_type(len(sets))),
        with_one,
        with_two,
        with_three.astype(np.min_scalar_type(with_three.max())),
    )


def _count(
    with_three: NDArray[np.int64], discards: Cards, held: Cards, weights: NDArray[np.int64]
) -> None:
    """Count throws, each in all permutations that make its discard stand for its kind."""
    first, second = discards.T.astype(np.intp)
    kinds = pair_kinds().number[first, second] * comb(DECK_SIZE, 3)
    for permuted, stands in zip(suit_permutations(), _stands_for_kind(), strict=True):
        rows = np.flatnonzero(stands[first, second])
        a, b, c, d = np.sort(permuted[held[rows]], axis=1).T.astype(np.intp)
        kind, weight = kinds[rows], weights[rows]
        for three in ((a, b, c), (a, b, d), (a, c, d), (b, c, d)):
            np.add.at(with_three, kind + colex_rank(*three), weight)


def _with_one_less(counts: NDArray[np.int64], cards: int) -> NDArray[np.int64]:
    """Count by one card less: each hand has it beside any of the others that it keeps."""
    subsets = np.indices((DECK_SIZE,) * cards).reshape(cards, -1)
    subsets = subsets[:, (np.diff(subsets, axis=0) > 0).all(axis=0)]
    subsets = subsets[:, np.argsort(colex_rank(*subsets))]
    less = np.concatenate(
        [colex_rank(*np.delete(subsets, without, axis=0)) for without in range(cards)]
    )
    times = 5 - cards
    return np.stack(
        [np.bincount(less, np.tile(of_kind, cards)).astype(np.int64) // times for of_kind in counts]
    )


@cache
def suit_permutations() -> Cards:
    """Tabulate the cards after every permutation of the suits, uint8 ``(24, 52)``.

    >>> suit_permutations()[[0, -1], :4].tolist()
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """
    cards = np.arange(DECK_SIZE)
    suits = np.array(list(permutations(range(4))))
    renamed: Cards = (cards & ~3 | suits[:, cards & 3]).astype(np.uint8)
    return renamed


@cache
def pair_kinds() -> PairKinds:
    """Tabulate the kinds of pairs.

    >>> kinds = pair_kinds()
    >>> kinds.number[[0, 0, 0], [1, 5, 4]].tolist()  # aces; ace and deuce of two suits, of one
    [0, 1, 13]
    """
    low, high = np.indices((DECK_SIZE, DECK_SIZE))
    suited = (low & 3) == (high & 3)
    low, high = low >> 2, high >> 2
    return PairKinds(
        np.where(suited, high * 13 + low, low * 13 + high), _stands_for_kind().argmax(axis=0)
    )


@cache
def _stands_for_kind() -> NDArray[np.bool_]:
    """For each permutation, whether it makes two cards stand for their kind, ``(24, 52, 52)``."""
    suits = suit_permutations() & 3
    low, high = suits[:, :, None], suits[:, None, :]
    ranks = np.arange(DECK_SIZE) >> 2
    of_two = np.where(ranks[:, None] == ranks, low + high == 1, (low == 0) & (high == 1))
    standing: NDArray[np.bool_] = np.where(low == high, low == 0, of_two)
    return standing
