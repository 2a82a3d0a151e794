"""Deals known by their ranks alone, averaged over all the suits they can have.

Six ranks can be dealt in up to 4,096 ways, all as likely. What suits add to a keep depends on the
pattern of the suits and on where the jacks are, so it is averaged over the patterns, weighted by
how many of the deals have each. Which patterns there are, and how often, depends only on which of
the six sorted cards have the rank of the one before: 29 kinds of deal.
"""

from functools import cache
from itertools import combinations, groupby, product

import numpy as np
from numpy.typing import NDArray

from cribev.choice import DiscardValues
from cribev.classes.canonical import (
    PATTERNS,
    STARTERS,
    Floats,
    Index,
    class_ranks,
    discard_rank_pairs,
    pattern_numbers,
)
from cribev.classes.class_tables import ClassTables, suit_rows
from cribev.game.cards import Cards


def all_suitings(ranks: Cards) -> Cards:
    """List all deals of six ascending ranks, uint8 ``(6,)``: at most 4,096, uint8 ``(n, 6)``.

    >>> all_suitings(np.array([0, 0, 0, 0, 1, 1])).tolist()[0]
    [0, 1, 2, 3, 4, 5]
    """
    parts = [
        [tuple(4 * rank + suit for suit in suits) for suits in combinations(range(4), len([*same]))]
        for rank, same in groupby(ranks.tolist())
    ]
    return np.array([sum(choice, ()) for choice in product(*parts)], dtype=np.uint8)


def suit_averaged_values(tables: ClassTables, classes: Index) -> DiscardValues:
    """Value all 15 discards of classes, averaged over all deals of each, ``(N, 15)``.

    Discards of the same ranks are averaged too, and all but the first marked as repeated.

    >>> from cribev.classes.frequency_cribs import uniform_cribs
    >>> four_aces = suit_averaged_values(ClassTables(uniform_cribs(), "pone"), np.array([0]))
    >>> four_aces.hand[0, 0].item(), np.isfinite(four_aces.expected).sum().item()
    (12.0, 3)
    """
    # Few places of equal ranks and of jacks stand for all classes.
    first_rows = suit_rows(classes, np.zeros_like(classes))
    places = np.column_stack([_kinds()[classes], first_rows])
    kinds, example, which = np.unique(places, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    weights = _pattern_weights()[kinds[:, 0]]
    rows = kinds[:, 1, None] + np.arange(PATTERNS)
    pairs = discard_rank_pairs()[classes[example]]
    alike = pairs[:, :, None] == pairs[:, None, :]
    # Of two pairs the lower cards share a suit more often than any two: all such discards count.
    hand_suits, crib_suits = (
        np.einsum("nij,np,npj->ni", alike, weights, table[rows], optimize=True) / alike.sum(axis=2)
        for table in (tables.hand_of_suits, tables.crib_of_suits)
    )
    nobs = np.einsum("np,np->n", weights, tables.nobs_of_suits[rows])
    hand = (tables.hand_of_class[classes] + hand_suits[which]) / STARTERS
    crib = (tables.crib_of_class[classes] + crib_suits[which]) / STARTERS
    crib += (tables.jacks_of_class[classes] * nobs[which])[:, None]
    play = None if tables.play_of_class is None else tables.play_of_class[classes]
    values = DiscardValues.of(hand, crib, tables.role, play)
    values.expected[(alike.argmax(axis=2) != np.arange(15))[which]] = -np.inf
    return values


@cache
def _kinds() -> Index:
    """Tell for each class which cards have the rank of the one before, a bit each."""
    same = class_ranks()[:, 1:] == class_ranks()[:, :-1]
    kinds: Index = same.astype(np.intp) @ (1 << np.arange(5))
    return kinds


@cache
def _pattern_weights() -> Floats:
    """Tell how often each pattern comes among the deals of each kind, ``(32, 187)``."""
    weights = np.zeros((32, PATTERNS))
    for kind in np.unique(_kinds()):
        steps: NDArray[np.int64] = 1 - (kind >> np.arange(5) & 1)
        ranks = np.concatenate([[0], np.cumsum(steps)]).astype(np.uint8)
        suits = all_suitings(ranks).astype(np.intp) & 3
        counts = np.bincount(pattern_numbers()[suits @ 4 ** np.arange(6)], minlength=PATTERNS)
        weights[kind] = counts / counts.sum()
    return weights
