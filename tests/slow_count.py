"""The exact count the long way: every hand the opponent can hold, one by one.

It knows a policy as the sets of keeps of all 20,358,520 deals, and no symmetry of it.
"""

from functools import cache
from math import comb, lcm
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import DEALS, binomials, canonical_blocks, keep_entries
from cribev.game.cards import unseen
from cribev.game.index_tables import DISCARDS, UNSEEN_PAIRS

PARTS = lcm(*range(1, 16))  # of a hand, so that each of its keeps gets a whole number of them
_BLOCK = 1 << 17


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
    for start, form in canonical_blocks():
        of_deal[start : start + len(form)] = of_form.take(form)
    return Strategy(sets, of_deal)


def weights(deal, strategy):
    """Do what `cribev.opponents.counts.exact_weights` does."""
    ways = binomials()[:, unseen(np.asarray(deal))]
    low = _low_cards()
    # Hands with the same two highest cards are deals that lie together, and their low cards are
    # the start of one list: one list of numbers finds them all.
    numbers = np.sum([ways[size][column] for size, column in enumerate(low, start=1)], axis=0)
    tally = _Tally(strategy.sets)
    for highest in range(5, 46):
        for second in range(4, highest):
            deals = strategy.of_deal[ways[6][highest] + ways[5][second] :]
            size = comb(second, 4)
            tally.add(deals.take(numbers[:size]), low[:, :size], second, highest)
    return tally.weights()


class _Tally:
    """Counts what hands throw, some hands at a time, in parts of a hand."""

    def __init__(self, sets):
        rows, keeps, _ = keep_entries(sets)
        turn = np.arange(len(rows)) - np.searchsorted(rows, rows)
        self._of = np.bincount(rows, minlength=len(sets))
        self._keep = np.zeros((15, len(sets)), dtype=int)  # the first of a set, the second …
        self._keep[turn, rows] = keeps
        self._share = PARTS / np.maximum(self._of, 1)
        # Sums of whole numbers of parts, which are exact in float64.
        self._thrown = np.zeros(46**2)
        self._held = np.zeros(46**3)  # by pair and one of the six cards
        self._waiting = []

    def add(self, sets, low, second, highest):
        hands = np.empty((6, len(sets)), dtype=np.intp)
        hands[:4], hands[4], hands[5] = low, second, highest
        self._waiting.append((sets, hands))
        if sum(len(sets) for sets, _ in self._waiting) >= _BLOCK:
            self.count()

    def count(self):
        if not self._waiting:
            return
        sets = np.concatenate([sets for sets, _ in self._waiting])
        hands = np.concatenate([hands for _, hands in self._waiting], axis=1)
        self._waiting = []
        for turn in range(self._of[sets].max()):
            rows = np.flatnonzero(self._of.take(sets) > turn) if turn else slice(None)
            keeps, share = self._keep[turn].take(sets[rows]), self._share.take(sets[rows])
            these = hands[:, rows]
            here = np.arange(len(keeps))
            first, second = (these[place.take(keeps), here] for place in DISCARDS.T)
            pair = first * 46 + second
            self._thrown += np.bincount(pair, share, 46**2)
            for card in these:
                self._held += np.bincount(pair * 46 + card, share, 46**3)

    def weights(self):
        self.count()
        left = self._thrown[:, None] - self._held.reshape(46**2, 46)
        return left[UNSEEN_PAIRS @ [46, 1]] / PARTS


@cache
def _low_cards():
    """Four of 44 positions ascending, in colexicographic order, intp ``(4, 135751)``."""
    rest = np.arange(comb(44, 4))
    columns = []
    for size in (4, 3, 2, 1):
        steps = np.array([comb(position, size) for position in range(46)])
        columns.append(np.searchsorted(steps, rest, side="right") - 1)
        rest = rest - steps[columns[-1]]
    return np.stack(columns[::-1])
