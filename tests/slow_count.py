"""The exact count the long way: every hand the opponent can hold, one by one.

It knows a policy as the sets of keeps of all 20,358,520 deals, and no symmetry of it.
"""

from functools import cache
from itertools import combinations
from math import comb, lcm
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import DEALS, PATTERNS, binomials, classify_deals, keep_entries
from cribev.game.cards import DECK_SIZE, unseen
from cribev.game.index_tables import DISCARDS, UNSEEN_PAIRS

PARTS = lcm(*range(1, 16))  # of a hand, so that each of its keeps gets a whole number of them
_BLOCK = 1 << 16  # deals at a time


class Strategy(NamedTuple):
    sets: np.ndarray
    """The different sets of keeps, uint16 ``(n,)``."""
    of_deal: np.ndarray
    """Which of them each deal has, in colexicographic order, ``(20358520,)``."""


def written_out(policy):
    """Write out a policy for every deal."""
    sets, of_form = np.unique(policy, return_inverse=True)
    of_form = of_form.ravel().astype(np.min_scalar_type(len(sets)))
    of_deal = np.empty(DEALS, dtype=of_form.dtype)
    for start in range(0, DEALS, _BLOCK):
        numbers = np.arange(start, min(start + _BLOCK, DEALS))
        classes, patterns = classify_deals(unrank_deals(numbers))
        of_deal[numbers] = of_form.take(classes * PATTERNS + patterns)
    return Strategy(sets, of_deal)


def weights(deal, strategy):
    """Do what `cribev.opponents.counts.exact_weights` does."""
    rows, keeps, _ = keep_entries(strategy.sets)
    keep = np.zeros((15, len(strategy.sets)), dtype=int)  # the first of a set, the second …
    keep[np.arange(len(rows)) - np.searchsorted(rows, rows), rows] = keeps
    of = np.bincount(rows, minlength=len(strategy.sets))
    share = PARTS / np.maximum(of, 1)
    # Sums of whole numbers of parts, which are exact in float64: by pair, and one of the six cards.
    discarded, held = np.zeros(46**2), np.zeros(46**3)
    for sets, hands in _hands_in(deal, strategy.of_deal):
        for turn in range(of[sets].max()):
            some = np.flatnonzero(of.take(sets) > turn)
            places, parts = keep[turn].take(sets[some]), share.take(sets[some])
            these, here = hands[:, some], np.arange(len(some))
            first, second = (these[place.take(places), here] for place in DISCARDS.T)
            pair = first * 46 + second
            discarded += np.bincount(pair, parts, 46**2)
            for card in these:
                held += np.bincount(pair * 46 + card, parts, 46**3)
    left = discarded[:, None] - held.reshape(46**2, 46)
    return left[UNSEEN_PAIRS @ [46, 1]] / PARTS


def _hands_in(deal, of_deal):
    """The opponent's hands, many at a time: the number of the set that each has, and the hands."""
    ways = binomials()[:, unseen(np.asarray(deal))]
    low = _low_cards()
    # Hands with the same two highest cards are deals that lie together, and their low cards are
    # the start of one list: one list of numbers finds them all.
    numbers = np.sum([ways[size][column] for size, column in enumerate(low, start=1)], axis=0)
    for highest in range(5, 46):
        sets, hands = [], []
        for second in range(4, highest):
            size = comb(second, 4)
            start = ways[6][highest] + ways[5][second]
            sets.append(of_deal[start:].take(numbers[:size]))
            two = np.repeat([[second], [highest]], size, axis=1)
            hands.append(np.concatenate([low[:, :size], two]))
        yield np.concatenate(sets), np.concatenate(hands, axis=1)


@cache
def _low_cards():
    """Four of 44 positions ascending, in colexicographic order, intp ``(4, 135751)``."""
    fours = sorted(combinations(range(44), 4), key=lambda four: four[::-1])
    return np.ascontiguousarray(np.array(fours).T)


def unrank_deals(numbers):
    """Return the deals of numbers 0..20,358,519, ``(N,)``: uint8 ``(N, 6)``, each ascending."""
    high = np.searchsorted(_first_numbers(), numbers, side="right") - 1
    low = numbers - _first_numbers()[high]
    return np.concatenate([_triples()[:, low], _triples()[:, high]]).T


@cache
def _triples():
    """Three ascending cards in colexicographic order, uint8 ``(3, 22100)``."""
    triples = np.array(list(combinations(range(DECK_SIZE), 3)), dtype=np.uint8).T
    return np.ascontiguousarray(triples[:, np.lexsort(triples)])


@cache
def _first_numbers():
    """Tabulate the number of the first deal with each three high cards."""
    # The low three are any below the lowest of the high three, which gives C(d, 3) deals.
    return np.concatenate([[0], np.cumsum(binomials()[3][_triples()[0]])])
