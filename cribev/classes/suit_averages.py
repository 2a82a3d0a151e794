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

from cribev.choice import net_points
from cribev.classes.canonical import PATTERNS, STARTERS, Floats, Index, class_ranks, pattern_numbers
from cribev.classes.class_tables import ClassTables, KeepValues, suit_rows
from cribev.game.cards import Cards


def all_suitings(ranks: Cards) -> Cards:
    """List all deals of six ranks.

    Parameters
    ----------
    ranks
        Ranks 0..12, at most four of each, uint8 ``(6,)``, ascending.

    Returns
    -------
    Card numbers, uint8 ``(n, 6)``, each deal ascending; n is at most 4,096.

    Examples
    --------
    >>> all_suitings(np.array([0, 0, 0, 0, 1, 1])).tolist()[0]
    [0, 1, 2, 3, 4, 5]
    """
    parts = [
        [tuple(4 * rank + suit for suit in suits) for suits in combinations(range(4), len([*same]))]
        for rank, same in groupby(ranks.tolist())
    ]
    return np.array([sum(choice, ()) for choice in product(*parts)], dtype=np.uint8)


def suit_averaged_values(valuation: ClassTables, classes: Index) -> KeepValues:
    """Value the 15 keeps of deals known by their ranks, averaged over their suits.

    Parameters
    ----------
    valuation
        The class tables, for one role against one opponent.
    classes
        Class numbers, ``(N,)``.

    Returns
    -------
    Points, ``(N, 15)`` each: the mean over all deals of the ranks, exactly weighted.

    Examples
    --------
    >>> from cribev.classes.frequency_cribs import uniform_cribs
    >>> four_aces = suit_averaged_values(ClassTables(uniform_cribs(), "pone"), np.array([0]))
    >>> four_aces.hand_mean[0, 0].item()
    12.0
    """
    # Few places of equal ranks and of jacks stand for all classes.
    first_rows = suit_rows(classes, np.zeros_like(classes))
    places = np.column_stack([_kinds()[classes], first_rows])
    kinds, which = np.unique(places, axis=0, return_inverse=True)
    weights = _pattern_weights()[kinds[:, 0]]
    rows = kinds[:, 1, None] + np.arange(PATTERNS)
    hand_suits, crib_suits = (
        np.einsum("np,npk->nk", weights, table[rows])
        for table in (valuation.hand_of_suits, valuation.crib_of_suits)
    )
    nobs = np.einsum("np,np->n", weights, valuation.nobs_of_suits[rows])
    which = which.ravel()
    hand = (valuation.hand_of_class[classes] + hand_suits[which]) / STARTERS
    crib = (valuation.crib_of_class[classes] + crib_suits[which]) / STARTERS
    crib += (valuation.jacks_of_class[classes] * nobs[which])[:, None]
    play = None if valuation.play_of_class is None else valuation.play_of_class[classes]
    return KeepValues(hand, crib, play, net_points(hand, crib, valuation.role, play))


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
